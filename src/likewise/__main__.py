"""``python -m likewise``: the command line."""

from .cli import main

main(prog_name="likewise")
