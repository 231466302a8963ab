"""Detection of the columns of tables of pairs, and the spellings of "same" and "different"."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, NamedTuple

from .._arrays import is_missing
from ..tables import RawTable

LEFT = frozenset({"left", "source", "from", "src", "citing"})
RIGHT = frozenset({"right", "target", "to", "dst", "cited"})
KIND = ("kind", "label", "type", "relation", "constraint", "link")
INDEX = frozenset({"", "unnamed: 0", "__index_level_0__"})
"""Names of columns that contain the index of a data frame."""

SAME = frozenset(
    {
        *("mustlink", "must", "ml", "same", "together", "match", "equal", "identical", "similar", "="),
        *("gleich", "dasselbe", "même", "meme", "pareil", "igual", "mismo", "uguale", "stesso", "相同", "同じ"),
    }
)
DIFFERENT = frozenset(
    {
        *("cannotlink", "cannot", "cantlink", "cl", "different", "differ", "diff", "apart", "nomatch", "unequal"),
        *("dissimilar", "≠", "verschieden", "unterschiedlich", "anders", "différent", "diferente"),
        *("distinto", "diverso", "不同", "違う"),
    }
)
YES = frozenset(
    {
        *("1", "yes", "y", "true", "t", "ja", "j", "oui", "sí", "si", "sì", "sim", "tak", "ano", "да", "是", "はい"),
        *("wahr", "vrai", "verdadero", "verdadeiro", "vero"),  # as spreadsheets write true
    }
)
NO = frozenset(
    {
        *("0", "-1", "no", "n", "false", "f", "nein", "nee", "nej", "non", "não", "nao", "nie", "ne", "нет", "否"),
        *("いいえ", "falsch", "faux", "falso"),
    }
)
UNDECIDED = frozenset(
    {
        *("?", "??", "cantsay", "cannotsay", "unsure", "notsure", "undecided", "unknown", "dontknow", "skip"),
        *("skipped", "na", "n/a", "unklar", "weißnicht", "refuted", "refutedsame", "refuteddifferent"),
    }
)
"""Words for neither "same" nor "different", including answers that were refuted later."""

SEPARATORS = re.compile(r"[\s_'’-]+")
WHOLE = re.compile(r"([+-]?[0-9]{1,18})(\.0*)?")  # Python limits the number of digits of an int


class PairColumns(NamedTuple):
    """The names of the columns of a table of pairs; None for columns that it does not have."""

    left: str
    right: str
    kind: str | None
    weight: str | None
    third: str | None = None
    fourth: str | None = None


def pair_columns(table: RawTable) -> PairColumns | None:
    """Identify the columns of a table of pairs by their names, and the others by their order.

    >>> pair_columns(RawTable("t.csv", 0, dict.fromkeys(["target", "source", "year"], [])))
    PairColumns(left='source', right='target', kind='year', weight=None, third=None, fourth=None)
    >>> pair_columns(RawTable("t.csv", 0, {"a": []})) is None
    True
    """
    called = {name.strip().lower(): name for name in table.columns}
    found = {
        "left": next((called[name] for name in called if name in LEFT), None),
        "right": next((called[name] for name in called if name in RIGHT), None),
        "kind": next((called[name] for name in KIND if name in called), None),
        "weight": called.get("weight"),
        "third": called.get("third"),
        "fourth": called.get("fourth"),
    }
    others = [name for name in table.columns if name not in found.values()]
    missing = [role for role in ("left", "right", "kind") if found[role] is None]
    if len(others) > len(missing):
        others = [name for name in others if name.strip().lower() not in INDEX]
    found.update(zip(missing, others, strict=False))
    left, right = found["left"], found["right"]
    return None if left is None or right is None else PairColumns(left, right, *list(found.values())[2:])


def without_blank_lines(table: RawTable) -> RawTable:
    """Remove blank lines, as left by spreadsheets.

    >>> table = RawTable("t.csv", 3, {"left": ["a", "", "b"], "right": ["c", None, ""]}, lines=[2, 3, 4])
    >>> without_blank_lines(table).lines
    [2, 4]
    """
    columns = list(table.columns.values())
    if not columns or not isinstance(columns[0], list) or not ("" in columns[0] or None in columns[0]):
        return table
    return some_lines(table, [line for line in range(table.n) if not all(is_missing(cells[line]) for cells in columns)])


def some_lines(table: RawTable, kept: list[int]) -> RawTable:
    """Select some lines of a table."""
    return replace(
        table,
        n=len(kept),
        columns={name: [cells[line] for line in kept] for name, cells in table.columns.items()},
        lines=None if table.lines is None else [table.lines[line] for line in kept],
    )


def spelled_kind(word: Any, *, yes: str = "must") -> str | None:
    """The kind of constraint that a word stands for: "must", "cannot", or None if it is neither.

    Parameters
    ----------
    word : cell of a table
    yes : {"must", "cannot"}
        What "yes" stands for: "cannot" in a column with the name "different".

    Examples
    --------
    >>> [spelled_kind(word) for word in ("Must-Link", "ML", 1, "no", "can't link", "maybe")]
    ['must', 'must', 'must', 'cannot', 'cannot', None]
    >>> spelled_kind(True, yes="cannot")
    'cannot'
    """
    plain = _plain(word)
    if plain in SAME:
        return "must"
    if plain in DIFFERENT:
        return "cannot"
    if plain in YES:
        return yes
    if plain in NO:
        return "cannot" if yes == "must" else "must"
    return None


def is_undecided(word: Any) -> bool:
    """Whether a cell is empty or a word for "can't say".

    >>> [is_undecided(word) for word in ("", None, "?", "Can't say", "same", "sma")]
    [True, True, True, True, False, False]
    """
    return is_missing(word) or _plain(word) in UNDECIDED


def _plain(word: Any) -> str:
    """A word in lower case, without spaces and hyphens; integers without leading zeros and decimals."""
    text = str(word).strip().lower()
    whole = WHOLE.fullmatch(text)
    return str(int(whole[1])) if whole else SEPARATORS.sub("", text)  # 1.0 occurs if a column has missing values


def names_columns(first: list[str], others: list[list[str]]) -> bool:
    """Whether the first line of a table of hints is a header.

    >>> names_columns(["a", "b", "label"], [["x", "y", "1"]]), names_columns(["x", "y", "same"], [["x", "z", "same"]])
    (True, False)
    """
    if {name.lower() for name in first} & (LEFT | RIGHT):
        return True
    if len(first) < 3 or spelled_kind(first[2]) is None:
        return len(first) > 2 or not all(WHOLE.fullmatch(name) for name in first)
    if all(WHOLE.fullmatch(name) for name in first[:2]):
        return False
    # "same" is the name of a column if its cells are yes or no, and not an answer itself if others are "yes"
    said = [cells[2] for cells in others if not is_undecided(cells[2])]
    names = not _is_answer(first[2]) and all(map(_is_answer, said))
    return names and any(spelled_kind(word) == spelled_kind(first[2]) for word in said)


def _is_answer(word: str) -> bool:
    """Whether a word is yes or no."""
    return spelled_kind(word) != spelled_kind(word, yes="cannot")
