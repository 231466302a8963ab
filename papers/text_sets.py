"""The papers' text sets: topics of 20 Newsgroups and Reuters-21578, documents drawn anew for every seed.

Both papers stem, drop stop words and weigh by tf-idf; the numbers of features they print match words that occur in at
least two documents, not "no cutoff". Rows have unit length.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from likewise import TextFeatures, datasets
from likewise.evaluation.protocols import rows_per_class

NEWS = {
    "difficult": ("comp.windows.x", "comp.os.ms-windows.misc", "comp.graphics"),
    "mediocre": ("talk.politics.misc", "talk.politics.guns", "talk.politics.mideast"),
    "easy": ("alt.atheism", "sci.space", "rec.sport.baseball"),
}
REUTERS = {
    "reu-2": ("earn", "trade"),
    "reu-3": ("coffee", "sugar", "earn"),
    "reu-4": ("jobs", "reserves", "coffee", "grain"),
    "reu-5": ("gnp", "copper", "money-fx", "alum", "jobs"),
    "reu-6": ("acq", "interest", "reserves", "grain", "money-fx", "earn"),
    "reu-7": ("cocoa", "sugar", "reserves", "cpi", "gold", "earn", "gnp"),
}


@lru_cache(maxsize=2)
def corpus(name: str) -> datasets.Dataset:
    """Load "newsgroups" or "reuters" once for a process."""
    return datasets.load(name)


@lru_cache(maxsize=8)
def documents(name: str, topics: tuple[str, ...], most: int, seed: int) -> tuple[Any, np.ndarray]:
    """Draw up to `most` documents of each topic and turn them into unit rows of tf-idf weights.

    Returns
    -------
    X : sparse matrix
    y : (n,) int array
        The topic, as a position in `topics`.
    """
    whole = corpus(name)
    position = {topic: number for number, topic in enumerate(topics)}
    codes = np.array([position.get(whole.target_names[code], -1) for code in whole.y])
    among = np.flatnonzero(codes >= 0)
    rows = among[rows_per_class(codes[among], most, seed)]
    X = TextFeatures().fit_transform([whole.text[row] for row in rows])
    return X, codes[rows]


def drawn_topics(name: str, k: int, least: int, seed: int) -> tuple[str, ...]:
    """Draw k topics among those with at least `least` documents."""
    whole = corpus(name)
    counts = np.bincount(whole.y[whole.y >= 0], minlength=len(whole.target_names))
    large = np.flatnonzero(counts >= least)
    chosen = np.random.default_rng(seed).choice(large, size=k, replace=False)
    return tuple(whole.target_names[code] for code in chosen)
