"""Accuracy of clusterings, compared with other methods and packages on many data sets.

Every method gets the same rows and the same hints; other packages run in an environment of their own.
"""
