"""The report as a single self-contained file."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

from .. import __version__
from .._atomic import atomic_write_text, check_path
from .._progress import stage
from ..constraints import Constraints
from ..page import asset as shared_asset
from ..page import inlined, palette
from ..questions import Answers
from ._chapters import headline, made, repeat
from ._classes_chapter import classes
from ._clusters_chapter import clusters
from ._constraints_chapter import hints
from ._facts import Facts
from ._map_chapter import row_map
from ._markup import Html, asset, element, joined, plain
from ._questions_chapter import ask
from ._rows_chapter import rows
from ._verdict import verdict

SHARED_SCRIPTS = ("pixels.js", "map.js", "gestures.js")
SCRIPTS = ("report_map.js", "page.js", "marks.js", "rows.js", "frame.js")


class Chapter(NamedTuple):
    """A chapter of the page: its anchor, its title, and the function that renders it, or returns None to omit it."""

    id: str
    title: str
    write: Callable[[Facts], Html | None]


CHAPTERS = (
    Chapter("map-part", "Map", row_map),
    Chapter("clusters", "Clusters", clusters),
    Chapter("rows", "Rows", rows),
    Chapter("hints", "Hints", hints),
    Chapter("ask", "Give hints", ask),
    Chapter("classes", "Known classes", classes),
    Chapter("made", "How it was made", made),
    Chapter("repeat", "Repeat it", repeat),
)


def write_report(
    path: str | Path,
    model: Any,
    X: Any,
    *,
    constraints: Constraints | None = None,
    answers: Answers | None = None,
    ids: Any = None,
    texts: Any = None,
    images: Any = None,
    feature_names: Any = None,
    table: Any = None,
    classes: Any = None,
    links: Any = None,
    kind: str | None = None,
    title: str = "",
    preprocessing: str = "",
    command: str = "",
    code: str = "",
    seed: Any = None,
) -> Path:
    """Write a report of a clustering as a self-contained HTML page, which needs no server and no network.

    The report starts with a verdict: whether hints were followed, and what to check. It then has a map of the rows
    before and after learning, a card for each cluster in the units of the data, a table of all rows, the hints that
    were kept or look wrong and what they changed, questions to answer, how the result was computed, and how to
    reproduce it.

    Parameters
    ----------
    path : str or Path
        The file is written atomically.
    model : fitted clusterer
        A :class:`likewise.Likewise`, or any estimator with ``labels_``; parts that only ``Likewise`` provides are left
        out then.
    X : (n, f) array, sparse matrix or data frame
        The rows that the model was fitted on.
    constraints : Constraints, optional
        The constraints of ``fit``; by default ``model.constraints_``.
    answers : Answers, optional
        The answers to questions among the constraints; the report shows how many were predicted, and the expected gain
        of more. By default ``model.answers_``.
    ids : (n,) list-like, optional
        Names of rows; by default their numbers, from 0.
    texts : (n,) list-like of str, optional
        The text of each row; the first 200 characters are shown, or fewer if there are very many rows.
    images : (n,) list-like of paths, optional
        Images of rows; thumbnails are included in the file.
    feature_names : (f,) list-like of str, optional
        Names of columns, or words; by default the columns of a data frame.
    table : data frame or dict of columns, optional
        The original columns of the rows, in their own units: the columns by which rows can be colored, and in which
        clusters are described. By default the columns of X.
    classes : (n,) list-like, optional
        Known classes, None where unknown, to compare the clusters with.
    links : (n, n) sparse matrix, optional
        Links between rows, if they were used for clustering.
    kind : str, optional
        The kind of data: ``kind_`` of :class:`likewise.TableFeatures`, or ``kind`` of the result of
        :func:`likewise.prepare.read_table`. By default that of the model, or determined from X.
    title : str
    preprocessing : str
        A description of the preprocessing.
    command : str
        The command line that fitted the model.
    code : str
        Python code that fits the model; by default the constructor and ``fit``.
    seed : int, optional
        The random seed; by default ``random_state`` of the model.

    Returns
    -------
    Path
        The file.

    See Also
    --------
    likewise.report.plots : Static figures.

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
    check_path(path, "write_report(path, model, X)")
    text = report_page(
        model,
        X,
        title=title,
        constraints=constraints,
        answers=answers,
        ids=ids,
        texts=texts,
        images=images,
        feature_names=feature_names,
        table=table,
        classes=classes,
        links=links,
        kind=kind,
        preprocessing=preprocessing,
        command=command,
        code=code,
        seed=seed,
    )
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write_text(path) as file:
        file.write(text)
    return path


def report_page(model: Any, X: Any, *, title: str = "", **options: Any) -> str:
    """The page of :func:`write_report` as a string.

    Parameters
    ----------
    model, X, title, **options
        As for :func:`write_report`.

    Returns
    -------
    str
        HTML.
    """
    with stage("laying out the report"):
        return _page(Facts(model, X, **options), plain(title, 200) or "Clusters")


def _page(facts: Facts, title: str) -> str:
    style = shared_asset("base.css") + asset("page.css") + _colors(facts.n_clusters)
    shared = (inlined(shared_asset(name)) for name in SHARED_SCRIPTS)
    script = "\n".join(['"use strict";', *shared, *(asset(name) for name in SCRIPTS)])
    policy = (
        f"default-src 'none'; img-src data:; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    written = [(chapter, body) for chapter in CHAPTERS if (body := chapter.write(facts)) is not None]
    sections = (element("section", element("h2", chapter.title), body, id=chapter.id) for chapter, body in written)
    parts = {
        "title": joined([title]),
        "policy": policy,
        "style": style,
        "script": script,
        "headline": joined([headline(facts)]),
        "verdict": verdict(facts),
        "nav": joined(element("a", chapter.title, href=f"#{chapter.id}") for chapter, _ in written),
        "chapters": joined(sections),
        "version": joined([f"likewise {__version__}"]),
    }
    return Template(asset("skeleton.html")).substitute(parts)


def _digest(text: str) -> str:
    """The hash of a script or style for the Content Security Policy, which blocks all others."""
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


def _colors(count: int) -> str:
    """CSS rules for the color of each cluster, in light and dark mode."""

    def rules(scheme: str) -> str:
        return "".join(f".c{number}{{--own:{color}}}" for number, color in enumerate(palette(count, scheme)))

    return f"\n{rules('light')}\n@media screen and (prefers-color-scheme:dark){{{rules('dark')}}}\n"
