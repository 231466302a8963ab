"""How well the clusters found agree with the truth: the package beside others, on many data sets.

Every method gets the same rows and the same hints; other packages run in an environment of their own.
"""
