"""Mutation testing: small faults are put into the code, one at a time, and the tests must notice them.

    python tools/mutants.py [--packages models,files] [--amount 80] [--seed 0]

The faults are those of cosmic-ray: other operators and comparisons, numbers one larger or smaller, conditions negated,
exceptions not caught, loops that do nothing, decorators left out; and two more: a statement left out, any for all.
Annotations are no code that runs, and have none.
A sample of places is drawn for each package; of all faults at a place, one. Each is tried in a copy of the sources and
tests, in a process forked after everything but this package was imported, by the tests that reach its line (or the
lines that use what it defines), quick ones first, until one fails. A fault that makes them run for longer than the
limit is noticed, too.

Survivors that change nothing anybody could see are listed, with the reason, in ``tools/mutants-equivalent.toml``.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import hashlib
import json
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import tomllib
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
EQUIVALENT = ROOT / "tools" / "mutants-equivalent.toml"

PACKAGES: dict[str, tuple[list[str], list[str]]] = {
    "models": (
        ["src/likewise/models", "src/likewise/_saved.py"],
        ["tests/models", "src/likewise/models", "src/likewise/_saved.py"],
    ),
    "files": (
        ["src/likewise/tables", "src/likewise/_atomic.py"],
        [
            "tests/tables",
            "tests/test_atomic.py",
            "tests/test_row_files.py",
            "tests/chunked",
            "tests/prepare/test_reading.py",
            "tests/sources/test_links_reading.py",
            "tests/regressions",
            "tests/cli/test_row_files.py",
            "tests/cli/test_more_data.py",
            "tests/clustering/test_chunked.py",
            "src/likewise/tables",
            "src/likewise/_atomic.py",
        ],
    ),
    "constraints": (
        ["src/likewise/constraints"],
        [
            "tests/constraints",
            "tests/laws/test_overlaps.py",
            "tests/cli/test_hints.py",
            "tests/cli/test_comparisons.py",
            "src/likewise/constraints",
        ],
    ),
    "forms": (
        ["src/likewise/forms"],
        [
            "tests/forms",
            "src/likewise/forms",
            "tests/laws/test_sample_weight.py",
            "tests/projections/test_equations.py",
        ],
    ),
    "pencil": (["src/likewise/pencil"], ["tests/pencil", "src/likewise/pencil"]),
    "front": (
        ["src/likewise/front"],
        [
            "tests/front",
            "tests/array_api/test_array_api.py",
            "tests/dask/test_rows.py",
            "tests/models/test_strangers.py",
            "tests/test_mistakes.py",
            "src/likewise/front",
        ],
    ),
}
"""The modules that get faults, and the tests that must notice."""

ELSEWHERE = {"src/likewise/tables/_h5ad.py", "src/likewise/tables/_apart.py"}
"""Modules that also run in processes of their own, where nobody sees which lines a test reaches."""

MEMORY = 8 << 30
"""Bytes that a process with a fault may take."""


@dataclass(frozen=True)
class Fault:
    """A change of one place in one module."""

    module: str
    line: int
    column: int
    operator: str
    occurrence: int
    before: str
    after: str
    lines: tuple[int, int]

    @property
    def name(self) -> str:
        return f"{self.module}:{self.line} {self.before!r} -> {self.after!r}"


# ---- the faults --------------------------------------------------------------------------------------------------


def modules_of(package: str, root: Path) -> list[Path]:
    found: list[Path] = []
    for place in PACKAGES[package][0]:
        path = root / place
        found += sorted(path.rglob("*.py")) if path.is_dir() else [path]
    return [path for path in found if path.name != "__init__.py"]


def unused_spans(tree: ast.Module) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Where annotations stand: with ``from __future__ import annotations`` they are never evaluated."""
    nodes: list[ast.AST | None] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            nodes.append(node.returns)
        elif isinstance(node, ast.arg | ast.AnnAssign):
            nodes.append(node.annotation)
    return [((n.lineno, n.col_offset), (n.end_lineno, n.end_col_offset)) for n in nodes if n is not None]


def statement_lines(tree: ast.Module, line: int) -> tuple[int, int]:
    """The lines of the innermost statement at a line, without those of a body."""
    best = (line, line)
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or line):
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if body else node.end_lineno
            if line <= max(last, node.lineno):
                best = (node.lineno, max(last, node.lineno))
    return best


def uses(fault: Fault, root: Path, modules: list[str]) -> list[tuple[str, int]]:
    """The modules and lines that use what a statement of a module or of a class defines, and bodies of functions."""
    found: list[tuple[str, int]] = []
    names: set[str] = set()
    for node in ast.walk(ast.parse((root / fault.module).read_text())):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            if first <= fault.line < node.body[0].lineno:
                found += [(fault.module, line) for line in range(node.body[0].lineno, (node.end_lineno or 0) + 1)]
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.lineno <= fault.line <= (node.end_lineno or 0):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}
    if names:
        word = re.compile(rf"\b({'|'.join(map(re.escape, sorted(names)))})\b")
        for module in modules:
            lines = enumerate((root / module).read_text().splitlines(), start=1)
            found += [(module, number) for number, text in lines if word.search(text)]
    return found


def places(code: str) -> dict[tuple[int, int], list[tuple[str, int]]]:
    """All faults of a module by their place: the names of operators and which of their mutants it is."""
    from cosmic_ray.ast import Visitor, get_ast
    from cosmic_ray.plugins import get_operator, operator_names

    tree = ast.parse(code)
    spans = unused_spans(tree)
    source = code.splitlines()
    found: dict[tuple[int, int], list[tuple[str, int]]] = {}

    operators = {name: get_operator(name) for name in sorted(operator_names()) if "NoOp" not in name}
    made = {name: operator() for name, operator in operators.items() if not operator.arguments()}
    counts = dict.fromkeys(made, 0)

    class Collector(Visitor):
        def visit(self, node: Any) -> Any:
            for name, operator in made.items():
                for start, _ in operator.mutation_positions(node):
                    # parso counts characters, ast counts bytes
                    at = (start[0], len(source[start[0] - 1][: start[1]].encode()) if start[0] <= len(source) else 0)
                    if not any(begin <= at < end for begin, end in spans):
                        found.setdefault(tuple(start), []).append((name, counts[name]))
                    counts[name] += 1
            return node

    Collector().walk(get_ast(code))
    for name, make in OURS.items():
        for number, (place, _) in enumerate(make(code)):
            found.setdefault(place, []).append((name, number))
    return found


Change = tuple[tuple[int, int], str]


def _replaced(code: str, node: ast.AST, text: str) -> Change:
    """A place, and the code with something else in the place of a node."""
    lines = code.encode().splitlines(keepends=True)
    start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
    stop = sum(map(len, lines[: node.end_lineno - 1])) + node.end_col_offset
    whole = code.encode()
    return (node.lineno, node.col_offset), (whole[:start] + text.encode() + whole[stop:]).decode()


def without_statement(code: str) -> list[Change]:
    """A call whose value is not used, a ``raise`` or ``x += y`` left out."""
    found = []
    for node in ast.walk(ast.parse(code)):
        used = isinstance(node, ast.Raise | ast.AugAssign)
        used = used or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call))
        if used:
            found.append(_replaced(code, node, "pass"))
    return found


SWAPPED = {"all": "any", "min": "max", "minimum": "maximum", "argmin": "argmax", "flatnonzero": "argsort", "sum": "max"}
SWAPPED |= {other: name for name, other in SWAPPED.items() if name not in ("flatnonzero", "sum")}


def other_reduction(code: str) -> list[Change]:
    """``any`` in the place of ``all``, ``max`` in the place of ``min``."""
    found = []
    for node in ast.walk(ast.parse(code)):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        if isinstance(called, ast.Name) and called.id in SWAPPED:
            found.append(_replaced(code, called, SWAPPED[called.id]))
        elif isinstance(called, ast.Attribute) and called.attr in SWAPPED:
            text = f"{ast.get_source_segment(code, called.value)}.{SWAPPED[called.attr]}"
            found.append(_replaced(code, called, text))
    return found


OURS: dict[str, Callable[[str], list[Change]]] = {"without": without_statement, "reduction": other_reduction}
"""Faults that cosmic-ray does not make."""


def with_fault(code: str, operator: str, occurrence: int) -> str | None:
    """The code with a fault; None where cosmic-ray cannot make it."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    if operator in OURS:
        return OURS[operator](code)[occurrence][1]
    try:
        return mutate_code(code, get_operator(operator)(), occurrence)
    except AttributeError:  # `except module.Error`
        return None


def faults(package: str, root: Path, amount: int, seed: int) -> list[Fault]:
    """A sample of places of all modules of a package, and one fault at each."""
    rng = random.Random(f"{package} {seed}")
    every = []
    codes = {}
    for path in modules_of(package, root):
        module = str(path.relative_to(root))
        codes[module] = path.read_text()
        every += [(module, at, sorted(options)) for at, options in sorted(places(codes[module]).items())]
    rng.shuffle(every)
    chosen: list[Fault] = []
    for module, (line, column), options in every:
        if len(chosen) == amount:
            break
        operator, occurrence = rng.choice(options)
        mutated = with_fault(codes[module], operator, occurrence)
        if mutated is None or mutated == codes[module] or not compiles(mutated):
            continue
        change = [each for each in difflib.ndiff(codes[module].splitlines(), mutated.splitlines()) if each[0] in "-+"]
        before = " ".join(each[2:].strip() for each in change if each[0] == "-")
        after = " ".join(each[2:].strip() for each in change if each[0] == "+")
        lines = statement_lines(ast.parse(codes[module]), line)
        chosen.append(Fault(module, line, column, operator, occurrence, before, after, lines))
    return chosen


def compiles(code: str) -> bool:
    try:
        compile(code, "mutant", "exec")
    except SyntaxError:
        return False
    return True


# ---- the tests ---------------------------------------------------------------------------------------------------


def copy_tree(target: Path) -> Path:
    """Sources and tests to put faults into; everything else is linked."""
    for path in ROOT.iterdir():
        if path.name in ("src", "tests"):
            shutil.copytree(path, target / path.name, ignore=shutil.ignore_patterns("__pycache__"))
        elif not path.name.startswith(".") or path.name == ".git":
            (target / path.name).symlink_to(path)
    return target


def import_all() -> None:
    """What tests import besides this package: imported once, before processes are forked."""
    import narwhals.stable.v1  # noqa: F401
    import pandas  # noqa: F401
    import polars  # noqa: F401
    import pyarrow.parquet  # noqa: F401
    import pytest  # noqa: F401
    import scipy.optimize
    import scipy.sparse.csgraph
    import scipy.sparse.linalg
    import scipy.spatial
    import scipy.stats  # noqa: F401
    import sklearn.cluster
    import sklearn.datasets
    import sklearn.decomposition
    import sklearn.feature_extraction.text
    import sklearn.pipeline
    import sklearn.preprocessing
    import sklearn.utils.estimator_checks  # noqa: F401


UNMEASURED = {"small_disk"}
"""Fixtures with which nothing that is measured could be written down; such tests are tried on every fault."""


class Recorder:
    """How long each test takes, and how it ended."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.failed: list[str] = []
        self.unmeasured: list[str] = []

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        self.unmeasured = [i.nodeid for i in items if UNMEASURED & set(getattr(i, "fixturenames", ()))]
        items[:] = [i for i in items if i.nodeid not in self.unmeasured]

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration
        if report.failed:
            self.failed.append(report.nodeid)


class Chosen:
    """Runs the chosen tests only, in this order."""

    def __init__(self, ids: list[str]) -> None:
        self.place = {each: place for place, each in enumerate(ids)}
        self.failed = ""

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = sorted((i for i in items if i.nodeid in self.place), key=lambda i: self.place[i.nodeid])

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.failed = report.nodeid


def in_process(work: Callable[[], Any], tree: Path, limit: float) -> tuple[int, Any]:
    """Run something in a forked process, in a tree: its exit code (−1: too long), and what it returned."""
    handle, out = tempfile.mkstemp(suffix=".json")
    os.close(handle)
    pid = os.fork()
    if pid == 0:
        code = 99
        try:
            os.setsid()
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            quiet = os.open(os.environ.get("MUTANTS_LOG", os.devnull), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            os.dup2(quiet, 1)
            os.dup2(quiet, 2)
            os.chdir(tree)
            sys.dont_write_bytecode = True
            os.environ["PYTHONPATH"] = f"{tree / 'src'}"
            os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
            sys.path[:0] = [str(tree / "src")]
            code, value = work()
            Path(out).write_text(json.dumps(value))
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    start = time.monotonic()
    status = None
    while status is None:
        done, found = os.waitpid(pid, os.WNOHANG)
        if done:
            status = os.waitstatus_to_exitcode(found)
        elif time.monotonic() - start > limit:
            os.killpg(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            status = -1
        else:
            time.sleep(0.02)
    text = Path(out).read_text()
    os.unlink(out)
    return status, json.loads(text) if text else None


def run_tests(ids: list[str]) -> tuple[int, str]:
    import pytest

    chosen = Chosen(ids)
    # tests before sources: pytest imports a module for its doctests, and tests must find that one
    files = sorted({each.split("::")[0] for each in ids}, key=lambda each: (not each.startswith("tests"), each))
    code = pytest.main(
        ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov", *files], plugins=[chosen]
    )
    return int(code), chosen.failed


@dataclass
class Reach:
    """Which tests reach which lines, how long each test takes, and tests of which this is not known."""

    seconds: dict[str, float]
    lines: dict[str, dict[int, list[str]]]
    unmeasured: list[str]

    def tests(self, fault: Fault, root: Path, longest: float) -> list[str]:
        """Tests for a fault, quick ones first, for some seconds; any of them for what an import runs."""
        found: set[str] = set()
        reached = self.lines.get(fault.module, {})
        for line in range(fault.lines[0], fault.lines[1] + 1):
            found |= set(reached.get(line, ()))
        if not found and fault.module in ELSEWHERE:
            found = {each for tests in reached.values() for each in tests}
        imported = not found and any(line in reached for line in range(fault.lines[0], fault.lines[1] + 1))
        if imported:  # a constant, a default or a decorator: the tests of what uses it
            for module, line in uses(fault, root, list(self.lines)):
                found |= set(self.lines[module].get(line, ()))
        tried = {*self.unmeasured, *(found or self.seconds)} if found or imported else set()
        ids = sorted(tried, key=lambda each: (self.seconds.get(each, 0.0), each))
        kept, total = [], 0.0
        for each in ids:
            total += self.seconds.get(each, 0.0)
            if total > longest and kept:
                break
            kept.append(each)
        return kept


def measure(package: str, tree: Path, cache: Path | None) -> Reach:
    """Run the tests of a package once, without faults, and see what each reaches."""
    state = hashlib.sha256()
    for path in sorted([*(tree / "src").rglob("*.py"), *(tree / "tests").rglob("*.py")]):
        state.update(str(path.relative_to(tree)).encode() + path.read_bytes())
    kept = None if cache is None else cache / f"{package}-{state.hexdigest()[:16]}.json"
    if kept is not None and kept.exists():
        stored = json.loads(kept.read_text())
        lines = {name: {int(k): v for k, v in table.items()} for name, table in stored["lines"].items()}
        return Reach(stored["seconds"], lines, stored["unmeasured"])

    def work() -> tuple[int, Any]:
        import pytest

        os.environ["COVERAGE_FILE"] = str(tree / ".coverage")
        recorder = Recorder()
        arguments = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--cov=likewise", "--cov-context=test"]
        code = pytest.main([*arguments, "--cov-report=", *PACKAGES[package][1]], plugins=[recorder])
        return int(code), vars(recorder)

    code, found = in_process(work, tree, 1800)
    if code != 0:
        raise SystemExit(f"the tests of {package} fail without a fault: {(found or {}).get('failed')} (exit {code}).")
    from coverage import CoverageData

    data = CoverageData(str(tree / ".coverage"))
    data.read()
    lines = {}
    for path in modules_of(package, tree):
        table = data.contexts_by_lineno(str(path))
        lines[str(path.relative_to(tree))] = {
            line: sorted({each.rsplit("|", 1)[0] for each in contexts if each}) for line, contexts in table.items()
        }
    reach = Reach(found["seconds"], lines, found["unmeasured"])
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(asdict(reach)))
    return reach


def tried(fault: Fault, reach: Reach, tree: Path, stamp: int, longest: float) -> tuple[str, str]:
    """Put a fault in, run the tests, and take it out: "noticed", "too long" or "survived", and by what."""
    ids = reach.tests(fault, tree, longest)
    if not ids:
        return "survived", "no test reaches it"
    path = tree / fault.module
    code = path.read_text()
    mutated = with_fault(code, fault.operator, fault.occurrence)
    assert mutated is not None
    try:
        path.write_text(mutated)
        os.utime(path, (stamp, stamp))  # a byte code file of the same second and size would be taken for this one's
        expected = sum(reach.seconds.get(each, 0.0) for each in ids)
        status, failed = in_process(lambda: run_tests(ids), tree, 60 + 5 * expected)
    finally:
        path.write_text(code)
    if status == 0:
        return "survived", f"{len(ids)} tests"
    return ("too long", "") if status == -1 else ("noticed", failed or f"exit {status}")


def equivalent() -> dict[str, str]:
    """Survivors that change nothing anybody could see, and why."""
    table = tomllib.loads(EQUIVALENT.read_text())["fault"] if EQUIVALENT.exists() else []
    return {f"{each['module']} {each['before']} -> {each['after']}": each["why"] for each in table}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", default=",".join(PACKAGES))
    parser.add_argument("--amount", type=int, default=80, help="faults for each package")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--longest", type=float, default=60, help="seconds of tests for each fault")
    parser.add_argument("--least", type=float, default=0.9, help="the share that must be noticed")
    parser.add_argument("--cache", type=Path, help="folder that keeps which tests reach which lines")
    options = parser.parse_args()
    for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(threads, "1")
    import_all()
    known = equivalent()
    rows, worst = [], 1.0
    for package in options.packages.split(","):
        with tempfile.TemporaryDirectory() as folder:
            tree = copy_tree(Path(folder))
            reach = measure(package, tree, options.cache)
            chosen = faults(package, tree, options.amount, options.seed)
            counts = {"noticed": 0, "too long": 0, "survived": 0, "equivalent": 0}
            for number, fault in enumerate(chosen):
                how, by = tried(fault, reach, tree, 10**9 + number, options.longest)
                key = f"{fault.module} {fault.before} -> {fault.after}"
                if how == "survived" and key in known:
                    how, by = "equivalent", known[key]
                counts[how] += 1
                print(f"{package} {number + 1}/{len(chosen)} {how}: {fault.name} [{by}]", flush=True)
        noticed = counts["noticed"] + counts["too long"]
        rows.append((package, len(chosen), noticed, counts["equivalent"], counts["survived"]))
        worst = min(worst, noticed / max(noticed + counts["survived"], 1))
    print(f"\nseed {options.seed}\n\n| package | faults | noticed | equivalent | survived | noticed of the others |")
    print("|---|---|---|---|---|---|")
    for package, tries, noticed, same, survived in rows:
        print(f"| {package} | {tries} | {noticed} | {same} | {survived} | {noticed / max(noticed + survived, 1):.0%} |")
    return int(worst < options.least)


if __name__ == "__main__":
    sys.exit(main())
