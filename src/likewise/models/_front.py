"""What is kept of :class:`likewise.Likewise`: where its rows lie, and how new ones are placed among them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..front import GraphFeatures, Likewise
from ..front._landmarks import Landmarks
from ..front._unsupervised import Ground
from ..graphs._fuzzy import Nearness
from ..prepare._linear import LinearFeatures
from ._parts import State, _each, from_state, parameters_of, to_state

LEARNED = ("labels_", "embedding_", "baseline_labels_", "n_clusters_", "n_iter_", "n_features_in_", "_n_features_out",
           "_profile", "_row_hashes")  # fmt: skip
GRAPH = ("_walk", "eigenvalues_", "embedding_", "n_components_", "n_parts_", "n_features_in_", "_n_features_out",
         "_row_hashes")  # fmt: skip
METRICS = ("euclidean", "cosine")


def likewise_state(model: Likewise) -> State:
    """What is kept of a fitted model."""
    linear, graph, marks = model._ground.linear, model._ground.graph, model._marks
    names = getattr(model, "feature_names_in_", None)
    return {
        "class": "Likewise",
        "parameters": parameters_of(model),
        "learned": {name: getattr(model, name) for name in LEARNED},
        "feature_names": None if names is None else [str(name) for name in names],
        "linear": {
            "kind": linear.kind,
            "metric": linear.metric,
            "weigh": _each(linear._weigh, to_state),
            "turn": _each(linear._turn, to_state),
            "length": linear._length,
        },
        "graph": {
            "parameters": parameters_of(graph),
            "learned": {name: getattr(graph, name) for name in GRAPH},
            "near": _near_state(graph._near),
        },
        "marks": {"n": marks.n, "rows": marks.rows, "near": _near_state(marks.near)},
    }


def likewise_from(state: State) -> Likewise:
    """Undo :func:`likewise_state`. The model places rows as before; to learn from more hints it must be fitted anew."""
    known = set(Likewise._get_param_names())
    if set(state["parameters"]) - known:
        raise ValueError(f"Likewise has no parameter {min(set(state['parameters']) - known)!r}")
    model = Likewise(**state["parameters"])
    for name in LEARNED:
        setattr(model, name, state["learned"][name])
    if state["feature_names"] is not None:
        model.feature_names_in_ = np.array([str(name) for name in state["feature_names"]], dtype=object)
    linear = LinearFeatures()
    stored = state["linear"]
    linear.kind, linear.metric, linear._length = str(stored["kind"]), _metric(stored["metric"]), float(stored["length"])
    linear._weigh, linear._turn = (_each(stored[part], from_state) for part in ("weigh", "turn"))
    stored = state["graph"]
    graph = GraphFeatures(**{name: stored["parameters"][name] for name in GraphFeatures._get_param_names()})
    for name in GRAPH:
        setattr(graph, name, stored["learned"][name])
    graph._near = _near_from(stored["near"])
    nowhere: Any = None  # the rows themselves are needed to learn, not to place
    model._ground = Ground(linear, graph, nowhere, nowhere, nowhere)
    marks = state["marks"]
    model._marks = Landmarks(int(marks["n"]), _near_from(marks["near"]), marks["rows"])
    _check(model)
    return model


def _check(model: Likewise) -> None:
    marks = model._marks
    known = np.arange(marks.n)[marks.first]
    if len(known) != marks.near.n or len(model.labels_) != marks.n or len(model.embedding_) != marks.n:
        raise ValueError(
            f"{marks.n} rows, {len(model.labels_)} labels and {marks.near.n} landmarks do not fit together"
        )
    if model.labels_.dtype.kind != "i" or model.labels_.min() < 0:
        raise ValueError("labels must be whole numbers from 0 on")


def _near_state(near: Nearness) -> State:
    return {"rows": near._rows, "n_neighbors": near.n_neighbors, "metric": near.metric}


def _near_from(state: State) -> Nearness:
    return Nearness(state["rows"], int(state["n_neighbors"]), _metric(state["metric"]))


def _metric(name: Any) -> str:
    if name not in METRICS:
        raise ValueError(f"rows are near by {name!r}, which is none of {', '.join(METRICS)}")
    return str(name)
