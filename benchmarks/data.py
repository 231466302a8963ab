"""Data for rows and curves: real data sets if available, and synthetic ones of their size and shape.

Real data are used in full runs only. Quick runs, which must work on any machine, request fewer rows and get synthetic
ones.
"""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer

from likewise import TextFeatures, datasets
from likewise.datasets._catalog import entry_of
from likewise.datasets._loading import VARIABLE

from .harness import Skipped


def drawn_words(n_docs: int, n_words: int, n_topics: int, length: int, seed: int):
    """The document and word of each token, and the main topic of each document.

    Word frequencies fall off as 1/rank; half of a document's words come from the common stock, half from two topics
    that draw on their own words, and topics differ in size as words do.
    """
    rng = np.random.default_rng(seed)
    frequency = 1.0 / (np.arange(n_words) + 10.0)
    cumulative = np.cumsum(frequency) / frequency.sum()
    popularity = 1.0 / (np.arange(n_topics) + 5.0)
    topics = rng.choice(n_topics, size=(n_docs, 2), p=popularity / popularity.sum())
    shuffles = np.array([rng.permutation(n_words) for _ in range(n_topics)], dtype=np.int32)
    lengths = rng.poisson(length, n_docs) + 20
    rows = np.repeat(np.arange(n_docs), lengths)
    words = np.searchsorted(cumulative, rng.random(len(rows))).astype(np.int32)
    origin = rng.random(len(rows))
    own = origin < 0.5
    topic = topics[rows, (origin < 0.15).astype(int)]
    words[own] = shuffles[topic[own], words[own] // 4]  # topics use few words often
    return rows, words, topics[:, 0]


def documents(n_docs: int, n_words: int, n_topics: int = 100, length: int = 180, seed: int = 0):
    """A TF-IDF matrix like that of news articles, and the main topic of each row."""
    rows, words, topics = drawn_words(n_docs, n_words, n_topics, length, seed)
    counts = sparse.coo_matrix((np.ones(len(rows)), (rows, words)), shape=(n_docs, n_words)).tocsr()
    return TfidfTransformer(sublinear_tf=True).fit_transform(counts), topics


def texts(n_docs: int, n_words: int, n_topics: int = 20, length: int = 40, seed: int = 0):
    """Synthetic texts, and the main topic of each. Words are five letters that encode their index."""
    rows, words, topics = drawn_words(n_docs, n_words, n_topics, length, seed)
    letters = np.array(list("bdfgklmnprstvzaeiouhjqwxyc"))
    spelled = np.array(
        ["".join(letters[[number // 26**place % 26 for place in range(5)]]) for number in range(n_words)]
    )
    ends = np.searchsorted(rows, np.arange(n_docs + 1))
    written = spelled[words]
    return [" ".join(written[start:stop]) for start, stop in pairwise(ends)], topics


def blobs(n: int, f: int, n_clusters: int = 10, apart: float = 1.0, seed: int = 0):
    """Rows around centers that overlap a little in each column, and the cluster of each row."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_clusters, n)
    X = rng.standard_normal((n, f))
    X += apart * rng.standard_normal((n_clusters, f))[y]
    return X, y


def real(name: str) -> datasets.Dataset:
    """Load a data set from the data folder. Nothing is downloaded: a row without its data is skipped."""
    folder, file = os.environ.get(VARIABLE), entry_of(name).file
    if not folder or not (Path(folder) / file).is_file():
        where = f"is not in {VARIABLE}={folder}" if folder else f"is looked for in {VARIABLE}, which is not set"
        raise Skipped(f"{file} {where}. Set it to a folder that has the file.")
    return datasets.load(name, folder)


NEWS = 18_846
"""Number of documents in 20 Newsgroups."""


def news(n_docs: int):
    """20 Newsgroups, all words, as tf-idf rows of unit length, and their groups; synthetic if fewer are requested."""
    if n_docs < NEWS:
        return documents(n_docs, 4 * n_docs, n_topics=20, length=60)
    group = real("newsgroups")
    return TextFeatures(stem=False, stop_words=None, min_df=1).fit_transform(group.text), group.y


PENDIGITS = 10_992
"""Number of rows in pendigits."""


def pendigits(n: int):
    """Handwritten digits in 16 columns, and their classes; if fewer rows are requested, synthetic ones."""
    if n < PENDIGITS:
        return blobs(n, 16)
    digits = real("pendigits")
    return digits.X, digits.y
