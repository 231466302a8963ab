"""The map of rows before and after learning, with its controls, and a static image for pages without scripts."""

from __future__ import annotations

from base64 import b64encode
from io import BytesIO
from string import Template
from typing import Any

import numpy as np

from ._facts import Facts
from ._map_data import as_script, map_data
from ._markup import Html, asset, element, joined, plain
from ._questions_chapter import question_data
from .plots import scatter

AFTER = {
    "embedding": "After: rows are close if many clusterings put them together.",
    "transform": "After: the space that was learned.",
    "": "After: the directions that separate the clusters best.",
}
"""Descriptions of the map, by the learned space."""


def row_map(facts: Facts) -> Html:
    """The map and its data."""
    data = {**map_data(facts), **question_data(facts)}
    parts = {
        "note": _note(facts, data),
        "label": joined([f"Map of {len(facts.rows):,} rows, colored by cluster"]),
        "legend": _legend(facts),
        "picture": _picture(facts),
        "data": as_script(data),
    }
    return Html(Template(asset("map.html")).substitute(parts))


def _note(facts: Facts, data: dict[str, Any]) -> Html:
    columns = "words" if facts.is_text else "columns"
    sentences = [
        "Before: the two directions in which the rows vary most.",
        AFTER[facts.learned_space],
        f"Similar clusters are near each other, rows of a cluster are near each other if their {columns} are similar, "
        "and a row between two clusters could belong to either.",
    ]
    if len(facts.rows) < facts.n_rows:
        sentences.append(f"{len(facts.rows):,} of {facts.n_rows:,} rows are drawn, chosen at random.")
    if facts.constraints.partitions:
        sentences.append("Rows of one label or group are joined by a chain of lines, not by a line for every pair.")
    if data["linesDrawn"] < data["linesStated"]:
        sentences.append(
            f"{data['linesDrawn']:,} of {data['linesStated']:,} lines for hints are drawn, broken ones first."
        )
    return element("details", element("summary", "How to read it"), element("p", " ".join(sentences)), class_="note")


def _picture(facts: Facts) -> Html:
    """A static image of the rows before and after learning."""
    drawn = [facts.titles[number] for number in np.unique(facts.map_labels)]
    figure = scatter(facts.layout.before, facts.layout.after, facts.map_labels, names=drawn)
    written = BytesIO()
    figure.savefig(written, format="png", dpi=110)
    address = "data:image/png;base64," + b64encode(written.getvalue()).decode()
    return element("img", src=address, alt="The rows before and after, colored by cluster", class_="still")


def _legend(facts: Facts) -> Html:
    chips = [
        element(
            "button",
            element("span", class_="dot", aria_hidden="true"),
            element("span", plain(facts.titles[number], 44), class_="title"),
            element("span", f"{facts.sizes[number]:,}", class_="motto"),
            type="button",
            class_=f"chip c{number}",
            aria_pressed="true",
            data_cluster=number,
            title=f"Cluster {facts.numbers[number]}: {facts.sizes[number]:,} rows. Press to hide or show.",
        )
        for number in facts.by_size.tolist()
    ]
    return joined(chips)
