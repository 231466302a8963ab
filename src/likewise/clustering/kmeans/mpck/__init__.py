"""MPCK-means: a metric for each cluster, and the penalties on violated constraints under it."""
