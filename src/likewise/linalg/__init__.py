"""Numerical linear algebra that knows nothing of constraints: row matrices, products, eigenproblems."""

from ._row_matrix import RowMatrix as RowMatrix
