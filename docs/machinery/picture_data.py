"""Small data sets, each with the one difficulty that a method's picture is to show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.datasets import load_digits, load_wine, make_circles, make_moons
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import minmax_scale, scale


@dataclass(frozen=True)
class Data:
    """Rows, their classes, and how a caption calls them."""

    X: Any
    y: np.ndarray
    called: str
    links: np.ndarray | None = None


def wine() -> Data:
    """A table whose classes are round and plain to see."""
    X, y = load_wine(return_X_y=True)
    return Data(scale(X), y, "178 wines, 13 measurements")


def noisy_wine() -> Data:
    """The wines with sixty columns that mean nothing."""
    wines = wine()
    noise = np.random.default_rng(0).normal(size=(len(wines.y), 60))
    return Data(np.hstack([wines.X, 1.5 * noise]), wines.y, "178 wines, 13 measurements among 60 columns of noise")


def digits() -> Data:
    """Images: curved clusters."""
    X, y = load_digits(return_X_y=True)
    return Data(X / 16, y, "1,797 handwritten digits, 64 pixels")


def hidden() -> Data:
    """Classes in two directions of small variance, turned so that no single column shows them."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(3), 60)
    hidden = rng.normal(size=(len(y), 10)) * np.linspace(2.5, 0.9, 10)
    hidden[:, -2:] = np.array([[0.0, 0.0], [3.2, 0.0], [1.6, 2.7]])[y] + 0.6 * rng.normal(size=(len(y), 2))
    turned = np.linalg.qr(rng.normal(size=(10, 10)))[0]
    return Data(hidden @ turned, y, "180 rows, 10 columns; the classes lie in two directions of small variance")


def hidden_in_boxes() -> Data:
    """The same, each column from 0 to 1."""
    rows = hidden()
    return Data(minmax_scale(rows.X), rows.y, rows.called)


def stripes() -> Data:
    """Three long stripes side by side: the direction of largest variance is the wrong one."""
    rng = np.random.default_rng(1)
    y = np.repeat(np.arange(3), 70)
    X = np.column_stack([rng.normal(0, 3.0, len(y)), 1.6 * y + rng.normal(0, 0.35, len(y))])
    return Data(X, y, "210 points in three long stripes")


def unequal() -> Data:
    """A large cluster beside two small ones: k-means cuts the large one."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [160, 40, 40])
    wide, upper, lower = (
        rng.normal(0, 1.7, (160, 2)),
        rng.normal([4.6, 1.6], 0.5, (40, 2)),
        rng.normal([4.6, -1.6], 0.5, (40, 2)),
    )
    return Data(np.vstack([wide, upper, lower]), y, "240 points: a wide cluster beside two small ones")


def uneven() -> Data:
    """A cluster that is long one way, and one that is long the other way."""
    rng = np.random.default_rng(3)
    y = np.repeat(np.arange(2), 90)
    flat = rng.normal(0, [2.6, 0.3], (90, 2))
    tall = rng.normal([2.4, 2.2], [0.3, 2.0], (90, 2))
    return Data(np.vstack([flat, tall]), y, "180 points, one cluster long across, the other long upwards")


def moons() -> Data:
    """Two half moons: no straight line parts them."""
    X, y = make_moons(240, noise=0.07, random_state=0)
    return Data(X, y, "240 points in two half moons")


def rings() -> Data:
    """A ring around a blob."""
    X, y = make_circles(240, factor=0.35, noise=0.07, random_state=0)
    return Data(X, y, "240 points: a blob within a ring")


def topics() -> Data:
    """Documents as tf-idf rows: three subjects that share most of their words, some documents in two subjects."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(3), 50)
    common = rng.gamma(0.4, size=400)
    special = rng.gamma(0.12, size=(3, 400))
    share = rng.beta(2.0, 4.0, size=(len(y), 1))
    rate = (1 - share) * common / common.sum() + share * special[y] / special[y].sum(axis=1, keepdims=True)
    X = TfidfTransformer().fit_transform(rng.poisson(60 * rate))
    return Data(X, y, "150 documents on three subjects, 400 words")


def lengths() -> Data:
    """Documents as counts of words, short ones and long ones: how long says nothing about the subject."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(3), 60)
    rate = rng.gamma(0.4, size=(3, 60))[y]
    words = np.exp(rng.uniform(np.log(20), np.log(400), (len(y), 1)))
    X = rng.poisson(words * rate / rate.sum(axis=1, keepdims=True)).astype(float)
    return Data(X, y, "180 documents on three subjects, 20 to 400 words long, as counts of 60 words")


def cited() -> Data:
    """The documents, and who cites whom: mostly documents on the same subject."""
    documents = topics()
    rng = np.random.default_rng(5)
    left, right = rng.integers(0, len(documents.y), (2, 3000))
    same = documents.y[left] == documents.y[right]
    kept = (left != right) & (same | (rng.random(len(left)) < 0.06))
    links = np.column_stack([left[kept], right[kept]])[:220]
    return Data(documents.X, documents.y, f"{documents.called}, {len(links)} citations", links)


def genes() -> Data:
    """Few rows, many columns: thirty of eight hundred mean something."""
    rng = np.random.default_rng(2)
    y = np.repeat(np.arange(3), 20)
    X = rng.normal(size=(len(y), 800))
    X[:, :30] += 1.2 * rng.normal(size=(3, 30))[y]
    return Data(X, y, "60 samples, 800 genes, 30 of which matter")


DATA: dict[str, Callable[[], Data]] = {
    make.__name__: make
    for make in (
        *(wine, noisy_wine, hidden, hidden_in_boxes, digits, stripes, unequal, uneven, moons, rings),
        *(topics, lengths, cited, genes),
    )
}
