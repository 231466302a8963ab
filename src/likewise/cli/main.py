"""The commands, and nothing of what they do."""

from __future__ import annotations

from pathlib import Path

import click

from .. import __version__


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="likewise")
def main() -> None:
    """Find the clusters a person means, from a few hints: same, or different."""


@main.command()
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default="demo", help="Folder to write to.")
@click.option("--hints", type=click.IntRange(2), default=100, show_default=True, help="How many hints to give.")
@click.option("--seed", type=int, default=0, show_default=True, help="Which hints are drawn.")
def demo(out: Path, hints: int, seed: int) -> None:
    """Cluster handwritten digits with and without hints, and draw them."""
    from .demo import run

    run(out, hints, seed)
