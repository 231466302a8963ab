"""MPCK-means: a metric for each cluster, and the price of broken constraints under it."""
