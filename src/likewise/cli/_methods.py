"""``likewise methods``: what there is, what it needs and when to prefer it."""

from __future__ import annotations

import click

from ._options import json_option


@click.command()
@json_option
def methods(as_json: bool) -> None:
    """List methods: what they need, when to prefer them, paper."""
    from rich.console import Console
    from rich.table import Table

    from .._methods import all_methods
    from ._messages import print_json

    found = [
        {
            "name": method.name,
            "does": "cluster, reduce" if method.reduces else "cluster",
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
    table = Table(title="methods, for likewise cluster --method and likewise reduce --method")
    for column in ("method", "does", "needs", "prefer it for", "paper"):
        table.add_column(column)
    table.add_column("new rows", justify="center")
    for method in found:
        texts = [str(method[key]) for key in ("name", "does", "needs", "prefer", "paper")]
        table.add_row(*texts, "yes" if method["new_rows"] else "–")
    Console().print(table)
