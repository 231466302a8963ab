"""Speed and memory, as ratios against a named opponent in the same run.

``python -m benchmarks`` (or ``make bench``) runs every row, each in a process of its own so that its peak memory is its
own, prints one table and writes RESULTS.md. ``python -m benchmarks NAME …`` runs some.
"""
