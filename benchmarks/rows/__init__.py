"""The rows, a file a subject. A row is a function that makes its data ready and gives the two works to be timed.

Its parameters are the sizes: the defaults are those of the real run, and are what the table says.
"""
