"""``likewise reduce`` and ``likewise assign``."""

from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest

from likewise._methods import all_methods, method_named

REDUCERS = [method.name for method in all_methods() if method.reduces]


@pytest.mark.parametrize("name", REDUCERS)
def test_every_projection_by_name(folder, name):
    hints = ("--hints", "pairs.csv") if method_named(name).uses_constraints else ()
    out = folder / "z.csv"
    found = folder.json(
        "reduce", "flowers.csv", *hints, "--method", name, "--out", out, "--model", folder / "m.likewise"
    )
    assert found["method"] == name
    assert found["dimensions"] == 2
    assert found["files"] == [out, folder / "m.likewise"]
    lines = Path(out).read_text(encoding="utf-8").splitlines()
    assert lines[0] == "id,d1,d2"
    assert len(lines) == 151
    assert folder.run("assign", "m.likewise", "flowers.csv", "--out", folder / "again.csv").exit_code == 0
    assert Path(folder / "again.csv").read_text(encoding="utf-8").splitlines() == lines


def test_the_default_depends_on_the_hints(folder):
    assert folder.json("reduce", "flowers.csv", "--hints", "pairs.csv")["method"] == "costco"
    assert folder.json("reduce", "flowers.csv")["method"] == "ssdr"


def test_the_suffix_chooses_the_format(folder):
    for suffix in ("csv", "npy", "parquet"):
        answer = folder.run("reduce", "flowers.csv", "--dims", 3, "--out", folder / f"z.{suffix}")
        assert answer.exit_code == 0, answer.output
    Z = np.load(folder / "z.npy")
    assert Z.shape == (150, 3)
    table = pyarrow.parquet.read_table(folder / "z.parquet").to_pydict()
    assert table["id"] == folder.ids
    np.testing.assert_array_equal(table["d3"], Z[:, 2])
    written = np.genfromtxt(folder / "z.csv", delimiter=",", skip_header=1, usecols=(1, 2, 3))
    np.testing.assert_array_equal(written, Z)


def test_without_out_coordinates_go_to_standard_output(folder):
    answer = folder.run("reduce", "flowers.csv")
    assert answer.stdout.startswith("id,d1,d2\nf0,")
    assert "2 dimensions by ssdr" in answer.stderr


def test_a_summary_is_shown(folder):
    answer = folder.run("reduce", "flowers.csv", "--hints", "pairs.csv", "--out", folder / "z.csv", terminal=True)
    assert "2 dimensions by costco, learned from 15 must-links, 15 cannot-links" in answer.stderr
    assert "wrote" in answer.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["flowers.csv", "--dims", "9"], "--dims 9 is more than the 4 features"),
        (["flowers.csv", "--method", "pck"], "there is no method 'pck' to reduce with"),
        (["flowers.csv", "--method", "rca"], "must-links"),
        (["flowers.csv", "--method", "pca", "--hints", "pairs.csv"], "does not use hints"),
        (["flowers.csv", "--out", "flowers.csv"], "would overwrite an input file"),
    ],
)
def test_what_a_user_can_get_wrong_when_reducing(folder, arguments, message):
    answer = folder.run("reduce", *arguments)
    assert answer.exit_code == 2
    assert message in answer.stderr
    assert "Traceback" not in answer.output


@pytest.fixture
def model(folder):
    given = ("cluster", "flowers.csv", "--k", 3, "--hints", "pairs.csv")
    answer = folder.run(*given, "--out", folder / "c.csv", "--model", folder / "m.likewise")
    assert answer.exit_code == 0, answer.output
    return folder


def test_new_rows_with_columns_in_another_order(model):
    cells = [line.split(",") for line in model.lines[:11]]
    model.write("new.csv", "\n".join(",".join([row[4], row[2], row[0], row[1], row[3], "more"]) for row in cells))
    found = model.json("assign", "m.likewise", "new.csv", "--out", model / "n.csv")
    assert found["rows"] == 10
    assert found["method"] == "likewise"
    assert found["files"] == [model / "n.csv"]
    wanted = Path(model / "c.csv").read_text(encoding="utf-8").splitlines()[:11]
    assert Path(model / "n.csv").read_text(encoding="utf-8").splitlines() == wanted
    assert model.run("assign", "m.likewise", "new.csv").stdout.splitlines() == wanted
    shown = model.run("assign", "m.likewise", "new.csv", "--out", model / "n.csv", terminal=True).stderr
    assert "10 rows of" in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.likewise", "flowers.csv"], "nothing.likewise does not exist"),
        (["flowers.csv", "flowers.csv"], "is not a model file"),
        (["m.likewise", "nothing.csv"], "nothing.csv does not exist"),
        (["m.likewise", "narrow.csv"], "has no column 'c'"),
        (["m.likewise", "words.csv"], "column 'c' must hold numbers, but here it is 'many'"),
        (["m.likewise", "flowers.csv", "--out", "m.likewise"], "would overwrite an input file"),
        (["half.likewise", "flowers.csv"], "is damaged"),
    ],
)
def test_what_a_user_can_get_wrong_when_assigning(model, arguments, message):
    model.write("narrow.csv", "id,a,b,d\nx,1,2,3\n")
    model.write("words.csv", "id,a,b,c,d\nx,1,2,many,3\ny,1,2,3,3\n")
    (model.path / "half.likewise").write_bytes((model.path / "m.likewise").read_bytes()[:5000])
    answer = model.run("assign", *arguments)
    assert answer.exit_code == 2
    assert message in answer.stderr
    assert "Traceback" not in answer.output
    assert len(answer.stderr.splitlines()) == 1


def test_a_model_without_the_features_of_a_table(model):
    from likewise.models import load, save

    save(model.path / "bare.likewise", load(model.path / "m.likewise").model)
    answer = model.run("assign", "bare.likewise", "flowers.csv")
    assert answer.exit_code == 2
    assert "was saved without its preprocessing steps" in answer.stderr
