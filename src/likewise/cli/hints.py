"""``likewise hints``: what a file of hints says, and hints drawn from known classes."""

from __future__ import annotations

from pathlib import Path

from .._progress_legacy import part
from ..constraints import Constraints
from ..constraints._files import FORMATS
from ..constraints._records import BadRecord
from .findings import Findings
from .outputs import check_outputs
from .reading import Reading, known_labels, read_constraints, read_names
from .talk import Talk, print_json

TOLD, TOLD_TO_MACHINES = 10, 1_000
"""Contradictions that are proved, at most."""


def check(path: Path, *, source: str | None, reading: Reading, k: int | None, out: Path | None, as_json: bool) -> bool:
    """Tell contradictions with their proof, groups, and what the hints entail; say whether all can be kept."""
    _check_suffix(path)
    if out is not None:
        _check_suffix(out)
        check_outputs({"--entailed": out}, [path, source])
    talk = Talk(quiet=as_json)
    if source is None:
        with talk.progress(f"reading {path}"):
            ids, told = read_alone(path)
    else:
        with talk.progress(f"reading {source}"):
            rows = read_names(source, reading)
        with talk.progress(f"reading {path}"):
            ids, told = rows.ids, read_constraints(path, rows)
    with talk.progress("looking for contradictions"):
        with part(0, 0.5):
            found = Findings.of(told, k, TOLD_TO_MACHINES if as_json else TOLD)
        facts = found.as_object(ids) if as_json else {}
        lines = [] if as_json else list(found.lines(ids))
    written = []
    if out is not None:
        if found.closed is None:
            raise ValueError(f"--entailed {out}: too many pairs follow from {path} to write them out.")
        found.closed.write(out, ids=ids)
        written.append(str(out))
    if as_json:
        print_json({"file": str(path), **facts, "files": written})
    else:
        print("\n".join([f"{path}: {found.headline}", *lines, *(f"\nwrote {name}" for name in written)]))
    return found.consistent


def read_alone(path: Path) -> tuple[list[str], Constraints]:
    """A file of hints without the data it is about: by row numbers, or else by the names in it."""
    names: dict[str, None] = {}
    try:
        with part(0, 0.4):
            _, records = FORMATS[path.suffix.lower()][0](path)
            for record in records:
                names[str(record.left)] = None
                if not str(record.kind).strip().lower().startswith("partition"):
                    names[str(record.right)] = None
    except BadRecord as bad:
        raise ValueError(f"{path}, {bad.where}: {bad.why}") from None
    with part(0.4, 1):
        if all(name.strip().isdecimal() for name in names):
            told = Constraints.read(path)
            return [str(row) for row in range(told.n_samples)], told
        return list(names), Constraints.read(path, ids=list(names))


def sample(
    source: str, reading: Reading, *, how: str, amount: int, wrong: float, seed: int, out: Path, quiet: bool
) -> None:
    """Draw hints from known classes, and write them by the ids of the rows."""
    talk = Talk(quiet)
    _check_suffix(out)
    check_outputs({"--hints": out}, [source])
    with talk.progress(f"reading {source}"):
        rows = read_names(source, reading)
    labels = known_labels(source, rows)
    with talk.progress("drawing hints"):
        drawn = Constraints.sample(labels, how, amount, error_rate=wrong, random_state=seed)
        drawn.write(out, ids=rows.ids)
    talk.say(f"{drawn.summary()}, drawn from the classes in {rows.label_column!r}; wrote {out}")


def _check_suffix(path: Path) -> None:
    if path.suffix.lower() not in FORMATS:
        raise ValueError(
            f"{path} ends in {path.suffix!r}, which names no known format of hints. Use one of {', '.join(FORMATS)}."
        )
