"""``likewise hints``: check a file of hints, or sample hints from known classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import click

from ._options import (
    FILE,
    SAMPLINGS,
    SCREENS,
    IntRange,
    json_option,
    name_options,
    quiet_option,
    seed_option,
    wrong_option,
)

if TYPE_CHECKING:
    from ..constraints import ComparisonConflict, Conflict, Constraints

SHOWN = 10
"""Maximum number of contradictions, groups and pairs to print."""

SHOWN_AS_JSON = 1_000
"""Maximum number of contradictions in the JSON object."""

MAX_PAIRS = 1_000_000
"""Maximum number of implied pairs to compute."""


@click.group()
def hints() -> None:
    """Check a file of hints, or sample hints from known classes."""


@hints.command()
@click.argument("files", metavar="FILE...", type=FILE, nargs=-1, required=True)
@click.option("--for", "source", metavar="DATA", help="The data that the hints refer to. Default: ids are taken from "
              "the hints.")  # fmt: skip
@click.option("--k", type=IntRange(1), help="Number of clusters; report more rows than this that all differ.")
@click.option("--entailed", "out", type=FILE, help="Write all pairs that are given or implied: .csv, .tsv, .json or "
              ".parquet.")  # fmt: skip
@json_option
@name_options
def check(
    files: tuple[Path, ...], *, source: str | None, k: int | None, out: Path | None, as_json: bool, **reading: Any
) -> None:
    """Show contradictions among the hints in FILE with their proof, the groups they form, and the pairs they imply.

    The hints of several files are combined. Comparisons contradict each other if they form a cycle: a is more like b
    than c, more like c than d, and more like d than b. This command only finds contradictions; `likewise cluster` also
    finds hints that look wrong in view of the data. The exit code is 1 if there is a contradiction.
    """
    from ._messages import Messages, print_json

    messages = Messages(quiet=as_json)
    with messages.starting():
        from ..constraints._io import READ_SUFFIXES, check_suffix
        from ._outputs import check_outputs
        from ._reading import read_constraints, read_names

    for file in files:
        check_suffix(file, READ_SUFFIXES)
    if out is not None:
        check_suffix(out)
        check_outputs({"--entailed": out}, [*files, source])
    title = ", ".join(map(str, files))
    ids: Sequence[str]
    if source is None:
        with messages.progress(f"reading {title}"):
            ids, constraints = _read_alone(files)
    else:
        with messages.progress(f"reading {source}"):
            names = read_names(source, **reading)
        with messages.progress(f"reading {title}"):
            ids, constraints = names.ids, read_constraints(files, names)
    with messages.progress("looking for contradictions"):
        found = Findings.of(constraints, k, SHOWN_AS_JSON if as_json else SHOWN)
        facts = found.as_object(ids) if as_json else {}
        lines = [] if as_json else list(found.lines(ids))
    written = []
    if out is not None:
        if found.closed is None:
            raise ValueError(f"--entailed {out}: more than {MAX_PAIRS:,} pairs follow from {title}: too many to write.")
        found.closed.write(out, ids=None if isinstance(ids, RowNumbers) else ids)
        written.append(str(out))
    if as_json:
        print_json({"hints": [str(file) for file in files], **facts, "files": written})
    else:
        print("\n".join([f"{title}: {found.headline}", *lines, *(f"\nwrote {name}" for name in written)]))
    if not found.consistent:
        raise SystemExit(1)


@hints.command()
@click.argument("source", metavar="DATA")
@click.option("--out", metavar="FILE", type=FILE, required=True, help="File of hints to write.")
@click.option(
    "--how",
    default="random_pairs",
    show_default=True,
    type=click.Choice([*SAMPLINGS, *SCREENS]),
    help="How to sample hints from the classes. piles: rows sorted into piles; odd: which of three rows is the "
    "odd one out; triplets: is a more like b or c; quadruples: which of two pairs is more alike.",
)
@click.option(
    "--amount",
    type=IntRange(1),
    default=50,
    show_default=True,
    help="Number of hints; with piles, odd, triplets and quadruples the number of questions.",
)
@click.option("--size", type=IntRange(2), help="Number of rows to sort, with --how piles. Default: 3.")
@click.option(
    "--forced",
    is_flag=True,
    help='With odd, triplets and quadruples: a random answer if the classes do not decide, instead of "can\'t say".',
)
@wrong_option
@seed_option
@quiet_option
@name_options
def sample(
    source: str,
    *,
    out: Path,
    how: str,
    amount: int,
    size: int | None,
    forced: bool,
    wrong: float,
    seed: int,
    quiet: bool,
    **reading: Any,
) -> None:
    """Sample hints from the classes of DATA, and write them to a file."""
    from ._messages import Messages

    messages = Messages(quiet)
    with messages.starting():
        from ..constraints import Constraints
        from ..constraints._io import check_suffix
        from ._outputs import check_outputs
        from ._reading import known_labels, read_names

    check_suffix(out)
    check_outputs({"--out": out}, [source])
    if size is not None and how != "piles":
        raise ValueError(f"--size is for --how piles; {how} has its own number of rows. Leave it out.")
    if forced and how not in ("odd", "triplets", "quadruples"):
        raise ValueError(f"--forced is for --how odd, triplets and quadruples: with {how} the classes always decide.")
    with messages.progress(f"reading {source}"):
        names = read_names(source, **reading)
    labels = known_labels(source, names)
    with messages.progress("drawing hints"):
        ties = "coin" if forced else None
        drawn = Constraints.sample(labels, how, amount, size=size, ties=ties, error_rate=wrong, random_state=seed)
        drawn.write(out, ids=names.ids)
    messages.show(f"{drawn.summary()}, drawn from the classes in {names.label_column!r}; wrote {out}")


class RowNumbers(Sequence[str]):
    """The ids "0", "1", … of n rows, without storing them."""

    def __init__(self, n: int) -> None:
        self._rows = range(n)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, row: Any) -> Any:
        return str(self._rows[row])


def _read_alone(paths: Sequence[Path]) -> tuple[Sequence[str], Constraints]:
    """Files of hints without their data: by row numbers, or else by the ids in them."""
    from ..constraints import Constraints
    from ..constraints._io import MOST_ROWS, names_in
    from ..tables._cells import whole_number_of

    names = list(dict.fromkeys(name for path in paths for name in names_in(path)))
    ids: Sequence[str] = names
    given: dict[str, Any] = {"ids": names}
    numbers = [whole_number_of(name.strip()) for name in names]
    if all(number is not None and number < MOST_ROWS for number in numbers):
        n = max(Constraints.read(path).n_samples for path in paths)
        ids, given = RowNumbers(n), {"n_samples": n}
    constraints = Constraints(len(ids))
    for path in paths:
        constraints = constraints | Constraints.read(path, **given)
    return ids, constraints


@dataclass(frozen=True)
class Findings:
    """The results of checking constraints.

    Attributes
    ----------
    constraints : Constraints
    n_conflicts : int
        Those of must-links and cannot-links.
    n_cycles : int
        Comparisons that contradict each other.
    conflicts : list of Conflict or ComparisonConflict
        The first of both, with their proof.
    groups : list of arrays
        Rows that belong together, the largest group first.
    closed : Constraints or None
        All pairs that are given or implied by hints without contradictions; None if they are too many.
    clique : tuple of int or None
        More than ``k`` rows that all differ from each other.
    k : int or None
    """

    constraints: Constraints
    n_conflicts: int
    n_cycles: int
    conflicts: list[Conflict | ComparisonConflict]
    groups: list[Any]
    closed: Constraints | None
    clique: tuple[int, ...] | None = None
    k: int | None = None

    @classmethod
    def of(cls, constraints: Constraints, k: int | None, max_conflicts: int) -> Self:
        """Examine constraints."""
        import numpy as np

        from .._progress import report
        from ..constraints._conflicts import count_conflicts
        from ..constraints._orders import count_cycles

        codes = constraints.groups()
        n_conflicts, _ = count_conflicts(constraints, codes)
        report(1, 4)
        sizes = np.bincount(codes, minlength=1)
        members = np.split(np.argsort(codes, kind="stable"), np.cumsum(sizes)[:-1])
        large = [int(group) for group in np.argsort(-sizes, kind="stable") if sizes[group] > 1]
        kept = constraints.drop_conflicts()[0] if n_conflicts else constraints
        report(2, 4)
        try:
            closed = kept.expand(MAX_PAIRS, closed=True)
        except ValueError:
            closed = None
        report(3, 4)
        return cls(
            constraints,
            n_conflicts=n_conflicts,
            n_cycles=count_cycles(constraints),
            conflicts=constraints.conflicts(limit=max_conflicts),
            groups=[members[group] for group in large],
            closed=closed,
            clique=None if k is None else constraints.clique(k),
            k=k,
        )

    @property
    def consistent(self) -> bool:
        """Whether a clustering can satisfy all constraints."""
        return self.n_conflicts == 0 and self.n_cycles == 0 and self.clique is None

    @property
    def headline(self) -> str:
        """The counts, in a line."""
        from ..constraints._format import pluralize

        constraints = self.constraints
        touched = constraints.constrained_rows() | constraints.comparisons.compared_rows()
        for preference in constraints.preferences:
            touched |= preference.shown()
        return f"{constraints.summary()}, about {int(touched.sum()):,} of {pluralize(constraints.n_samples, 'row')}"

    def proofs(self) -> tuple[list[Conflict], list[ComparisonConflict]]:
        """The proofs of both kinds."""
        from ..constraints import ComparisonConflict, Conflict

        pairs = [each for each in self.conflicts if isinstance(each, Conflict)]
        return pairs, [each for each in self.conflicts if isinstance(each, ComparisonConflict)]

    def unstated(self) -> list[tuple[int, int, bool]]:
        """Pairs that are implied but not given: two rows, and whether they are the same."""
        if self.closed is None:
            return []
        stated = self.constraints.expand(MAX_PAIRS)
        found = []
        for same, pairs, known in (
            (True, self.closed.must_link, stated.must_link),
            (False, self.closed.cannot_link, stated.cannot_link),
        ):
            seen = set(map(tuple, known.tolist()))
            found += [(left, right, same) for left, right in pairs.tolist() if (left, right) not in seen]
        return found

    def lines(self, ids: Sequence[str]) -> Iterator[str]:
        """All of it, as text."""
        from ..constraints._format import pluralize
        from ._reading import proof_by_ids

        yield f"\n{pluralize(self.n_conflicts, 'contradiction')}"
        pairs, cycles = self.proofs()
        for conflict in pairs:
            yield f"  {proof_by_ids(conflict, ids)}"
        yield from _more(self.n_conflicts - len(pairs))
        if self.n_cycles:
            yield f"\n{pluralize(self.n_cycles, 'comparison')} that contradict each other"
            for cycle in cycles:
                yield f"  {proof_by_ids(cycle, ids)}"
        if self.clique is not None:
            yield f"\n{len(self.clique)} rows all differ from each other, which is impossible with {self.k} clusters:"
            yield f"  {_listed(self.clique, ids)}"
        yield f"\n{pluralize(len(self.groups), 'group')} of rows that belong together"
        for group in self.groups[:SHOWN]:
            yield f"  {len(group):,} rows: {_listed(group, ids)}"
        yield from _more(len(self.groups) - SHOWN)
        if self.closed is None:
            yield f"\nmore than {MAX_PAIRS:,} pairs follow from these hints: too many to list"
            return
        unstated = self.unstated()
        among = " from hints that do not contradict" if self.n_conflicts else ""
        yield f"\n{pluralize(len(unstated), 'pair')} not stated but entailed{among}"
        for left, right, same in unstated[:SHOWN]:
            yield f"  {ids[left]!r} and {ids[right]!r} are {'the same' if same else 'different'}"
        yield from _more(len(unstated) - SHOWN)

    def as_object(self, ids: Sequence[str]) -> dict[str, Any]:
        """All of it, for JSON."""

        def names(rows: Any) -> list[str]:
            return [ids[row] for row in rows]

        pairs, cycles = self.proofs()
        return {
            "rows": self.constraints.n_samples,
            "must_links": self.constraints.n_must_link,
            "cannot_links": self.constraints.n_cannot_link,
            "comparisons": len(self.constraints.comparisons),
            "unanswered": len(self.constraints.comparisons.unsure),
            "preferences": len(self.constraints.preferences),
            "contradictions": self.n_conflicts,
            "proofs": [{"different": names(one.cannot_link), "same_by": names(one.chain)} for one in pairs],
            "contradicting_comparisons": self.n_cycles,
            "cycles": [
                {
                    "nearer": [[names(near), names(far)] for near, far in one.pairs],
                    "same": [names(chain) for chain in one.linked],
                    "different": [names(pair) for pair in one.different],
                }
                for one in cycles
            ],
            "groups": [names(group) for group in self.groups],
            "entailed_must_links": None if self.closed is None else len(self.closed.must_link),
            "entailed_cannot_links": None if self.closed is None else len(self.closed.cannot_link),
            "all_different": None if self.clique is None else names(self.clique),
        }


def _more(count: int) -> Iterator[str]:
    if count > 0:
        yield f"  … {count:,} more"


def _listed(rows: Any, ids: Sequence[str], most: int = 8) -> str:
    names = [repr(ids[row]) for row in rows[:most]]
    return ", ".join(names) + (f", … ({len(rows) - most:,} more)" if len(rows) > most else "")
