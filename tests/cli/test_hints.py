"""``likewise hints``: contradictions with their proof, groups, what is entailed; and hints drawn from classes."""

import numpy as np
import pytest

from likewise.constraints import Constraints

CONTRARY = "left,right,kind\nann,bob,same\nbob,cy,same\nann,cy,different\ncy,di,different\neve,fay,same\n"


def test_contradictions_are_shown_with_their_proof(folder):
    folder.write("pairs.csv", CONTRARY)
    answer = folder.run("hints", "check", "pairs.csv")
    assert answer.exit_code == 1
    shown = answer.stdout
    assert "3 must-links, 2 cannot-links, about 6 of 6 rows" in shown
    assert "1 contradiction\n" in shown
    assert "'ann' and 'cy' are different, but 'ann' = 'bob' = 'cy'" in shown
    assert "2 groups of rows that belong together\n  3 rows: 'ann', 'bob', 'cy'\n" in shown
    assert answer.stderr == ""


def test_what_is_entailed(folder):
    folder.write("pairs.csv", CONTRARY.replace("ann,cy,different\n", ""))
    answer = folder.run("hints", "check", "pairs.csv", "--entailed", folder / "all.csv")
    assert answer.exit_code == 0
    assert "0 contradictions" in answer.stdout
    assert "3 pairs not stated but entailed" in answer.stdout
    assert "'ann' and 'cy' are the same" in answer.stdout
    assert "'ann' and 'di' are different" in answer.stdout
    constraints = Constraints.read(folder / "all.csv", ids=["ann", "bob", "cy", "di", "eve", "fay"])
    assert constraints.must_link.tolist() == [[0, 1], [0, 2], [1, 2], [4, 5]]
    assert constraints.cannot_link.tolist() == [[0, 3], [1, 3], [2, 3]]


def test_for_machines(folder):
    folder.write("pairs.csv", CONTRARY)
    answer = folder.run("hints", "check", "pairs.csv", "--json")
    assert answer.exit_code == 1
    found = __import__("json").loads(answer.stdout)
    assert found["contradictions"] == 1
    assert found["proofs"] == [{"different": ["ann", "cy"], "same_by": ["ann", "bob", "cy"]}]
    assert found["groups"] == [["ann", "bob", "cy"], ["eve", "fay"]]
    assert found["entailed_must_links"] is not None


def test_row_numbers_and_the_data_they_are_about(folder):
    folder.write("rows.csv", "left,right,kind\n0,1,same\n1,149,different\n")
    assert "about 3 of 150 rows" in folder.run("hints", "check", "rows.csv").stdout
    assert (
        "about 3 of 150 rows" in folder.run("hints", "check", "rows.csv", "--for", "flowers.csv", "--id", "none").stdout
    )
    answer = folder.run("hints", "check", "rows.csv", "--for", "flowers.csv")
    assert answer.exit_code == 2
    assert "--id none row numbers" in answer.stderr


@pytest.mark.parametrize("digits", [11, 5000])
def test_huge_numbers_are_ids_and_need_no_memory(folder, digits):
    folder.write("huge.csv", f"left,right,kind\n0,{'9' * digits},same\n")
    answer = folder.run("hints", "check", "huge.csv")
    assert answer.exit_code == 0, answer.output
    assert "1 must-link, about 2 of 2 rows" in answer.stdout


def test_more_rows_that_differ_than_clusters(folder):
    folder.write("crowd.csv", "left,right,kind\na,b,different\nb,c,different\na,c,different\n")
    assert folder.run("hints", "check", "crowd.csv", "--k", 3).exit_code == 0
    answer = folder.run("hints", "check", "crowd.csv", "--k", 2)
    assert answer.exit_code == 1
    assert "3 rows all differ from each other, which is impossible with 2 clusters" in answer.stdout


def test_long_lists_are_cut(folder):
    pairs = [f"{2 * row},{2 * row + 1},same" for row in range(30)]
    folder.write("many.csv", "\n".join(["left,right,kind", *pairs, *(f"{row},{row + 1},same" for row in range(59))]))
    shown = folder.run("hints", "check", "many.csv").stdout
    assert "… (52 more)" in shown
    assert "more" in shown.splitlines()[-1]


def test_sampled_hints_are_true_and_can_be_checked(folder):
    body = [f"{line},{label}" for line, label in zip(folder.lines[1:], folder.y, strict=True)]
    folder.write("whole.csv", "\n".join([folder.lines[0] + ",species", *body]))
    given = ("hints", "sample", "whole.csv", "--out", folder / "drawn.csv", "--label", "species", "--amount", 40)
    answer = folder.run(*given, terminal=True)
    assert answer.exit_code == 0, answer.output
    assert "drawn from the classes in 'species'; wrote" in answer.stderr
    constraints = Constraints.read(folder / "drawn.csv", ids=folder.ids)
    assert constraints.n_must_link + constraints.n_cannot_link == 40
    assert np.all(folder.y[constraints.must_link[:, 0]] == folder.y[constraints.must_link[:, 1]])
    assert folder.run("hints", "check", "drawn.csv", "--for", "flowers.csv").exit_code == 0
    folder.run(*given[:4], folder / "same.csv", *given[5:])
    assert (folder.path / "same.csv").read_text() == (folder.path / "drawn.csv").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "nothing.csv"], "nothing.csv does not exist"),
        (["check", "flowers.doc"], "is not a known format of hints"),
        (["check", "flowers.csv"], "says neither same nor different"),
        (["sample", "flowers.csv", "--out", "FOLDER/h.csv"], "--label NAME"),
        (["sample", "single.csv", "--out", "FOLDER/h.csv"], "has only the class 'x'. Two classes or more are needed"),
        (["sample", "double.csv", "--out", "FOLDER/h.csv", "--amount", "999"], "cannot draw 999"),
        (["sample", "double.csv", "--out", "FOLDER/h.doc"], "is not a known format of hints"),
        (["sample", "double.csv", "--out", "double.csv"], "double.csv would overwrite an input file"),
    ],
)
def test_what_a_user_can_get_wrong(folder, arguments, message):
    folder.write("flowers.doc", "")
    folder.write("single.csv", "a,b,label\n1,2,x\n3,4,x\n")
    folder.write("double.csv", "a,b,label\n" + "1,2,x\n3,4,y\n" * 3)
    before = folder.names()
    answer = folder.run("hints", *[argument.replace("FOLDER", str(folder.path)) for argument in arguments])
    assert answer.exit_code == 2
    assert message in answer.stderr
    assert "Traceback" not in answer.output
    assert folder.names() == before


def test_one_class_cannot_be_compared(folder):
    folder.write("single.csv", "a,b,label\n1,2,x\n3,4,x\n")
    answer = folder.run("compare", "single.csv", "--methods", "k-means")
    assert answer.exit_code == 2
    assert "Two classes or more are needed" in answer.stderr


def test_only_the_ids_of_the_data_are_read(folder):
    folder.write("gaps.csv", "id,a\nann,\nbob,1\ncy,many\n")
    folder.write("pairs.csv", "left,right,kind\nann,bob,same\n")
    answer = folder.run("hints", "check", "pairs.csv", "--for", "gaps.csv")
    assert answer.exit_code == 0, answer.output
    assert "about 2 of 3 rows" in answer.stdout


COMPARED = """left,right,kind,third,fourth
ann,bob,nearer,cy,
ann,cy,nearer,di,
ann,di,nearer,bob,
eve,fay,same,,
ann,bob,unsure,eve,
x0,x1,better,,
ann,x0:1,clustering,,
bob,x0:1,clustering,,
ann,x1:1,clustering,,
bob,x1:2,clustering,,
"""


def test_comparisons_that_make_a_circle(folder):
    folder.write("compared.csv", COMPARED)
    answer = folder.run("hints", "check", "compared.csv")
    assert answer.exit_code == 1
    assert "1 must-link, 3 comparisons, 1 unanswered, 1 preference, about 6 of 6 rows" in answer.stdout
    circle = "'ann'–'bob' nearer than 'ann'–'cy', 'ann'–'cy' nearer than 'ann'–'di', 'ann'–'di' nearer than 'ann'–'bob'"
    assert f"3 comparisons that contradict each other\n  {circle}\n" in answer.stdout
    found = __import__("json").loads(folder.run("hints", "check", "compared.csv", "--json").stdout)
    assert (found["comparisons"], found["unanswered"], found["preferences"]) == (3, 1, 1)
    assert found["contradicting_comparisons"] == 3
    assert found["cycles"][0]["nearer"][0] == [["ann", "bob"], ["ann", "cy"]]


def test_comparisons_that_do_not_contradict(folder):
    folder.write("compared.csv", COMPARED.replace("ann,di,nearer,bob,\n", ""))
    answer = folder.run("hints", "check", "compared.csv", "--for", folder.write("people.csv", PEOPLE))
    assert answer.exit_code == 0, answer.output
    assert "contradict each other" not in answer.stdout


PEOPLE = "id,a,b\n" + "".join(
    f"{name},{row},{-row}\n" for row, name in enumerate(["ann", "bob", "cy", "di", "eve", "fay"])
)


@pytest.mark.parametrize(
    ("options", "summary"),
    [
        (["--how", "piles", "--size", 5], "cannot-links, drawn from"),
        (["--how", "odd"], "unanswered, drawn from"),
        (["--how", "triplets", "--wrong", 0.1], "unanswered, drawn from"),
        (["--how", "quadruples", "--forced"], "50 comparisons, drawn from"),
    ],
)
def test_questions_about_several_rows(folder, options, summary):
    labels = ["species", *folder.y]
    lines = [f"{line},{label}" for line, label in zip(folder.lines, labels, strict=True)]
    folder.write("labeled.csv", "\n".join(lines))
    out = folder / "drawn.csv"
    answer = folder.run("hints", "sample", "labeled.csv", "--label", "species", "--out", out, *options)
    assert answer.exit_code == 0, answer.output
    assert summary in answer.output
    drawn = Constraints.read(out, ids=folder.ids)
    how = dict(zip(options[::2], options[1::2], strict=False))
    given = {"size": how.get("--size"), "error_rate": how.get("--wrong", 0.0), "random_state": 0}
    expected = Constraints.sample(folder.y, how["--how"], 50, ties="coin" if "--forced" in options else None, **given)
    assert drawn == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--how", "odd", "--size", 4], "--size is for --how piles"),
        (["--how", "piles", "--forced"], "--forced is for --how odd, triplets and quadruples"),
    ],
)
def test_options_that_do_not_go_together(folder, options, message):
    answer = folder.run("hints", "sample", "flowers.csv", "--out", folder / "drawn.csv", *options)
    assert answer.exit_code == 2
    assert message in answer.output
    assert "drawn.csv" not in folder.names()
