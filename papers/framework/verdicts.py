"""Does a measurement agree with what was published?"""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan, sqrt

from likewise.evaluation import Results

from .claims import Claim, Claims
from .study import Study

COLUMNS = ("likewise", "umap")
"""Columns that no paper has: our own default pipeline, and UMAP, which uses no hints."""

WIDEST = 0.05
"""Runs that scatter so much that two standard errors are more than this have not shown agreement."""


@dataclass(frozen=True)
class Verdict:
    """What we say of one cell."""

    word: str
    why: str = ""

    def __str__(self) -> str:
        if self.word == "differs" and self.why:
            return f"differs because: {self.why}"
        return f"{self.word}: {self.why}" if self.why else self.word


def judge(claim: Claim, claims: Claims, results: Results) -> Verdict:
    """Compare a claim with its measured value.

    A mean within the claims' tolerance, or within two standard errors but no more than 0.05, of the published figure is
    *reproduced*; one beyond it on the good side is *better*; anything else *differs*, with the reason that the claims
    give.
    """
    if claim.absent:
        return Verdict("not measured", claim.absent)
    value, runs = results.mean(claim.id), len(results.values_of(claim.id))
    reason = claims.reason(claim.id)
    if isnan(value):
        tried = len(results.get(claim.id, {}))
        return Verdict("no answer", reason or f"in {tried} of {tried} runs") if tried else Verdict("not run")
    if claim.slip:
        return Verdict("slip", claim.slip)
    if claim.is_statement:
        return Verdict("reproduced") if value >= claim.least else Verdict("differs", reason)
    if claim.unit == "s":
        return Verdict("time", "another machine: only ratios say something")
    error = min(2 * results.deviation(claim.id) / sqrt(runs), WIDEST)
    if claim.how == "wilcoxon":
        alike = (value < 0.05) == (claim.published < 0.05)
        return Verdict("reproduced") if alike else Verdict("differs", reason)
    room = max(claims.tolerance * (100 if claim.how in ("gain", "saving") else 1), error)
    if abs(value - claim.published) <= room:
        return Verdict("reproduced")
    if (value < claim.published) == claim.lower_is_better:
        return Verdict("better")
    return Verdict("differs", reason)


@dataclass(frozen=True)
class Row:
    """One row of a table: what the paper's best method reached, and what our columns did."""

    study: str
    name: str
    published: float
    method: str
    ours: dict[str, float]
    obstacle: str = ""

    def reached(self, column: str) -> bool:
        """Whether a column is at or above the published best, at the paper's own precision."""
        return column in self.ours and self.ours[column] >= self.published - 5e-4


def scoreboard(study: Study, results: Results) -> list[Row]:
    """Every row of the study's tables in which our own column competes."""
    claims = {claim.id: claim for claim in study.claims if not (claim.how or claim.unit or claim.slip)}
    rows = []
    for trial in study.trials.values():
        for score in trial.scores:
            tail = f"/{score}" if len(trial.scores) > 1 else ""
            rivals = [name for name in (trial.name, *trial.rivals) if name in study.trials]
            figures = {
                method: claims[cell].published
                for name in rivals
                for method in study.trials[name].methods
                if (cell := f"{name}/{method}{tail}") in claims and not claims[cell].lower_is_better
            }
            ours = {
                column: results.mean(cell)
                for name in reversed(rivals)
                for column in COLUMNS
                if (cell := f"{name}/{column}{tail}") in results
            }
            if figures and f"{trial.name}/likewise{tail}" in results:
                best = max(figures, key=lambda method: figures[method])
                name = trial.name + tail
                rows.append(Row(study.name, name, figures[best], best, ours, study.claims.obstacle(name)))
    return rows
