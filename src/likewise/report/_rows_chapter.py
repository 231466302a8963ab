"""The table of all rows, which can be searched, sorted, filtered and downloaded."""

from __future__ import annotations

from string import Template

from ._facts import Facts
from ._markup import Html, asset, element, joined, table

MAX_STILL = 20
"""Maximum number of rows that are listed without scripts: the least certain ones."""


def rows(facts: Facts) -> Html:
    """The table, which is filled by a script; without scripts, the least certain rows."""
    left_out = facts.n_rows - len(facts.rows)
    note = ""
    if left_out:
        note = f" {len(facts.rows):,} of {facts.n_rows:,} rows are in this page; the file of results has all."
    options = [element("option", facts.titles[number], value=number) for number in facts.by_size.tolist()]
    live = Template(asset("rows.html")).substitute(note=joined([note]), options=joined(options))
    return joined([Html(live), _still(facts)])


def _still(facts: Facts) -> Html:
    doubtful = facts.doubtful[:MAX_STILL].tolist()
    if not doubtful or facts.certainty is None:
        return element("p", "The table of rows needs scripts, which are switched off here.", class_="noscript")
    lines = []
    for row in doubtful:
        second = -1 if facts.second is None else int(facts.second[row])
        next_one = "–" if second < 0 else facts.titles[second]
        lines.append(
            (facts.row_name(row), facts.titles[int(facts.labels[row])], f"{facts.certainty[row]:.0%}", next_one)
        )
    head = ("most in doubt", "cluster", "certainty", "second choice")
    return element("div", table(head, lines), class_="noscript")
