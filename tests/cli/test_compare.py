"""``likewise compare``, as a newcomer would use and misuse it."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.datasets import load_iris

from likewise.cli import main


def run(*arguments):
    return CliRunner().invoke(main, ["compare", *map(str, arguments)])


@pytest.fixture
def table(tmp_path):
    X, y = load_iris(return_X_y=True)
    path = tmp_path / "flowers.csv"
    rows = [f"{','.join(map(str, row))},hello,kind {label}" for row, label in zip(X, y, strict=True)]
    path.write_text("\n".join(["a,b,c,d,note,kind", *rows]) + "\n", encoding="utf-8")
    return path


def test_a_table_of_ones_own(table):
    answer = run(table, "--label", "kind", "--methods", "k-means,pck", "--amounts", "30", "--repeats", 2, "--json")
    assert answer.exit_code == 0, answer.output
    found = json.loads(answer.output)
    assert found["rows"] == 150
    assert found["preprocessing"].startswith("4 columns of numbers, as they are")
    assert "'note' (it is 'hello' in every row)" in found["preprocessing"]
    assert set(found["means"]) == {"30/k-means", "30/pck"}
    assert all(0.6 < value <= 1 for value in found["means"].values())


def test_a_data_set_by_name_prints_a_table(tmp_path):
    out = tmp_path / "values.csv"
    answer = run("iris", "--methods", "k-means,pck", "--amounts", "20,60", "--repeats", 2, "--out", out)
    assert answer.exit_code == 0, answer.output
    assert "20 hints" in answer.output
    assert "60 hints" in answer.output
    lines = out.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "cell,seed,value"
    assert len(lines) == 1 + 2 * 2 * 2


def test_texts_of_ones_own(tmp_path):
    path = tmp_path / "notes.tsv"
    pets = [f"the cat sat by the warm fire {n}\tpets" for n in range(10)]
    money = [f"shares fell as banks lost money {n}\tmoney" for n in range(10)]
    path.write_text("\n".join(["words\ttopic", *pets, *money]), encoding="utf-8")
    answer = run(path, "--label", "topic", "--text", "words", "--methods", "k-means", "--amounts", 4, "--json")
    assert answer.exit_code == 0, answer.output
    assert json.loads(answer.output)["means"]["4/k-means"] == pytest.approx(1.0)


def test_a_method_without_an_answer_is_reported_and_shown_as_a_dash(table):
    answer = run(table, "--label", "kind", "--methods", "k-means,costco", "--amounts", "0", "--repeats", 1)
    assert answer.exit_code == 0, answer.output
    assert "costco had no answer" in answer.output
    assert "—" in answer.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "no data set is called 'nothing'"),
        (["missing.csv"], "does not exist"),
        (["iris", "--methods", "magic"], "there is no method 'magic'"),
        (["iris", "--amounts", "some"], "not a comma-separated list of integers"),
        (["TABLE"], "--label NAME"),
        (["TABLE", "--label", "color"], "has no column 'color'. It has: a, b, c, d, note, kind"),
    ],
)
def test_what_a_user_can_get_wrong(table, arguments, message):
    answer = run(*[table if argument == "TABLE" else argument for argument in arguments])
    assert answer.exit_code == 2
    assert message in " ".join(answer.output.split())
    assert "Traceback" not in answer.output


def test_cells_that_are_no_numbers_are_named(tmp_path):
    path = tmp_path / "gaps.npz"
    X, y = load_iris(return_X_y=True)
    X[3, 2] = np.nan
    np.savez(path, X=X, y=y)
    answer = run(path, "--missing", "refuse")
    assert answer.exit_code == 2
    assert "row 3, column 2 is NaN" in answer.output


def test_what_is_asked_is_compared(table):
    asked = "pairs,piles,forced-triplets,preferences"
    options = [
        "--label",
        "kind",
        "--methods",
        "k-means,pck",
        "--amounts",
        "8",
        "--repeats",
        2,
        "--ask",
        asked,
        "--json",
    ]
    answer = run(table, *options)
    assert answer.exit_code == 0, answer.output
    found = json.loads(answer.stdout)["means"]
    names = [f"8 {name}/{method}" for name in asked.split(",") for method in ("k-means", "pck")]
    assert list(found) == names
    assert found["8 piles/pck"] > 0.6
    assert found["8 preferences/pck"] is None  # it uses pairs alone
    assert found["8 preferences/k-means"] == found["8 pairs/k-means"]


def test_what_cannot_be_asked(table):
    answer = run(table, "--label", "kind", "--ask", "pairs,quartets")
    assert answer.exit_code == 2
    assert "'quartets' is not known. Choose from pairs, piles, odd, triplets" in answer.output
