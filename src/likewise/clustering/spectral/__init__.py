"""Spectral clustering: affinities, normalized cuts with and without constraints, propagation, and pipelines."""
