"""`likewise studio`: what is read, where the session is, and what is wrong, without a server."""

from types import SimpleNamespace

import pytest
from PIL import Image

from likewise.cli._reading import read_data, read_raw_data
from likewise.cli._studio import with_pictures
from likewise.studio import Session


@pytest.fixture
def served(monkeypatch):
    """What would be served; nothing is."""
    found = SimpleNamespace(studio=None, options=None)

    def run(studio, **options):
        found.studio, found.options = studio, options
        options["note"]("http://127.0.0.1:4321/")
        studio.close()

    monkeypatch.setattr("likewise.studio._running.run", run)
    return found


def test_a_table_with_hints_and_labels(folder, served):
    answer = folder.run("studio", "flowers.csv", "--hints", "pairs.csv", "--k", "3", "--no-open", "--port", "4321")
    assert answer.exit_code == 0
    assert "150 rows" in answer.stderr
    assert "flowers.studio" in answer.stderr
    assert served.options["port"] == 4321
    assert not served.options["browser"]
    session = Session.read(folder / "flowers.studio")
    assert session.n_clusters == 3
    assert len(session.hints) == 30
    assert served.studio.repeat(3).split()[1:] == [
        "cluster", folder / "flowers.csv", "--hints", "hints.csv", "--k", "3", "--seed", "0",
    ]  # fmt: skip
    again = folder.run("studio", "flowers.csv", "--no-open", "--seed", "5")
    assert again.exit_code == 0
    assert served.options["preferred"] == 4321
    assert served.studio.seed == 0  # the session's own
    assert len(Session.read(folder / "flowers.studio").hints) == 30


def test_options_of_reading_are_repeated(folder, served):
    folder.run("studio", "flowers.csv", "--session", folder / "s.studio", "--ignore", "a", "--ignore", "b", "--missing",
               "mean", "--id", "none", "--columns", "c,d")  # fmt: skip
    assert served.studio.repeat(None).endswith(
        "--hints hints.csv --seed 0 --id none --columns c,d --ignore a --ignore b --missing mean"
    )
    folder.run("studio", "flowers.csv", "--session", folder / "t.studio", "--data", folder.path)
    assert served.studio.repeat(None).endswith(f"--seed 0 --data {folder.path}")


def test_the_folder_of_data_sets_is_repeated_by_its_option(folder, served):
    folder.run("studio", "flowers.csv", "--session", folder / "s.studio", "--data", folder.path)
    assert served.studio.repeat(None).split()[-2:] == ["--data", str(folder.path)]


def test_links(folder, served):
    links = folder.write("links.csv", "from,to\nf0,f1\nf1,f2\nf3,f4\n")
    assert folder.run("studio", "flowers.csv", "--links", links).exit_code == 0
    assert f"--links {links} --method likewise" in served.studio.repeat(2)
    assert served.studio._begin()[1].links.shape == (150, 150)


def test_people(folder, served):
    assert folder.run("studio", "flowers.csv", "--people", "Anna, Ben").exit_code == 0
    assert served.studio.people == ["Anna", "Ben"]
    assert "name two people" in folder.run("studio", "flowers.csv", "--people", "Anna").stderr
    assert "same name" in folder.run("studio", "flowers.csv", "--people", "Anna,Anna").stderr


def test_the_history_of_a_session_is_printed(folder, served):
    answer = folder.run("studio", "flowers.csv", "--history")
    assert answer.exit_code == 2
    assert "there is no session" in answer.stderr
    folder.run("studio", "flowers.csv", "--hints", "pairs.csv", "--k", "3")
    served.studio = None
    answer = folder.run("studio", "flowers.csv", "--history")
    assert answer.exit_code == 0
    assert served.studio is None
    lines = answer.stdout.splitlines()
    assert len(lines) == len(Session.read(folder / "flowers.studio").history())
    assert any("30 hints from" in line for line in lines)
    assert any(line.endswith("3 clusters") for line in lines)


def test_changed_data_is_told(folder, served):
    folder.run("studio", "flowers.csv", "--hints", "pairs.csv")
    folder.write("flowers.csv", "\n".join(folder.lines[:100]))
    answer = folder.run("studio", "flowers.csv")
    assert "the data has changed: 0 rows are new, 51 are gone" in answer.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["flowers.csv", "--session", "flowers.csv"], "is a file that is read"),
        (["flowers.csv", "--session", "nowhere/s.studio"], "there is no folder nowhere"),
        (["flowers.csv", "--session", "pairs.csv"], "cannot be read as a session"),
        (["flowers.csv", "--k", "151"], "--k 151 is more than the 150 rows"),
        (["one.csv"], "only one row"),
    ],
)
def test_wrong_use(folder, served, arguments, words):
    folder.write("one.csv", "id,a\nx,1\n")
    answer = folder.run("studio", *arguments)
    assert answer.exit_code == 2
    assert words in answer.stderr


def test_without_its_packages(folder, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "uvicorn", None)
    answer = folder.run("studio", "flowers.csv")
    assert answer.exit_code == 2
    assert 'pip install "likewise[studio]"' in answer.stderr


def pictures(path, count=4):
    (path / "small").mkdir()
    for number in range(count):
        Image.new("RGB", (40, 30), (60 * number, 0, 0)).save(path / "small" / f"{number}.png")


def test_a_column_of_pictures_is_recognized(tmp_path):
    pictures(tmp_path)
    table = tmp_path / "t.csv"
    table.write_text("id,file,a\n" + "\n".join(f"r{n},small/{n}.png,{n}" for n in range(4)))
    data = read_data(str(table))
    shown = with_pictures(data.rows, read_raw_data(str(table)), str(table), None)
    assert shown.images == [tmp_path / "small" / f"{n}.png" for n in range(4)]
    assert "file" not in shown.table.columns


def test_pictures_of_a_table_beside(tmp_path):
    pictures(tmp_path)
    (tmp_path / "t.csv").write_text("id,a\n" + "\n".join(f"r{n},{n}" for n in range(4)))
    (tmp_path / "beside.csv").write_text("id,file\n" + "\n".join(f"r{n},small/{n}.png" for n in range(4)))
    source = str(tmp_path / "t.csv")
    rows = read_data(source).rows
    assert with_pictures(rows, read_raw_data(source), source, tmp_path / "beside.csv").images is not None
    (tmp_path / "small" / "0.png").unlink()
    assert with_pictures(rows, read_raw_data(source), source, tmp_path / "beside.csv").images is None
    assert with_pictures(rows, read_raw_data(source), source, tmp_path / "texts.txt").images is None


def test_the_demo_opens_digits_with_their_pictures(folder, served):
    answer = folder.run("demo", "--studio", "--out", folder / "tried", "--no-open", "--port", "4000")
    assert answer.exit_code == 0, answer.stderr
    assert served.studio.rows.images is not None
    assert not served.studio.view.has_values
    assert served.studio.knowledge.state.n_clusters == 10
    assert (served.options["port"], served.options["browser"]) == (4000, False)
    assert folder.run("demo", "--studio", "--out", folder / "tried").exit_code == 0
