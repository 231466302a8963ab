"""What the README shows is true."""

import re
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from likewise._method import MethodKind
from likewise._methods import all_methods
from likewise.cli import main

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
sys.path.insert(0, str(ROOT / "docs"))

from machinery.accuracy import tables  # noqa: E402


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README, flags=re.DOTALL | re.MULTILINE)


def test_the_examples_run_and_print_what_is_said(capsys):
    first, second = blocks("python")
    (said,) = blocks("text")
    names = {}
    exec(compile(first, "README.md", "exec"), names)
    assert capsys.readouterr().out == said
    exec(compile(second, "README.md", "exec"), names)
    assert "learned from hints" in capsys.readouterr().out
    assert names["model"].constraints_.n_cannot_link > names["hints"].n_cannot_link  # labels, and a pair


def test_the_commands_run_as_they_stand(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [line for block in blocks("console") for line in block.splitlines() if line.startswith("$ likewise ")]
    assert len(lines) >= 4
    for line in lines:
        done = CliRunner().invoke(main, shlex.split(line, comments=True)[2:])
        assert done.exit_code == 0, f"{line}: {done.output}"
    written = {"hints.csv", "clusters.csv", "iris.likewise", "report.html", "more.csv"}
    assert written == {path.name for path in tmp_path.iterdir()}
    assert (tmp_path / "clusters.csv").read_text().startswith("id,cluster,second,certainty\n")


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("**Likewise**", "likewise"),
        ("COP-k-means", "cop"),
        ("PCK-means", "pck"),
        ("UMAP, then k-means", "umap"),
        ("k-means", "k-means"),
    ],
)
def test_the_table_has_the_values_that_were_measured(name, row):
    means = tables(ROOT)["Mean NMI, all rows"]
    cells = re.search(rf"^\| {re.escape(name)} \|(.*)\|$", README, flags=re.MULTILINE).group(1).split("|")
    without = means["likewise, no hints" if row == "likewise" else row]["100 pairs"]
    measured = {0: without, 1: means[row]["50 pairs"], 2: means[row]["100 pairs"]}
    shown = {column: cell.strip() for column, cell in enumerate(cells) if cell.strip()}
    assert shown == {column: measured[column].removeprefix("0") for column in shown}


def test_methods_are_counted():
    own = [method for method in all_methods() if method.make is not None and method.name != "likewise"]
    projections, clusterers = (
        sum(method.kind is kind for method in own) for kind in (MethodKind.PROJECTION, MethodKind.CLUSTERER)
    )
    assert f"{projections} projections and {clusterers} clusterers and pipelines" in README.replace("\n  ", " ")


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target
