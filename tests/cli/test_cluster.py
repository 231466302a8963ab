"""``likewise cluster``: what it writes, what it says, and what a person can get wrong."""

import csv
import errno
import json
import os
import re
import sys
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from likewise import Likewise
from likewise._methods import all_methods, clusterer, method_named, protocol_method
from likewise.cli._errors import refusal_of
from likewise.constraints import Constraints
from likewise.evaluation import normalized_mutual_information
from likewise.evaluation.protocols import Case


def clusters(path):
    with open(path, encoding="utf-8", newline="") as file:
        return {line["id"]: int(line["cluster"]) for line in csv.DictReader(file)}


def test_the_command_of_the_manual(folder):
    out = [folder / name for name in ("clusters.csv", "model.likewise", "report.html")]
    found = folder.json("cluster", "flowers.csv", "--hints", "pairs.csv", "--k", 3, "--out", out[0], "--model", out[1],
                        "--report", out[2])  # fmt: skip
    assert found["rows"] == 150
    assert found["clusters"] == 3
    assert found["method"] == "likewise"
    assert found["constraint_accuracy"] > 0.9
    assert found["files"] == out
    assert sum(found["sizes"]) == 150
    answer = clusters(out[0])
    assert list(answer) == folder.ids
    assert normalized_mutual_information(folder.y, list(answer.values())) > 0.7
    page = Path(out[2]).read_text(encoding="utf-8")
    for words in ("<title>flowers.csv", "4 columns of numbers", "likewise cluster", "--k 3", "f149"):
        assert words in page
    assert folder.run("assign", out[1], "flowers.csv", "--out", folder / "again.csv").exit_code == 0
    assert clusters(folder / "again.csv") == answer


def test_without_out_clusters_go_to_standard_output(folder):
    answer = folder.run("cluster", "flowers.csv", "--k", 3)
    assert answer.stdout.splitlines()[:1] == ["id,cluster,second,certainty"]
    assert len(answer.stdout.splitlines()) == 151


@pytest.mark.parametrize("terminal", [True, False])
def test_a_summary_is_shown_on_a_terminal_and_in_a_log(folder, terminal):
    answer = folder.run("cluster", "flowers.csv", "--hints", "pairs.csv", "--k", 3, "--out", folder / "c.csv",
                        terminal=terminal)  # fmt: skip
    assert answer.stdout == ""
    for words in (
        "150 rows of",
        "4 columns of numbers",
        "hints: 15 must-links, 15 cannot-links",
        "% kept",
        "3 clusters by likewise, with their largest differences from the mean in standard deviations",
        "wrote ",
    ):
        assert words in answer.stderr
    quiet = folder.run("cluster", "flowers.csv", "--k", 3, "--out", folder / "c.csv", "-q", terminal=terminal)
    assert quiet.output == ""


def test_the_same_command_gives_the_same_answer_and_model(folder):
    models = []
    given = ("cluster", "flowers.csv", "--hints", "pairs.csv", "--seed", 4, "--model", folder / "m.likewise")
    answers = set()
    for _ in range(2):
        answers.add(folder.run(*given).stdout)
        models.append((folder.path / "m.likewise").read_bytes())
    assert len(answers) == 1
    assert models[0] == models[1]


def test_known_classes_of_some_rows_are_hints(folder):
    known = [name if row % 10 == 0 else "" for row, name in enumerate(folder.y)]
    body = [f"{line},{label}" for line, label in zip(folder.lines[1:], known, strict=True)]
    folder.write("partly.csv", "\n".join([folder.lines[0] + ",kind", *body]))
    found = folder.json("cluster", "partly.csv", "--label", "kind", "--k", 3)
    assert found["must_links"] + found["cannot_links"] == 15 * 14 // 2
    assert found["constraint_accuracy"] == 1.0
    folder.write("found.csv", "\n".join([folder.lines[0] + ",label", *body]))
    assert folder.json("cluster", "found.csv", "--k", 3)["must_links"] == found["must_links"]


def test_a_complete_column_of_classes_is_hints_only_when_named(folder):
    body = [f"{line},{label}" for line, label in zip(folder.lines[1:], folder.y, strict=True)]
    folder.write("whole.csv", "\n".join([folder.lines[0] + ",class", *body]))
    found = folder.json("cluster", "whole.csv", "--k", 3)
    assert found["must_links"] == 0
    assert found["constraint_accuracy"] is None
    assert "'class' (classes)" in found["preprocessing"]
    answer = folder.run("cluster", "whole.csv", "--label", "class", "--k", 3)
    assert answer.exit_code == 0
    assert "Note: every row has a class in 'class'" in answer.stderr


def test_links(folder):
    pets, money = ["cat", "dog", "fish", "bird", "fur"], ["bank", "loan", "fund", "rate", "tax"]
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(pets if row < 12 else money, 6)) for row in range(24)]
    lines = ["id,text", *(f"n{row},{words} and so on" for row, words in enumerate(texts))]
    folder.write("notes.csv", "\n".join(lines))
    edges = [f"n{row},n{(row + 1) % 12 + 12 * (row >= 12)}" for row in range(24)]
    folder.write("edges.csv", "\n".join(["left,right", *edges]))
    given = ("cluster", "notes.csv", "--text", "text", "--links", "edges.csv")
    assert folder.json(*given, "--k", 2)["method"] == "networked"
    assert folder.json(*given)["method"] == "likewise"
    assert folder.json(*given, "--k", 2, "--method", "pck", "--out", folder / "c.csv")["method"] == "pck"
    answer = list(clusters(folder / "c.csv").values())
    assert len(set(answer[:12])) == len(set(answer[12:])) == 1
    model = folder / "m.likewise"
    folder.json(*given, "--k", 2, "--model", model, "--out", folder / "c.csv")
    folder.json("assign", "m.likewise", "notes.csv", "--out", folder / "d.csv")
    assert clusters(folder / "d.csv") == clusters(folder / "c.csv")


def test_a_mixed_table_a_folder_and_a_data_set_by_name(folder):
    lines = ["name,age,town,remark"]
    for row in range(20):
        remark = "the cat and the dog" if row % 2 else "the bank and the loan"
        lines.append(f"p{row},{30 + 20 * (row % 2) + row % 3},{'Rome' if row % 2 else 'Oslo'},{remark} number {row}")
    folder.write("people.csv", "\n".join(lines))
    found = folder.json("cluster", "people.csv", "--k", 2, "--out", folder / "c.csv")
    for words in (
        "1 column of numbers",
        "1 category with 2 levels",
        "texts in 'remark'",
        "texts as much as all others",
    ):
        assert words in found["preprocessing"]
    answer = list(clusters(folder / "c.csv").values())
    assert answer == [answer[0], answer[1]] * 10
    assert answer[0] != answer[1]
    notes = folder.path / "notes"
    notes.mkdir()
    for row in range(20):
        (notes / f"{row:02d}.txt").write_text(lines[1 + row].rsplit(",", 1)[1])
    assert "texts in 'text'" in folder.json("cluster", "notes", "--k", 2)["preprocessing"]
    assert folder.json("cluster", "wine", "--method", "k-means", "--k", 3)["rows"] == 178


NAMES = [method.name for method in all_methods() if method.name not in ("umap", "networked")]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["table", "text"])
def test_compare_scores_what_cluster_gives(name, kind):
    rng = np.random.default_rng(0)
    y = np.arange(45) % 3
    X = rng.normal(size=(45, 5)) + 3 * y[:, None]
    if kind == "text":
        X = sparse.csr_matrix(rng.poisson(rng.gamma(0.5, size=(3, 40))[y]).astype(float))
    constraints = Constraints.sample(y, "equal", 12, random_state=0)
    given = {"constraints": constraints} if method_named(name).uses_constraints else {}
    labels = clusterer(name, X, 3, 0).fit(X, **given).labels_
    np.testing.assert_array_equal(protocol_method(name)(Case(X, y, constraints, 3), 0), labels)


def test_every_method_is_listed(folder):
    table = folder.run("methods")
    assert table.exit_code == 0
    found = folder.json("methods")["methods"]
    assert [method["name"] for method in found] == [method.name for method in all_methods()]
    assert all(method["needs"] and method["prefer"] and method["paper"] for method in found)


@pytest.mark.parametrize("name", NAMES)
def test_the_registry_is_right_about_new_rows(folder, name):
    method = method_named(name)
    hints = ("--hints", "pairs.csv") if method.uses_constraints else ()
    given = ("cluster", "flowers.csv", *hints, "--k", 3, "--method", name, "--out", folder / "c.csv")
    answer = folder.run(*given, "--model", folder / "m.likewise")
    if not method.places_new_rows:
        assert answer.exit_code == 2
        assert "cannot assign new rows" in answer.stderr
        return
    assert answer.exit_code == 0, answer.output
    answer = folder.run("assign", "m.likewise", "flowers.csv", "--out", folder / "d.csv")
    assert answer.exit_code == 0, answer.output
    assert set(clusters(folder / "d.csv").values()) <= {0, 1, 2}


WRONG = [
    (["nothing.csv"], "nothing.csv does not exist"),
    (["flowers"], "no data set is called 'flowers'"),
    (["flowers.csv", "--id", "name"], "has no column 'name'"),
    (["flowers.csv", "--label", "kind"], "has no column 'kind'"),
    (["flowers.csv", "--text", "words"], "has no column 'words'"),
    (["flowers.csv", "--k", "200"], "--k 200 is more than the 150 rows"),
    (["flowers.csv", "--k", "0"], "0 is not in the range"),
    (["flowers.csv", "--hints", "missing.csv"], "missing.csv does not exist"),
    (
        ["flowers.csv", "--hints", "flowers.csv"],
        "says neither same nor different. A file of hints has the columns left, right, kind",
    ),
    (["flowers.csv", "--hints", "strangers.csv"], "id 'x9' is not among the 150 ids"),
    (["flowers.csv", "--hints", "strangers.csv"], "Ids are those of column 'id'"),
    (["flowers.csv", "--links", "pairs.doc"], "pairs.doc ends in '.doc'"),
    (["flowers.csv", "--links", "latin.csv"], "latin.csv, line 2: byte 0xe9 is not utf-8"),
    (["flowers.csv", "--links", "ends.csv"], "line 2: id 'x9' is not among the 150 ids"),
    (["flowers.csv", "--links", "ends.csv"], "Ids are those of column 'id'"),
    (["flowers.csv", "--method", "magic"], "there is no method 'magic'"),
    (["flowers.csv", "--method", "k-mean"], "Did you mean 'k-means'?"),
    (["flowers.csv", "--method", "pck"], "needs the number of clusters: --k"),
    (["flowers.csv", "--method", "networked", "--k", "2"], "needs links"),
    (["flowers.csv", "--method", "costco", "--k", "2"], "must-links"),
    (["flowers.csv", "--method", "k-means", "--k", "2", "--hints", "pairs.csv"], "does not use hints"),
    (["flowers.csv", "--method", "pck", "--k", "2", "--budget", "9"], "--budget has no effect with --method pck"),
    (["flowers.csv", "--hints", "contrary.csv", "--trust", "strict"], "'f0' = 'f1' = 'f2'"),
    (["flowers.csv", "--hints", "contrary.csv", "--method", "cop", "--k", "2"], "likewise hints check"),
    (["flowers.csv", "--hints", "crowd.csv", "--trust", "strict", "--k", "2"], "are all different from each other"),
    (["gaps.csv", "--missing", "refuse"], "line 3, column 'a' is empty. Fill it in, leave the row out"),
    (["words.csv"], "no column to compare rows by"),
    (["one.csv"], "has only one row"),
    (["latin.csv"], "byte 0xe9 is not utf-8"),
    (["flowers.csv", "--out", "FOLDER/c.doc"], "'.doc', which is not a known format"),
    (["flowers.csv", "--out", "FOLDER/no/c.csv"], "there is no folder"),
    (["flowers.csv", "--out", "flowers.csv"], "would overwrite an input file"),
    (["flowers.csv", "--out", "FOLDER/x.csv", "--model", "FOLDER/x.csv"], "are both"),
    (["flowers.csv", "--report", "FOLDER/r.pdf"], "must end in .html"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_what_a_user_can_get_wrong(folder, arguments, message):
    folder.write("strangers.csv", "left,right,kind\nf0,x9,same\n")
    folder.write("contrary.csv", "left,right,kind\nf0,f1,same\nf1,f2,same\nf0,f2,different\n")
    folder.write("crowd.csv", "left,right,kind\nf0,f1,different\nf1,f2,different\nf0,f2,different\n")
    folder.write("gaps.csv", "a,b\n1,2\n,3\n4,5\n")
    folder.write("words.csv", "a,b\nx,red\ny,green\nz,blue\n")
    folder.write("one.csv", "a,b\n1,2\n")
    (folder.path / "latin.csv").write_bytes("a,b\n1,é\n".encode("latin-1"))
    folder.write("ends.csv", "left,right\nf0,x9\n")
    folder.write("pairs.doc", "left,right\nf0,f1\n")
    before = folder.names()
    given = [argument.replace("FOLDER", str(folder.path)) for argument in arguments]
    answer = folder.run("cluster", *given)
    assert answer.exit_code == 2
    assert message in " ".join(answer.stderr.split())
    assert "Traceback" not in answer.output
    assert answer.stdout == ""
    assert folder.names() == before
    if "Usage" not in answer.stderr:
        errors = [line for line in answer.stderr.splitlines() if line.startswith("Error: ")]
        assert errors == answer.stderr.splitlines()[-1:]


def test_gaps_are_filled_and_mentioned(folder):
    folder.write("gaps.csv", "a,b\n" + "\n".join(f"{row % 5},{row * 37 % 100}" for row in range(20)) + "\n,3\n")
    done = folder.json("cluster", "gaps.csv", "--k", 2)
    assert done["rows"] == 21
    assert "1 empty cell in 1 column filled (numbers: median)" in done["preprocessing"]


def test_contradictions_are_weighted_by_default_and_mentioned(folder):
    folder.write("contrary.csv", "left,right,kind\nf0,f1,same\nf1,f2,same\nf0,f2,different\nf0,f149,different\n")
    given = ("cluster", "flowers.csv", "--hints", "contrary.csv", "--k", 3, "--out", folder / "c.csv")
    assert folder.json(*given)["constraint_accuracy"] < 1
    assert "1 contradiction among the hints: see `likewise hints check`" in folder.run(*given, terminal=True).stderr


def test_a_full_disk(folder, monkeypatch):
    def full(handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), folder / "c.csv")

    monkeypatch.setattr("likewise._atomic.os.fsync", full)
    before = folder.names()
    answer = folder.run("cluster", "flowers.csv", "--k", 3, "--out", folder / "c.csv")
    assert answer.exit_code == 1
    assert "the disk is full" in answer.stderr
    assert "Traceback" not in answer.output
    assert folder.names() == before


@pytest.mark.parametrize("which", ["c.csv", "m.likewise", "r.html"])
def test_a_disk_that_fills_up_leaves_all_files_as_they_were(folder, monkeypatch, which):
    from likewise import _atomic

    given = ("cluster", "flowers.csv", "--k", 3, "--method", "pck", "--out", folder / "c.csv", "--model",
             folder / "m.likewise", "--report", folder / "r.html")  # fmt: skip
    assert folder.run(*given).exit_code == 0
    before = {path.name: path.read_bytes() for path in folder.path.iterdir()}
    opened = []
    create = _atomic._create

    def full(target):
        opened.append(target.name)
        if opened.count(which) == 2:  # the first time is the check before the work
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return create(target)

    monkeypatch.setattr(_atomic, "_create", full)
    answer = folder.run(*given, "--seed", 1)
    assert answer.exit_code == 1
    assert answer.stderr.endswith(f"Error: {folder / which}: the disk is full. Free some space, or write elsewhere.\n")
    assert {path.name: path.read_bytes() for path in folder.path.iterdir()} == before


def test_an_output_that_cannot_be_written_is_refused_before_the_work(folder, monkeypatch):
    def work(*rest, **more):
        raise AssertionError("the work has begun")

    monkeypatch.setattr("likewise.cli._reading.read_rows", work)
    answer = folder.run("cluster", "flowers.csv", "--k", 3, "--out", folder / f"{'long' * 80}.csv")
    assert answer.exit_code == 2
    assert "too long a name" in answer.stderr


def test_a_missing_extra(folder, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    answer = folder.run("cluster", "flowers.csv", "--k", 3, "--out", folder / "c.parquet")
    assert answer.exit_code == 1
    assert 'pip install "likewise[io]"' in answer.stderr


def test_too_little_memory(folder, monkeypatch):
    def large(*rest, **more):
        raise MemoryError("Unable to allocate 9 TiB")

    monkeypatch.setattr("likewise.front.Likewise.fit", large)
    answer = folder.run("cluster", "flowers.csv")
    assert answer.exit_code == 1
    assert "not enough memory: Unable to allocate 9 TiB" in answer.stderr


def test_ctrl_c_while_members_learn_writes_nothing(folder, monkeypatch):
    def stop(*rest, **more):
        raise KeyboardInterrupt

    monkeypatch.setattr("likewise.front._likewise.apply_constraints", stop)
    before = folder.names()
    answer = folder.run("cluster", "flowers.csv", "--hints", "pairs.csv", "--k", 3, "--out", folder / "c.csv")
    assert answer.exit_code == 130
    assert answer.stderr.endswith("Interrupted. No file was changed.\n")
    assert folder.names() == before


def test_json_is_one_object(folder):
    answer = folder.run("cluster", "flowers.csv", "--k", 3, "--json", terminal=True)
    assert set(json.loads(answer.stdout)) >= {"rows", "clusters", "method", "constraint_accuracy", "files"}
    assert answer.stdout.count("\n") == 1


def test_labels_name_the_clusters_in_every_output(folder):
    names = np.array(["setosa", "versicolor", "virginica"])[folder.y]
    known = [name if row % 7 == 0 else "" for row, name in enumerate(names)]
    known[7] = "virginica"  # one label is wrong
    lines = [f"{line},{label}" for line, label in zip(folder.lines[1:], known, strict=True)]
    folder.write("partly.csv", "\n".join([folder.lines[0] + ",kind", *lines]))
    files = ("--out", folder / "c.csv", "--model", folder / "m.likewise", "--report", folder / "r.html")
    answer = folder.run("cluster", "partly.csv", "--label", "kind", "--k", 4, *files, terminal=True)
    assert answer.exit_code == 0, answer.output
    shown = " ".join(answer.output.split())
    assert "hints: 22 labels of 3 classes (231 pairs)" in shown
    assert re.search(r"setosa +\d+ rows, 7 of 7 with this label", shown)
    with open(folder / "c.csv", encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    assert list(table[0]) == ["id", "cluster", "name", "second", "second_name", "certainty"]
    assert np.mean([line["name"] == name for line, name in zip(table, names, strict=True)]) > 0.7
    of = {line["cluster"]: line["name"] for line in table}
    assert len(set(of.values())) == len(of) == 4
    for line in table:
        assert line["name"] == of[line["cluster"]]
        assert line["second"] != line["cluster"]
        assert line["second_name"] == (of[line["second"]] if line["second"] else "")
        assert 0 <= float(line["certainty"]) <= 1
    assert folder.run("assign", "m.likewise", "flowers.csv", "--out", folder / "d.csv").exit_code == 0
    assert Path(folder / "d.csv").read_text(encoding="utf-8") == Path(folder / "c.csv").read_text(encoding="utf-8")
    assert "setosa" in Path(folder / "r.html").read_text(encoding="utf-8")
    found = folder.json("cluster", "partly.csv", "--label", "kind", "--k", 4, "--out", folder / "c.npy")
    assert sorted(found["names"]) == sorted(of.values())
    assert np.load(folder / "c.npy").tolist() == [int(line["cluster"]) for line in table]


def test_new_clusters_and_too_few(folder):
    lines = [f"{line},{'setosa' if row in (0, 1) else ''}" for row, line in enumerate(folder.lines[1:])]
    folder.write("partly.csv", "\n".join([folder.lines[0] + ",kind", *lines]))
    answer = folder.run("cluster", "partly.csv", "--label", "kind", "--k", 8, "--out", folder / "c.csv", terminal=True)
    shown = " ".join(answer.output.split())
    assert "8 clusters for 1 labeled class (--k 8): 7 without a labeled row" in shown
    assert re.search(r"\d+ rows in doubt, where hints would help most: 'f\d+', 'f\d+'", shown)
    assert "rows, new: none is labeled" in shown


def test_a_method_without_certainty_writes_clusters_alone(folder):
    assert folder.run("cluster", "flowers.csv", "--method", "pck", "--k", 3, "--hints", "pairs.csv",
                      "--out", folder / "c.csv").exit_code == 0  # fmt: skip
    assert Path(folder / "c.csv").read_text(encoding="utf-8").splitlines()[0] == "id,cluster"


def _python_block(page):
    """The Python in a report, as a reader would copy it."""
    found = re.findall(r"<h3>In Python</h3>.*?<code>(.*?)</code>", page.read_text("utf-8"), re.DOTALL)
    return unescape(found[0])


@pytest.mark.parametrize(
    "arguments",
    [
        ("flowers.csv", "--hints", "pairs.csv", "--hints", "more.csv", "--k", 3),
        ("flowers.csv", "--ignore", "a", "--missing", "mean", "--k", 3, "--trust", "weighted", "--hints", "pairs.csv"),
        ("labeled.csv", "--label", "kind", "--k", 3),
        ("wine", "--k", 3),
        ("flowers.csv", "--hints", "pairs.csv", "--method", "costco", "--k", 3),
        ("flowers.csv", "--hints", "pairs.csv", "--hints", "asked.csv", "--hints", "sheet.csv", "--k", 3),
        ("flowers.csv", "--hints", "asked.csv", "--method", "pck", "--k", 3),
        ("flowers.csv", "--links", "links.csv", "--k", 3, "--method", "likewise"),
    ],
    ids=lambda arguments: " ".join(map(str, arguments)),
)
def test_the_python_of_the_report_does_the_same(folder, arguments):
    Constraints.sample(folder.y, "equal", 5, random_state=1).write(folder.path / "more.csv", ids=folder.ids)
    kinds = [("setosa", "versicolor", "virginica")[code] if row % 7 == 0 else "" for row, code in enumerate(folder.y)]
    head, *lines = folder.lines
    folder.write("labeled.csv", "\n".join([f"{head},kind", *(f"{a},{b}" for a, b in zip(lines, kinds, strict=True))]))
    for name, rows in (("asked.csv", range(0, 60, 2)), ("sheet.csv", range(60, 90, 3))):
        said = ("same" if folder.y[row] == folder.y[149 - row] else "different" for row in rows)
        asked = [f"f{row},f{149 - row},{word},0.5" for row, word in zip(rows, said, strict=True)]
        folder.write(name, "\n".join(["left,right,kind,chance", *asked]))
    folder.write("links.csv", "left,right\n" + "\n".join(f"f{row},f{row + 3}" for row in range(0, 140, 2)))
    answer = folder.run("cluster", *arguments, "--report", folder / "r.html", "--out", folder / "c.csv")
    assert answer.exit_code == 0, answer.output
    labels = [int(line.split(",")[1]) for line in (folder.path / "c.csv").read_text().splitlines()[1:]]
    found = {}
    exec(compile(_python_block(folder.path / "r.html"), "report", "exec"), found)
    assert found["model"].labels_.tolist() == labels


def test_answers_and_other_hints_are_learned_at_once(folder, monkeypatch):
    """Otherwise a time limit would count twice."""
    folder.write("asked.csv", "left,right,kind,chance\nf0,f149,different,0.5\nf0,f9,same,0.5")
    fits, learn = [], Likewise._learn
    monkeypatch.setattr(Likewise, "_learn", lambda self, *given: fits.append(given[2:4]) or learn(self, *given))
    answer = folder.run("cluster", "flowers.csv", "--hints", "pairs.csv", "--hints", "asked.csv", "--k", 3)
    assert answer.exit_code == 0, answer.output
    ((hints, answers),) = fits
    assert len(answers) == 2
    assert hints == Constraints.read(folder / "pairs.csv", ids=folder.ids) | answers._links(answers.believed)


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text on other systems")
def test_a_file_whose_name_is_no_text(folder):
    path = os.fsdecode(b"flow\xffers.csv")
    os.link(folder / "flowers.csv", folder.path / path)
    outputs = ("--out", folder / "c.csv", "--model", folder / "m.likewise", "--report", folder / "r.html")
    answer = folder.run("cluster", path, "--k", 3, "--method", "pck", *outputs)
    assert answer.exit_code == 0, answer.output
    assert "flow\ufffders.csv" in (folder.path / "r.html").read_text("utf-8")
    out = folder.path / os.fsdecode(b"\xff.csv")
    assert folder.run("cluster", "flowers.csv", "--k", 3, "--method", "pck", "--out", out).exit_code == 0
    assert out.exists()


def test_of_text_that_cannot_be_written_the_place_is_shown():
    error = UnicodeEncodeError("utf-8", "a" * 1000 + "\udcff" + "b" * 1000, 1000, 1001, "surrogates not allowed")
    shown = refusal_of(error).message
    assert len(shown) < 150
    assert "aaa\\udcffbbb" in shown
