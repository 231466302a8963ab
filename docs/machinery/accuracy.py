"""How methods fared in the comparison of ``benchmarks/accuracy``, read from its page of results."""

from __future__ import annotations

import re
from pathlib import Path

RESULTS = "benchmarks/accuracy/RESULTS.md"
PAIRS = "100 pairs"
ROWS = {"spherical": "spherical k-means"}
"""Names of rows that are not the names of methods."""


def tables(root: Path) -> dict[str, dict[str, dict[str, str]]]:
    """The tables of the page: by heading, row and column."""
    found: dict[str, dict[str, dict[str, str]]] = {}
    for section in re.split(r"^## ", (root / RESULTS).read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        heading, _, text = section.partition("\n")
        lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
        if lines:
            columns = lines[0][1:]
            rows = {row[0]: dict(zip(columns, row[1:], strict=False)) for row in lines[2:]}
            found.setdefault(heading.strip(), rows)
    return found


def accuracy(root: Path) -> dict[str, str]:
    """A sentence for each method that was measured."""
    found = tables(root)
    means, worse = found["Mean NMI, all rows"], found["Share of runs worse than without hints"]
    plain = means["k-means"][PAIRS]
    sets = len(found[f"Data sets at {PAIRS}"])
    sentences = {}
    for row, values in means.items():
        if row in ("k-means", "likewise, no hints") or row.startswith("peer "):
            continue
        sentence = f"mean NMI {values[PAIRS]} on {sets} data sets with {PAIRS} of rows as hints (k-means: {plain})"
        if row in worse and row != "likewise":
            sentence += f"; worse than k-means in {worse[row][PAIRS].replace('%', ' %')} of runs"
        sentences[row] = sentence
    return sentences | {name: sentences[row] for name, row in ROWS.items() if row in sentences}
