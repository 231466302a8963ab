"""The command line. Commands are imported when they run, so that ``--help`` answers at once."""

from ._main import main as main
