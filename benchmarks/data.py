"""Data of the size and shape of the real thing, made on the spot."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer


def documents(n_docs: int, n_words: int, n_topics: int = 100, length: int = 180, seed: int = 0):
    """A TF-IDF matrix like that of news articles, and the main topic of each row.

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
    counts = sparse.coo_matrix((np.ones(len(rows)), (rows, words)), shape=(n_docs, n_words)).tocsr()
    return TfidfTransformer(sublinear_tf=True).fit_transform(counts), topics[:, 0]
