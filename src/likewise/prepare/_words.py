"""Texts cut into words, and the words counted."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._progress_legacy import each

IntArray = NDArray[np.int64]

BATCH = 500
"""Texts after which progress is told."""


class Spoken(NamedTuple):
    """The words of some texts, as numbers in the order they were read."""

    words: list[str]  # distinct, by first appearance
    number: IntArray  # of every word of every text
    bounds: IntArray  # text i says number[bounds[i] : bounds[i + 1]]

    @property
    def n_texts(self) -> int:
        """Number of texts."""
        return len(self.bounds) - 1

    def counts(self, column_of: Mapping[str, int], n_columns: int) -> sparse.csr_matrix:
        """How often each text says a word of each column; a word without a column does not count."""
        column = np.array([column_of.get(word, -1) for word in self.words], dtype=np.int64)[self.number]
        known = column >= 0
        bounds = np.concatenate([[0], np.cumsum(known)])[self.bounds]
        column = column[known]
        counts = sparse.csr_matrix((np.ones(len(column)), column, bounds), shape=(self.n_texts, n_columns))
        counts.sum_duplicates()
        return counts


def read_words(texts: Sequence[str], analyze: Callable[[str], list[str]]) -> Spoken:
    """Cut texts into words, and number the words.

    >>> read_words(["to be", "or not to be"], str.split)
    Spoken(words=['to', 'be', 'or', 'not'], number=array([0, 1, 2, 3, 0, 1]), bounds=array([0, 2, 6]))
    """
    number_of: defaultdict[str, int] = defaultdict()
    number_of.default_factory = number_of.__len__  # a word not seen before gets the next number
    numbers, bounds = array("q"), array("q", [0])
    for start in each(range(0, len(texts), BATCH)):
        for text in texts[start : start + BATCH]:
            numbers.extend(map(number_of.__getitem__, analyze(text)))
            bounds.append(len(numbers))
    return Spoken(list(number_of), np.array(numbers, dtype=np.int64), np.array(bounds, dtype=np.int64))


def most_frequent_forms(spoken: Spoken, column_of: Mapping[str, int]) -> NDArray[Any]:
    """For each column the word that is said most often of those that share it."""
    said = np.bincount(spoken.number, minlength=len(spoken.words)).tolist()
    best: dict[int, tuple[int, int, str]] = {}
    for word, times in zip(spoken.words, said, strict=True):
        column = column_of.get(word, -1)
        if column >= 0:
            form = (-times, len(word), word)
            best[column] = min(best.get(column, form), form)
    return np.array([best[column][-1] for column in range(len(best))], dtype=object)


def checked_texts(texts: Any) -> list[str]:
    """Return the texts as a list, or say which of them is no text."""
    remedy = "Pass a list of strings, one for each row."
    if isinstance(texts, str | bytes):
        raise ValueError(f"texts is one single string, {texts[:40]!r}. {remedy[:-1]}: [text].")
    if isinstance(texts, Mapping | Set):
        raise TypeError(f"texts is a {type(texts).__name__}, whose order says nothing about rows. {remedy}")
    shape = getattr(texts, "shape", (0,))
    if len(shape) != 1:
        raise ValueError(f"texts has shape {tuple(shape)}. Pass one column of it, such as table['text'].")
    try:
        found = list(texts)
    except TypeError:
        raise TypeError(f"texts is {texts!r}, a {type(texts).__name__}. {remedy}") from None
    if not found:
        raise ValueError(f"there are no texts: texts is empty. {remedy}")
    for row, text in enumerate(found):
        if not isinstance(text, str):
            missing = text is None or type(text).__name__ == "NAType" or text != text
            remedy = "Leave the row out, or write ''." if missing else "Convert it: str(text)."
            raise TypeError(f"texts[{row}] is {text!r}, a {type(text).__name__}, not a string. {remedy}")
    return found
