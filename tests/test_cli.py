"""The command line, as a newcomer meets it."""

import subprocess
import sys

import pytest
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


def test_demo_prints_a_table_and_draws_a_picture(tmp_path, monkeypatch):
    demo = pytest.importorskip("likewise.cli.demo")
    few = ("SSDR", "ASP", "PCKMeans")
    for table in ("PROJECTIONS", "CLUSTERERS"):
        methods = getattr(demo, table)
        monkeypatch.setattr(demo, table, {name: methods[name] for name in few if name in methods})
    answer = CliRunner().invoke(main, ["demo", "--out", str(tmp_path / "new"), "--hints", "40"])
    assert answer.exit_code == 0, answer.output
    for word in ("plain k-means", "Rand index", "NMI", *few):
        assert word in answer.output
    assert (tmp_path / "new" / "digits.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("hints", ["one", "0"])
def test_a_wrong_number_of_hints_is_explained(hints):
    answer = CliRunner().invoke(main, ["demo", "--hints", hints])
    assert answer.exit_code == 2
    assert hints in answer.output
