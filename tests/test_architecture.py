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
    "_atomic",
    "_progress",
    "_progress_bar",
    "_threads",
)
LAW = (
    *FOUNDATION,
    "linalg",
    "tables",
    "prepare",
    "constraints",
    "_method",
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
    "_methods",
    "methods",
    "models",
    "report",
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
}
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
    assert imported_packages(path) <= allowed


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
