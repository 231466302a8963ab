"""Hints as people write them: other words, other columns, no header, other separators, names of files."""

import pytest

from likewise import Constraints
from likewise.constraints import UnknownIdError

EXPECTED = Constraints(4, [(0, 2)], [(1, 3)])
NAMES = ["ann", "bob", "cy", "di"]
SPELLINGS = [
    ("must-link", "cannot-link"),
    ("Must Link", "Cannot Link"),
    ("must_link", "cannot_link"),
    ("must", "cannot"),
    ("ML", "CL"),
    ("same", "different"),
    ("SAME ", " Different"),
    ("yes", "no"),
    ("y", "n"),
    ("true", "false"),
    ("True", "False"),
    ("1", "0"),
    ("1", "-1"),
    ("1.0", "0.0"),
    ("together", "apart"),
    ("match", "no match"),
    ("mustlink", "can't-link"),
    ("identical", "diff"),
    ("ja", "nein"),
    ("Ja", "Nee"),
    ("ja", "nej"),
    ("oui", "non"),
    ("sí", "no"),
    ("sim", "não"),
    ("ano", "ne"),
    ("tak", "nie"),
    ("да", "нет"),
    ("是", "否"),
    ("はい", "いいえ"),
    ("WAHR", "FALSCH"),
    ("VRAI", "FAUX"),
    ("VERDADERO", "FALSO"),
]


def read(path, text, **given):
    path.write_text(text, encoding="utf-8")
    return Constraints.read(path, **given)


@pytest.mark.parametrize(("same", "different"), SPELLINGS)
@pytest.mark.parametrize("header", ["left,right,kind\n", "a,b,label\n", "source,target,type\n", "x1,x2,relation\n", ""])
def test_usual_spellings_under_usual_headers(tmp_path, same, different, header):
    text = f"{header}ann,cy,{same}\nbob,di,{different}\n"
    assert read(tmp_path / "hints.csv", text, ids=NAMES) == EXPECTED


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", " "])
@pytest.mark.parametrize("header", [["left", "right", "kind"], ["a", "b", "label"], None])
def test_separators_are_recognized(tmp_path, delimiter, header):
    lines = [*([header] if header else []), ["0", "2", "same"], ["1", "3", "different"]]
    text = "\n".join(delimiter.join(line) for line in lines)
    assert read(tmp_path / "hints.txt", text) == EXPECTED
    assert read(tmp_path / "hints.csv", text) == EXPECTED


@pytest.mark.parametrize(
    "text",
    [
        "a,b,same\n0,2,1\n1,3,0\n",
        "a,b,different\n0,2,no\n1,3,yes\n",
        "a,b,cannot_link\n0,2,0\n1,3,1\n",
        ",a,b,label\n0,0,2,same\n1,1,3,different\n",
        "label,a,b\nsame,0,2\ndifferent,1,3\n",
        "a,b,note,kind\n0,2,1,same\n1,3,1,different\n",
        "a,b,label,weight\n0,2,same,1\n1,3,different,\n",
    ],
)
def test_what_a_column_is_for(tmp_path, text):
    assert read(tmp_path / "hints.csv", text, n_samples=4) == EXPECTED


def test_names_of_files_without_suffix_and_folder(tmp_path):
    files = ["a/ann.txt", "b/bob.txt", "b/cy.md", "b/di.png"]
    for left, right in (("ann", "cy"), ("a/ann.txt", "b/cy"), ("ann.txt", "cy.md"), (" ann ", "cy")):
        text = f"left,right,kind\n{left},{right},same\nbob,di,different\n"
        assert read(tmp_path / "hints.csv", text, ids=files) == EXPECTED
    with pytest.raises(UnknownIdError, match="id 'ann' is not among the 3 ids"):
        read(tmp_path / "hints.csv", "left,right,kind\nann,bob,same\n", ids=["a/ann.txt", "b/ann.txt", "bob.txt"])
    with pytest.raises(UnknownIdError, match="id 'v1'"):  # no suffix of a file
        read(tmp_path / "hints.csv", "left,right,kind\nv1,v2.0,same\n", ids=["v1.0", "v2.0"])


@pytest.mark.parametrize(
    ("wrong", "offer"),
    [
        ("w-0002", "Did you mean 'W-0002'?"),
        ("W-2", "Did you mean 'W-0002'?"),
        ("W_0002", "Did you mean 'W-0002'?"),
        ("W-00022", "Did you mean 'W-0002'"),
        ("nobody", "The ids are 'W-0000', 'W-0001', 'W-0002', …"),
    ],
)
def test_ids_that_were_meant(tmp_path, wrong, offer):
    ids = [f"W-{row:04d}" for row in range(9)]
    with pytest.raises(UnknownIdError) as error:
        read(tmp_path / "hints.csv", f"left,right,kind\nW-0001,{wrong},same\n", ids=ids)
    assert f"line 2: id {wrong!r} is not among the 9 ids. {offer}" in str(error.value)


@pytest.mark.parametrize(
    ("ids", "offer"),
    [("xyz", " The ids are 'x', 'y', 'z'."), ("wxyz", " The ids are 'w', 'x', 'y', …"), ("x", " The ids are 'x'.")],
)
def test_the_first_ids_are_shown_where_none_is_close(tmp_path, ids, offer):
    with pytest.raises(UnknownIdError) as error:
        read(tmp_path / "hints.csv", "left,right,kind\nnobody,x,same\n", ids=list(ids))
    assert str(error.value).endswith(f"ids.{offer}")


def test_how_many_ids_are_unknown(tmp_path):
    lines = [f"x{row},ann,same" for row in range(4)]
    with pytest.raises(UnknownIdError, match=r"id 'x0' is not among the 4 ids \(3 more are unknown\)"):
        read(tmp_path / "hints.csv", "\n".join(["left,right,kind", *lines]), ids=NAMES)


def test_a_table_that_holds_no_hints(tmp_path):
    with pytest.raises(ValueError, match=r"line 2: '1.4' in column 'c' says neither same nor different"):
        read(tmp_path / "flowers.csv", "id,a,c\nf0,5.1,1.4\n")


@pytest.mark.parametrize(
    ("lines", "must", "cannot"),
    [
        (["ann,cy,yes", "bob,di,", "cy,di,?"], [(0, 2)], []),  # half filled in
        (["ann,cy,", "bob,di,no", "cy,ann,ja"], [(0, 2)], [(1, 3)]),
    ],
)
def test_a_column_named_same_is_a_header_if_some_of_it_is_filled_in(tmp_path, lines, must, cannot):
    with pytest.warns(UserWarning, match="say neither same nor different"):
        found = read(tmp_path / "hints.csv", "\n".join(["a,b,same", *lines]), ids=NAMES)
    assert found == Constraints(4, must, cannot)


def test_pairs_that_are_stated_both_ways_are_told_by_line(tmp_path):
    path, lines = tmp_path / "hints.csv", ["left,right,kind", "ann,cy,same", "bob,di,different", "cy,ann,no"]
    with pytest.warns(UserWarning, match=r"hints.csv, line 4 says that 'cy' and 'ann' are different, but line 2 says"):
        found = read(path, "\n".join(lines), ids=NAMES)
    assert (found.n_must_link, found.n_cannot_link) == (1, 2)
    with pytest.warns(UserWarning, match=r"line 5 .* but line 3 says the opposite \(and so for 1 other pair\)"):
        read(path, "\n".join([*lines, "di,bob,same", "di,bob,same"]), ids=NAMES)


@pytest.mark.parametrize("lines", [["3,4,same", "5,6,?", "7,8,no"], ["3,4,same", "5,6,no"], ["3,4,same", "5,6,yes"]])
def test_a_first_line_of_row_numbers_is_an_answer(tmp_path, lines):
    path = tmp_path / "hints.csv"
    path.write_text("\n".join(lines))
    found = Constraints.read(path, n_samples=9)
    assert (3, 4) in map(tuple, found.must_link.tolist())


def test_a_first_line_is_an_answer_unless_others_say_it_in_another_word(tmp_path):
    """Somebody may write both "same" and "no", but not both "same" and "yes"."""
    found = read(tmp_path / "hints.csv", "ann,cy,same\nbob,di,no\n", ids=NAMES)
    assert found == EXPECTED


def test_ids_that_became_floats(tmp_path):
    text = "left,right,kind\n102.0,103.0,same\n102.,101.0,different\n"
    assert read(tmp_path / "h.csv", text, ids=["101", "102", "103"]) == Constraints(3, [(1, 2)], [(0, 1)])
    with pytest.raises(UnknownIdError, match=r"id '102.5' is not among"):
        read(tmp_path / "h.csv", text.replace("102.0", "102.5"), ids=["101", "102", "103"])
