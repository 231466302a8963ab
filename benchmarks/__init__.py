"""Benchmarks of time and memory against named opponents in the same run, of scaling, and of accuracy.

``likewise-bench`` (``make bench``) runs every row and writes RESULTS.md; ``likewise-bench NAME …`` runs some.
``likewise-bench scaling`` runs the curves and writes SCALING.md, scaling.csv and the figures.
``likewise-bench accuracy`` (``make compare``) compares clusterings with true classes and writes accuracy/RESULTS.md.

harness.py defines rows, measuring.py times them, and apart.py runs each row in its own process. Rows are in rows/, one
file per subject, curves in scaling/, and the accuracy of clusterings is measured in accuracy/.
"""
