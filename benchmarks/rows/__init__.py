"""The rows, one file per subject. A row is a function that creates its data and returns the two works to be timed.

Its parameters are the sizes of the data. The defaults are those of the full run, which the table shows.
"""
