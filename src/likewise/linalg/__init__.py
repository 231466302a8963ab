"""Numerical linear algebra, independent of constraints: row matrices, matrix products and eigenproblems."""

from ._row_matrix import RowMatrix as RowMatrix
