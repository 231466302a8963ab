"""``likewise papers``: a program of the checkout."""

from __future__ import annotations

import click

from .bench import run_module


@click.command(context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def papers(arguments: tuple[str, ...]) -> None:
    """Reproduce the tables of the papers (in a checkout of likewise)."""
    run_module("papers", arguments)
