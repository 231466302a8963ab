"""What libraries raise becomes an error that names the file, and what is missing is named."""

import errno
import sys
from pathlib import Path

import pytest

from likewise.tables import MissingExtraError, extra
from likewise.tables._damage import reading


@pytest.mark.parametrize("length", [199, 200, 201, 500])
def test_two_hundred_characters_of_a_library_are_told(length):
    with pytest.raises(ValueError, match="damaged") as caught, reading(Path("t"), "it"):
        raise RuntimeError("x" * length)
    assert str(caught.value) == f"t is not it, or is damaged: {'x' * min(length, 200)}."


@pytest.mark.parametrize(
    "error",
    [
        ValueError("t.xlsx is empty"),
        MemoryError("t.xlsx needs 7 GiB"),
        ImportError("no such package"),
        MissingExtraError("Excel files need openpyxl"),
    ],
)
def test_errors_that_say_all_stay_what_they_are(error):
    with pytest.raises(type(error)) as caught, reading(Path("t.xlsx"), "it"):
        raise error
    assert caught.value is error


@pytest.mark.parametrize("error", [ValueError("is empty."), KeyError("t.xlsx"), RuntimeError("t.xlsx"), OSError("t")])
def test_other_errors_are_put_into_our_words(error):
    with pytest.raises(ValueError, match=r"^t\.xlsx is not it, or is damaged: .*[^.]\. Again\.$") as caught:  # noqa: SIM117
        with reading(Path("t.xlsx"), "it", "Again."):
            raise error
    assert type(caught.value) is ValueError


@pytest.mark.parametrize("number", [errno.ENOENT, errno.EIO, errno.EACCES])
def test_errors_of_the_system_keep_their_number(number):
    with pytest.raises(OSError, match="of old") as caught, reading(Path("t.xlsx"), "it"):
        raise OSError(number, "of old", "another")
    assert (caught.value.errno, caught.value.filename) == (number, "t.xlsx")


def test_what_is_missing_is_told_from_what_is_broken(tmp_path, monkeypatch):
    """A package that is there may itself need one that is not."""
    monkeypatch.syspath_prepend(tmp_path)
    for name, wants in (("mine_one", "aaa_no_such"), ("mine_two", "zzz_no_such")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
        (tmp_path / name / "part.py").write_text(f"import {wants}")
        (tmp_path / name / "nameless.py").write_text("raise ModuleNotFoundError('not today')")
        with pytest.raises(MissingExtraError, match=rf"need {name}, which cannot be imported \(No module .*{wants}'\)"):
            extra(f"{name}.part", "Such files")
        with pytest.raises(MissingExtraError, match=rf"need {name}, which cannot be imported \(not today\)"):
            extra(f"{name}.nameless", "Such files")
        with pytest.raises(MissingExtraError, match=rf"need {name}, which is not installed\. Install it"):
            extra(f"{name}.no_such.module", "Such files")
        assert extra(name, "Such files") is sys.modules[name]
    with pytest.raises(MissingExtraError, match="need no_such_package, which is not installed"):
        extra("no_such_package.part", "Such files")


@pytest.mark.parametrize(("module", "package"), [("PIL", "pillow"), ("umap", "umap-learn"), ("h5py", "h5py")])
def test_a_package_is_called_as_it_is_installed(monkeypatch, module, package):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf'Such need {package}, .*pip install "likewise\[papers\]"$'):
        extra(module, "Such", name="papers")
