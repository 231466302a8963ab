"""What newcomers get wrong on the command line, and what must be said to it."""

import numpy as np
import pytest
from openpyxl import Workbook

QUICK = "--k 3 --method pck"

ACCEPTED = {
    "hints with semicolons": f"cluster flowers.csv {QUICK} --hints semicolons.csv",
    "hints with tabs": f"cluster flowers.csv {QUICK} --hints tabs.txt",
    "hints with 1 and 0 below a, b, label": f"cluster flowers.csv {QUICK} --hints numbers.csv",
    "hints with yes and no below source, target": f"cluster flowers.csv {QUICK} --hints answers.csv",
    "hints with ML and CL": f"cluster flowers.csv {QUICK} --hints short.csv",
    "hints without a header": f"cluster flowers.csv {QUICK} --hints bare.csv",
    "hints in a workbook": f"cluster flowers.csv {QUICK} --hints hints.xlsx",
    "data in a workbook": f"cluster flowers.xlsx {QUICK} --hints pair.csv",
    "ids of files without their suffix": f"cluster texts {QUICK} --hints stems.csv",
}

ANSWERS = {
    # what is called, and with which options
    "a misspelled command": ("clusterr flowers.csv", ["No such command 'clusterr'", "Did you mean 'cluster'?"]),
    "a misspelled option": ("cluster flowers.csv --hint pair.csv", ["No such option", "--hint", "--hints"]),
    "no data": ("cluster", ["Missing argument 'DATA'"]),
    "a file that is not there": ("cluster roses.csv", ["roses.csv does not exist", "Check the spelling"]),
    "a misspelled file": ("cluster flower.csv", ["flower.csv does not exist. Did you mean 'flowers.csv'"]),
    "a misspelled model": ("assign answers flowers.csv", ["answers does not exist. Did you mean 'answer"]),
    "a budget in words": ("cluster flowers.csv --budget long", ["'long' is not a valid number"]),
    "a data set that is not there": ("cluster irisis", ["no data set is called 'irisis'; did you mean 'iris'"]),
    "k is a word": ("cluster flowers.csv --k three", ["'three' is not a valid integer."]),
    "k is 0": ("cluster flowers.csv --k 0", ["0 is not in the range x>=1"]),
    "k is too large": ("cluster flowers.csv --k 151", ["--k 151 is more than the 150 rows", "fewer clusters"]),
    "a misspelled method": (
        "cluster flowers.csv --method kmeans --k 3",
        ["no method 'kmeans'", "Did you mean 'k-means'?"],
    ),
    "a method that needs k": ("cluster flowers.csv --method pck", ["pck needs the number of clusters: --k"]),
    "a method that needs hints": ("cluster flowers.csv --method costco --k 3", ["needs must-links", "(--hints)"]),
    "a method that uses no hints": (
        "cluster flowers.csv --method k-means --k 3 --hints pair.csv",
        ["k-means does not use hints", "likewise methods"],
    ),
    "no threads": ("cluster flowers.csv --jobs 0", ["must be 1 or more, or -1 for all cores"]),
    # the data
    "data in an unknown format": ("cluster flowers.sav", ["ends in '.sav', which is not a known format", ".csv, .tsv"]),
    "another encoding": ("cluster latin.csv", ["latin.csv, line 2: byte 0xe9 is not utf-8", "--encoding cp1252"]),
    "a single row": ("cluster single.csv", ["has only one row. Clustering needs two or more"]),
    "only names": ("cluster names.csv", ["has no column to compare rows by", "--text"]),
    "a row that is too long": ("cluster ragged.csv", ["line 3: 4 cells where the header has 3 columns"]),
    "two columns of one name": ("cluster double.csv", ["line 1: 2 columns are called 'a'"]),
    "an id that occurs twice": (
        "cluster twice.csv --k 2 --hints pair.csv",
        ["column 'wine_id'", "line 3 and line 5 are both 'f1'", "--id none"],
    ),
    "a label column of another name": (
        "cluster flowers.csv --label Petal",
        ["has no column 'Petal'. Did you mean 'petal'?", "It has: id, sepal, width, petal, thickness"],
    ),
    "columns that are not there": (
        "cluster flowers.csv --columns petal,thicknes",
        ["--columns thicknes: ", "no such column. Did you mean 'thickness'?"],
    ),
    "a pattern that fits no column": ("cluster flowers.csv --columns e*", ["--columns e*: ", "has no such column"]),
    "a column to ignore that is not there": ("cluster flowers.csv --ignore Id", ["--ignore Id", "Did you mean 'id'?"]),
    "the answer as hints and as truth": (
        "cluster flowers.csv --truth petal --label petal",
        ["--truth and --label are both 'petal'", "Leave one of them out"],
    ),
    "a table beside it of another length": (
        "cluster vectors.npy --beside pair.csv --k 2",
        ["pair.csv has 1 row, vectors.npy 6 rows", "one line for each row, in the same order"],
    ),
    "a matrix beside it": ("cluster flowers.csv --beside vectors.npy", ["--beside vectors.npy must be a table"]),
    # the hints
    "a file of hints that is not there": ("cluster flowers.csv --hints pears.csv", ["pears.csv does not exist"]),
    "data instead of hints": (
        "cluster flowers.csv --hints flowers.csv",
        ["line 2: '3.5' in column 'width' says neither same nor different", "left, right, kind"],
    ),
    "pairs without same or different": (
        "cluster flowers.csv --hints links.csv",
        ["hints need three columns, the ids of two rows and whether they are the same", "Found citing, cited"],
    ),
    "a word for neither": (
        "cluster flowers.csv --hints maybe.csv",
        ["maybe.csv, line 3: kind 'maybe' is not known. Write same (must-link, yes, 1) or different"],
    ),
    "an id in lower case": (
        "cluster flowers.csv --hints upper.csv",
        ["upper.csv, line 2: id 'F1' is not among the 150 ids. Did you mean 'f1'?", "Ids are those of column 'id'"],
    ),
    "ids of something else": (
        "cluster flowers.csv --hints strangers.csv",
        ["id 'x0' is not among the 150 ids (2 more are unknown). The ids are 'f0', 'f1', 'f2', …"],
    ),
    "a row linked to itself": ("cluster flowers.csv --hints itself.csv", ["line 2: f1 is linked to itself"]),
    "a chain that contradicts": (
        "cluster flowers.csv --hints contrary.csv --trust strict",
        ["'f0' and 'f2' are different, but 'f0' = 'f1' = 'f2'", "likewise hints check"],
    ),
    "links to nowhere": (
        "cluster flowers.csv --links strangers.csv --k 3",
        ["id 'x0' is not among the 150 ids", "Ids are those of column 'id'"],
    ),
    # the results
    "results in an unknown format": ("cluster flowers.csv --out c.doc", ["'.doc', which is not a known format"]),
    "results in no folder": ("cluster flowers.csv --out no/c.csv", ["there is no folder no. Create it first"]),
    "results over the data": ("cluster flowers.csv --out flowers.csv", ["would overwrite an input file"]),
    "a report that is no page": ("cluster flowers.csv --report r.pdf", ["must end in .html"]),
    "a table instead of a model": ("assign flowers.csv flowers.csv", ["flowers.csv is not a model file"]),
    "going on from a table": ("cluster flowers.csv --from pair.csv", ["pair.csv is not a model file"]),
}

NOTES = {
    "a file of hints with a header alone": (
        f"cluster flowers.csv {QUICK} --hints empty.csv",
        "Note: empty.csv contains no hints: no line says that two rows are the same or different.",
    ),
    "genes in rows": (
        "cluster genes.csv --k 2 --method k-means",
        "Note: the columns of genes.csv look like samples, but its 240 rows are clustered. Pass --transpose",
    ),
    "a column that holds the answer": (
        "cluster answer.csv --k 2 --method k-means",
        "Note: column 'diagnosis' has 2 different values and is used as a feature. If it contains known classes: --tr",
    ),
    "every row has a label": (
        f"cluster answer.csv {QUICK} --label diagnosis",
        "Note: every row has a class in 'diagnosis', so nothing is left to find.",
    ),
}

HINT_LINES = {
    "semicolons.csv": "left;right;kind\nf1;f2;same\nf1;f140;different\n",
    "tabs.txt": "left\tright\tkind\nf1\tf2\tsame\nf1\tf140\tdifferent\n",
    "numbers.csv": "a,b,label\nf1,f2,1\nf1,f140,0\n",
    "answers.csv": "source,target,same\nf1,f2,yes\nf1,f140,no\n",
    "short.csv": "left,right,kind\nf1,f2,ML\nf1,f140,CL\n",
    "bare.csv": "f1,f2,must\nf1,f140,cannot\n",
    "stems.csv": "left,right,kind\nf1,f3,same\nf1,f2,different\n",
    "pair.csv": "left,right,kind\nf1,f2,same\n",
    "empty.csv": "left,right,kind\n",
    "maybe.csv": "left,right,kind\nf1,f2,same\nf1,f3,maybe\n",
    "upper.csv": "left,right,kind\nF1,f2,same\n",
    "strangers.csv": "left,right,kind\nx0,f2,same\nx1,f2,same\nx2,f2,same\n",
    "itself.csv": "left,right,kind\nf1,f1,same\n",
    "contrary.csv": "left,right,kind\nf0,f1,same\nf1,f2,same\nf0,f2,different\n",
    "links.csv": "citing,cited\nf1,f2\n",
}


@pytest.fixture
def newcomer(folder, monkeypatch):
    """A folder as a newcomer has it, with the command line in it."""
    monkeypatch.chdir(folder.path)
    rng = np.random.default_rng(0)
    folder.lines[0] = "id,sepal,width,petal,thickness"
    folder.write("flowers.csv", "\n".join(folder.lines))
    for name, text in HINT_LINES.items():
        folder.write(name, text)
    folder.write("flowers.sav", "")
    folder.write("single.csv", "id,a\nf1,1\n")
    folder.write("names.csv", "id,name\n" + "".join(f"f{row},n{row}\n" for row in range(9)))
    folder.write("ragged.csv", "id,a,b\nf0,1,2\nf1,1,2,3\n")
    folder.write("double.csv", "a,a\n1,2\n")
    folder.write("twice.csv", "wine_id,a\nf0,1\nf1,2\nf2,3\nf1,4\nf5,5\n")
    (folder.path / "latin.csv").write_bytes("id,a\nf\xe9,1\nf2,2\n".encode("latin-1"))
    np.save(folder.path / "vectors.npy", rng.normal(size=(6, 4)))
    genes = [",".join([f"G{row}", *map(str, rng.normal(size=8).round(3))]) for row in range(240)]
    folder.write("genes.csv", "\n".join(["gene," + ",".join(f"S{column}" for column in range(8)), *genes]))
    rows = [f"p{row},{rng.normal():.3f},{rng.normal():.3f},{'MB'[row % 2]}" for row in range(30)]
    folder.write("answer.csv", "\n".join(["id,size,shape,diagnosis", *rows]))
    (folder.path / "texts").mkdir()
    for row in range(9):
        (folder.path / "texts" / f"f{row}.txt").write_text(
            f"{'cat dog fur' if row % 2 else 'bank loan tax'} number {row}"
        )
    for name, lines in (("flowers.xlsx", folder.lines), ("hints.xlsx", HINT_LINES["short.csv"].splitlines())):
        book = Workbook()
        for line in lines:
            book.active.append([float(cell) if "." in cell else cell for cell in line.split(",")])
        book.save(folder.path / name)
    return folder


@pytest.mark.parametrize("name", ACCEPTED)
def test_it_is_understood(newcomer, name):
    answer = newcomer.run(*ACCEPTED[name].split(), "--out", "clusters.csv")
    assert answer.exit_code == 0, answer.output
    count = "1 must-link" if "pair.csv" in ACCEPTED[name] else "1 must-link, 1 cannot-link"
    assert f"hints: {count}; 100% kept" in answer.stderr


@pytest.mark.parametrize("name", ANSWERS)
def test_the_answer_says_what_is_wrong_and_what_to_do(newcomer, name):
    command, words = ANSWERS[name]
    before = {path.name: path.read_bytes() for path in newcomer.path.iterdir() if path.is_file()}
    answer = newcomer.run(*command.split())
    assert answer.exit_code == 2, answer.output
    assert answer.stdout == ""
    error = answer.stderr.splitlines()[-1]
    assert error.startswith("Error: ")
    for each in words:
        assert each in error.replace(f"{newcomer.path}/", "")
    assert {path.name: path.read_bytes() for path in newcomer.path.iterdir() if path.is_file()} == before


@pytest.mark.parametrize("name", NOTES)
def test_a_note_says_what_was_probably_not_meant(newcomer, name):
    command, note = NOTES[name]
    answer = newcomer.run(*command.split(), "--out", "clusters.csv")
    assert answer.exit_code == 0, answer.output
    assert note in answer.stderr.replace(f"{newcomer.path}/", "")


def test_several_files_of_hints_are_joined(newcomer):
    files = ("--hints", "pair.csv", "--hints", "numbers.csv", "--hints", "itself2.csv")
    newcomer.write("itself2.csv", "left,right,kind\nf3,f4,same\n")
    found = newcomer.json("cluster", "flowers.csv", *QUICK.split(), *files, "--out", "clusters.csv")
    assert (found["must_links"], found["cannot_links"]) == (2, 1)
    checked = newcomer.run("hints", "check", "pair.csv", "numbers.csv", "itself2.csv", "--for", "flowers.csv")
    assert "2 must-links, 1 cannot-link, about 5 of 150 rows" in checked.stdout
    alone = newcomer.run("hints", "check", "contrary.csv", "pair.csv")
    assert alone.exit_code == 1
    assert "1 contradiction" in alone.stdout


def test_many_mistakes_are_in_these_tables():
    assert len(ACCEPTED) + len(ANSWERS) + len(NOTES) >= 50
