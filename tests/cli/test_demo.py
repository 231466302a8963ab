"""The demonstration: what a newcomer runs first."""

import re

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.datasets import load_digits
from sklearn.utils import Bunch

from likewise.cli import main
from likewise.cli._demo import NEXT, fallbacks, sample_hints


@pytest.fixture
def fewer_digits(monkeypatch):
    """Two hundred digits of four kinds, and two draws: seconds become one."""
    digits = load_digits()
    rows = np.flatnonzero(digits.target < 4)[:200]
    few = Bunch(data=digits.data[rows], target=digits.target[rows], images=digits.images[rows])
    monkeypatch.setattr("sklearn.datasets.load_digits", lambda: few)
    monkeypatch.setattr("likewise.cli._demo.DIGITS", 4)
    monkeypatch.setattr("likewise.cli._demo.DRAWS", 2)


def test_it_prints_a_table_writes_a_report_and_says_what_to_try(fewer_digits, tmp_path):
    answer = CliRunner().invoke(main, ["demo", "--out", str(tmp_path / "new"), "--hints", "60"])
    assert answer.exit_code == 0, answer.output
    lines = [line for line in answer.output.splitlines() if line.startswith("│")]
    assert [line.split()[1:4:2] for line in lines] == [
        ["k-means", "none"],
        *(["Likewise", amount] for amount in ("none", "12", "60")),
    ]
    shares = [[float(share) for share in re.findall(r"([\d.]+)%", line)[:2]] for line in lines]
    assert all(0 < share <= 100 for pair in shares for share in pair)
    page = tmp_path / "new" / "report.html"
    text = page.read_text(encoding="utf-8")
    assert "Handwritten digits" in text
    assert "data:image/jpeg" in text
    assert "likewise demo --hints 60 --seed 0" in text
    assert str(page) in answer.output
    for command in ("likewise hints sample digits", "likewise cluster digits", "likewise compare wine"):
        assert command in answer.output


def test_the_commands_it_names_are_understood():
    for _, step in NEXT:
        answer = CliRunner().invoke(main, [*step.split(), "--help"])
        assert answer.exit_code == 0, answer.output
        known = re.findall(r"--[a-z]+", answer.output)
        assert set(re.findall(r"--[a-z]+", step)) <= set(known)


def test_few_hints_are_among_the_many():
    y = np.repeat(np.arange(4), 30)
    few, many = sample_hints(y, 50, [0, 1]).values()
    assert (few.n_must_link, few.n_cannot_link) == (5, 5)
    assert many == many | few
    assert many.n_must_link + many.n_cannot_link == pytest.approx(50, abs=4)  # a pair may be drawn twice


def test_a_fallback_is_mentioned():
    class Model:
        def __init__(self, fallback):
            self.report_ = Bunch(fallback=fallback)

    tried = [{20: Model("too few"), 100: Model("")}, {20: Model(""), 100: Model("")}]
    (line,) = fallbacks(tried)
    assert "1 of" in line
    assert "20 hints" in line


@pytest.mark.parametrize("hints", ["one", "0"])
def test_a_wrong_number_of_hints_is_explained(hints):
    answer = CliRunner().invoke(main, ["demo", "--hints", hints])
    assert answer.exit_code == 2
    assert hints in answer.output
