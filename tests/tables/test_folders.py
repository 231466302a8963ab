"""A folder of texts or images is a table."""

import pytest

from likewise.tables import read_raw


def fill(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"words of {name}")
    return read_raw(folder)


def test_the_first_folder_of_a_text_is_a_column(tmp_path):
    raw = fill(tmp_path, "c.txt", "a/b/d.txt", "e/f.TXT")
    assert raw.columns == {
        "file": ["a/b/d.txt", "c.txt", "e/f.TXT"],
        "folder": ["a", None, "e"],
        "text": ["words of a/b/d.txt", "words of c.txt", "words of e/f.TXT"],
    }
    assert (raw.n, raw.id, raw.text, raw.images, raw.left_out) == (3, "file", "text", None, {})


def test_texts_of_one_folder_have_no_column_of_folders(tmp_path):
    assert list(fill(tmp_path, "c.txt", "d.md").columns) == ["file", "text"]


def test_images_are_named_and_not_read(tmp_path):
    raw = fill(tmp_path, "a.png", "b/c.JPEG", "b/d.webp")
    assert raw.columns == {"file": ["a.png", "b/c.JPEG", "b/d.webp"], "folder": [None, "b", "b"]}
    assert raw.images == [tmp_path / name for name in raw.columns["file"]]
    assert (raw.n, raw.id, raw.text) == (3, "file", None)


@pytest.mark.parametrize("name", ["a", "a.1", "a.12345", "a.eml", "a.Text", "a.rst"])
def test_names_of_texts(tmp_path, name):
    raw = fill(tmp_path, name, "a.1x", "a.exe")
    assert raw.columns["file"] == [name]
    assert raw.left_out == {"2 other files": "neither texts nor images"}


def test_one_file_is_not_called_files(tmp_path):
    assert fill(tmp_path, "a.txt", "b.txt", "c.pdf").left_out == {"1 other file": "neither texts nor images"}


def test_hidden_files_and_folders_are_passed_over(tmp_path):
    raw = fill(tmp_path, "a.txt", ".git/b.txt", "c/.d/e.txt", "c/.f.txt", ".g.pdf")
    assert raw.columns["file"] == ["a.txt"]
    assert not raw.left_out


def test_the_folder_itself_may_be_hidden(tmp_path):
    (tmp_path / ".data").mkdir()
    assert fill(tmp_path / ".data", "a.txt").columns["file"] == ["a.txt"]
