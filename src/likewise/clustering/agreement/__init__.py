"""Joining clusterings: hybrid bipartite graph formulation, and the ensemble of subspace metrics."""
