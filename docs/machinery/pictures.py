"""The picture of a method: the same rows before and after it learned from a few constraints."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer

import likewise
from likewise.evaluation import normalized_mutual_information
from likewise.front._evidence import align_labels
from likewise.report._facts import Facts
from likewise.report.plots import palette, save
from likewise.report.plots._figures import CANNOT_LINK, FAINT, INK, MUST_LINK, new_figure

from .picture_data import DATA, Data
from .sentences import sentences

Array = np.ndarray
Panel = tuple[str, Array, Array]
"""A title, where rows lie, and the color of each."""


def draw(spec: dict[str, Any], path: Path) -> str:
    """Draw the picture that a table entry describes; returns its caption."""
    kind: Callable[..., tuple[Panel, Panel, Any, str]] = KINDS[spec["kind"]]
    before, after, hints, caption = kind(spec)
    save(two_panels(before, after, hints, spec.get("equal", False)), path, dpi=140)
    return caption


def two_panels(before: Panel, after: Panel, hints: likewise.Constraints | None, equal: bool = False) -> Any:
    """Two scatter plots; on the left green lines say same, red ones different, and circled rows have a known class."""
    from matplotlib.collections import LineCollection

    figure = new_figure(9, 4)
    colors = np.array(palette(int(max(before[2].max(), after[2].max())) + 1))
    for axis, (title, points, groups) in zip(figure.subplots(1, 2), (before, after), strict=True):
        size = float(np.clip(5000 / len(points), 3, 22))
        axis.scatter(*points.T, c=colors[groups], s=size, linewidths=0)
        if hints is not None and axis is figure.axes[0]:
            for pairs, color in ((hints.cannot_link, CANNOT_LINK), (hints.must_link, MUST_LINK)):
                axis.add_collection(LineCollection(points[pairs], colors=color, linewidths=0.8, alpha=0.65))
            for part in hints.partitions:  # known classes of some rows: too many pairs for lines
                axis.scatter(*points[part.codes >= 0].T, s=4 * size, facecolors="none", edgecolors=INK, linewidths=0.8)
        if equal:  # what the picture shows is a length
            axis.set_aspect("equal", "datalim")
        axis.set_title(title, color=INK, fontsize=11)
        axis.set_xticks([])
        axis.set_yticks([])
        for spine in axis.spines.values():
            spine.set_color(FAINT)
    return figure


def projection(spec: dict[str, Any]) -> tuple[Panel, Panel, Any, str]:
    """Left: the two directions of largest variance. Right: the first two that the method found. Colors: classes."""
    data, hints = _given(spec)
    model = _made(spec)
    found = model.fit_transform(data.X, **_given_constraints(hints))
    found = found if found.shape[1] == 2 else _plane(found)
    k = len(np.unique(data.y))
    scores = [
        normalized_mutual_information(data.y, KMeans(k, n_init=10, random_state=0).fit_predict(space))
        for space in (data.X, model.transform(data.X))
    ]
    after = (type(model).__name__, found, data.y)
    title = "as they are" if data.X.shape[1] == 2 else "largest variance"
    return (title, _plane(data.X), data.y), after, hints, _caption(spec, data, hints, scores)


def clusters(spec: dict[str, Any]) -> tuple[Panel, Panel, Any, str]:
    """Left: k-means without hints. Right: the clusters that the method found. Both in the same plane."""
    data, hints = _given(spec)
    k = len(np.unique(data.y))
    plain = KMeans(k, n_init=10, random_state=0).fit_predict(data.X)
    given = _given_constraints(hints) if data.links is None else {"links": data.links}
    model = _made(spec).fit(data.X, **given)
    plane = _plane(data.X)
    scores = [normalized_mutual_information(data.y, labels) for labels in (plain, model.labels_)]
    before = ("k-means", plane, align_labels(plain, data.y))
    if data.links is not None:
        hints = likewise.Constraints(len(data.y), must_link=data.links)  # drawn as lines, as hints are
    after = (spec.get("name", type(model).__name__), plane, align_labels(np.asarray(model.labels_), data.y))
    return before, after, hints, _caption(spec, data, hints, scores)


def mapped(spec: dict[str, Any]) -> tuple[Panel, Panel, Any, str]:
    """As clusters, but on the right where rows lie on the map of a report."""
    data, hints = _given(spec)
    plain = KMeans(len(np.unique(data.y)), n_init=10, random_state=0).fit_predict(data.X)
    model = _made(spec).fit(data.X, **_given_constraints(hints))
    layout = Facts(model, data.X, constraints=hints).layout
    scores = [normalized_mutual_information(data.y, labels) for labels in (plain, model.labels_)]
    before = ("k-means, in the plane of largest variance", layout.before, align_labels(plain, data.y))
    after = (f"{type(model).__name__}, on its own map", layout.after, align_labels(model.labels_, data.y))
    return before, after, hints, _caption(spec, data, hints, scores)


def consensus(spec: dict[str, Any]) -> tuple[Panel, Panel, Any, str]:
    """Left: one of twenty k-means runs with twice too many clusters. Right: what they agree on."""
    data, _ = _given(spec)
    k = len(np.unique(data.y))
    runs = [KMeans(6 * k, n_init=1, random_state=seed).fit_predict(data.X) for seed in range(20)]
    joined = likewise.hbgf(runs, k, random_state=0)
    plane = _plane(data.X)
    scores = [normalized_mutual_information(data.y, labels) for labels in (runs[0], joined)]
    before, after = (
        ("one k-means run of twenty", plane, runs[0]),
        ("hbgf of all twenty", plane, align_labels(joined, data.y)),
    )
    return before, after, None, _caption(spec, data, None, scores)


def texts(spec: dict[str, Any]) -> tuple[Panel, Panel, Any, str]:
    """Left: texts by how often they say each word. Right: by the features that the method makes of them."""
    strings, y = sentences(60, seed=0)
    spaces = CountVectorizer().fit_transform(strings), _made(spec).fit_transform(strings)
    k = len(np.unique(y))
    scores = [
        normalized_mutual_information(y, KMeans(k, n_init=10, random_state=0).fit_predict(space)) for space in spaces
    ]
    panels = [
        (title, _plane(space), y) for title, space in zip(("counts of words", "TextFeatures"), spaces, strict=True)
    ]
    data = Data(spaces[1], y, f"{len(strings)} made-up sentences on three subjects")
    return panels[0], panels[1], None, _caption(spec, data, None, scores)


KINDS = {kind.__name__: kind for kind in (projection, clusters, mapped, consensus, texts)}


def _given(spec: dict[str, Any]) -> tuple[Data, likewise.Constraints | None]:
    data = DATA[spec["data"]]()
    if "hints" not in spec:
        return data, None
    how, amount = spec["hints"]
    return data, likewise.Constraints.sample(data.y, how, amount, random_state=spec.get("seed", 0))


def _made(spec: dict[str, Any]) -> Any:
    return eval(spec["make"], {"likewise": likewise})


def _given_constraints(hints: likewise.Constraints | None) -> dict[str, Any]:
    return {} if hints is None else {"constraints": hints}


def _plane(X: Any) -> Array:
    if X.shape[1] == 2:
        return np.asarray(X)
    flat = TruncatedSVD(3, random_state=0) if sparse.issparse(X) else PCA(2, random_state=0)
    return flat.fit_transform(X)[:, -2:]  # the first of a text matrix is only how long a text is


def _caption(spec: dict[str, Any], data: Data, hints: Any, scores: list[float]) -> str:
    given = f"; {_counted(hints)}" if hints is not None and data.links is None else ""
    left, right = (f"{score:.2f}" for score in scores)
    by = "Agreement with the classes" if spec["kind"] != "projection" else "Agreement of k-means with the classes"
    return f"{data.called}{given}. {spec['shows']} {by} (NMI): {left} on the left, {right} on the right."


def _counted(hints: likewise.Constraints) -> str:
    if hints.partitions:
        return f"{int(hints.constrained_rows().sum())} rows with a known class (circled)"
    kinds = ((hints.n_must_link, "must-links (green)"), (hints.n_cannot_link, "cannot-links (red)"))
    return " and ".join(f"{count} {kind}" for count, kind in kinds if count)
