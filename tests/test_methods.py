"""The registry of methods: each fact stands once, beside its class, and agrees with what the class does."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris

import likewise
from likewise import Constraints
from likewise._method import Method, MethodKind, Needs
from likewise._methods import _REGISTERED, all_methods, clusterer, method_named, reducer, register, transformer
from likewise.clustering import ChainedClusterer, PropagatedAffinity, SphericalKMeans
from likewise.prepare import DataKind, TableFeatures, TextFeatures

X, Y = load_iris(return_X_y=True)
METHODS = {method.name: method for method in all_methods()}
NO_METHODS = {ChainedClusterer, likewise.Clusterer, PropagatedAffinity, likewise.GraphFeatures, likewise.Projection,
              TableFeatures, TextFeatures}  # fmt: skip
"""Estimators that are parts of methods, not methods."""

constraints = Constraints.sample(Y, "equal", 30, random_state=0)
runnable = pytest.mark.parametrize("name", sorted(set(METHODS) - {"umap", "networked"}))


def test_names_are_unique_and_every_fact_is_there():
    assert len(METHODS) == len(all_methods()) > 25
    assert all(method.prefer and method.paper and method.kind for method in METHODS.values())


def test_every_public_estimator_is_a_method():
    public = (getattr(likewise, name) for name in likewise.__all__)
    estimators = {thing for thing in public if isinstance(thing, type) and issubclass(thing, BaseEstimator)}
    assert estimators - NO_METHODS == {method.make for method in METHODS.values() if isinstance(method.make, type)}


def test_methods_without_constraints_come_last():
    used = [method.uses_constraints for method in all_methods()]
    assert used == sorted(used, reverse=True)
    assert all_methods()[0].name == "likewise"


@runnable
def test_what_is_said_of_constraints_is_true(name):
    method = METHODS[name]
    model = clusterer(name, X, 3, 0)
    if method.needs:
        with pytest.raises(ValueError, match=r"must-links|cannot-links"):
            model.fit(X, constraints=Constraints(len(X)))
    if not method.uses_constraints:
        assert "constraints" not in model.get_params()
        assert len(model.fit(X).labels_) == len(X)
        return
    assert len(model.fit(X, constraints=constraints).labels_) == len(X)


@runnable
def test_what_is_said_of_weights_is_true(name):
    method = METHODS[name]
    if not method.uses_constraints or method.kind is not MethodKind.CLUSTERER:
        return
    weighted = Constraints(len(X), must_link=[(0, 1), (2, 3)], must_weight=[0.5, 1.0], cannot_link=[(0, 60), (0, 120)])
    model = clusterer(name, X, 3, 0, **({"trust": False} if name == "project" else {}))
    if method.uses_weights:
        assert len(model.fit(X, constraints=weighted).labels_) == len(X)
    else:
        with pytest.raises(ValueError, match=r"0\.5"):
            model.fit(X, constraints=weighted)


@runnable
def test_what_is_said_of_dimensions_is_true(name):
    method = METHODS[name]
    if not method.reduces:
        with pytest.raises(ValueError, match="to reduce with"):
            reducer(name, X, 2, 0)
        return
    given = {"constraints": constraints} if method.uses_constraints else {}
    assert reducer(name, X, 2, 0).fit_transform(X, **given).shape == (150, 2)
    assert transformer(name, X, 3, 0).fit_transform(X, **given).shape[1] == (
        4 if method.keeps_all_components else 2 + (name == "pca")
    )


def test_a_name_that_is_not_there_brings_those_that_are_near():
    with pytest.raises(ValueError, match=r"there is no method 'cosco' to cluster with\. Did you mean 'costco'"):
        method_named("cosco")
    with pytest.raises(ValueError, match=r"there is no method 'pck' to reduce with"):
        method_named("pck", reduces=True)
    with pytest.raises(ValueError, match="clusters rows, it does not transform them"):
        transformer("pck", X, 3)
    with pytest.raises(ValueError, match="pck needs the number of clusters"):
        clusterer("pck", X, None)


def test_needs_in_words():
    assert METHODS["costco"].needs_words == "must-links"
    assert METHODS["rl-nc"].needs_words == "k, must-links and cannot-links"
    assert METHODS["umap"].needs_words == "k, no constraints, the extra papers"
    assert METHODS["likewise"].needs_words == "nothing"
    assert Needs.ANY_CONSTRAINT.missing(Constraints(4)) == Needs.ANY_CONSTRAINT
    assert not Needs.ANY_CONSTRAINT.missing(Constraints(4, must_link=[(0, 1)]))
    assert Needs.LINKS.missing(Constraints(4)) == Needs.NOTHING


def test_which_parameters_a_method_takes():
    assert METHODS["likewise"].takes("trust", "strict")
    assert not METHODS["likewise"].takes("trust", "never")
    assert not METHODS["project"].takes("trust", "strict")
    assert METHODS["ensemble"].takes("n_jobs", 2)
    assert not METHODS["k-means"].takes("n_jobs", 2)
    assert clusterer("dsp", X, 3, 0, n_jobs=1).steps[0].n_jobs == 1


def test_registering_needs_facts_and_a_new_name():
    with pytest.raises(TypeError, match="has no metadata"):
        register(type("Plain", (), {}))
    with pytest.raises(ValueError, match="there is a method 'pck' already"):
        register(type("Same", (), {"_method": Method("pck")}))
    assert _REGISTERED == []


def test_estimators_by_name_are_those_of_the_constructor():
    model = clusterer("cop", X, 3, random_state=4)
    assert (type(model).__name__, model.n_clusters, model.random_state) == ("COPKMeans", 3, 4)
    labels = clusterer("k-means", X, 3, random_state=0).fit(X).labels_
    assert len(np.unique(labels)) == 3


@pytest.mark.parametrize("name", ["k-means", "rca"])
def test_sparse_rows_of_a_mixed_table_are_not_compared_by_cosine(name):
    rows = sparse.csr_array(np.eye(6))
    for kind, wanted in ((DataKind.MIXED, KMeans), (DataKind.TEXT, SphericalKMeans), (None, SphericalKMeans)):
        model = clusterer(name, rows, 2, 0, data_kind=kind)
        assert type(model if name == "k-means" else model.clusterer) is wanted
