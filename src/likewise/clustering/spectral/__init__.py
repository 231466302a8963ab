"""Cuts of graphs: affinities, normalized cuts with and without constraints, propagation, and pipelines of these."""
