"""How time and memory grow: every projection and clusterer over rows, columns, hints and directions or clusters.

axes.py says what grows and what stays, running.py measures a curve until it gets too long or too large, fitting.py
gives its exponent, mathematics.py what the exponent has to be, drawing.py and writing.py show them.
"""
