"""The report: every cell, published and measured, and the scoreboard."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from math import isnan
from pathlib import Path

from likewise._atomic import atomic_write_text
from likewise.evaluation import Results

from .claims import Claim
from .statements import with_derived
from .study import Study
from .verdicts import COLUMNS, Row, judge, scoreboard

WORDS = ("reproduced", "better", "differs", "no answer", "slip", "time", "not measured", "not run")


def write_report(path: str | Path, studies: Sequence[tuple[Study, Results]], *, note: str = "") -> Path:
    """Write ``REPORT.md`` for some studies and what was measured for them; the file is whole or not there."""
    path = Path(path)
    found = [(study, with_derived(study.claims, results)) for study, results in studies]
    lines = [
        "# The papers, measured again",
        "",
        "Written by `likewise papers`; do not edit. *Reproduced*: the mean of our runs is within the tolerance (0.02 "
        "where nothing else is said) or two standard errors (no more than 0.05) of the published figure. *Better*: "
        "beyond it on the good side. *Differs*: neither, and why. A statement about a figure has the share of "
        "comparisons in which it holds; published, that is 1.",
        *(["", note] if note else []),
        "",
        "| paper | cells | " + " | ".join(WORDS) + " |",
        "|---|---" + "|---" * len(WORDS) + "|",
    ]
    for study, results in found:
        words = [judge(claim, study.claims, results).word for claim in study.claims]
        counts = " | ".join(str(words.count(word)) for word in WORDS)
        lines.append(f"| [{study.name}](#{study.name}) | {len(words)} | {counts} |")
    for study, results in found:
        lines += _chapter(study, results)
    lines += _scores([row for study, results in found for row in scoreboard(study, results)])
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write_text(path) as file:
        file.write("\n".join(lines) + "\n")
    return path


def _chapter(study: Study, results: Results) -> list[str]:
    claims = study.claims
    lines = ["", f"## {study.name}", "", f"{claims.title}. {claims.reference}".strip()]
    extra = _unpublished(study, results)
    for part, members in groupby(claims, key=lambda claim: claim.id.split("/")[0]):
        title = claims.titles.get(part, "")
        lines += ["", f"### {part}{': ' + title if title else ''}", ""]
        if part in claims.because:
            lines += [claims.because[part], ""]
        lines += ["| cell | published | ours | runs | verdict |", "|---|---:|---:|---:|---|"]
        lines += [_line(study, claim, results) for claim in members]
        lines += [
            f"| {cell} | — | {_ours(cell, results)} | {len(results.values_of(cell))} | nobody published this |"
            for cell in extra
            if cell.split("/")[0] == part
        ]
    return lines


def _line(study: Study, claim: Claim, results: Results) -> str:
    verdict = judge(claim, study.claims, results)
    why = "" if verdict.why == study.claims.because.get(claim.id.split("/")[0]) else str(verdict)
    name = f"{claim.id}: {claim.says}" if claim.says else claim.id
    unit = f" {claim.unit}" if claim.unit else ""
    runs = len(results.values_of(claim.id)) if not claim.how else "derived"
    return f"| {name} | {claim.published:g}{unit} | {_ours(claim.id, results)} | {runs} | {why or verdict.word} |"


def _ours(cell: str, results: Results) -> str:
    mean = results.mean(cell)
    if isnan(mean):
        return "—"
    digits = 1 if abs(mean) >= 100 else 3
    spread = f" ± {results.deviation(cell):.{digits}f}" if len(results.values_of(cell)) > 1 else ""
    return f"{mean:.{digits}f}{spread}"


def _unpublished(study: Study, results: Results) -> list[str]:
    """Our two columns, and further readings of a method beside those that the paper's table has."""
    stated = {claim.id for claim in study.claims}
    further = {
        cell
        for trial in study.trials.values()
        if any(cell in stated for method in trial.methods for cell in trial.cells(method))
        for method in trial.methods
        for cell in trial.cells(method)
    }
    return sorted(
        cell for cell in results if cell not in stated and (cell in further or set(cell.split("/")) & set(COLUMNS))
    )


def _scores(rows: Sequence[Row]) -> list[str]:
    lines = ["", "## Scoreboard", ""]
    if not rows:
        return [*lines, "No row with the column `likewise` has been run yet."]
    for column in COLUMNS:
        among = [row for row in rows if column in row.ours]
        if among:
            reached = sum(row.reached(column) for row in among)
            lines.append(f"- `{column}` is at or above the published best in **{reached} of {len(among)}** rows.")
    lines += ["", "Rows where `likewise` is below the published best:", ""]
    lines += ["| paper | row | published best | likewise | umap | in the way |", "|---|---|---:|---:|---:|---|"]
    for row in rows:
        if not row.reached("likewise"):
            umap = f"{row.ours['umap']:.3f}" if "umap" in row.ours else "—"
            best = f"{row.published:.3f} ({row.method})"
            numbers = f"{best} | {row.ours['likewise']:.3f} | {umap}"
            lines.append(f"| {row.study} | {row.name} | {numbers} | {row.obstacle} |")
    return lines
