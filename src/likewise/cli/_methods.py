"""``likewise methods``: list all methods, what they need, and when to prefer them."""

from __future__ import annotations

import click

from ._options import json_option


@click.command()
@json_option
def methods(as_json: bool) -> None:
    """List methods: what they need, when to prefer them, paper.

    All of them can cluster (`likewise cluster --method`); those that reduce also work with `likewise reduce --method`.
    """
    from rich.console import Console
    from rich.table import Table

    from .._methods import all_methods
    from ._messages import print_json

    found = [
        {
            "name": method.name,
            "reduces": method.reduces,
            "needs": method.needs_words,
            "prefer": method.prefer,
            "paper": method.paper,
            "new_rows": method.places_new_rows,
            "uses_hints": method.uses_constraints,
        }
        for method in all_methods()
    ]
    if as_json:
        print_json({"methods": found})
        return
    table = Table(title="Methods for --method")
    for column in ("method", "needs", "prefer it for", "paper"):
        table.add_column(column)
    for column in ("reduces", "new rows"):
        table.add_column(column, justify="center")
    for method in found:
        texts = [str(method[key]) for key in ("name", "needs", "prefer", "paper")]
        table.add_row(*texts, *("yes" if method[key] else "–" for key in ("reduces", "new_rows")))
    Console().print(table)
