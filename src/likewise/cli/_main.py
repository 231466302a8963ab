"""The group of commands: each is a module of its own, imported when it is needed."""

from __future__ import annotations

from importlib import import_module

import click

from .. import __version__
from .._suggest import suggest
from ._errors import ErrorReporting

COMMANDS = {
    "cluster": "Cluster the rows of a file, a folder or a data set, using hints.",
    "ask": "Ask which rows belong together, where answers help most.",
    "studio": "Answer questions, sort and name clusters on a local page.",
    "reduce": "Project rows to a few dimensions in which the hints hold.",
    "assign": "Assign new rows to the clusters of a saved model.",
    "hints": "Check a file of hints, or draw hints from known classes.",
    "methods": "List methods: what they need, when to prefer them, paper.",
    "compare": "Compare methods on data whose classes are known.",
    "demo": "Cluster handwritten digits with and without hints.",
    "papers": "Run the tables of the papers again (in a checkout of likewise).",
}
"""Commands and their first lines, which ``likewise --help`` shows without importing any."""


class LazyGroup(ErrorReporting, click.Group):
    """Commands that are imported when they are used: ``NAME`` is the function ``NAME`` of the module ``_NAME``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; None if there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"._{cmd_name}", __package__), cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command; of an unknown one say which was probably meant."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            offer = "" if "Did you mean" in error.message else suggest(args[0], COMMANDS)
            raise click.UsageError(error.message + offer, ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the names and first lines."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="likewise")
def main() -> None:
    """Cluster data with a few hints: which rows belong together, and which do not."""
