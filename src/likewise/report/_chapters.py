"""What a report says in words: what was asked, what was tried, and how to do it again."""

from __future__ import annotations

import platform
from importlib.metadata import version
from typing import Any

import numpy as np

from .. import __version__
from ..constraints._wording import counted
from ._markup import Html, element, joined, table
from ._subject import Subject

FAMILIES = {
    "without hints": "plain clusterings that heard no hints",
    "graph": "follows who is near whom, so clusters may be curved",
    "both": "looks at neighbors and at the columns themselves",
    "linear": "weighs the columns anew, by what rows said to be the same have in common",
    "relearned graph": "weighs the columns anew, then asks again who is near whom",
    "soft graph": "gives each row a chance for each cluster, by its neighbors, so that the hints come out likely",
    "soft linear": "the same, by the columns themselves",
}
"""The families of clusterings of ``Likewise``, in a reader's words."""

TRUST = {
    "strict": "as certain: rows said to be the same stay together; rows said to be different may meet only at a price",
    "weighted": "with a grain of salt: each may be broken at a price",
}

KINDS = {
    "counts": "Rows count words. A word counts for more if few rows have it; rows are alike if they share words, "
    "however long they are.",
    "text": "Rows are texts, or like texts. They are alike if they share words, however long they are.",
    "table": "Rows are alike if their values are; every column counts the same, whatever its unit.",
    "table of one scale": "Rows are alike if their values are; columns are of one scale, and are taken as they are.",
}
"""The kinds of data that ``Likewise`` tells apart, in a reader's words."""

PACKAGES = ("numpy", "scipy", "scikit-learn")


def headline(subject: Subject) -> str:
    """The result in one sentence."""
    found = f"{counted(subject.n_rows, 'row')} in {counted(subject.n_clusters, 'cluster')}"
    share = kept_share(subject)
    if share is None:
        return f"{found}, without hints."
    return f"{found}. Of {counted(n_hints(subject), 'hinted pair')} the answer keeps {share:.1%}."


def n_hints(subject: Subject) -> int:
    """Pairs that hints speak of."""
    return subject.tally.n_same + subject.tally.n_different


def kept_share(subject: Subject) -> float | None:
    """The share of hinted pairs that the answer keeps, each as one; None without hints."""
    total = n_hints(subject)
    return (subject.tally.same_kept + subject.tally.different_kept) / total if total else None


def figures(subject: Subject) -> Html:
    """The result in a few large numbers."""
    share, report = kept_share(subject), subject.report
    tiles: list[tuple[str, str]] = [(f"{subject.n_rows:,}", "rows"), (f"{subject.n_clusters:,}", "clusters")]
    if share is not None:
        tiles += [(f"{n_hints(subject):,}", "hinted pairs"), (f"{share:.0%}", "of them kept")]
    if report is not None:
        if report.trust != "none":
            tiles.append((f"{len(report.moved):,}", "rows moved by hints"))
        tiles.append((f"{int(np.sum(report.agreement < 0.5)):,}", "rows in doubt"))
    return element(
        "ul", *(element("li", element("b", number), element("span", words)) for number, words in tiles), class_="tiles"
    )


def asked(subject: Subject, recipe: str) -> Html:
    """What was asked."""
    report, model = subject.report, subject.model
    columns = counted(subject.n_columns, "different word" if subject.is_text else "column")
    lines: list[tuple[str, Any]] = [("Data", f"{counted(subject.n_rows, 'row')}, {columns}.")]
    if recipe:
        lines.append(("How it was read", recipe))
    if report is not None:
        kind, _, detail = report.recipe.partition(": ")
        lines.append(("How rows are compared", f"{KINDS.get(kind, f'{kind}.')} (In short: {detail}.)"))
    lines.append(("Clusters", _number(subject)))
    lines.append(("Hints", told(subject)))
    if report is not None and report.trust in TRUST:
        lines.append(("Hints are taken", f"{TRUST[report.trust]}."))
    if (budget := getattr(model, "budget_s", None)) is not None:
        lines.append(("Time allowed", f"{budget:g} seconds."))
    return table((), lines, kind="facts")


def told(subject: Subject) -> str:
    """The hints in words."""
    hints = subject.hints
    if hints.is_empty:
        return "None."
    said = []
    for pairs, word in ((hints.must_link, "the same"), (hints.cannot_link, "different")):
        if len(pairs):
            said.append(f"{counted(len(pairs), 'pair')} said to be {word}")
    for partition in hints.partitions:
        meaning = [
            words
            for stated, words in (
                (partition.same_within, "rows of one group are the same"),
                (partition.different_within, "rows of one group are all different"),
                (partition.different_across, "rows of two groups are different"),
            )
            if stated
        ]
        groups = counted(partition.n_blocks, "group")
        said.append(f"{counted(partition.n_known, 'row')} in {groups} ({', '.join(meaning)})")
    return "; ".join(said) + "."


def tried(subject: Subject) -> Html:
    """What was tried, and why this answer."""
    report = subject.report
    if report is None:
        named = subject.model.get_params(deep=False) if hasattr(subject.model, "get_params") else {}
        rows = [(name, repr(value)) for name, value in named.items()]
        return joined(
            [
                element("p", f"One method was run: {type(subject.model).__name__}, with these settings."),
                table(("setting", "value"), rows),
            ]
        )
    parts = [element("p", _method(report))]
    if report.families:
        parts.append(element("p", _choice(report)))
        kinds = [
            (
                joined([element("b", family.name), element("span", FAMILIES.get(family.name, ""), class_="meaning")]),
                f"{family.members}",
                f"{family.agreement:.0%}",
                f"{family.held_out:.0%}",
                f"{family.voice:.2f}",
            )
            for family in report.families
        ]
        head = ("kind of clustering", "how many", "rows placed as in the answer", "unseen hints kept", "counts")
        parts.append(table(head, kinds))
        parts.append(
            element(
                "p",
                "Every clustering learned from a part of the hints only. “Unseen hints kept” is how often it agrees "
                "with the hints it was not shown: that tells whether anything was learned. Those without hints have "
                "seen none. A kind that explains unseen hints clearly worse than the best one counts for less.",
                class_="note",
            )
        )
    parts += [element("p", sentence) for sentence in _caveats(report)]
    return joined(parts)


def repeat(subject: Subject, command: str, seed: Any) -> Html:
    """How to do it again."""
    model = subject.model
    if seed is None:
        seed = getattr(model, "random_state", None)
    steady = isinstance(seed, int | np.integer)
    rows: list[tuple[str, Any]] = [
        ("seed", str(seed) if steady else "none was set: another run may differ a little"),
        ("likewise", __version__),
        *((name, version(name)) for name in PACKAGES),
        ("Python", platform.python_version()),
        ("system", f"{platform.system()} {platform.machine()}"),
    ]
    seconds = getattr(subject.report, "seconds", None) or {}
    rows += [(f"time: {part}", f"{spent:.1f} s") for part, spent in seconds.items()]
    parts = [element("p", "The same data, hints, settings and versions give the same clusters.") if steady else None]
    if command:
        parts += [element("h3", "Command"), element("pre", element("code", command))]
    parts += [
        element("h3", "In Python"),
        element("pre", element("code", f"{' '.join(repr(model).split())}.fit(X, constraints=hints)")),
        table((), rows, kind="facts"),
    ]
    return joined(parts)


def _number(subject: Subject) -> str:
    wanted = getattr(subject.model, "n_clusters", None)
    if wanted is None and subject.report is not None:
        why = "suits the hints best" if not subject.hints.is_empty else "parts the data best"
        return f"Nobody said how many; {subject.n_clusters} {why}."
    if wanted is not None and wanted != subject.n_clusters:
        return f"{wanted} were asked for, {subject.n_clusters} were found."
    return f"{subject.n_clusters} were asked for." if wanted is not None else f"{subject.n_clusters} were found."


def _method(report: Any) -> str:
    members = sum(family.members for family in report.families)
    if not report.families:
        return (
            "Many plain clusterings were made, and rows that most of them put together are together here. There were "
            "no hints to learn from."
        )
    learned = members - sum(family.members for family in report.families if family.name == "without hints")
    return (
        f"{members} clusterings were made: {members - learned} that heard no hints, and {learned} that learned from "
        f"them in {len(report.families) - 1} ways. Rows that most of them put together are together in the answer; "
        "each way counts the same."
    )


def _choice(report: Any) -> str:
    gain = f"{report.gain:+.1f} ± {report.gain_error:.1f}".replace("-", "−")
    if report.guard:
        return (
            f"The answer stays close to the one without hints, because {report.guard}. (Gain in foreseeing unseen "
            f"hints, as a log-likelihood: {gain}.)"
        )
    return (
        "The hints taught something: clusterings that learned from them foresee hints they were not shown better than "
        f"clusterings without hints do. (Gain as a log-likelihood: {gain}; above 0 is better.) "
        f"So {counted(len(report.moved), 'row')} moved to another cluster."
    )


def _caveats(report: Any) -> list[str]:
    said = []
    if report.landmarks:
        said.append(
            f"{report.landmarks:,} of {report.n_rows:,} rows were clustered; every other row joined the clusters of "
            "the rows near it."
        )
    if report.learned_from:
        said.append(f"The clusterings learned from {report.learned_from}; the others were heeded in the end.")
    if report.broken:
        said.append(f"Not all hints could be kept: {report.broken}")
    if report.left_out:
        said.append(f"There was no time for {'; '.join(report.left_out)}.")
    if report.interrupted:
        said.append("It was interrupted: this is the best answer by then.")
    return said
