"""What the front door did, and why one should believe it."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

import numpy as np

Array = np.ndarray

SHOWN = 20
"""Clusters that a report tells of when printed."""


@dataclass(frozen=True)
class FamilyReport:
    """What one family of clusterings thought.

    Attributes
    ----------
    name : str
    members : int
    agreement : float
        The share of rows that its members put where the answer does.
    held_out : float
        The share of the hints that members keep which did not see them; NaN for the runs without hints, whose share
        is of all hints.
    voice : float
        How much it counts, 1 at most: less where it explains unseen hints worse than the best family, beyond chance.
    """

    name: str
    members: int
    agreement: float
    held_out: float
    voice: float


@dataclass(frozen=True)
class ClusterReport:
    """What one cluster is about.

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
    """How an answer came about; ``print`` shows it, and so does a notebook.

    Attributes
    ----------
    n_rows, n_clusters : int
    recipe : str
        What was made of the data.
    hints : str
    trust : {"strict", "weighted", "none"}
        How hints were taken in the end.
    contradictions : int
    dropped : int
        Hints left out because they are more likely wrong than right.
    families : tuple of FamilyReport
    agreement : (n,) array
        For each row the share of clusterings that put it where the answer does: ask about the smallest first.
    gain, gain_error : float
        How much better clusterings that learned from hints explain hints they did not see than the answer without
        hints does (log-likelihood, summed), and its standard error.
    guard : str
        Why the answer stays next to the one without hints; empty if it does not.
    kept : float
        The share of the hints that the answer keeps.
    moved : (m,) ints
        The rows that are elsewhere than without hints.
    seconds : dict
        What each part took.
    left_out : tuple of str
        What there was no time for.
    interrupted : bool
        Whether it ended early because a person asked for it (Ctrl-C).
    landmarks : int
        Rows that stood for all; 0 where each stood for itself.
    learned_from : str
        Which of the hints landmarks know of, where that is not all: the others are heeded, but not learned from.
    broken : str
        Why hints taken as certain could not all be kept; empty where they are.
    clusters : tuple of ClusterReport
    """

    n_rows: int
    n_clusters: int
    recipe: str
    hints: str
    trust: str = "none"
    contradictions: int = 0
    dropped: int = 0
    families: tuple[FamilyReport, ...] = ()
    agreement: Array = field(default_factory=lambda: np.zeros(0), repr=False)
    gain: float = 0.0
    gain_error: float = 0.0
    guard: str = ""
    kept: float = 1.0
    moved: Array = field(default_factory=lambda: np.zeros(0, dtype=np.int64), repr=False)
    seconds: dict[str, float] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    interrupted: bool = False
    landmarks: int = 0
    learned_from: str = ""
    broken: str = ""
    clusters: tuple[ClusterReport, ...] = field(default=(), repr=False)

    def lines(self) -> list[tuple[str, str]]:
        """What there is to say, as names and values."""
        said = [
            ("data", f"{self.n_rows:,} rows; {self.recipe}"),
            ("clusters", f"{self.n_clusters}"),
            ("hints", self.hints),
        ]
        if self.landmarks:
            said.append(("landmarks", f"{self.landmarks:,} rows; all others are placed by those near them"))
        if self.learned_from:
            said.append(("learned from", self.learned_from))
        if self.trust != "none":
            said += [
                ("trust", self.trust),
                ("contradictions", f"{self.contradictions:,}"),
                ("left out as wrong", f"{self.dropped:,}"),
                ("hints kept", f"{self.kept:.1%}"),
                *([("not all kept", self.broken)] if self.broken else []),
                ("gain on unseen hints", f"{self.gain:+.1f} ± {self.gain_error:.1f}"),
                ("guard", self.guard or "did not act"),
                ("rows moved by hints", f"{len(self.moved):,}"),
            ]
        unsure = int((self.agreement < 0.5).sum())
        said.append(("rows most clusterings doubt", f"{unsure:,}"))
        said.append(("time", ", ".join(f"{name} {seconds:.1f} s" for name, seconds in self.seconds.items())))
        if self.interrupted:
            said.append(("interrupted", "the best answer by then"))
        if self.left_out:
            said.append(("no time for", "; ".join(self.left_out)))
        return said

    def cluster_lines(self) -> list[tuple[str, str]]:
        """What the clusters are about, as names and values; of many the first."""
        said = [(f"cluster {number}", str(cluster)) for number, cluster in enumerate(self.clusters[:SHOWN])]
        if len(self.clusters) > SHOWN:
            said.append(("…", f"{len(self.clusters) - SHOWN:,} more; top_features(cluster) tells of each"))
        return said

    def __str__(self) -> str:
        said, clusters = self.lines(), self.cluster_lines()
        width = max(len(name) for name, _ in said)
        text = [f"{name:<{width}}  {value}" for name, value in said]
        if clusters:
            text += ["", *(f"{name:<{width}}  {value}" for name, value in clusters)]
        if self.families:
            text += ["", f"{'family':<{width}}  members  like the answer  unseen hints kept  counts"]
            text += [
                f"{family.name:<{width}}  {family.members:>7}  {family.agreement:>15.1%}  {family.held_out:>17.1%}"
                f"  {family.voice:>6.2f}"
                for family in self.families
            ]
        return "\n".join(text)

    def _repr_html_(self) -> str:
        html = _table(self.lines(), "<caption>likewise</caption>")
        if self.clusters:
            html += _table(self.cluster_lines())
        if self.families:
            head = "<tr><th>family</th><th>members</th><th>like the answer</th><th>unseen hints kept</th>"
            head += "<th>counts</th></tr>"
            body = "".join(
                f"<tr><td>{escape(family.name)}</td><td>{family.members}</td><td>{family.agreement:.1%}</td>"
                f"<td>{family.held_out:.1%}</td><td>{family.voice:.2f}</td></tr>"
                for family in self.families
            )
            html += f"<table>{head}{body}</table>"
        return html


def _table(lines: list[tuple[str, str]], caption: str = "") -> str:
    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in lines)
    return f"<table>{caption}{rows}</table>"
