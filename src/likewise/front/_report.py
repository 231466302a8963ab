"""The report of a fit: what was done, what it rests on, and what sets each cluster apart."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.sparsefuncs import mean_variance_axis

from .._arrays import FloatArray, IntArray
from ..constraints import Constraints
from ..constraints._conflicts import count_conflicts
from ..constraints._format import pluralize
from ..evaluation import constraint_accuracy
from ..linalg._row_matrix import indicator
from ..prepare._kinds import DataKind
from ..prepare._linear import LinearFeatures
from ._consensus import Consensus
from ._evidence import UNSUPERVISED, agreement, by_family, held_out_votes, matching_rows, votes
from ._landmarks import Placement
from ._members import Member
from ._unsupervised import Unsupervised

LOW_AGREEMENT = 0.5
"""Rows that fewer clusterings put where the result does are of low agreement."""

MAX_CLUSTERS = 20
"""Clusters that a printed report lists."""

N_FEATURES = 5
"""Features of each cluster that the report names."""

FAMILY_COLUMNS = ("family", "members", "rows as in result", "unseen hints kept", "weight")


@dataclass(frozen=True)
class FamilyReport:
    """One family of clusterings.

    Attributes
    ----------
    name : str
    members : int
        How many clusterings it has.
    agreement : float
        The share of rows that its members put where the result does.
    held_out : float
        The share of constraints that members keep which did not see them. Unsupervised runs saw none: there it is the
        share of all constraints.
    weight : float
        How much it counts in the result, from 0 to 1: less than 1 where it explains unseen constraints worse than the
        best family, by more than chance. Where the result falls back to the unsupervised one, only that counts.
    """

    name: str
    members: int
    agreement: float
    held_out: float
    weight: float

    def cells(self) -> tuple[str, ...]:
        """What the report shows of it, in the order of ``FAMILY_COLUMNS``.

        Returns
        -------
        tuple of str
        """
        return self.name, f"{self.members}", f"{self.agreement:.1%}", f"{self.held_out:.1%}", f"{self.weight:.2f}"


@dataclass(frozen=True)
class ClusterReport:
    """What sets one cluster apart.

    Attributes
    ----------
    rows : int
        How many rows it has.
    features : tuple of (name, difference)
        Features that are most unlike those of other rows: see :meth:`likewise.Likewise.top_features`.
    """

    rows: int
    features: tuple[tuple[str, float], ...]

    def __str__(self) -> str:
        return f"{self.rows:,} rows: " + ", ".join(f"{name} {value:+.2g}" for name, value in self.features)


@dataclass(frozen=True)
class Report:
    """How a result came about; ``print`` shows it, and so does a notebook.

    Attributes
    ----------
    n_rows, n_clusters : int
    kind : DataKind
        The kind of data.
    preprocessing : str
        The kind of data and what was done to it, in words.
    constraints : str
        The constraints, counted in words.
    trust : {"strict", "weighted", "none"}
        How constraints were taken in the end.
    contradictions : int
        Constraints that contradict others.
    dropped : int
        Constraints left out because they are more likely wrong than right.
    families : tuple of FamilyReport
    agreement : (n,) array
        For each row the share of clusterings that put it where the result does, each family counting once: ask about
        the smallest first.
    gain, gain_error : float
        How much better clusterings that learned from constraints explain those they did not see than unsupervised ones
        do (log-likelihood, summed), and its standard error.
    fallback : str
        Why the result falls back to the unsupervised one; empty if it does not.
    kept : float
        The share of the constraints that the result keeps.
    moved : (m,) ints
        The rows in another cluster than without constraints.
    seconds : dict
        What each stage took.
    left_out : tuple of str
        What there was no time for.
    interrupted : bool
        Whether Ctrl-C ended it early.
    landmarks : int
        Rows in the ensemble, by which all others were placed; 0 where every row is in it.
    learned_from : str
        Which of the constraints are among landmarks, where these are not all: others are applied, but not learned from.
    broken : str
        Why constraints taken as certain could not all be kept; empty where they are.
    clusters : tuple of ClusterReport
    """

    n_rows: int
    n_clusters: int
    kind: DataKind
    preprocessing: str
    constraints: str
    trust: str = "none"
    contradictions: int = 0
    dropped: int = 0
    families: tuple[FamilyReport, ...] = ()
    agreement: FloatArray = field(default_factory=lambda: np.zeros(0), repr=False)
    gain: float = 0.0
    gain_error: float = 0.0
    fallback: str = ""
    kept: float = 1.0
    moved: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64), repr=False)
    seconds: dict[str, float] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    interrupted: bool = False
    landmarks: int = 0
    learned_from: str = ""
    broken: str = ""
    clusters: tuple[ClusterReport, ...] = field(default=(), repr=False)

    def lines(self) -> list[tuple[str, str]]:
        """The report as names and values, without clusters and families.

        Returns
        -------
        list of (name, value)
        """
        lines = [
            ("data", f"{self.n_rows:,} rows; {self.preprocessing}"),
            ("clusters", f"{self.n_clusters}"),
            ("hints", self.constraints),
        ]
        if self.landmarks:
            lines.append(("landmarks", f"{self.landmarks:,} rows; all others are placed by those near them"))
        if self.learned_from:
            lines.append(("learned from", self.learned_from))
        if self.trust != "none":
            lines += [
                ("trust", self.trust),
                ("contradictions", f"{self.contradictions:,}"),
                ("left out as wrong", f"{self.dropped:,}"),
                ("hints kept", f"{self.kept:.1%}"),
                *([("not all kept", self.broken)] if self.broken else []),
                ("gain on unseen hints", f"{self.gain:+.1f} ± {self.gain_error:.1f}"),
                ("fallback to unsupervised", f"yes: {self.fallback}" if self.fallback else "no"),
                ("rows moved by hints", f"{len(self.moved):,}"),
            ]
        low = int((self.agreement < LOW_AGREEMENT).sum())
        lines.append(("low-agreement rows", f"{low:,}"))
        lines.append(("time", ", ".join(f"{name} {seconds:.1f} s" for name, seconds in self.seconds.items())))
        if self.interrupted:
            lines.append(("interrupted", "the best result by then"))
        if self.left_out:
            lines.append(("no time for", "; ".join(self.left_out)))
        return lines

    def cluster_lines(self) -> list[tuple[str, str]]:
        """What sets the clusters apart, as names and values; of many the first.

        Returns
        -------
        list of (name, value)
        """
        lines = [(f"cluster {number}", str(cluster)) for number, cluster in enumerate(self.clusters[:MAX_CLUSTERS])]
        if len(self.clusters) > MAX_CLUSTERS:
            lines.append(("…", f"{len(self.clusters) - MAX_CLUSTERS:,} more; see top_features(cluster)"))
        return lines

    def __str__(self) -> str:
        lines, clusters = self.lines(), self.cluster_lines()
        width = max(len(name) for name, _ in lines)
        text = [f"{name:<{width}}  {value}" for name, value in lines]
        if clusters:
            text += ["", *(f"{name:<{width}}  {value}" for name, value in clusters)]
        if self.families:
            text.append("")
            for name, *cells in (FAMILY_COLUMNS, *(family.cells() for family in self.families)):
                columns = zip(cells, FAMILY_COLUMNS[1:], strict=True)
                text.append("  ".join([f"{name:<{width}}", *(f"{cell:>{len(column)}}" for cell, column in columns)]))
        return "\n".join(text)

    def _repr_html_(self) -> str:
        html = _html_table(self.lines(), "<caption>likewise</caption>")
        if self.clusters:
            html += _html_table(self.cluster_lines())
        if self.families:
            head = "".join(f"<th>{column}</th>" for column in FAMILY_COLUMNS)
            rows = ("".join(f"<td>{escape(cell)}</td>" for cell in family.cells()) for family in self.families)
            html += f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"
        return html


def _html_table(lines: list[tuple[str, str]], caption: str = "") -> str:
    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in lines)
    return f"<table>{caption}{rows}</table>"


def make_report(
    constraints: Constraints,
    unsupervised: Unsupervised,
    consensus: Consensus | None,
    placement: Placement,
    labels: IntArray,
    **common: Any,
) -> Report:
    """The report on the labels of all rows.

    Parameters
    ----------
    constraints : Constraints
        All constraints.
    unsupervised : Unsupervised
    consensus : Consensus or None
        None where no constraints were applied.
    placement : Placement
    labels : (n,) ints
    common
        Further fields of the report.
    """
    ensemble_labels = labels[placement.rows]
    members = [Member(UNSUPERVISED, run, -1) for run in unsupervised.labelings]
    members += () if consensus is None else consensus.members
    matching = matching_rows(members, ensemble_labels)
    common |= {
        "n_rows": placement.n,
        "constraints": constraints.summary(),
        "landmarks": placement.n_landmarks,
        "agreement": placement.average(agreement(members, matching)),
    }
    if consensus is None:
        return Report(**common)
    stated = _n_pairs(constraints)
    known = _n_pairs(placement.restrict(constraints))
    return Report(
        **common,
        learned_from="" if known == stated else f"{known:,} of {pluralize(stated, 'hint')}",
        trust="strict" if consensus.closed else "weighted",
        contradictions=count_conflicts(constraints, constraints.groups())[0],
        dropped=known - _n_pairs(consensus.applied),
        families=tuple(_families(members, consensus, matching)),
        gain=consensus.evidence.gain,
        gain_error=consensus.evidence.error,
        fallback=consensus.fallback,
        kept=constraint_accuracy(labels, constraints),
        moved=np.flatnonzero(labels != placement.vote(unsupervised.labels)),
    )


def _n_pairs(constraints: Constraints) -> int:
    return constraints.n_must_link + constraints.n_cannot_link


def _families(members: list[Member], consensus: Consensus, matching: Any) -> list[FamilyReport]:
    """How each family agrees with the result, and with constraints it did not see."""
    statements = consensus.evidence.statements
    families = []
    for name, own in by_family(members).items():
        numbers = [number for number, member in enumerate(members) if member.family == name]
        if name == UNSUPERVISED:
            together = votes([member.labels for member in own], statements.pairs)
        else:
            together = held_out_votes(own, consensus.folds, statements.pairs)
        kept = float(np.average(np.where(statements.same, together, 1 - together), weights=statements.weight))
        agreeing = float(matching[numbers].mean())
        families.append(FamilyReport(name, len(own), agreeing, kept, consensus.weights[name]))
    return families


def feature_differences(X: Any, labels: IntArray, n_clusters: int, to_linear: LinearFeatures) -> FloatArray:
    """How much higher each feature is in each cluster than in all other rows.

    For a table in units of the standard deviation of the feature; for text as a difference of mean tf-idf weights, so
    that rare words do not count for more than they are used.

    Parameters
    ----------
    X : (n, f) array or sparse matrix
    labels : (n,) ints
    n_clusters : int
    to_linear : LinearFeatures
        It has the kind of data, and the weights of words.

    Returns
    -------
    (n_clusters, f) array
        0 for a cluster that holds all rows, or none.
    """
    rows = to_linear.prepared(X)
    inside = indicator(labels, n_clusters)
    sizes = np.asarray(inside.sum(axis=0)).ravel()
    sums = inside.T @ rows
    sums = np.asarray(sums.toarray() if sparse.issparse(sums) else sums, dtype=np.float64)
    others = len(labels) - sizes
    real = (sizes > 0) & (others > 0)
    differences = np.zeros_like(sums)
    rest = sums.sum(axis=0) - sums[real]
    differences[real] = sums[real] / sizes[real, None] - rest / others[real, None]
    if to_linear.metric == "euclidean":
        if sparse.issparse(rows):
            spread = np.sqrt(mean_variance_axis(sparse.csr_matrix(rows), axis=0)[1])
        else:
            spread = np.std(rows, axis=0, dtype=np.float64)
        differences = np.divide(differences, spread, out=np.zeros_like(differences), where=spread > 0)
    return differences


def largest_differences(differences: FloatArray, n: int, names: Any) -> list[tuple[str, float]]:
    """The ``n`` features with the largest differences, whatever their sign; zeros are left out."""
    order = np.argsort(-np.abs(differences), kind="stable")[:n]
    return [(str(names[column]), float(differences[column])) for column in order if differences[column] != 0]


def cluster_reports(differences: FloatArray, sizes: IntArray, names: Any) -> tuple[ClusterReport, ...]:
    """What sets each cluster apart, in a few features."""
    return tuple(
        ClusterReport(int(size), tuple(largest_differences(own, N_FEATURES, names)))
        for size, own in zip(sizes, differences, strict=True)
    )
