"""Comparisons and preferences in files: what is written is read, and what is wrong is named by its line."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likewise import Comparisons, Constraints, Partition, Preference
from likewise.constraints import UnknownIdError
from likewise.constraints._io import SUFFIXES, columns, names_in, read_known

from .test_comparisons import comparisons

IDS = ["ann", "bob", "cy", "dan", "e:5", "f,6"]
EVERYTHING = (
    Constraints(6, [(0, 1)], [(2, 3)], must_weight=[0.5], partitions=[Partition([0, 0, 1, -1, -1, -1])])
    | Comparisons(6, nearer=[(0, 4, 5), (1, 2, 3)], pairs=[(0, 1, 2, 3)], weight=[1, 2, 0.25], unsure=[(3, 4, 5)])
    | Preference([0, 0, 1, 1, -1, -1], [0, 1, 1, 1, 0, 0])
    | Preference([0, 1, 2, 2, 2, 2], [0, 0, 1, 1, -1, -1], 0.5)
)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("ids", [None, IDS])
def test_what_is_written_is_read(tmp_path, suffix, ids):
    path = tmp_path / f"hints{suffix}"
    EVERYTHING.write(path, ids=ids)
    assert Constraints.read(path, n_samples=6, ids=ids) == EVERYTHING


@pytest.mark.filterwarnings("ignore:.* (contains no hints|says the opposite)")  # as some do
@settings(max_examples=25)
@given(comparisons(), st.booleans())
def test_any_comparisons_are_read_back(tmp_path_factory, given_, by_ids):
    path = tmp_path_factory.mktemp("files") / "hints.csv"
    ids = IDS if by_ids else None
    hints = Constraints(6) | given_
    hints.write(path, ids=ids)
    assert Constraints.read(path, n_samples=6, ids=ids) == hints


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frames(backend):
    pytest.importorskip(backend)
    frame = EVERYTHING.to_frame(ids=IDS, backend=backend)
    assert Constraints.from_frame(frame, ids=IDS) == EVERYTHING


def test_pairs_alone_are_written_as_before(tmp_path):
    path = tmp_path / "hints.csv"
    Constraints(3, [(0, 2)]).write(path)
    assert path.read_text() == "left,right,kind\n0,2,must-link\n"
    path = tmp_path / "hints.json"
    Constraints(3, [(0, 2)]).write(path)
    assert set(json.loads(path.read_text())) == {"n_samples", "pairs", "partitions"}


def written(tmp_path, *lines, name="hints.csv", head="left,right,kind,third,fourth,weight"):
    path = tmp_path / name
    path.write_text("\n".join([head, *lines]) + "\n")
    return path


def test_kinds(tmp_path):
    path = written(
        tmp_path,
        "ann,bob,nearer,cy,,2",
        "ann,bob,Nearer,cy,dan,",
        "dan,bob,unsure,cy,,",
        "dan,ann,can't say,cy,bob,",
        "ann,dan,odd,cy,,0.5",
        "ann,bob,rating:4,,,",
        "cy,dan,rating:1,,,0.5",
        "cy,bob,rating:3,,,",
        "ann,x:left,clustering,,,",
        "bob,x:right,clustering,,,",
        "cy,x:right,clustering,,,",
        "ann,y:1,clustering,,,",
        "bob,y:1,clustering,,,",
        "cy,y:2,clustering,,,",
        "y,x,better,,,3",
        "ann,bob,unsure,,,",
    )
    assert Constraints.read(path, ids=IDS) == (
        Constraints(6, [(0, 1)], [(2, 3)], [0.5], [0.5])
        | Comparisons(
            6,
            nearer=[(0, 1, 2), (0, 3, 2), (3, 0, 2)],
            pairs=[(0, 1, 2, 3)],
            weight=[2, 0.5, 0.5, 1],
            unsure=[(3, 1, 3, 2), (3, 0, 2, 1)],
        )
        | Preference([0, 0, 1, -1, -1, -1], [0, 1, 1, -1, -1, -1], 3)
    )
    assert names_in(path) == ["ann", "bob", "cy", "dan"]


def test_rows_by_number_count_all_columns(tmp_path):
    path = written(tmp_path, "0,1,nearer,2,,", "0,1,unsure,2,7,")
    assert Constraints.read(path).n_samples == 8


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["ann,bob,same,,,", "ann,bob,nearer,,,"], 'line 3: "nearer" needs a third row: left is more like right'),
        (["ann,bob,odd,,,"], 'line 2: "odd" needs a third row'),
        (["ann,bob,odd,cy,dan,"], 'line 2: "odd" has three rows'),
        (["ann,bob,closer,cy,,"], "line 2: kind 'closer' is not known. Write same"),
        (["ann,bob,rating:7,,,"], "line 2: kind 'rating:7' must be a rating of 1 to 5"),
        (["ann,bob,rating:good,,,"], "line 2: kind 'rating:good' must be a rating"),
        (["ann,bob,nearer,bob,,"], "line 2: compares a pair with itself"),
        (["ann,ann,nearer,bob,,"], "line 2: compares a row with itself"),
        (["ann,bob,nearer,cy,cy,"], "line 2: compares a row with itself"),
        (["ann,bob,nearer,cy,,", "ann,ann,nearer,bob,,"], "line 3: compares a row with itself"),
        (["ann,bob,odd,bob,,"], "line 2: compares a"),
        (["ann,bob,nearer,cy,,-1"], "line 2: weight '-1' is not a finite number above 0"),
        (["ann,bob,nearer,cy,,", "ann,cy,unsure,bob,,"], "line 3: the question is answered in line 2. Remove one"),
        (["ann,bob,unsure,cy,,", "ann,bob,odd,cy,,"], "line 2: the question is answered in line 3. Remove one"),
        (["ann,bob,?,cy,dan,", "dan,cy,nearer,bob,ann,"], "line 2: the question is answered in line 3. Remove one"),
        (["ann,x0,clustering,,,"], "line 2: 'x0' is not a cluster. Write clustering:cluster"),
        (["ann,x0:1,clustering,,,", "ann,x0:2,clustering,,,"], "line 3: ann is in two clusters of x0"),
        (["ann,x0:1,clustering,,,", "x0,x1,better,,,"], "line 3: 'x1' is not a clustering in this file"),
        (
            ["ann,x0:1,clustering,,,", "ann,x1:1,clustering,,,", "x0,x1,better,,,"],
            "line 4: better and worse are the same clustering",
        ),
    ],
)
def test_what_is_wrong_is_named_by_its_line(tmp_path, lines, message):
    path = written(tmp_path, *lines)
    with pytest.raises(ValueError) as raised:  # noqa: PT011
        Constraints.read(path, ids=IDS)
    assert str(path) in str(raised.value)
    assert message in str(raised.value)


def test_nearer_without_such_a_column(tmp_path):
    path = written(tmp_path, "ann,bob,nearer", head="left,right,kind")
    with pytest.raises(ValueError, match='line 2: "nearer" needs a third row'):
        Constraints.read(path, ids=IDS)


@settings(max_examples=40)
@given(st.integers(0, 5), st.sampled_from([0, 1, 2, 3, 5]), st.sampled_from(["zoe", "nearest", "-3", "1.5", "ann bob"]))
def test_a_spoiled_cell_is_named_by_its_line(tmp_path_factory, line, column, text):
    lines = [["ann", "bob", "nearer", "cy", "", "1"] for _ in range(6)]
    lines[line][column] = text
    path = written(tmp_path_factory.mktemp("files"), *map(",".join, lines))
    if column == 5 and text == "1.5":
        assert len(Constraints.read(path, ids=IDS).comparisons) == 1
        return
    with pytest.raises((ValueError, UnknownIdError), match=f"line {line + 2}: "):
        Constraints.read(path, ids=IDS)


def test_weights_are_read_back_exactly(tmp_path):
    said = Comparisons.from_groups(6, [0, 1, 2], [3, 4])
    hints = Constraints(6) | said
    hints.write(tmp_path / "hints.parquet")
    read = Constraints.read(tmp_path / "hints.parquet", n_samples=6)
    np.testing.assert_array_equal(read.comparisons.weight, said.weight)


def test_hints_of_an_earlier_run_about_rows_that_are_gone():
    stored = columns(EVERYTHING, IDS)
    parts, gone = read_known(stored, IDS)
    assert (Constraints(*parts), gone) == (EVERYTHING, 0)
    parts, gone = read_known(stored, IDS[:4])
    assert Constraints(*parts).restrict(range(4)) == EVERYTHING.restrict(range(4))
    assert gone == sum(any(cell in ("e:5", "f,6") for cell in line) for line in zip(*stored.values(), strict=True))
