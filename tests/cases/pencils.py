"""Pencils of every kind, by shape of the data: one more pencil is one more line of the table."""

import numpy as np

from cases.data import blobs, consistent_hints, counts, partial_labels
from likewise.forms import (
    Form,
    between_scatter,
    centroid_scatter,
    degree,
    laplacian,
    ridge,
    total_scatter,
    within_scatter,
)
from likewise.graphs import RowMatrix, cannot_link_graph, must_link_graph, neighbor_graph
from likewise.pencil import Pencil, Route

DATA = {
    "tall": blobs(60, 8)[0],
    "wide": blobs(20, 50, seed=3)[0],
    "tall sparse": counts(60, 10, density=0.3),
    "wide sparse": counts(20, 50, seed=5, density=0.2),
}


def labels(n):
    return np.arange(n) % 3


def hints(n):
    return consistent_hints(labels(n), n_must=8, n_cannot=6, weighted=True)


def costs(f):
    return np.linspace(0.5, 3.0, f)


def _lda(X, **kwargs):
    y = labels(X.shape[0])
    return within_scatter(y), between_scatter(y)


def _scatter_of_links(X):
    return laplacian(must_link_graph(hints(X.shape[0])))


def _total(X):
    return total_scatter(X.shape[0])


def _signed(X):
    h = hints(X.shape[0])
    return laplacian(neighbor_graph(X, 4) * 0.5 + must_link_graph(h) - cannot_link_graph(h) * 3.0, signed=True)


def _few(X):
    y = partial_labels(labels(X.shape[0]), 0.4)
    return within_scatter(y), between_scatter(y)


def _gcdr(X, cost):
    push = Form(RowMatrix.diag(1.0 + np.arange(X.shape[0]) % 4).centered()) + ridge(cost)
    return Pencil(_signed(X) + ridge(cost), push, over="push")


CASES = {
    "lda": lambda X: Pencil(*_lda(X)),
    "lda, few labels": lambda X: Pencil(*_few(X)),
    "lda over pull": lambda X: Pencil(*_lda(X), over="pull"),
    "lda over push": lambda X: Pencil(*_lda(X), over="push"),
    "lda, ridge": lambda X: Pencil(_lda(X)[0] + ridge(0.7), _lda(X)[1]),
    "lda, ridge of each feature": lambda X: Pencil(_lda(X)[0] + ridge(costs(X.shape[1])), _lda(X)[1]),
    "links against total": lambda X: Pencil(_scatter_of_links(X), _total(X)),
    "links against total, ridge": lambda X: Pencil(_scatter_of_links(X) + ridge(0.3), _total(X)),
    "links against total over pull, ridge of each feature": lambda X: Pencil(
        _scatter_of_links(X) + ridge(costs(X.shape[1])), _total(X), over="pull"
    ),
    "ridges in both": lambda X: Pencil(
        _scatter_of_links(X) + ridge(costs(X.shape[1])), _total(X) + ridge(2 * costs(X.shape[1]))
    ),
    "ridges in both over push": lambda X: Pencil(
        laplacian(neighbor_graph(X, 4)) + ridge(0.2), degree(neighbor_graph(X, 4)) + ridge(0.2), over="push"
    ),
    "ridges that differ": lambda X: Pencil(_scatter_of_links(X) + ridge(costs(X.shape[1])), _total(X) + ridge(1.0)),
    "centroids against identity": lambda X: Pencil(ridge(1.0), centroid_scatter(labels(X.shape[0]))),
    "signed push": lambda X: Pencil(ridge(1.0), -_signed(X)),
    "signed push, rows in pull": lambda X: Pencil(ridge(0.5) + _scatter_of_links(X), -_signed(X)),
    "signed pull": lambda X: _gcdr(X, 0.0),
    "signed pull, ridge": lambda X: _gcdr(X, 0.5),
    "neighbors against degree": lambda X: Pencil(
        laplacian(neighbor_graph(X, 4)), degree(neighbor_graph(X, 4)), over="push"
    ),
}


def routes(X, pencil):
    """The routes that the rules allow."""
    ridges = [np.broadcast_to(form.ridge, X.shape[1]) for form in (pencil.pull, pencil.push)]
    allowed = [Route.DENSE]
    present = [cost for cost in ridges if np.any(cost)]
    proportional = len(present) < 2 or np.ptp(present[0] / present[1]) < 1e-12
    if proportional:
        allowed.append(Route.ROW_SPACE)
    divisor = pencil.pull if pencil.over in ("sum", "pull") else pencil.push
    if np.all(divisor.ridge > np.zeros(X.shape[1])):
        allowed.append(Route.MATRIX_FREE)
    return allowed
