"""The report as one file: everything in it, nothing fetched."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

from .._atomic import atomic_write_text
from .._progress import stage
from ..constraints import Constraints
from ._chapters import asked, figures, headline, repeat, tried
from ._clusters_chapter import clusters
from ._constraints_chapter import hints
from ._facts import Facts
from ._map_chapter import row_map
from ._markup import Html, asset, element, joined, plain
from ._palette import palette

SCRIPTS = ("pixels.js", "map.js", "page.js")


class Chapter(NamedTuple):
    """A part of the page: its address, its title in the text and the navigation, and what writes it."""

    id: str
    title: str
    write: Callable[[Facts], Html]


CHAPTERS = (
    Chapter("map-part", "Map", row_map),
    Chapter("clusters", "Clusters", clusters),
    Chapter("hints", "Hints", hints),
    Chapter("asked", "What was asked", asked),
    Chapter("tried", "What was tried", tried),
    Chapter("repeat", "How to repeat it", repeat),
)


def write_report(
    path: str | Path,
    model: Any,
    X: Any,
    *,
    constraints: Constraints | None = None,
    ids: Any = None,
    texts: Any = None,
    images: Any = None,
    feature_names: Any = None,
    kind: str | None = None,
    title: str = "",
    preprocessing: str = "",
    command: str = "",
    seed: Any = None,
) -> Path:
    """Write a clustering as one HTML page that needs nothing else: no server, no network, no other file.

    It shows a map of the rows before and after, a card for each cluster, which hints were kept and which look wrong,
    what was asked and tried, and how to repeat it.

    Parameters
    ----------
    path : str or Path
        Written to a file beside it, then renamed: it is complete or not there.
    model : fitted clusterer
        A :class:`likewise.Likewise`, or anything with ``labels_``; then what only ``Likewise`` knows is left out.
    X : (n, f) array, sparse matrix or data frame
        The rows it was fitted on.
    constraints : Constraints, optional
        Those of fit; by default ``model.constraints_`` where there is one.
    ids : (n,) list-like, optional
        Names of rows; by default their numbers, from 0.
    texts : (n,) list-like of str, optional
        The text of each row; the first 200 characters are shown, fewer of very many rows.
    images : (n,) list-like of paths, optional
        Pictures of rows; small copies go into the file.
    feature_names : (f,) list-like of str, optional
        Names of columns, or words; by default the columns of a data frame.
    kind : str, optional
        The kind of data: ``kind_`` of :class:`likewise.TableFeatures`, or ``kind`` of what
        :func:`likewise.prepare.read_table` returns. By default as the model has it, or by the values of X.
    title : str
    preprocessing : str
        How the data was read, in words.
    command : str
        The command line that made the model.
    seed : int, optional
        The seed of the model; by default its ``random_state``.

    Returns
    -------
    Path
        The file.

    See Also
    --------
    likewise.report.plots : pictures for papers.

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
    facts = Facts(
        model,
        X,
        constraints=constraints,
        ids=ids,
        texts=texts,
        images=images,
        feature_names=feature_names,
        kind=kind,
        preprocessing=preprocessing,
        command=command,
        seed=seed,
    )
    with stage("laying out the report"):
        text = _page(facts, plain(title, 200) or "What belongs together")
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write_text(path) as file:
        file.write(text)
    return path


def _page(facts: Facts, title: str) -> str:
    style = asset("page.css") + _colors(facts.n_clusters)
    script = "\n".join(asset(name) for name in SCRIPTS)
    policy = (
        f"default-src 'none'; img-src data:; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    sections = (
        element("section", element("h2", chapter.title), chapter.write(facts), id=chapter.id) for chapter in CHAPTERS
    )
    parts = {
        "title": joined([title]),
        "policy": policy,
        "style": style,
        "script": script,
        "headline": joined([headline(facts)]),
        "figures": figures(facts),
        "nav": joined(element("a", chapter.title, href=f"#{chapter.id}") for chapter in CHAPTERS),
        "chapters": joined(sections),
    }
    return Template(asset("skeleton.html")).substitute(parts)


def _digest(text: str) -> str:
    """By this the page's policy knows a script or style: nothing else runs, whatever a text holds."""
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


def _colors(count: int) -> str:
    """A rule for the color of each cluster, light and dark."""

    def rules(scheme: str) -> str:
        return "".join(f".c{number}{{--own:{color}}}" for number, color in enumerate(palette(count, scheme)))

    return f"\n{rules('light')}\n@media screen and (prefers-color-scheme:dark){{{rules('dark')}}}\n"
