"""The order of imports, and what `import likewise` must not do."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import likewise

SOURCE = Path(likewise.__file__).parent
FOUNDATION = (
    "_sklearn",
    "_arrays",
    "_warnings",
    "_saved",
    "_leftovers",
    "_atomic",
    "_progress",
    "_progress_bar",
    "_suggest",
    "_parameters",
    "_frames",
    "_threads",
    "_kernels",
    "_devices",
    "_shortcuts",
)
LAW = (
    *FOUNDATION,
    "linalg",
    "tables",
    "prepare",
    "constraints",
    "chunked",
    "_device_fit",
    "_method",
    "_wrong_rows",
    "_estimator",
    "graphs",
    "sources",
    "evaluation",
    "datasets",
    "forms",
    "testing",
    "pencil",
    "projections",
    "metric",
    "clustering",
    "front",
    "questions",
    "_methods",
    "_outside",
    "_compare",
    "methods",
    "models",
    "page",
    "report",
    "studio",
    "cli",
)
"""Modules and subpackages from left to right: each may import those to its left, but for what ``NEVER`` says."""

NEVER = {
    "evaluation": {"graphs", "sources", "prepare"},  # scores know labels and constraints
    "forms": {"sources", "evaluation", "datasets"},
    "pencil": {"constraints", "sources", "evaluation", "datasets"},  # the solver knows forms only
    "projections": {"sources", "evaluation", "datasets"},
    "metric": {"sources", "evaluation", "datasets"},
    "clustering": {"datasets"},
    "front": {"datasets"},
    "questions": {"datasets", "evaluation", "sources"},
}
LATER = {"_shortcuts": {"questions", "models", "report"}}
"""What a module imports from its right when a method is called: shortcuts from an estimator to what is done with it."""

FILES = sorted(SOURCE.rglob("*.py"))
HEAVY = ["matplotlib", "torch", "dask", "flask", "jinja2", "polars"]


def package_of(path):
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_modules(path):
    """Absolute names of the modules that a file imports, wherever in the file."""
    package = ["likewise", *path.relative_to(SOURCE).parts[:-1]]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else []
            name = ".".join([*base, *([node.module] if node.module else [])])
            yield name
            yield from (f"{name}.{alias.name}" for alias in node.names)


def imported_packages(path):
    names = (name.split(".") for name in imported_modules(path))
    return {parts[1] for parts in names if parts[0] == "likewise" and len(parts) > 1 and parts[1] in LAW}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_nothing_imports_rightwards(path):
    package = package_of(path)
    if package in ("__init__", "__main__"):
        return
    assert package in LAW, f"{path} has no place in the order of imports"
    allowed = set(LAW[: LAW.index(package) + 1]) - NEVER.get(package, set())
    assert imported_packages(path) <= allowed | LATER.get(package, set())


def test_the_law_sees_imports_of_every_kind(tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "SOURCE", tmp_path)
    file = tmp_path / "graphs" / "rows.py"
    file.parent.mkdir()
    file.write_text(
        "from ..pencil import Pencil\nimport likewise.forms._form\nfrom .. import projections\n"
        "def f():\n    from likewise.report import page\n"
    )
    assert imported_packages(file) == {"pencil", "forms", "projections", "report"}


def test_no_file_has_a_name_that_says_nothing():
    vague = {"utils", "util", "helpers", "helper", "common", "misc"}
    assert not [path for path in FILES if path.stem.strip("_") in vague or vague & set(path.parent.parts)]


def test_every_package_says_what_belongs_there():
    for path in FILES:
        if path.name == "__init__.py":
            assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), path


WRITES = {
    *("write_text", "write_bytes", "touch", "savefig", "savez", "savez_compressed", "savetxt", "tofile", "memmap"),
    *("to_csv", "to_parquet", "to_json", "to_excel", "to_feather", "write_table", "ParquetWriter", "mmwrite"),
    *("rename", "renames", "copy2", "copyfile", "copytree", "mkstemp", "NamedTemporaryFile", "TemporaryFile"),
    *("urlretrieve", "extractall"),
}
"""Functions that write files, or give them their names, if they are given a path."""

WRITES_OF = {
    "save": ("np", "numpy", "Image", "image"),
    "copy": ("shutil",),
    "move": ("shutil",),
    "dump": ("json", "pickle", "joblib"),
}
"""The same, where others have functions of that name."""

WRITERS = {
    ("_atomic.py", "temporary.open"): "this is the atomic write",
    ("_atomic.py", "os.replace"): "a complete file takes its name",
    ("_leftovers.py", "path.open"): "the journal of files that take their names together",
    ("_leftovers.py", "os.replace"): "an old file gets its name back",
    ("_leftovers.py", "shutil.copy2"): "a second name, where there are no links",
    ("chunked/_checkpoint.py", "np.savez"): "to an atomic file",
    ("cli/_demo.py", "Image.fromarray(pixels.astype(np.uint8)).save"): "in a temporary folder",
    ("cli/_demo.py", "(folder / pictures.name).replace"): "which takes its name when it is complete",
    ("evaluation/_ledger.py", "os.open"): "appends lines, and cuts back if that fails",
    ("models/_format.py", "np.savez"): "to memory",
    ("models/_format.py", "zipfile.ZipFile"): "to an atomic file",
    ("report/_map_chapter.py", "figure.savefig"): "to memory",
    ("report/plots/_figures.py", "figure.savefig"): "to an atomic file",
    ("studio/_export.py", "os.replace"): "a folder takes its name when it is complete",
    ("studio/_log.py", "os.open"): "the session, which SQLite writes",
    ("studio/_results.py", "np.savez"): "to an atomic file",
    ("studio/_running.py", "os.open"): "says who has the session open",
    ("studio/_worker.py", "os.fdopen"): "standard output",
    ("tables/_pieces.py", "parquet.ParquetWriter"): "to an atomic file",
    ("tables/_pieces.py", "writer.write_table"): "to an atomic file",
    ("tables/_writing.py", "parquet.write_table"): "to an atomic file",
    ("tables/_writing.py", "np.save"): "to memory",
    ("tables/_apart.py", "os.fdopen"): "a pipe to the process that asked",
    ("tables/_apart.py", "pickle.dump"): "to that pipe",
    ("tables/_numpy.py", "np.memmap"): "to read",
}
"""All functions of the package that write to files, and why each of them may. A new one uses ``_atomic``."""


def writing_calls(tree):
    """Functions that are called and may write a file, as they stand in the code."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _writes(node):
            yield ast.unparse(node.func)


def _writes(node):
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    if name in ("open", "fdopen", "ZipFile", "TarFile", "File"):
        words = [one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        flags = {each.attr for one in given for each in ast.walk(one) if isinstance(each, ast.Attribute)}
        to_write = any(set(word) & set("wax+") and set(word) <= set("rwaxbt+") for word in words)
        return to_write or bool(flags & {"O_WRONLY", "O_RDWR", "O_CREAT", "O_APPEND"})
    if name == "replace":  # with two arguments it is text, with keywords a dataclass
        return ast.unparse(node.func) == "os.replace" or (len(node.args) == 1 and not node.keywords)
    return name in WRITES or ast.unparse(node.func).split(".")[0] in WRITES_OF.get(name, ())


def test_files_are_written_by_atomic_writes_alone():
    found = set()
    for path in FILES:
        for call in writing_calls(ast.parse(path.read_text(encoding="utf-8"))):
            found.add((path.relative_to(SOURCE).as_posix(), call))
    assert found - set(WRITERS) == set(), "write by likewise._atomic, or say in WRITERS why not"
    assert set(WRITERS) - found == set(), "no longer there"


@pytest.mark.parametrize(
    "call",
    ["open(p, 'w')", "p.open(mode='ab')", "io.open(p, 'r+')", "os.open(p, os.O_WRONLY)", "p.write_text(t)",
     "np.save(p, a)", "frame.to_csv(p)", "figure.savefig(p)", "shutil.move(a, b)", "a.rename(b)", "a.replace(b)",
     "os.replace(a, b)", "json.dump(a, f)", "gzip.open(p, 'wt')", "h5py.File(p, 'w')", "Image.open(p).save(q)",
     "a.tofile(p)", "zipfile.ZipFile(p, 'w')"],
)  # fmt: skip
def test_writes_of_every_kind_are_seen(call):
    assert list(writing_calls(ast.parse(call))) != []


@pytest.mark.parametrize(
    "call", ["open(p)", "p.open('rb')", "text.replace(a, b)", "replace(x, a=1)", "x.copy()", "state.move(i)"]
)
def test_reading_is_no_writing(call):
    assert list(writing_calls(ast.parse(call))) == []


def fresh(code):
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    ).stdout


@pytest.mark.parametrize("name", ["models", "prepare", "report", "methods", "sources", "evaluation"])
def test_subpackages_are_reachable_after_one_import(name):
    code = f"import likewise; print(likewise.{name}.__name__)"
    assert fresh(code).strip() == f"likewise.{name}"


def test_dir_lists_public_names_only():
    names = dir(likewise)
    assert {"Likewise", "Constraints", "TableFeatures", "models"} <= set(names)
    assert [name for name in names if name.startswith("_")] == ["__version__"]


def test_import_loads_nothing_heavy():
    code = (
        "import sys, likewise; "
        "likewise.Constraints, likewise.Costco, likewise.graphs.kernel_null_space, likewise.evaluation; "
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    assert fresh(code).strip() == "[]"


def test_hints_are_read_without_scikit_learn():
    code = "import sys, likewise; likewise.Constraints(3, [(0, 1)]).groups(); print('sklearn' in sys.modules)"
    assert fresh(code).strip() == "False"


def test_import_changes_nothing_global():
    code = """
import random, sys, warnings
import numpy as np

def load():
    import likewise
    for name in likewise.__all__:
        getattr(likewise, name)

def state():
    legacy = np.random.get_state()
    return np.geterr(), legacy[1].tolist(), legacy[2], random.getstate(), np.get_printoptions(), warnings.filters[:]

load()  # what others do when they are loaded is theirs
for name in [name for name in sys.modules if name.split(".")[0] == "likewise"]:
    del sys.modules[name]
before = state()
load()
print(state() == before)
"""
    assert fresh(code).strip() == "True"
