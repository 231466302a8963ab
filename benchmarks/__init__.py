"""Speed and memory, as ratios against a named opponent in the same run; and how both grow with the data.

``likewise-bench`` (``make bench``) runs every row and writes RESULTS.md; ``likewise-bench NAME …`` runs some.
``likewise-bench scaling`` runs the curves and writes SCALING.md, scaling.csv and the pictures in figures/.
``likewise-bench accuracy`` (``make compare``) compares clusterings with the truth and writes accuracy/RESULTS.md.

harness.py says what a row is, measuring.py how two works are timed, apart.py gives each row a process of its own. Rows
are in rows/, a file a subject; curves in scaling/. How good clusterings are is measured in accuracy/.
"""
