"""``python -m papers``."""

from .framework.command import main

main(prog_name="likewise papers")
