"""Chapters of the report with text and tables: the settings, the method, and how to reproduce the result."""

from __future__ import annotations

import platform
from importlib.metadata import version
from typing import Any

import numpy as np

import likewise

from .. import __version__
from ..constraints._format import describe_partition, pluralize
from ..front._evidence import UNSUPERVISED
from ..prepare._kinds import DataKind
from ._facts import Facts
from ._markup import Html, copied, element, joined, table

FAMILIES = {
    UNSUPERVISED: "plain clusterings that use no hints",
    "graph": "follows nearest neighbors, so clusters may be curved",
    "both": "uses nearest neighbors and the columns themselves",
    "linear": "reweights the columns by what rows said to be the same have in common",
    "relearned graph": "reweights the columns, then finds nearest neighbors again",
    "soft graph": "gives each row a probability for each cluster that makes the hints likely, by its neighbors",
    "soft linear": "the same, by the columns themselves",
    "soft unsupervised": "the same, by the columns themselves, starting from the clusters without hints",
    "compared graph": "follows nearest neighbors, and moves rows until those said to be more alike are closer",
    "compared both": "the same, by neighbors and by the columns themselves",
    "compared linear": "the same, by the columns themselves",
}
"""Descriptions of the families of clusterings of ``Likewise``."""

TRUST = {
    "strict": "Strict: rows said to be the same stay together; rows said to be different share a cluster only at a "
    "cost.",
    "weighted": "Weighted: a hint that the data contradicts may be broken, at a cost.",
}

KINDS = {
    DataKind.COUNTS: "Rows count words. A word that few rows have weighs more; rows are similar if they share words, "
    "whatever their length.",
    DataKind.TEXT: "Rows are texts. They are similar if they share words, whatever their length.",
    DataKind.TABLE: "Rows are similar if their values are; every column counts the same, whatever its unit.",
    DataKind.ONE_SCALE: "Rows are similar if their values are; columns are on one scale and are not rescaled.",
    DataKind.MIXED: "Rows are similar if their values are; each number, category and date counts the same, and all "
    "texts together as much as all of these.",
    DataKind.IMAGES: "Rows are images. They are similar if their pixels are.",
}
"""Descriptions of how rows are compared, by the kind of data."""

PACKAGES = ("numpy", "scipy", "scikit-learn")
"""Packages whose versions are shown."""


def headline(facts: Facts) -> str:
    """The result in one sentence."""
    found = f"{pluralize(facts.n_rows, 'row')} in {pluralize(facts.n_clusters, 'cluster')}"
    if facts.kept_share is None:
        return f"{found}, by links and contents." if facts.links is not None else f"{found}, without hints."
    return f"{found}, with {facts.hints_in_words}."


def made(facts: Facts) -> Html:
    """The chapter on the method: the settings, and the clusterings that were computed."""
    return joined([asked(facts), element("h3", "What was tried"), tried(facts)])


def asked(facts: Facts) -> Html:
    """The settings: the data, the number of clusters, and the hints."""
    report = facts.report
    columns = pluralize(facts.n_columns, "different word" if facts.is_text else "column")
    lines: list[tuple[str, Any]] = [("Data", f"{pluralize(facts.n_rows, 'row')}, {columns}.")]
    if facts.preprocessing:
        lines.append(("How it was read", facts.preprocessing))
    if report is not None:
        lines.append(("How rows are compared", f"{KINDS[facts.kind]} In detail: {report.preprocessing}."))
    lines.append(("Clusters", _number_of_clusters(facts)))
    if facts.links is not None:
        lines.append(("Links", f"{pluralize(facts.links.nnz, 'link')} between rows."))
    lines.append(("Hints", _hints(facts)))
    if report is not None and report.trust in TRUST:
        lines.append(("Trust in hints", TRUST[report.trust]))
    if (budget := getattr(facts.model, "budget_s", None)) is not None:
        lines.append(("Time allowed", f"{budget:g} seconds."))
    return table((), lines, kind="facts")


def tried(facts: Facts) -> Html:
    """The clusterings that were computed, and their weights in the result."""
    report = facts.report
    if report is None:
        parameters = facts.model.get_params(deep=False) if hasattr(facts.model, "get_params") else {}
        return joined(
            [
                element("p", f"One method was run: {type(facts.model).__name__}, with these settings."),
                table(("setting", "value"), [(name, repr(value)) for name, value in parameters.items()]),
            ]
        )
    parts = [element("p", _method(report))]
    if facts.links is not None and report.families:
        sentence = "Links were used as hints: rows that are linked, or that link to the same rows, count as the same."
        parts.append(element("p", sentence))
    if report.families:
        parts.append(element("p", _learned(report)))
        rows = [
            (
                joined([element("b", family.name), element("span", FAMILIES[family.name], class_="meaning")]),
                f"{family.members}",
                f"{family.agreement:.0%}",
                f"{family.held_out:.0%}",
                f"{family.weight:.2f}",
            )
            for family in report.families
        ]
        head = ("family of clusterings", "how many", "rows placed as in the result", "held-out hints kept", "weight")
        parts.append(table(head, rows))
        note = (
            "Each clustering learned from a part of the hints. “Held-out hints kept” is the share of the other hints "
            "that it keeps, which shows whether it learned something. A family’s weight is its share in the result; "
            "it is smaller for families that explain held-out hints worse. Where hints count little, the weight of "
            "families that learned goes to the clusterings without hints."
        )
        parts.append(element("p", note, class_="note"))
    parts += [element("p", sentence) for sentence in _caveats(report)]
    return joined(parts)


def repeat(facts: Facts) -> Html:
    """The chapter on reproducing the result: the code, the seed, and the versions."""
    has_seed = isinstance(facts.seed, int | np.integer)
    rows: list[tuple[str, Any]] = [
        ("seed", str(facts.seed) if has_seed else "none was set, so another run may differ slightly"),
        ("likewise", __version__),
        *((name, version(name)) for name in PACKAGES),
        ("Python", platform.python_version()),
        ("system", f"{platform.system()} {platform.machine()}"),
    ]
    seconds = getattr(facts.report, "seconds", None) or {}
    rows += [(f"time: {part}", f"{spent:.1f} s") for part, spent in seconds.items()]
    sentence = "The same data, hints, settings and versions give the same clusters."
    parts = [element("p", sentence) if has_seed else None]
    if facts.command:
        parts += [element("h3", "Command"), copied(facts.command)]
    parts += [element("h3", "In Python"), copied(facts.code or _code(facts))]
    if not facts.code:
        parts.append(element("p", f"{_passed(facts)} that you passed.", class_="note"))
    return joined([*parts, table((), rows, kind="facts")])


def _passed(facts: Facts) -> str:
    """The variables that the code does not define."""
    given = {"hints": not facts.constraints.is_empty, "links": facts.links is not None}
    names = ["X", *(name for name, is_given in given.items() if is_given)]
    if len(names) == 1:
        return "X is the data"
    return f"{', '.join(names[:-1])} and {names[-1]} are the data and the {' and '.join(names[1:])}"


def _code(facts: Facts) -> str:
    """Python code that fits the same model to the same data."""
    estimator = type(facts.model).__name__
    hints = "" if facts.constraints.is_empty else ", constraints=hints"
    links = "" if facts.links is None else ", links=links"
    return (
        f"import likewise\n\nmodel = likewise.{' '.join(repr(facts.model).split())}\nmodel.fit(X{hints}{links})\n"
        f"model.labels_"
        if hasattr(likewise, estimator)
        else f"model = {' '.join(repr(facts.model).split())}\nmodel.fit(X{hints}{links})\nmodel.labels_"
    )


def _hints(facts: Facts) -> str:
    """A description of the hints."""
    constraints = facts.constraints
    if constraints.is_empty:
        return "None, apart from the links." if facts.links is not None else "None."
    sentences = []
    for pairs, word in ((constraints.must_link, "the same"), (constraints.cannot_link, "different")):
        if len(pairs):
            sentences.append(f"{pluralize(len(pairs), 'pair')} said to be {word}")
    sentences += [describe_partition(partition) for partition in constraints.partitions]
    return "; ".join(sentences) + "."


def _number_of_clusters(facts: Facts) -> str:
    wanted = getattr(facts.model, "n_clusters", None)
    if wanted is None and facts.report is not None:
        why = "the data" if facts.constraints.is_empty else "the data and the hints"
        return f"No number was given; {pluralize(facts.n_clusters, 'cluster')} fit {why} best."
    if wanted is None:
        return f"{facts.n_clusters} were found."
    if wanted != facts.n_clusters:
        return f"{wanted} were asked for, {facts.n_clusters} were found."
    return f"{wanted} were asked for."


def _method(report: Any) -> str:
    if not report.families:
        return (
            "Many clusterings were made without hints; rows that most of them put together are together in the result."
        )
    members = sum(family.members for family in report.families)
    unsupervised = sum(family.members for family in report.families if family.name == UNSUPERVISED)
    return (
        f"{members} clusterings were made: {unsupervised} without hints, and {members - unsupervised} that learned "
        f"from them, in {len(report.families) - 1} families. Rows that most of them put together are together in "
        "the result; the weight of each family is given below."
    )


def _learned(report: Any) -> str:
    gain = f"{report.gain:+.1f} ± {report.gain_error:.1f}".replace("-", "−")
    if report.fallback:
        words = f"Nothing was learned from the hints ({report.fallback}); they apply to their own rows only."
    else:
        words = (
            f"What was learned from the hints counts {report.constraint_weight:.0%}; clusterings without hints decide "
            "the rest. This share depends on how well held-out hints are predicted (gain in log-likelihood over "
            f"clusterings without hints: {gain}). {pluralize(len(report.moved), 'row')} moved to another cluster."
        )
    return f"{words} What to do next: {report.advice}." if report.advice else words


def _caveats(report: Any) -> list[str]:
    sentences = []
    if report.landmarks:
        sentences.append(
            f"{report.landmarks:,} of {report.n_rows:,} rows were clustered; every other row joined the clusters of "
            "the rows near it."
        )
    if report.learned_from:
        sentences.append(f"The clusterings learned from {report.learned_from}; the others were applied at the end.")
    if report.broken:
        sentences.append(f"Not all hints could be kept: {report.broken}")
    if report.left_out:
        sentences.append(f"There was no time for {'; '.join(report.left_out)}.")
    if report.interrupted:
        sentences.append("It was interrupted: this is the best result by then.")
    return sentences
