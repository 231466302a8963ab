"""Chapters of a report that are words and tables: what was asked, what was tried, how to repeat it."""

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
from ._markup import Html, element, joined, table

FAMILIES = {
    UNSUPERVISED: "plain clusterings that use no hints",
    "graph": "follows who is near whom, so clusters may be curved",
    "both": "looks at neighbors and at the columns themselves",
    "linear": "weighs the columns anew, by what rows said to be the same have in common",
    "relearned graph": "weighs the columns anew, then finds neighbors again",
    "soft graph": "gives each row a probability for each cluster, by its neighbors, so that the hints are likely",
    "soft linear": "the same, by the columns themselves",
    "soft unsupervised": "the same, by the columns themselves, from the clusters without hints on",
    "compared graph": "follows who is near whom, and moves rows until what is said to be more alike is nearer",
    "compared both": "the same, by neighbors and by the columns themselves",
    "compared linear": "the same, by the columns themselves",
}
"""The families of clusterings of ``Likewise``, in a reader's words."""

TRUST = {
    "strict": "as certain: rows said to be the same stay together, and rows said to be different share a cluster only "
    "at a cost",
    "weighted": "as likely, not as certain: each may be broken at a cost",
}

KINDS = {
    DataKind.COUNTS: "Rows count words. A word counts for more if few rows have it; rows are alike if they share "
    "words, however long they are.",
    DataKind.TEXT: "Rows are texts, or like texts. They are alike if they share words, however long they are.",
    DataKind.TABLE: "Rows are alike if their values are; every column counts the same, whatever its unit.",
    DataKind.ONE_SCALE: "Rows are alike if their values are; columns are of one scale, and are taken as they are.",
    DataKind.MIXED: "Rows are alike if their values are; numbers, categories and texts count the same, however many "
    "columns they make.",
    DataKind.IMAGES: "Rows are pictures. They are alike if their pixels are.",
}
"""The kinds of data, in a reader's words."""

PACKAGES = ("numpy", "scipy", "scikit-learn")


def headline(facts: Facts) -> str:
    """The result in one sentence."""
    found = f"{pluralize(facts.n_rows, 'row')} in {pluralize(facts.n_clusters, 'cluster')}"
    if facts.kept_share is None:
        return f"{found}, by links and contents." if facts.links is not None else f"{found}, without hints."
    return f"{found}, with {facts.hints_in_words}."


def made(facts: Facts) -> Html:
    """How the result was made: what was asked, and what was tried."""
    return joined([asked(facts), element("h3", "What was tried"), tried(facts)])


def asked(facts: Facts) -> Html:
    """What was asked: the data, the number of clusters, the hints."""
    report = facts.report
    columns = pluralize(facts.n_columns, "different word" if facts.is_text else "column")
    lines: list[tuple[str, Any]] = [("Data", f"{pluralize(facts.n_rows, 'row')}, {columns}.")]
    if facts.preprocessing:
        lines.append(("How it was read", facts.preprocessing))
    if report is not None:
        lines.append(("How rows are compared", f"{KINDS[facts.kind]} (In short: {report.preprocessing}.)"))
    lines.append(("Clusters", _number_of_clusters(facts)))
    if facts.links is not None:
        lines.append(("Links", f"{pluralize(facts.links.nnz, 'link')} between rows."))
    lines.append(("Hints", _hints(facts)))
    if report is not None and report.trust in TRUST:
        lines.append(("Hints are taken", f"{TRUST[report.trust]}."))
    if (budget := getattr(facts.model, "budget_s", None)) is not None:
        lines.append(("Time allowed", f"{budget:g} seconds."))
    return table((), lines, kind="facts")


def tried(facts: Facts) -> Html:
    """What was tried, and why this result."""
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
        sentence = "Links count as hints: rows that are linked, or share what they link to, as the same."
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
        head = ("family of clusterings", "how many", "rows placed as in the result", "unseen hints kept", "weight")
        parts.append(table(head, rows))
        note = (
            "Every clustering learned from a part of the hints only. “Unseen hints kept” is how often it agrees with "
            "the hints it was not shown, which tells whether anything was learned; those without hints were shown "
            "none. A family’s weight is its share in the result: the less, the worse it explains unseen hints; what "
            "families that learned lose where hints count little, those without hints gain."
        )
        parts.append(element("p", note, class_="note"))
    parts += [element("p", sentence) for sentence in _caveats(report)]
    return joined(parts)


def repeat(facts: Facts) -> Html:
    """How to get the same clusters again."""
    has_seed = isinstance(facts.seed, int | np.integer)
    rows: list[tuple[str, Any]] = [
        ("seed", str(facts.seed) if has_seed else "none was set: another run may differ a little"),
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
        parts += [element("h3", "Command"), _copied(facts.command)]
    parts += [element("h3", "In Python"), _copied(facts.code or _code(facts))]
    if not facts.code:
        parts.append(element("p", "X and hints are the data and the hints that you passed.", class_="note"))
    return joined([*parts, table((), rows, kind="facts")])


def _copied(text: str) -> Html:
    """A block of text with a button that copies it."""
    button = element("button", "Copy", type="button", class_="copy script", data_copy=True)
    return element("div", element("pre", element("code", text), tabindex="0"), button, class_="copied")


def _code(facts: Facts) -> str:
    """Python that fits the same model, where the data is at hand."""
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
    """The hints in words."""
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
        why = "fits the data best" if facts.constraints.is_empty else "fits the hints best"
        return f"No number was given; {facts.n_clusters} {why}."
    if wanted is None:
        return f"{facts.n_clusters} were found."
    if wanted != facts.n_clusters:
        return f"{wanted} were asked for, {facts.n_clusters} were found."
    return f"{wanted} were asked for."


def _method(report: Any) -> str:
    if not report.families:
        return (
            "Many plain clusterings were made, and rows that most of them put together are together here. There were "
            "no hints to learn from."
        )
    members = sum(family.members for family in report.families)
    unsupervised = sum(family.members for family in report.families if family.name == UNSUPERVISED)
    return (
        f"{members} clusterings were made: {unsupervised} without hints, and {members - unsupervised} that learned "
        f"from them, in {len(report.families) - 1} families. Rows that most of them put together are together in "
        "the result; each family counts by its weight, given below."
    )


def _learned(report: Any) -> str:
    gain = f"{report.gain:+.1f} ± {report.gain_error:.1f}".replace("-", "−")
    if report.fallback:
        words = f"Nothing was learned from the hints ({report.fallback}); they apply to their own rows only."
    else:
        words = (
            f"What was learned from the hints counts {report.constraint_weight:.0%}; the rest is what clusterings "
            "without hints say. It counts the more, the better it predicts hints that it was not shown. (Gain as a "
            f"log-likelihood: {gain}; above 0 is better.) {pluralize(len(report.moved), 'row')} moved to another "
            "cluster."
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
