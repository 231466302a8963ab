"""``--columns``, ``--ignore``, ``--beside``, ``--transpose``, ``--truth`` and ``--from``."""

import json
import os
import pty
import subprocess
import sys

import numpy as np
import pytest

from likewise.constraints import Constraints
from likewise.models import load

QUICK = ("--k", 2, "--method", "k-means")
WORDS = ("cat dog fur and paw", "bank loan tax and rate")


def two_groups(n=40, width=4, seed=0):
    """Vectors of two groups, one after the other."""
    group = np.arange(n) % 2
    return np.random.default_rng(seed).normal(size=(n, width)) + 6 * group[:, None], group


def write_table(folder, name, header, X, *columns):
    lines = [",".join([*map(str, column), *map(str, row)]) for row, *column in zip(X.round(4), *columns, strict=True)]
    folder.write(name, "\n".join([",".join(header), *lines]))


def found(folder, *arguments):
    answer = folder.json("cluster", *arguments, *QUICK, "--out", folder / "c.csv")
    lines = (folder.path / "c.csv").read_text().splitlines()[1:]
    return answer, {line.split(",")[0]: line.split(",")[1] for line in lines}


def agrees(clusters, group):
    labels = np.array(list(clusters.values())).astype(int)
    return (labels == group).all() or (labels != group).all()


@pytest.mark.parametrize(
    ("options", "used"),
    [
        ((), 6),
        (("--columns", "e*"), 4),
        (("--columns", "e0-e1,noise"), 3),
        (("--columns", "e2-e9"), 2),
        (("--ignore", "noise"), 5),
        (("--ignore", "e?"), 2),
        (("--ignore", "noise", "--ignore", "e0-e1"), 3),
        (("--ignore", "noise,big,*"), None),
        (("--columns", "e*", "--ignore", "e3"), 3),
    ],
)
def test_columns_are_chosen_by_names_patterns_and_ranges(folder, options, used):
    X, _ = two_groups()
    extra = np.random.default_rng(1).normal(size=(40, 2))
    header = ["id", "e0", "e1", "e2", "e3", "noise", "big"]
    write_table(folder, "t.csv", header, np.hstack([X, extra]), [f"r{row}" for row in range(40)])
    if used is None:
        assert "no column to compare rows by" in folder.run("cluster", "t.csv", *options, *QUICK).stderr
        return
    answer, _ = found(folder, "t.csv", *options)
    assert answer["preprocessing"].startswith(f"{used} columns of numbers")


def test_a_table_beside_vectors_gives_ids_texts_and_classes(folder):
    X, group = two_groups()
    np.save(folder.path / "vectors.npy", X)
    rows = [f"n{row},the {WORDS[kind]} number {row},{'ab'[kind]}" for row, kind in enumerate(group)]
    folder.write("texts.csv", "\n".join(["id,text,topic", *rows]))
    folder.write("pairs.csv", "left,right,kind\nn0,n2,same\nn0,n1,different\n")
    given = ("vectors.npy", "--beside", "texts.csv", "--truth", "topic")
    answer = folder.json("cluster", *given, "--hints", "pairs.csv", "--k", 2, "--method", "pck", "--out",
                         folder / "c.csv", "--report", folder / "r.html")  # fmt: skip
    assert answer["truth"] == {"column": "topic", "nmi": 1.0, "ari": 1.0, "accuracy": 1.0}
    assert (answer["must_links"], answer["cannot_links"]) == (1, 1)
    assert "n39" in (folder.path / "c.csv").read_text()
    page = (folder.path / "r.html").read_text(encoding="utf-8")
    assert "number 39" in page
    shown = folder.run("cluster", *given, *QUICK, "--out", folder / "c.csv").stderr
    assert "2 clusters by k-means, with their most frequent words compared to the others:" in shown
    assert {"dog", "loan"} <= set(shown.replace(",", " ").split())
    partly = folder.json("cluster", "vectors.npy", "--beside", "texts.csv", "--label", "topic", "--k", 2, "--method",
                         "pck", "--out", folder / "c.csv")  # fmt: skip
    assert partly["must_links"] > 0


def test_a_table_beside_it_is_joined_by_ids_if_both_have_them(folder):
    X, group = two_groups()
    names = [f"r{row}" for row in range(40)]
    write_table(folder, "t.csv", ["id", "a", "b", "c", "d"], X, names)
    order = np.random.default_rng(0).permutation(40)
    folder.write("kinds.csv", "\n".join(["id,kind", *(f"r{row},{'xy'[group[row]]}" for row in order), "r99,x"]))
    answer, clusters = found(folder, "t.csv", "--beside", "kinds.csv", "--truth", "kind")
    assert answer["truth"]["nmi"] == 1.0
    assert list(clusters) == names
    folder.write("kinds.csv", "id,kind\n" + "".join(f"R{row},x\n" for row in range(40)))
    refused = folder.run("cluster", "t.csv", "--beside", "kinds.csv", *QUICK)
    assert "line 2: 'r0' is not among the ids of" in refused.stderr
    assert "Did you mean 'R0'?" in refused.stderr


def test_lines_of_a_text_file_beside_vectors(folder):
    X, group = two_groups()
    np.save(folder.path / "vectors.npy", X)
    folder.write("texts.txt", "\n".join(f"the {WORDS[kind]} of {row}" for row, kind in enumerate(group)))
    folder.json("cluster", "vectors.npy", "--beside", "texts.txt", *QUICK, "--report", folder / "r.html", "--out",
                folder / "c.csv")  # fmt: skip
    assert "tax and rate of 39" in (folder.path / "r.html").read_text(encoding="utf-8")


@pytest.fixture
def genes(folder):
    """400 genes in rows, 24 samples of two kinds in columns."""
    X, group = two_groups(24, 400)
    names = [f"S{sample:02d}" for sample in range(24)]
    write_table(
        folder, "genes.csv", ["symbol", "where", *names], X.T, [f"G{row}" for row in range(400)], ["chr1"] * 400
    )
    folder.write(
        "kinds.csv", "\n".join(["sample,kind", *(f"{n},{'xy'[k]}" for n, k in zip(names, group, strict=True))])
    )
    folder.names_of_samples, folder.group = names, group
    return folder


def test_columns_can_be_clustered(genes):
    answer, clusters = found(genes, "genes.csv", "--transpose", "--beside", "kinds.csv", "--truth", "kind")
    assert list(clusters) == genes.names_of_samples
    assert agrees(clusters, genes.group)
    assert answer["truth"]["accuracy"] == 1.0
    assert answer["preprocessing"].startswith("400 columns of numbers")
    assert "'where' (not numbers, so it is not transposed)" in answer["preprocessing"]
    genes.json("cluster", "genes.csv", "--transpose", *QUICK, "--out", genes / "c.csv", "--model", genes / "m.likewise")
    genes.json("assign", "m.likewise", "genes.csv", "--transpose", "--out", genes / "d.csv")
    assert [line.split(",")[1] for line in (genes.path / "c.csv").read_text().splitlines()] == [
        line.split(",")[1] for line in (genes.path / "d.csv").read_text().splitlines()
    ]
    known = genes.run("cluster", "genes.csv", "--no-transpose", *QUICK, "--out", genes / "c.csv")
    assert "Note" not in known.stderr
    np.save(genes.path / "matrix.npy", np.zeros((6, 3)) + np.arange(3))
    assert genes.json("cluster", "matrix.npy", "--transpose", *QUICK, "--out", genes / "c.csv")["rows"] == 3


def test_a_terminal_is_asked_whether_columns_are_samples(genes):
    typed = "y"
    outside, inside = pty.openpty()
    code = "from likewise.cli import main; main()"
    command = [sys.executable, "-c", code, "cluster", genes / "genes.csv", *map(str, QUICK), "--out", genes / "c.csv"]
    with subprocess.Popen(command, stdin=inside, stderr=inside, stdout=subprocess.PIPE) as process:
        os.close(inside)
        shown = b""
        while True:
            try:
                shown += os.read(outside, 4096)
            except OSError:  # the other end is gone
                break
            if b"[y/N]" in shown and typed:
                os.write(outside, f"{typed}\n".encode())
                typed = ""
    os.close(outside)
    assert process.returncode == 0
    assert b"Are the columns the samples" in shown
    assert b"Note" not in shown
    assert len((genes.path / "c.csv").read_text().splitlines()) == 24 + 1


@pytest.mark.parametrize(
    "header", [["id", *(f"e{column}" for column in range(8))], ["id", "age", "height", "b", "c", "d", "e", "f", "g"]]
)
def test_embeddings_and_plain_tables_are_no_genes(folder, header):
    X, _ = two_groups(300, 8)
    write_table(folder, "t.csv", header, X, [f"r{row}" for row in range(300)])
    assert "Note" not in folder.run("cluster", "t.csv", *QUICK, "--out", folder / "c.csv").stderr


def test_truth_is_no_feature_and_is_scored(folder):
    X, group = two_groups()
    rows = [[*row, "MB"[kind]] for row, kind in zip(X.round(3), group, strict=True)]
    folder.write("t.csv", "\n".join(["a,b,c,d,diagnosis", *(",".join(map(str, row)) for row in rows)]))
    answer, _ = found(folder, "t.csv", "--truth", "diagnosis")
    assert answer["preprocessing"].startswith("4 columns of numbers")
    assert answer["truth"] == {"column": "diagnosis", "nmi": 1.0, "ari": 1.0, "accuracy": 1.0}
    assert answer["must_links"] == 0
    shown = folder.run("cluster", "t.csv", "--truth", "diagnosis", *QUICK, "--out", folder / "c.csv").stderr
    assert "compared with 'diagnosis' (40 rows of known class): NMI 1.00, ARI 1.00, accuracy 100%" in shown
    assert "Note" not in shown
    refused = folder.run("cluster", "t.csv", "--truth", "a", "--columns", "b", "--k", 2)
    assert refused.exit_code == 0
    folder.write("one.csv", "a,b,kind\n1,2,x\n3,4,x\n5,6,x\n")
    assert (
        "--truth kind: the column has fewer than two classes"
        in folder.run("cluster", "one.csv", "--truth", "kind", *QUICK).stderr
    )


def test_a_complete_column_called_class_is_kept_aside_and_scored(folder):
    found = folder.json("cluster", "iris", "--k", 3, "--method", "k-means")
    assert found["truth"]["column"] == "class"
    assert 0.7 < found["truth"]["nmi"] < 0.8


@pytest.fixture
def wines(folder):
    """A model made with a few hints, and a file of further ones."""
    first = Constraints.sample(folder.y, "equal", 20, random_state=1)
    more = Constraints.sample(folder.y, "equal", 30, random_state=2)
    first.write(folder.path / "first.csv", ids=folder.ids)
    more.write(folder.path / "more.csv", ids=folder.ids)
    folder.given = ("--out", folder / "c.csv")
    folder.json("cluster", "flowers.csv", "--hints", "first.csv", "--k", 3, "--seed", 5, "--model",
                folder / "m.likewise", *folder.given)  # fmt: skip
    folder.clusters = (folder.path / "c.csv").read_text()
    return folder


def test_going_on_is_a_fit_with_all_hints_and_the_same_settings(wines):
    answer = wines.run("cluster", "flowers.csv", "--from", "m.likewise", "--hints", "more.csv", *wines.given, "--model",
                       wines / "m2.likewise")  # fmt: skip
    assert answer.exit_code == 0, answer.output
    again = (wines.path / "c.csv").read_text()
    hints = ("--hints", "first.csv", "--hints", "more.csv")
    together = wines.json("cluster", "flowers.csv", *hints, "--k", 3, "--seed", 5, *wines.given)
    assert again == (wines.path / "c.csv").read_text()
    assert "since " in answer.stderr
    assert "rows moved" in answer.stderr
    assert "were kept before" in answer.stderr
    stored = load(wines.path / "m2.likewise").meta["hints"]
    assert len(stored["left"]) == together["must_links"] + together["cannot_links"]


def test_going_on_without_news_moves_nothing(wines):
    answer = wines.json("cluster", "flowers.csv", "--from", "m.likewise", *wines.given)
    assert answer["moved"] == []
    assert (wines.path / "c.csv").read_text() == wines.clusters
    assert answer["seed"] == 5


def test_what_moved_is_named(wines):
    before = dict(line.split(",")[:2] for line in wines.clusters.splitlines()[1:])
    wrong = [f"f{row},f149,different" for row in range(120, 149)] + [f"f{row},f0,same" for row in range(130, 149)]
    wines.write("wrong.csv", "\n".join(["left,right,kind", *wrong]))
    given = (
        "cluster",
        "flowers.csv",
        "--from",
        "m.likewise",
        "--hints",
        "wrong.csv",
        "--trust",
        "strict",
        *wines.given,
    )
    answer = wines.json(*given)
    after = dict(line.split(",")[:2] for line in (wines.path / "c.csv").read_text().splitlines()[1:])
    assert answer["moved"]
    assert {name for name in before if before[name] != after[name]} == set(answer["moved"])
    shown = wines.run(*given).stderr
    assert f"{len(answer['moved'])} of 150 rows moved" in shown
    assert "cluster " in shown
    assert " → " in shown


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--columns", "a"), "--columns has no effect with --from"),
        (("--missing", "zero"), "--missing has no effect with --from"),
        (("--truth", "a"), "--truth a: the model of --from uses this column as a feature"),
    ],
)
def test_options_that_a_model_decides(wines, options, message):
    answer = wines.run("cluster", "flowers.csv", "--from", "m.likewise", *options)
    assert answer.exit_code == 2
    assert message in answer.stderr


def test_rows_that_are_gone_and_models_without_hints(wines):
    wines.write("fewer.csv", "\n".join(wines.lines[:100]))
    answer = wines.run("cluster", "fewer.csv", "--from", "m.likewise", *wines.given)
    assert answer.exit_code == 0, answer.output
    assert "are about rows that" in answer.stderr
    reduced = wines.run("reduce", "flowers.csv", "--model", wines / "r.likewise", *wines.given)
    assert reduced.exit_code == 0
    refused = wines.run("cluster", "flowers.csv", "--from", "r.likewise")
    assert refused.exit_code == 2
    assert "was saved without its hints" in refused.stderr


def test_json_has_all_of_it(wines):
    found = json.loads(wines.run("cluster", "flowers.csv", "--from", "m.likewise", "--json", *wines.given).stdout)
    assert {"moved", "seed", "must_links"} <= set(found)
