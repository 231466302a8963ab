"""Constraints derived from the data: from links, keys of records, detections in video frames, and group columns.

Each function returns weighted :class:`~likewise.constraints.Constraints`.
"""
