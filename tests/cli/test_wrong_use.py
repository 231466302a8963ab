"""Every command, used in a wrong way: one line that says what to do, exit code 2, and nothing written."""

import pytest

from likewise.cli._main import COMMANDS

WRONG = [
    ("cluster flowers.csv --k 151 --method pck", "more than the 150 rows"),
    ("cluster flowers.csv --k 3 --method costco", "costco needs must-links, but there are none. Give them in"),
    ("cluster flowers.csv --k 3 --method rl-nc --hints same.csv", "rl-nc needs cannot-links"),
    ("cluster flowers.csv --k 3 --method dsp", "dsp needs must-links or cannot-links"),
    ("cluster flowers.csv --k 3 --jobs 0", "must be 1 or more, or -1 for all cores"),
    ("cluster flowers.csv --k 3 --seed -1", "-1 is not in the range"),
    ("cluster flowers.csv --k 3 --method lo-nc --hints conflict.csv", "'f10' and 'f30' are different"),
    ("cluster flowers.csv --k 3 --method glo-nc --hints conflict.csv", "'f10' and 'f30' are different"),
    ("cluster latin.csv --k 2", "byte 0xe9 is not utf-8"),
    ("cluster names.csv --k 2", "no column to compare rows by"),
    ("cluster broken.npy --k 2", "is not an NPY file of plain values"),
    ("ask flowers.csv --out new.csv --answers a.csv", "--answers has no effect with --out"),
    ("ask flowers.csv --out new.parquet", "must end in .csv or .tsv"),
    ("ask flowers.csv --answers pairs.csv", "is not a file of answers as `likewise ask` writes it"),
    ("ask flowers.csv --answers a.xlsx", "must end in .csv, .tsv or .jsonl"),
    ("ask flowers.csv --k 900", "--k 900 is more than the 150 rows"),
    ("reduce flowers.csv --method slpp", "slpp needs must-links"),
    ("reduce alike.csv --method pca", "'a' (it is '1' in every row)"),
    ("reduce single.csv", "are all equal"),
    ("assign flowers.csv flowers.csv", "is not a model file"),
    ("hints check pairs.csv --for nowhere.csv", "does not exist"),
    ("hints check names.csv", "hints need three columns"),
    ("hints sample flowers.csv --out new.csv", "--label NAME. It has: id, a, b, c, d."),
    ("hints sample flowers.csv --label a --seed -1 --out new.csv", "-1 is not in the range"),
    ("studio flowers.csv --no-open --k 900", "--k 900 is more than the 150 rows"),
    ("studio flowers.csv --no-open --session flowers.csv", "is a file that is read. Name another one"),
    ("studio flowers.csv --no-open --session nowhere/new.studio", "there is no folder"),
    ("methods all", "unexpected extra argument"),
    ("compare flowers.csv", "--label NAME. It has: id, a, b, c, d."),
    ("compare classed.csv --label kind --amounts few", "--amounts"),
    ("compare classed.csv --label kind --methods no-such", "there is no method"),
    ("compare classed.csv --label kind --out nowhere/new.csv", "there is no folder"),
    ("compare classed.csv --label kind --out new.json", "must end in .csv"),
    ("compare classed.csv --label kind --out classed.csv", "would overwrite an input file"),
    ("compare classed.csv --label kind --out flowers.csv", "not a file of results"),
    ("papers", "is not in a checkout of likewise"),
    ("papers no-such --quick", "is not in a checkout of likewise"),
    ("demo --seed -1 --out new", "-1 is not in the range"),
    ("demo --out flowers.csv", "is a file"),
]


@pytest.mark.parametrize(("command", "message"), WRONG, ids=[command for command, _ in WRONG])
def test_wrong_use_is_reported_in_one_line_and_writes_nothing(folder, monkeypatch, command, message):
    monkeypatch.chdir(folder.path)
    folder.write("same.csv", "left,right,kind\nf1,f2,same\n")
    folder.write("conflict.csv", "left,right,kind\nf10,f20,same\nf20,f30,same\nf10,f30,different\n")
    folder.write("names.csv", "id,name\n" + "".join(f"f{row},n{row}\n" for row in range(9)))
    folder.write("alike.csv", "id,a,b\n" + "".join(f"f{row},1,2\n" for row in range(9)))
    folder.write("single.csv", "id,a,b\nf1,1,2\n")
    folder.write("classed.csv", "id,a,kind\n" + "".join(f"f{row},{row},{row % 2}\n" for row in range(20)))
    (folder.path / "latin.csv").write_bytes("id,a\nf\xe9,1\nf2,2\n".encode("latin-1"))
    (folder.path / "broken.npy").write_bytes(b"nothing of the kind")
    before = {path.name: path.read_bytes() for path in folder.path.iterdir()}
    answer = folder.run(*command.split())
    assert answer.exit_code == 2, answer.output
    assert isinstance(answer.exception, SystemExit)
    last = answer.stderr.splitlines()[-1]
    assert last.startswith("Error: ")
    assert message in last
    assert answer.stdout == ""
    assert {path.name: path.read_bytes() for path in folder.path.iterdir()} == before


def test_every_command_is_tried():
    tried = {command.split()[0] for command, _ in WRONG}
    assert tried == set(COMMANDS)
