"""Hints nobody had to give: where constraints come from without asking.

Here belongs what turns knowledge that lies around (links between documents, keys of records, objects followed over
frames, columns that say "all the same") into :class:`~likewise.constraints.Constraints`, with a belief in each pair. A
source knows constraints and nothing after them.
"""
