"""The report of a fit: what was done, what it rests on, and what sets each cluster apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.sparsefuncs import mean_variance_axis

from .._arrays import BoolArray, FloatArray, IntArray
from .._frames import make_frame
from ..constraints import Comparisons, Constraints
from ..constraints._conflicts import count_conflicts
from ..constraints._format import pluralize
from ..constraints._orders import count_cycles
from ..evaluation import constraint_accuracy
from ..linalg._row_matrix import indicator
from ..prepare._kinds import DataKind
from ..prepare._linear import LinearFeatures
from ._advice import advice
from ._certainty import DOUBTFUL
from ._cluster_names import ClusterName
from ._consensus import Consensus
from ._evidence import UNSUPERVISED, held_out_votes, matching_rows, reversed_chance, unsupervised_members, votes
from ._held_out import HeldOutComparisons
from ._landmarks import Placement
from ._members import Member, by_family
from ._unsupervised import Unsupervised

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
        Its share in the result; all add up to 1. It is smaller where it explains unseen constraints worse than the best
        family, by more than chance. Where the result falls back to the unsupervised one, only that counts.
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
    """What one cluster is called, and what sets it apart.

    Attributes
    ----------
    name : str
        As in ``cluster_names_`` of :class:`likewise.Likewise`.
    rows : int
        How many rows it has.
    features : tuple of (name, difference)
        Features that are most unlike those of other rows: see :meth:`likewise.Likewise.top_features`.
    label : str or None
        The label it is called after; None where no row in it has one.
    known, known_in_all : int
        Rows with this label, in the cluster and in all.
    new : bool
        Whether labels were given, and no row in it has one.
    """

    name: str
    rows: int
    features: tuple[tuple[str, float], ...]
    label: str | None = None
    known: int = 0
    known_in_all: int = 0
    new: bool = False

    @property
    def size(self) -> str:
        """How many rows it has, and how many of them with its label: "11 rows, 2 of 2 known here"."""
        words = pluralize(self.rows, "row")
        if self.label is not None:
            words += f", {self.known:,} of {self.known_in_all:,} known here"
        return f"{words}, new: none is labeled" if self.new else words

    def __str__(self) -> str:
        return f"{self.size}: " + ", ".join(f"{name} {value:+.2g}" for name, value in self.features)


@dataclass(frozen=True)
class Report:
    """How a result came about; ``print`` shows it, and so does a notebook.

    Attributes
    ----------
    n_rows, n_clusters : int
    n_requested : int or None
        Clusters that were asked for.
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
    doubtful : int
        Rows whose clusters are in doubt, with a certainty below 0.7: ``Likewise.doubtful`` lists them.
    constraint_weight : float
        How much of what was learned from constraints counts, from 0 to 1; the rest is what the unsupervised clusterings
        say.
    gain, gain_error : float
        How much better clusterings that learned from constraints explain those they did not see than unsupervised ones
        do (log-likelihood, summed), and its standard error: ``constraint_weight`` follows from them.
    fallback : str
        Why nothing was learned from constraints; empty if something was.
    advice : str
        What to do next where constraints count little; empty where they count.
    ask_about : tuple of ints
        The rows to ask about first: those whose clusters are least sure.
    comparisons : str
        How many comparisons there are, how they were read, and how many look reversed; empty where there are none.
    reversed : int
        Comparisons that are more likely reversed than right.
    preferences : str
        How many preferences there are, and with how many of them the result sides; empty where there are none.
    kept : float
        The share of the constraints that the result keeps. A comparison is kept unless the rows that are said to be
        less alike are together and the others are not.
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
    in_files : bool
        Whether rows lie in files: then only landmarks were clustered with and without constraints, and ``moved`` and
        ``ask_about`` name rows among them.
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
    n_requested: int | None = None
    trust: str = "none"
    contradictions: int = 0
    dropped: int = 0
    families: tuple[FamilyReport, ...] = ()
    doubtful: int = 0
    constraint_weight: float = 0.0
    gain: float = 0.0
    gain_error: float = 0.0
    fallback: str = ""
    advice: str = ""
    ask_about: tuple[int, ...] = ()
    comparisons: str = ""
    reversed: int = 0
    preferences: str = ""
    kept: float = 1.0
    moved: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64), repr=False)
    seconds: dict[str, float] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    interrupted: bool = False
    landmarks: int = 0
    in_files: bool = False
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
            ("clusters", self.named_clusters),
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
                *([("comparisons", self.comparisons)] if self.comparisons else []),
                *([("preferences", self.preferences)] if self.preferences else []),
                ("hints kept", f"{self.kept:.1%}"),
                *([("not all kept", self.broken)] if self.broken else []),
                ("learned from hints", self.weight_in_words),
                *([("what to do next", self._next_in_words())] if self.advice else []),
                ("rows moved by hints", f"{len(self.moved):,}{' of the landmarks' if self.in_files else ''}"),
            ]
        lines.append(("rows in doubt", f"{self.doubtful:,} (certainty below {DOUBTFUL:g})"))
        lines.append(("time", ", ".join(f"{name} {seconds:.1f} s" for name, seconds in self.seconds.items())))
        if self.interrupted:
            lines.append(("interrupted", "the best result by then"))
        if self.left_out:
            lines.append(("no time for", "; ".join(self.left_out)))
        return lines

    @property
    def weight_in_words(self) -> str:
        """How much what was learned from hints counts, and why."""
        if self.fallback:
            what = "Pairs" if self.comparisons or self.preferences else "They"
            return f"nothing: {self.fallback}. {what} hold for their own rows"
        gain = f"{self.gain:+.1f} ± {self.gain_error:.1f}".replace("-", "−")
        better = "better" if self.gain > 0 else "no better"
        return (
            f"it counts {self.constraint_weight:.0%}, since it predicts held-out hints {better} than clusters without "
            f"hints do (log-likelihood {gain})"
        )

    def _next_in_words(self) -> str:
        rows = ", ".join(map(str, self.ask_about))
        return f"{self.advice}; ask about rows {rows} first" if rows else self.advice

    @property
    def named_clusters(self) -> str:
        """How many clusters there are, and how many of them are called after labels."""
        named = sum(cluster.label is not None for cluster in self.clusters)
        count = f"{self.n_clusters}"
        if self.n_requested is not None and self.n_clusters < self.n_requested:
            count += f", though {self.n_requested} were asked for"
        if not named:
            return count
        new = len(self.clusters) - named
        return f"{count}: {named} called after labels" + (f", {new} with no labeled row" if new else "")

    def cluster_lines(self) -> list[tuple[str, str]]:
        """What sets the clusters apart, as names and values; of many the first.

        Returns
        -------
        list of (name, value)
        """
        lines = [
            (f"cluster {number}" if cluster.label is None else cluster.name, str(cluster))
            for number, cluster in enumerate(self.clusters[:MAX_CLUSTERS])
        ]
        if len(self.clusters) > MAX_CLUSTERS:
            lines.append(("…", f"{len(self.clusters) - MAX_CLUSTERS:,} more; see top_features(cluster)"))
        return lines

    def to_frame(self, *, backend: str | None = None) -> Any:
        """The clusters as a data frame; :meth:`Likewise.to_frame` has the rows.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            By default the first of them that is installed.

        Returns
        -------
        data frame
            With the columns cluster, name, rows, and features, in which the largest differences are told.
        """
        return make_frame(
            {
                "cluster": list(range(len(self.clusters))),
                "name": [cluster.name for cluster in self.clusters],
                "rows": [cluster.rows for cluster in self.clusters],
                "features": [
                    ", ".join(f"{name} {value:+.2g}" for name, value in cluster.features) for cluster in self.clusters
                ],
            },
            backend,
        )

    def __str__(self) -> str:
        lines, clusters = self.lines(), self.cluster_lines()
        width = max(len(name) for name, _ in [*lines, *clusters])
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
    common |= {
        "n_rows": placement.n,
        "constraints": constraints.summary(),
        "landmarks": placement.n_landmarks,
    }
    if consensus is None:
        return Report(**common)
    members = [*unsupervised_members(unsupervised), *consensus.members]
    matching = matching_rows(members, labels[placement.rows])
    stated = _n_pairs(constraints)
    known = _n_pairs(placement.restrict(constraints))
    compared, n_reversed = _comparisons_in_words(consensus, constraints)
    return Report(
        **common,
        comparisons=compared,
        reversed=n_reversed,
        preferences=_preferences_in_words(labels, constraints),
        learned_from="" if known == stated else f"{known:,} of {pluralize(stated, 'hint')}",
        trust="strict" if consensus.closed else "weighted",
        contradictions=count_conflicts(constraints, constraints.groups())[0] + count_cycles(constraints),
        dropped=_n_pairs(consensus.stated) - _n_pairs(consensus.applied),
        families=tuple(_families(members, consensus, unsupervised, matching)),
        constraint_weight=consensus.constraint_weight,
        gain=consensus.evidence.gain,
        gain_error=consensus.evidence.error,
        fallback=consensus.fallback,
        advice=advice(consensus, constraints, constraint_accuracy(placement.vote(unsupervised.labels), constraints)),
        kept=constraint_accuracy(labels, constraints),
        moved=np.flatnonzero(labels != placement.vote(unsupervised.labels)),
    )


def _comparisons_in_words(consensus: Consensus, constraints: Constraints) -> tuple[str, int]:
    """How many comparisons there are, how they were read, and how many look reversed; and that number."""
    comparisons = constraints.comparisons
    if not len(comparisons):
        return "", 0
    count = pluralize(len(comparisons), "comparison")
    if not len(consensus.stated.comparisons):
        open_questions = pluralize(len(comparisons.unsure), "question")
        return f"{count}, read as pairs: {open_questions} that clusters do not decide stayed open", 0
    chances = [
        reversed_chance(held_out, scores)
        for held_out, scores in zip(consensus.evidence.others, consensus.evidence.scores, strict=True)
        if isinstance(held_out, HeldOutComparisons)
    ]
    n_reversed = int((np.concatenate(chances) > 0.5).sum())
    look = "looks" if n_reversed == 1 else "look"
    return f"{count}, {len(comparisons) - n_reversed:,} kept, {n_reversed:,} {look} reversed", n_reversed


def _preferences_in_words(labels: IntArray, constraints: Constraints) -> str:
    """How many preferences there are, and with how many of them the labels side."""
    preferences = constraints.preferences
    sided = sum(preference.margin(labels) > 0 for preference in preferences)
    return f"{pluralize(len(preferences), 'preference')}, {sided:,} kept" if preferences else ""


def kept_comparisons(labels: IntArray, comparisons: Comparisons) -> BoolArray:
    """Which comparisons labels keep: all but those whose far rows are together while the near ones are not."""
    near, far = (labels[pairs[:, 0]] == labels[pairs[:, 1]] for pairs in (comparisons.near, comparisons.far))
    return near | ~far


def _n_pairs(constraints: Constraints) -> int:
    return constraints.n_must_link + constraints.n_cannot_link


def _families(
    members: list[Member], consensus: Consensus, unsupervised: Unsupervised, matching: Any
) -> list[FamilyReport]:
    """How each family agrees with the result, and with constraints it did not see."""
    evidence = consensus.evidence
    statements = evidence.statements
    families = []
    for name, own in by_family(members).items():
        numbers = [number for number, member in enumerate(members) if member.family == name]
        if name == UNSUPERVISED:
            together = votes([m.labels for m in own], statements.pairs, np.array([m.weight for m in own]))
            scores = [held_out.plain_scores(unsupervised) for held_out in evidence.others]
        else:
            together = held_out_votes(own, consensus.folds, statements.pairs)
            scores = [held_out.scores(own, consensus.folds) for held_out in evidence.others]
        shares = [np.where(statements.same, together, 1 - together), *((1 + score) / 2 for score in scores)]
        weight = np.concatenate([statements.weight, *(held_out.weight for held_out in evidence.others)])
        kept = float(np.average(np.concatenate(shares), weights=weight))
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


def cluster_reports(
    names: Sequence[ClusterName], differences: FloatArray, sizes: IntArray, feature_names: Any
) -> tuple[ClusterReport, ...]:
    """What each cluster is called, and what sets it apart, in a few features."""
    return tuple(
        ClusterReport(
            cluster.name,
            int(size),
            tuple(largest_differences(own, N_FEATURES, feature_names)),
            cluster.label,
            cluster.known,
            cluster.known_in_all,
            new=cluster.label is None and any(other.label is not None for other in names),
        )
        for cluster, size, own in zip(names, sizes, differences, strict=True)
    )
