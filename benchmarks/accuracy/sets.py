"""The data sets of the comparison, preprocessed once for all methods."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
from papers.text_sets import NEWS, REUTERS, documents
from scipy import sparse
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import StandardScaler

from likewise import TextFeatures, datasets
from likewise.evaluation.protocols import rows_per_class
from likewise.prepare._kinds import on_one_scale

MOST_ROWS = 2000
WIDE = 100
"""Maximum number of columns for peers, whose methods are meant for narrow, dense tables."""


class Rows(NamedTuple):
    """Prepared rows and their classes."""

    X: Any
    y: np.ndarray


def table(name: str, most: int = MOST_ROWS) -> Rows:
    """Columns unchanged if their ranges are similar, otherwise standardized; of many rows, a sample."""
    whole = datasets.load(name)
    known = np.flatnonzero(whole.y >= 0)
    if len(known) > most:
        known = known[rows_per_class(whole.y[known], most // len(whole.target_names), 0)]
    X = np.asarray(whole.X, dtype=float)[known]
    return Rows(X if on_one_scale(X) else StandardScaler().fit_transform(X), codes(whole.y[known]))


def words(name: str) -> Rows:
    """Word counts as tf-idf rows of unit length."""
    whole = datasets.load(name)
    known = whole.y >= 0
    counts = sparse.csr_array(np.asarray(whole.X, dtype=float)[known])
    used = counts.sum(axis=1) > 0
    return Rows(TfidfTransformer().fit_transform(counts[used]), codes(whole.y[known][used]))


def texts(name: str, topics: tuple[str, ...], most: int) -> Rows:
    """Documents of some topics, up to `most` of each, as tf-idf rows of unit length."""
    return Rows(*documents(name, topics, most, 0))


def intents(count: int) -> Rows:
    """Questions to a bank, of the first `count` intents."""
    whole = datasets.load("banking77")
    chosen = np.flatnonzero((whole.y >= 0) & (whole.y < count))
    chosen = chosen[rows_per_class(whole.y[chosen], MOST_ROWS // count, 0)]
    return Rows(TextFeatures().fit_transform([whole.text[row] for row in chosen]), whole.y[chosen])


def faces(what: str) -> Rows:
    """Images of faces; their class is `what`."""
    whole = datasets.load("cmu_faces")
    return Rows(np.asarray(whole.X, dtype=float), codes(whole.extra[what]))


def codes(y: Any) -> np.ndarray:
    """Classes as integers from 0 without gaps."""
    return np.unique(np.asarray(y), return_inverse=True)[1]


JUDGED: dict[str, Callable[[], Rows]] = {
    **{name: partial(table, name) for name in ("iris", "wine", "wdbc", "digits", "mfeat", "isolet", "pendigits")},
    **{name: partial(table, name) for name in ("coil20_32", "vehicle", "ionosphere", "nci60", "lymphoma")},
    **{f"news-{name}": partial(texts, "newsgroups", topics, 400) for name, topics in NEWS.items()},
    "reuters-6": partial(texts, "reuters", REUTERS["reu-6"], MOST_ROWS // 6),
    "cora": partial(words, "cora"),
}
"""The data sets that methods are evaluated on."""

TUNED: dict[str, Callable[[], Rows]] = {
    **{name: partial(table, name) for name in ("balance", "breast_w", "glass", "pima", "sonar", "soybean_small")},
    **{name: partial(table, name) for name in ("yeast", "kddcup99_sample")},
    "faces-person": partial(table, "cmu_faces"),
    **{f"faces-{what}": partial(faces, what) for what in ("pose", "eyes")},
    "webkb": partial(words, "webkb"),
    "news-rec": partial(texts, "newsgroups", ("rec.autos", "rec.motorcycles", "rec.sport.hockey"), 400),
    "news-sci": partial(
        texts, "newsgroups", ("sci.crypt", "sci.electronics", "sci.med", "soc.religion.christian"), 300
    ),
    "reuters-7": partial(texts, "reuters", REUTERS["reu-7"], 200),
    "reuters-5": partial(texts, "reuters", REUTERS["reu-5"], 200),
    "intents": partial(intents, 12),
}
"""The data sets that settings of Likewise may be chosen on; no method is evaluated on them."""


@lru_cache(maxsize=4)
def load(name: str) -> Rows:
    """Load a data set, and cache it for the next draw."""
    return (JUDGED | TUNED)[name]()


@lru_cache(maxsize=4)
def narrow(name: str) -> np.ndarray:
    """The rows of a data set in few dense columns."""
    return in_few_columns(load(name).X)


def in_few_columns(X: Any) -> np.ndarray:
    """The rows in at most a hundred dense columns: principal components, or those of a truncated SVD for text."""
    if X.shape[1] <= WIDE and not sparse.issparse(X):
        return X
    kind = TruncatedSVD if sparse.issparse(X) else PCA
    return kind(min(WIDE, min(X.shape) - 1), random_state=0).fit_transform(X)
