"""Clusterings that heed hints: the k-means family, the spectral family, ensembles, and projecting first."""
