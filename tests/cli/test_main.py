"""The command line, as a newcomer meets it."""

import re
import subprocess
import sys

import pytest
from click import Context, Option
from click.testing import CliRunner

import likewise
from likewise.cli import main
from likewise.cli._main import COMMANDS


def test_help_names_every_command_and_its_first_line():
    answer = CliRunner().invoke(main, ["--help"])
    assert answer.exit_code == 0
    for name, line in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(line)}$", answer.output, re.MULTILINE)


@pytest.mark.parametrize(
    "words", [*([name] for name in COMMANDS if name != "papers"), ["hints", "check"], ["hints", "sample"]]
)
def test_every_option_is_explained(words):
    answer = CliRunner().invoke(main, [*words, "--help"])
    assert answer.exit_code == 0
    command = main
    for word in words:
        command = command.get_command(Context(command), word)
    options = [option for option in command.params if isinstance(option, Option)]
    assert [option.name for option in options if not option.help] == []
    assert command.help


def test_an_unknown_command_is_refused():
    answer = CliRunner().invoke(main, ["clusterr"])
    assert answer.exit_code == 2
    assert "No such command 'clusterr'" in answer.output


def test_version():
    assert likewise.__version__ in CliRunner().invoke(main, ["--version"]).output


def test_help_loads_nothing_heavy():
    heavy = ("numpy", "scipy", "sklearn", "matplotlib")
    code = f"""
import sys
from likewise.cli import main
for words in (["--help"], ["cluster", "--help"], ["compare", "--help"], ["hints", "check", "--help"]):
    main(words, standalone_mode=False)
print([name for name in {heavy} if name in sys.modules])
"""
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.splitlines()[-1] == "[]"


def test_the_package_runs_as_a_module():
    answer = subprocess.run([sys.executable, "-m", "likewise", "--version"], capture_output=True, text=True, check=True)
    assert answer.stdout == f"likewise, version {likewise.__version__}\n"
