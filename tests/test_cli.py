"""The command line, as a newcomer meets it."""

import subprocess
import sys

from click.testing import CliRunner

import likewise
from likewise.cli import main


def test_help_names_every_command():
    answer = CliRunner().invoke(main, ["--help"])
    assert answer.exit_code == 0
    for command in main.commands:
        assert command in answer.output


def test_version():
    assert likewise.__version__ in CliRunner().invoke(main, ["--version"]).output


def test_help_loads_nothing_heavy():
    heavy = ("numpy", "scipy", "sklearn", "matplotlib")
    code = f"import sys, likewise.cli; print([name for name in {heavy} if name in sys.modules])"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"
