"""The command line. Each command is a module that is imported when it runs, so that ``--help`` is fast."""

from ._main import main as main
