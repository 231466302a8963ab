"""Scaling of time and memory: every projection and clusterer over rows, columns, hints, and directions or clusters.

axes.py defines the sizes that grow, running.py measures a curve up to limits of time and memory, fitting.py fits its
exponent, mathematics.py has the exponent that the method requires, and drawing.py and writing.py create the page.
"""
