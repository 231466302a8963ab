"""The report as one file: everything in it, nothing fetched."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from string import Template
from typing import Any

from .._atomic import atomic_write_text
from .._progress_legacy import part
from ..constraints import Constraints
from . import _chapters as chapters
from . import _constraints as heeded
from ._cards import Cards
from ._markup import Html, element, joined, plain
from ._palette import palette
from ._points import as_script, map_data
from ._subject import Subject
from .plots._scatter import scatter

SCRIPTS = ("pixels.js", "map.js", "page.js")


def write_report(
    path: str | Path,
    model: Any,
    X: Any,
    *,
    hints: Constraints | None = None,
    ids: Any = None,
    texts: Any = None,
    images: Any = None,
    feature_names: Any = None,
    title: str = "",
    recipe: str = "",
    command: str = "",
    seed: Any = None,
) -> Path:
    """Write what was found as one HTML file that needs nothing else: no server, no network, no other file.

    What was asked; the map of the rows before and after; a card for each cluster; which hints were kept and which look
    wrong; what was tried; how to do it again.

    Parameters
    ----------
    path : str or Path
        Written aside, then put in place: it is whole or not there.
    model : fitted clusterer
        A :class:`likewise.Likewise`, or anything with ``labels_``; then what only ``Likewise`` knows is left out.
    X : (n, f) array, sparse matrix or data frame
        The rows it was fitted on.
    hints : Constraints, optional
        What was said. A ``Likewise`` remembers it.
    ids : (n,) list-like, optional
        Names of rows; else their numbers, from 0.
    texts : (n,) list-like of str, optional
        What rows say; the first 200 characters are shown, fewer of very many rows.
    images : (n,) list-like of paths, optional
        Pictures of rows; small copies go into the file.
    feature_names : (f,) list-like of str, optional
        Names of columns, or words.
    title : str
    recipe : str
        How the data was read, in words.
    command : str
        What was typed, to be typed again.
    seed : int, optional
        As given to the model; read from its ``random_state`` unless given.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_iris
    >>> from likewise import Likewise
    >>> from likewise.report import write_report
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = Likewise(3, random_state=0).fit(X)
    >>> with TemporaryDirectory() as folder:
    ...     write_report(f"{folder}/irises.html", model, X, title="Irises").name
    'irises.html'
    """
    subject = Subject.of(model, X, hints=hints, ids=ids, texts=texts, images=images, feature_names=feature_names)
    with part(0, 0.95):
        text = _page(subject, plain(title, 200), recipe, command, seed)
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write_text(path) as file:
        file.write(text)
    return path


def _page(subject: Subject, title: str, recipe: str, command: str, seed: Any) -> str:
    with part(0, 0.6):
        cards, _ = Cards(subject), subject.layout
    with part(0.6, 0.8):
        picture = _picture(subject)
    style = _asset("page.css") + _colors(subject.n_clusters)
    script = "\n".join(_asset(name) for name in SCRIPTS)
    wrong = heeded.wrong(subject, cards)
    data = map_data(subject)
    parts = {
        "title": joined([title or "What belongs together"]),
        "policy": Html(
            f"default-src 'none'; img-src data:; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
            "base-uri 'none'; form-action 'none'"
        ),
        "style": style,
        "script": script,
        "data": as_script(data),
        "headline": joined([chapters.headline(subject)]),
        "figures": chapters.figures(subject),
        "asked": chapters.asked(subject, recipe),
        "map_note": _map_note(subject, data),
        "map_label": joined([f"Map of {len(subject.rows):,} rows, colored by cluster"]),
        "picture": picture,
        "legend": _legend(subject, cards),
        "cards": cards.html(),
        "kept": heeded.kept(subject),
        "wrong": joined([element("h3", "Hints that look wrong"), wrong]) if wrong is not None else Html(""),
        "tried": chapters.tried(subject),
        "repeat": chapters.repeat(subject, command, seed),
    }
    return Template(_asset("skeleton.html")).substitute(parts)


def _asset(name: str) -> str:
    return files("likewise.report").joinpath("page", name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """What the page's policy knows a script or style by: nothing else runs, whatever a text holds."""
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


def _colors(count: int) -> str:
    """A rule for the color of each cluster, light and dark."""

    def rules(scheme: str) -> str:
        return "".join(f".c{number}{{--own:{color}}}" for number, color in enumerate(palette(count, scheme)))

    return f"\n{rules('light')}\n@media screen and (prefers-color-scheme:dark){{{rules('dark')}}}\n"


def _map_note(subject: Subject, data: dict[str, Any]) -> Html:
    space = {
        "embedding": "After: rows lie by how the clusterings agree on them. ",
        "transform": "After: rows lie as in the space that was learned. ",
        "": "After: the same rows, seen so that the clusters found are apart. ",
    }[subject.learned]
    columns = "words" if subject.is_text else "columns"
    said = [
        "Before: the two directions in which the rows differ most. "
        f"{space}Clusters that are alike are near each other, rows inside a cluster lie as their {columns} do, and a "
        "row between two clusters could belong to either."
    ]
    if len(subject.rows) < subject.n_rows:
        said.append(f"Of {subject.n_rows:,} rows {len(subject.rows):,} are drawn, picked at random.")
    if subject.hints.partitions:
        said.append("Of a group of rows a chain through it is drawn, not every pair.")
    if data["linesDrawn"] < data["linesStated"]:
        said.append(f"Of {data['linesStated']:,} lines for hints {data['linesDrawn']:,} are drawn, broken ones first.")
    return element("p", " ".join(said), class_="note")


def _picture(subject: Subject) -> Html:
    """Before and after as a still picture: for paper, and where no script may run."""
    drawn = scatter(subject.layout.before, subject.layout.after, subject.names[subject.here])
    written = BytesIO()
    drawn.savefig(written, format="png", dpi=110)
    address = "data:image/png;base64," + b64encode(written.getvalue()).decode()
    return element("img", src=address, alt="The rows before and after, colored by cluster", class_="still")


def _legend(subject: Subject, cards: Cards) -> Html:
    chips = [
        element(
            "button",
            element("span", class_="dot", aria_hidden="true"),
            f"{name}",
            element("span", cards.motto(number) or f"{subject.sizes[number]:,}", class_="motto"),
            type="button",
            class_=f"chip c{number}",
            aria_pressed="true",
            data_cluster=number,
            title=f"Cluster {name}: {subject.sizes[number]:,} rows. Press to hide or show.",
        )
        for number, name in enumerate(subject.names)
    ]
    return joined(chips)
