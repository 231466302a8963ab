"""Constraints that come with the data: from links, keys of records, detections over frames, columns of groups.

Each source turns such data into :class:`~likewise.constraints.Constraints`, with a weight for each pair.
"""
