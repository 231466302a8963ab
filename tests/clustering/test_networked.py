"""Networked documents: links into clusters."""

import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer

from cases.data import partial_labels
from likewise import Constraints, Costco
from likewise.clustering import NetworkedDocuments, PCKMeans, SphericalKMeans
from likewise.evaluation import normalized_mutual_information, rand_index
from likewise.sources.links import balanced, linked_pairs, local_core_pairs
from sources.real_links import load


def documents(n=120, seed=0):
    """Three subjects, each with a few words of its own among many common ones, and links mostly within them."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    own = rng.poisson(0.5, (n, 9)) * np.repeat(np.eye(3)[y], 3, axis=1)
    X = sparse.csr_array(np.hstack([own, rng.poisson(1.0, (n, 60))]).astype(float))
    left = rng.integers(0, n, 400)
    right = np.where(rng.random(400) < 0.9, rng.integers(0, n // 3, 400) * 3 + y[left], rng.integers(0, n, 400))
    return X, y, np.column_stack([left, right])


def test_links_find_what_words_alone_do_not():
    X, y, links = documents()
    plain = NetworkedDocuments(3, random_state=0).fit(X)
    linked = NetworkedDocuments(3, random_state=0).fit(X, links=links)
    assert rand_index(y, linked.labels_) > 0.8 > 0.6 > rand_index(y, plain.labels_)
    assert plain.projection_ is None
    assert plain.core_pairs_.is_empty


def test_the_parts_by_hand():
    X, _, links = documents()
    model = NetworkedDocuments(3, n_components=7, random_state=0).fit(X, links=links)
    pairs = balanced(linked_pairs(links, 120)) | balanced(local_core_pairs(links, 120))
    assert model.core_pairs_ == pairs
    Z = Costco(7).fit_transform(X, constraints=pairs)
    np.testing.assert_allclose(model.transform(X), Z)
    byhand = PCKMeans(3, metric="cosine", n_init=10, max_iter=100, tol=1e-6, random_state=0).fit(Z)
    np.testing.assert_array_equal(byhand.labels_, model.labels_)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    plain = NetworkedDocuments(3, random_state=0).fit(X)
    spherical = SphericalKMeans(3, n_init=10, max_iter=100, tol=1e-6, random_state=0).fit(X)
    assert plain.inertia_ == pytest.approx(2 * spherical.inertia_, rel=0.02)


@pytest.mark.parametrize("method", ["links", "local", "global", "both"])
def test_every_method_and_every_kind_of_links(method):
    X, y, links = documents()
    model = NetworkedDocuments(3, links_method=method, random_state=0)
    labels = model.fit_predict(X, links=links)
    assert rand_index(y, labels) > 0.75
    graph = nx.DiGraph(links.tolist())
    graph.add_nodes_from(range(120))
    np.testing.assert_array_equal(model.fit_predict(X, links=graph), labels)
    ids = [f"paper {i}" for i in range(120)]
    named = [(ids[i], ids[j]) for i, j in links]
    np.testing.assert_array_equal(model.fit_predict(X, links=named, ids=ids), labels)


def test_hints_count_besides():
    X, y, links = documents()
    hints = Constraints.sample(y, "equal", 30, random_state=0)
    model = NetworkedDocuments(3, random_state=0).fit(X, links=links, constraints=hints)
    ends = model.labels_[hints.must_link]
    assert (ends[:, 0] == ends[:, 1]).all()
    alone = NetworkedDocuments(3, random_state=0).fit(X, constraints=hints)
    assert isinstance(alone.projection_, Costco)
    labeled = NetworkedDocuments(3, random_state=0).fit(X, partial_labels(y), links=links)
    assert labeled.homophily_.verdict == "similar"
    assert rand_index(y, labeled.labels_) > rand_index(y, NetworkedDocuments(3, random_state=0).fit(X).labels_)


def test_it_warns_of_links_between_classes_and_of_links_without_core_pairs():
    X, y, _ = documents()
    across = [(i, i + 1) for i in range(119)]
    with pytest.warns(UserWarning, match=r"links do not indicate similarity here: 0% of 119 links"):
        NetworkedDocuments(3, random_state=0).fit(X, y, links=across)
    with pytest.warns(UserWarning, match=r"1 links give no core pair \(links_method='local', theta=0\)"):
        model = NetworkedDocuments(3, links_method="local", random_state=0).fit(X, links=[(0, 1)])
    assert model.projection_ is None


def test_as_published():
    model = NetworkedDocuments.as_published(3, n_components=5, random_state=0)
    assert (model.links_method, model.balance, model.metric, model.global_score) == (
        "local",
        False,
        "euclidean",
        "commute",
    )
    X, _, links = documents()
    model.fit(X, links=links)
    Z = Costco.as_published(5).fit_transform(X, constraints=local_core_pairs(links, 120))
    np.testing.assert_allclose(model.transform(X), Z)


def test_texts():
    pytest.importorskip("snowballstemmer")
    boats = ["sailing boats on the sea", "the boat sails", "a sea of sails", "boats and sailors at sea"]
    bread = ["baking bread at home", "the baker bakes bread", "bread and flour", "flour for baking"]
    links = [(0, 1), (1, 2), (2, 3), (4, 5), (5, 6), (6, 7)]
    model = NetworkedDocuments(2, random_state=0).fit(boats + bread, links=links)
    assert rand_index([0] * 4 + [1] * 4, model.labels_) == 1.0
    new = model.predict(["they sail a boat", "flour and bread"])
    assert new.tolist() == [model.labels_[0], model.labels_[4]]
    with pytest.raises(ValueError, match="these are texts, but the model was fitted to a matrix"):
        NetworkedDocuments(2).fit(model.text_features_.transform(boats + bread)).predict(boats)


def test_cora_with_links_beats_cora_without():
    X, y, links = load("cora")
    X = TfidfTransformer().fit_transform(X)
    model = NetworkedDocuments(7, n_init=5, random_state=0)
    words = normalized_mutual_information(y, model.fit(X).labels_)
    both = normalized_mutual_information(y, model.fit(X, links=links).labels_)
    assert both > 0.5 > 0.4 > words


def test_webkb_warns():
    X, y, links = load("webkb")
    sample = np.where(np.random.default_rng(0).random(len(y)) < 0.5, y, -1)
    with pytest.warns(UserWarning, match="links do not indicate similarity"):
        NetworkedDocuments(5, n_init=1, random_state=0).fit(X, sample, links=links)
