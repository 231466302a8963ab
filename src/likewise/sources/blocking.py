"""Constraints from keys of records, as in the blocking step of record linkage."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from .._arrays import IntArray
from .._arrays import is_missing as _is_missing
from ..constraints import Constraints, Partition
from ..constraints._validate import encode_values as _encode_values
from ._phonetic import soundex as _soundex
from ._tables import Records


def from_records(table: Any, *, same: Any = None, different_across: Any = None, weight: float = 1.0) -> Constraints:
    """Constraints from a table of records, by keys that must agree or must not differ.

    A *key* puts each record into a block. Records that agree in a strong key (an email address, a tax number) are
    must-linked; records in different blocks of a weak one (the first letter of the name, the country) are
    cannot-linked.

    Parameters
    ----------
    table : pandas, polars or Arrow table, dict of columns, structured array, or list of dicts
    same : key, list of keys, or dict from key to weight
        Records that agree in one of these keys are must-linked.
    different_across : key, list of keys, or dict from key to weight
        Records that disagree in one of these keys are cannot-linked.
    weight : float
        Weight of the pairs of a key without a weight of its own.

    Returns
    -------
    Constraints
        With one partition for each key, which takes O(n) memory. Keys may contradict each other (two people with the
        same telephone); see ``conflicts()`` and ``drop_conflicts()``.

    Notes
    -----
    A key is one of

    - the name of a column;
    - :func:`prefix`, :func:`phonetic` or :func:`ngrams` of a column;
    - ``(column, function)``: a function of the values of a column;
    - a function of a whole record, which is a dict;
    - a tuple of keys: records must agree in all of them;
    - ``(key, weight)``: any of these, with a weight of its own.

    So a list contains several keys, and a tuple is a single key. If the value of a key, or of any part of a tuple, is
    None, NaN or blank, the record is in no block, and the key implies nothing about it.

    Examples
    --------
    >>> from likewise.sources.blocking import from_records, phonetic, prefix
    >>> people = {
    ...     "name": ["Meyer", "Maier", "Smith", "Smyth", None],
    ...     "town": ["Ulm", "Ulm", "Bath", "York", "Ulm"],
    ...     "email": ["m@x.org", None, "s@x.org", "s@x.org", "m@x.org"],
    ... }
    >>> alike = (phonetic("name"), "town")
    >>> constraints = from_records(people, same=["email", (alike, 0.5)], different_across=prefix("name", 1))
    >>> constraints
    Constraints(5 rows: 3 partitions of 7 groups over 5 rows)
    >>> constraints.expand().must_link.tolist()
    [[0, 1], [0, 4], [2, 3]]
    >>> constraints.expand().cannot_link.tolist()
    [[0, 2], [0, 3], [1, 2], [1, 3]]
    """
    records = Records(table)
    wanted = [
        (how, key, key_weight)
        for how, keys in (("same", same), ("different_across", different_across))
        for key, key_weight in _weighted_keys(keys, weight, records, how)
    ]
    if not wanted:
        raise ValueError(
            "no key was given. Pass same= or different_across=, with a column name such as "
            f"{records.names[0]!r}, or a list of keys."
        )
    partitions = [
        Partition(key.codes(records, how), same_within=how == "same", different_across=how != "same", weight=key_weight)
        for how, key, key_weight in wanted
    ]
    return Constraints(len(records), partitions=partitions)


class Key(ABC):
    """Assigns each record of a table to a block; implement ``codes`` for a key of your own."""

    @abstractmethod
    def codes(self, records: Records, how: str) -> IntArray:
        """Block of each record.

        Parameters
        ----------
        records : Records
            The table, with ``column(name)`` and ``len``.
        how : {"same", "different_across"}
            What the blocks are for.

        Returns
        -------
        (n,) ints
            −1 where a record is in no block.
        """


@dataclass(frozen=True)
class _Values(Key):
    """Blocks of equal values of a column, or of what a function makes of them."""

    column: Hashable
    function: Callable[[Any], Hashable] | None = None

    def codes(self, records: Records, how: str) -> IntArray:
        """One block for each distinct value."""
        values: Iterable[Any] = records.column(self.column)
        if self.function is not None:
            function = self.function
            values = (None if _is_missing(value) else function(value) for value in values)
        return _codes(values, f"column {self.column!r}")


@dataclass(frozen=True)
class _Computed(Key):
    """Blocks of equal values of a function of a whole record."""

    function: Callable[[dict[Any, Any]], Hashable]

    def codes(self, records: Records, how: str) -> IntArray:
        """One block for each distinct value."""
        return _codes(map(self.function, records), f"the key {self.function!r}")


@dataclass(frozen=True)
class _All(Key):
    """Blocks of records that agree in several keys."""

    keys: tuple[Key, ...]

    def codes(self, records: Records, how: str) -> IntArray:
        """One block for each combination of blocks; none where one of the keys has none."""
        together = np.zeros(len(records), dtype=np.int64)
        for key in self.keys:
            codes = key.codes(records, how)
            both = np.where((together < 0) | (codes < 0), -1, together * (codes.max(initial=0) + 1) + codes)
            together = np.unique(both, return_inverse=True)[1] - (both.min(initial=0) < 0)  # small again: −1 stays −1
        return together


@dataclass(frozen=True)
class _NGrams(Key):
    """Blocks of records that share a piece of a word; see :func:`ngrams`."""

    column: Hashable
    length: int

    def codes(self, records: Records, how: str) -> IntArray:
        """Blocks by the rarest shared piece for "same", by chains of shared pieces for "different_across"."""
        row, piece, n_pieces = self._shared_out(records)
        n = len(records)
        codes = np.full(n, -1, dtype=np.int64)
        if how == "same":
            frequency = np.bincount(piece, minlength=n_pieces)
            shared = frequency[piece] > 1
            row, piece = row[shared], piece[shared]
            order = np.lexsort((piece, frequency[piece], row))
            first = order[np.flatnonzero(np.diff(row[order], prepend=-1))]
            codes[row[first]] = piece[first]
        elif len(row):
            size = n + n_pieces
            edges = coo_array((np.ones(len(row), dtype=np.int8), (row, n + piece)), shape=(size, size))
            known = np.unique(row)
            codes[known] = connected_components(edges, directed=False)[1][known]
        return codes

    def _shared_out(self, records: Records) -> tuple[IntArray, IntArray, int]:
        """Return each piece of each record, as two columns: the record, and the piece by its place in the alphabet."""
        number_of: defaultdict[str, int] = defaultdict()
        number_of.default_factory = number_of.__len__  # a piece not seen before gets the next number
        pieces, counts = array("q"), array("q")
        for value in records.column(self.column):
            found = () if _is_missing(value) else _pieces_of(_plain(value), self.length)
            pieces.extend(map(number_of.__getitem__, found))
            counts.append(len(found))
        place = np.empty(len(number_of), dtype=np.int64)
        place[[number_of[piece] for piece in sorted(number_of)]] = np.arange(len(number_of))
        row = np.repeat(np.arange(len(records)), np.array(counts, dtype=np.int64))
        return row, place[np.array(pieces, dtype=np.int64)], len(number_of)


def prefix(column: Hashable, length: int) -> Key:
    """The first letters of a column, ignoring case and surrounding spaces.

    Parameters
    ----------
    column : name of a column
    length : int
        Number of letters.

    Returns
    -------
    Key

    Examples
    --------
    >>> from likewise.sources.blocking import from_records, prefix
    >>> from_records({"name": ["Smith", "smythe", "Jones"]}, same=prefix("name", 2)).expand().must_link.tolist()
    [[0, 1]]
    """
    length = _checked_length(length)
    return _Values(column, _Prefix(length))


def phonetic(column: Hashable) -> Key:
    """The Soundex code of a column of names, which is the same for names that sound alike.

    Parameters
    ----------
    column : name of a column

    Returns
    -------
    Key

    Examples
    --------
    >>> from likewise.sources.blocking import from_records, phonetic
    >>> from_records({"name": ["Robert", "Rupert", "Rubin"]}, same=phonetic("name")).expand().must_link.tolist()
    [[0, 1]]
    """
    return _Values(column, _sound)


def ngrams(column: Hashable, length: int = 3) -> Key:
    """Shared character n-grams of a column, which tolerate spelling mistakes anywhere in a value.

    A record shares n-grams with many others, so that n-grams are not blocks by themselves. Blocks are defined for each
    kind of constraint:

    - as a ``same`` key, the block of a record is its rarest n-gram that at least one other record has. Two records that
      share a frequent n-gram are joined only if neither shares a rarer one with another record. This is weak evidence:
      give it a small weight, or combine it with another key in a tuple.
    - as a ``different_across`` key, two records are in different blocks only if no chain of shared n-grams connects
      them, so that values with a similar spelling are never cannot-linked. Longer n-grams separate more records.

    A value shorter than ``length`` is a single n-gram. Case and surrounding spaces are ignored.

    Parameters
    ----------
    column : name of a column
    length : int
        Number of letters of an n-gram.

    Returns
    -------
    Key

    Examples
    --------
    >>> from likewise.sources.blocking import from_records, ngrams
    >>> names = {"name": ["Schwarzenegger", "Shwarzenegger", "Smith", "Smithson", "Ng"]}
    >>> from_records(names, same=ngrams("name", 4)).expand().must_link.tolist()
    [[0, 1], [2, 3]]
    >>> from_records(names, different_across=ngrams("name", 4)).partitions[0].codes
    array([0, 0, 1, 1, 2])
    """
    return _NGrams(column, _checked_length(length))


@dataclass(frozen=True)
class _Prefix:
    """A function that can be compared and pickled."""

    length: int

    def __call__(self, value: Any) -> str:
        return _plain(value)[: self.length]


def _sound(value: Any) -> str | None:
    return _soundex(str(value))


def _plain(value: Any) -> str:
    """Text without differences of case and spacing.

    >>> _plain("  De  Vries ")
    'de vries'
    """
    return " ".join(str(value).casefold().split())


def _pieces_of(text: str, length: int) -> set[str]:
    """The distinct n-grams of a text; the text itself if it is shorter.

    >>> sorted(_pieces_of("banana", 3)), _pieces_of("ng", 3)
    (['ana', 'ban', 'nan'], {'ng'})
    """
    return {text[start : start + length] for start in range(max(len(text) - length, 0) + 1)}


def _weighted_keys(keys: Any, weight: float, records: Records, how: str) -> Iterator[tuple[Key, float]]:
    """Read the keys of one argument, each with its weight."""
    if keys is None:
        return
    if isinstance(keys, Mapping):
        keys = list(keys.items())
        yield from ((_as_key(key, records, how), key_weight) for key, key_weight in keys)
        return
    for key in keys if isinstance(keys, list) else [keys]:
        if isinstance(key, tuple) and len(key) == 2 and _is_weight(key[1], records):
            yield _as_key(key[0], records, how), key[1]
        else:
            yield _as_key(key, records, how), weight


def _as_key(key: Any, records: Records, how: str) -> Key:
    """Read one key in any of its forms."""
    if isinstance(key, Key):
        return key
    if isinstance(key, Hashable) and key in records:
        return _Values(key)
    if isinstance(key, tuple) and key:
        if len(key) == 2 and callable(key[1]) and not isinstance(key[1], Key) and key[0] in records:
            return _Values(*key)
        return _All(tuple(_as_key(part, records, how) for part in key))
    if callable(key):
        return _Computed(key)
    raise ValueError(
        f"{how} names the key {key!r}, which is no column of the table: it has {records.listed_names}. "
        "A key is a column, a tuple of keys, prefix(...), phonetic(...), ngrams(...) or a function."
    )


def _codes(values: Iterable[Any], source: str) -> IntArray:
    """Number values by first appearance, −1 where they are missing."""
    values = list(values)

    def refusal(row: int) -> str:
        value = values[row]
        return (
            f"{source} gives {value!r} for record {row}, a {type(value).__name__}, which cannot be compared. "
            "Make it a string, a number or a tuple of these."
        )

    return _encode_values(values, refusal)[0]


def _is_weight(value: Any, records: Records) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and value not in records


def _checked_length(length: Any) -> int:
    if isinstance(length, bool) or not isinstance(length, int | np.integer) or length < 1:
        raise ValueError(f"length must be a whole number of letters, at least 1, got {length!r}.")
    return int(length)
