"""Subspace metric ensembles (Yan and Domeniconi 2006): Figures 2 to 4 and Table 1."""
