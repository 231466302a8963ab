"""The verdict at the top of the report: whether hints were followed, what to check, and what to do next."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from .._arrays import IntArray
from ..constraints._format import pluralize
from ..front._advice import AGREEING
from ..questions._answers import LITTLE as LITTLE_GAIN
from ._classes_chapter import class_scores
from ._facts import Facts
from ._map_data import likely_wrong
from ._markup import Html, element

GOOD_SHARE, POOR_SHARE = 0.95, 0.75
"""Shares of kept hints above which the result is good, and below which it is poor."""

LITTLE, HALF = 0.15, 0.6
"""Weights of hints in the result below which they have little, or only partial, influence."""

SIGNS = {"good": "✓", "warn": "!", "bad": "✗", "plain": "i"}


class Verdict(NamedTuple):
    """One finding: its tone, a headline, one or two sentences, and a link to more details."""

    tone: str
    head: str
    text: str = ""
    link: tuple[str, str] | None = None


def verdict(facts: Facts) -> Html:
    """The main verdict, in color, and other findings."""
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
            return Verdict("plain", "Grouped by links and contents.", links_in_words(facts.links, facts.labels))
        if report is None:
            return Verdict("plain", "No hints were given.")
        text = "These are the clusters that the data shows by itself; a few hints can change them."
        number = len(facts.questions)
        link = ("#ask", f"Answer {pluralize(number, 'question')}") if number else ("#ask", "Give some")
        return Verdict("plain", "No hints were given.", text, link)
    kept = _kept(facts)
    weight = 1.0 if report is None else report.constraint_weight
    advice = "" if report is None else report.advice
    if advice and weight >= LITTLE:
        advice = f"what was learned from them counts {percent(weight)}: {advice}"
    more = _sentence(advice)
    if facts.links is not None:
        more = f"{links_in_words(facts.links, facts.labels)} {more}".strip()
    if weight < 1 and facts.kept_without >= AGREEING:
        return _confirming(facts, kept)
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


def _confirming(facts: Facts, kept: str) -> Verdict:
    """The finding for hints that are mostly kept by the clusters without hints, too."""
    same = facts.kept_share == facts.kept_without == 1
    head = (
        f"{kept}, as they would be without hints." if same else f"{kept}; {percent(facts.kept_without)} without hints."
    )
    tone = "good" if (facts.kept_share or 0.0) >= GOOD_SHARE else "warn"
    text = "The hints confirm what the data shows anyway"
    if len(facts.doubtful):
        return Verdict(tone, head, f"{text}; hints about rows in doubt would add more.", ("#ask", "Give such hints"))
    return Verdict(tone, head, f"{text}.", ("#hints", "See which are broken") if facts.kept_share != 1 else None)


def _kept(facts: Facts) -> str:
    if facts.n_hints == 1:
        return "The only hint is kept" if facts.kept_share else "The only hint is broken"
    if facts.kept_share == 1:
        return f"All {facts.hints_in_words} kept"
    share = percent(facts.kept_share or 0.0)
    if facts.hints_in_words.endswith(("label", "labels")):
        return f"{share} of the {facts.n_hints:,} pairs that follow from {facts.hints_in_words} kept"
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
        share = f" ({percent(count / facts.n_rows)})" if count else ""
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
        found.append(Verdict("plain", f"NMI with known classes: {now:.2f}{before}.", link=("#classes", "Compare")))
    if report is not None and (report.interrupted or report.left_out):
        found.append(Verdict("warn", "Stopped early: the time was up.", link=("#made", "What is missing")))
    return found


def _sentence(words: str) -> str:
    """Words as a sentence, with a capital letter and a period."""
    return f"{words[:1].upper()}{words[1:]}." if words else ""


def links_in_words(links: Any, labels: IntArray) -> str:
    """The number of undirected links between rows, and the share of them within clusters.

    >>> from scipy.sparse import coo_array
    >>> links_in_words(coo_array([[0, 1, 1], [0, 0, 0], [0, 0, 0]]), np.array([0, 0, 1]))
    '2 links between rows were used; 50% of them join rows of one cluster.'
    """
    left, right = sparse.triu(abs(links) + abs(links.T), 1).nonzero()
    inside = float(np.mean(labels[left] == labels[right])) if len(left) else 0.0
    share = f"; {percent(inside)} of them join rows of one cluster" if len(left) else ""
    return f"{pluralize(len(left), 'link')} between rows {'was' if len(left) == 1 else 'were'} used{share}."


def percent(share: float) -> str:
    """Format a share in percent; 0% and 100% are only used if they are exact.

    >>> percent(0.999), percent(1.0), percent(0.571)
    ('99%', '100%', '57%')
    """
    rounded = round(100 * share)
    if rounded == 100 and share < 1:
        rounded = 99
    if rounded == 0 and share > 0:
        rounded = 1
    return f"{rounded}%"
