"""Damaged and hostile files for every reader, in processes that may crash; ``make fuzz`` runs it.

Each input follows from a kind, a seed and a number, so that it can be made again: ``python -m fuzz --kinds csv --seed 3
--only 17``.
"""
