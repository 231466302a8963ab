"""Forms of a graph over the rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..linalg._row_matrix import RowMatrix
from ._form import Form


def laplacian(graph: RowMatrix | Any, *, signed: bool = False) -> Form:
    """Σ over edges of weight × (difference along w)²: ``K = D − W``, D the row sums of W.

    ``signed`` says that some weights are negative, so that the form is not positive semi-definite.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.forms import laplacian
    >>> from likewise.graphs import RowMatrix
    >>> one_edge = RowMatrix.from_pairs(3, np.array([[0, 2]]), np.array([1.0]))
    >>> laplacian(one_edge).matrix(np.array([[1.0], [5.0], [4.0]]))
    array([[9.]])
    """
    graph = RowMatrix.of(graph)
    return Form(RowMatrix.diag(graph.row_sums()) - graph, psd=not signed)


def degree(graph: RowMatrix | Any) -> Form:
    """Σ over rows of degree × (position along w)²: ``K = D``; indefinite if a degree is negative."""
    sums = RowMatrix.of(graph).row_sums()
    return Form(RowMatrix.diag(sums), psd=bool(np.all(sums >= 0)))
