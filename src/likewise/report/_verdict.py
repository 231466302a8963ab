"""What a reader should know first: whether hints were followed, what to check, what to do next."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..constraints._format import pluralize
from ..front._advice import AGREEING
from ..questions._answers import LITTLE as LITTLE_GAIN
from ._classes_chapter import class_scores
from ._facts import Facts
from ._map_data import likely_wrong
from ._markup import Html, element

GOOD_SHARE, POOR_SHARE = 0.95, 0.75
"""Shares of hints kept that are good, and that are poor."""

LITTLE, HALF = 0.15, 0.6
"""Weights of hints in the result below which they count for little, and for a part."""

SIGNS = {"good": "✓", "warn": "!", "bad": "✗", "plain": "i"}


class Verdict(NamedTuple):
    """One thing to know: how good it is, in a few words, in a sentence or two, and where to read on."""

    tone: str
    head: str
    text: str = ""
    link: tuple[str, str] | None = None


def verdict(facts: Facts) -> Html:
    """The verdict, in color, and what else to look at."""
    first, *others = [_hints(facts), *_others(facts)]
    items = [element("li", *_words(one), class_=f"state {one.tone}") for one in others]
    return element(
        "div",
        element("div", *_words(first), class_=f"state main {first.tone}"),
        element("ul", *items, class_="states") if items else None,
        class_="verdict",
    )


def _words(one: Verdict) -> list[Html | None]:
    link = None if one.link is None else element("a", one.link[1], href=one.link[0])
    return [
        element("span", SIGNS[one.tone], class_="sign", aria_hidden="true"),
        element("p", element("b", one.head), f" {one.text}" if one.text else None, " " if link else None, link),
    ]


def _hints(facts: Facts) -> Verdict:
    """Whether the hints were followed."""
    report = facts.report
    if facts.kept_share is None:
        if facts.links is not None:
            return Verdict("plain", "Grouped by links and contents.", _links(facts))
        if report is None:
            return Verdict("plain", "No hints were given.")
        text = "These are the clusters that the data suggests by itself; a few hints can change that."
        number = len(facts.questions)
        link = ("#ask", f"Answer {pluralize(number, 'question')}") if number else ("#ask", "Give some")
        return Verdict("plain", "No hints were given.", text, link)
    kept = _kept(facts)
    weight = 1.0 if report is None else report.constraint_weight
    advice = "" if report is None else report.advice
    if advice and weight >= LITTLE:
        advice = f"what they teach counts {_percent(weight)}: {advice}"
    more = _sentence(advice)
    if facts.links is not None:
        more = f"{_links(facts)} {more}".strip()
    if weight < 1 and facts.kept_without >= AGREEING:
        head = f"{kept}; without hints {_percent(facts.kept_without)} would be."
        text = "So the hints confirm more than they teach; hints about rows in doubt would teach more."
        return Verdict("good" if facts.kept_share >= GOOD_SHARE else "warn", head, text, ("#ask", "Give such hints"))
    if weight < LITTLE and facts.kept_share < GOOD_SHARE:
        return Verdict("bad", f"{kept}: the hints were not followed.", more, ("#ask", "Give more hints"))
    if weight < LITTLE:
        head = f"{kept}, but rows without hints are placed as if there were none."
        return Verdict("warn", head, more, ("#ask", "Give more hints"))
    if facts.kept_share < POOR_SHARE:
        return Verdict("bad", f"{kept}: many hints are broken.", more, ("#hints", "See where"))
    if weight < HALF:
        return Verdict("warn", f"{kept}.", more, ("#ask", "Give more hints"))
    if facts.kept_share < GOOD_SHARE:
        return Verdict("warn", f"{kept}.", more, ("#hints", "See which are broken"))
    moved = 0 if facts.moved is None else len(facts.moved)
    changed = f"Hints moved {pluralize(moved, 'row')} to another cluster." if moved else ""
    text = " ".join(filter(None, [changed, more]))
    return Verdict("good", f"{kept}.", text, ("#moved", "See which") if moved else None)


def _kept(facts: Facts) -> str:
    if facts.n_hints == 1:
        return "The only hint is kept" if facts.kept_share else "The only hint is broken"
    if facts.kept_share == 1:
        return f"All {facts.hints_in_words} kept"
    share = _percent(facts.kept_share or 0.0)
    if facts.hints_in_words.endswith(("label", "labels")):
        return f"{share} of {facts.n_hints:,} pairs kept that follow from {facts.hints_in_words}"
    return f"{share} of {facts.hints_in_words} kept"


def _others(facts: Facts) -> list[Verdict]:
    found = []
    report = facts.report
    if wrong := len(likely_wrong(facts)):
        found.append(Verdict("warn", f"{pluralize(wrong, 'hint')} to check.", link=("#wrong", "Likely wrong")))
    if report is not None and report.contradictions:
        verb = "contradicts" if report.contradictions == 1 else "contradict"
        number = pluralize(report.contradictions, "hint")
        found.append(Verdict("warn", f"{number} {verb} others.", link=("#hints", "Hints")))
    wanted = getattr(facts.model, "n_clusters", None)
    if wanted is not None and wanted != facts.n_clusters:
        found.append(Verdict("warn", f"{wanted} clusters were asked for, {facts.n_clusters} found."))
    if facts.certainty is not None:
        count = len(facts.doubtful)
        tone = "warn" if count > facts.n_rows / 4 else "plain"
        share = f" ({_percent(count / facts.n_rows)})" if count else ""
        link = ("#rows", "List them") if count else None
        number = pluralize(count, "row") if count else "No row"
        found.append(Verdict(tone if count else "good", f"{number} in doubt{share}.", link=link))
    if facts.answers is not None and (outlook := facts.answers.outlook):
        gain = facts.answers.expected_gain
        tone = "good" if gain is not None and gain <= LITTLE_GAIN else "plain"
        found.append(Verdict(tone, outlook, link=("#ask", "Answer more")))
    if (scores := class_scores(facts)) is not None:
        now = scores.after.nmi
        before = "" if scores.before is None else f", {scores.before.nmi:.2f} without hints"
        found.append(Verdict("plain", f"NMI {now:.2f} with known classes{before}.", link=("#classes", "Compare")))
    if report is not None and (report.interrupted or report.left_out):
        found.append(Verdict("warn", "Cut short: time was up.", link=("#made", "What is missing")))
    return found


def _sentence(words: str) -> str:
    """Words as a sentence: with a capital and a period."""
    return f"{words[:1].upper()}{words[1:]}." if words else ""


def _links(facts: Facts) -> str:
    assert facts.links is not None
    inside = float(np.mean(facts.labels[facts.links.row] == facts.labels[facts.links.col])) if facts.links.nnz else 0.0
    return f"{facts.links.nnz:,} links between rows were used; {_percent(inside)} of them join rows of one cluster."


def _percent(share: float) -> str:
    """A share in whole percent; never 100% or 0% unless it is.

    >>> _percent(0.999), _percent(1.0), _percent(0.571)
    ('99%', '100%', '57%')
    """
    rounded = round(100 * share)
    if rounded == 100 and share < 1:
        rounded = 99
    if rounded == 0 and share > 0:
        rounded = 1
    return f"{rounded}%"
