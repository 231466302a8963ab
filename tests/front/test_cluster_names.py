"""Clusters are named after labels: by most labeled rows, one name a cluster, and in every output."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise import Constraints, Likewise
from likewise.constraints import Partition
from likewise.front._cluster_names import name_clusters


def names(labels, known, n_clusters=None):
    labels = np.array(labels)
    found = name_clusters(Constraints.from_labels(known), labels, n_clusters or int(labels.max()) + 1)
    return [cluster.name for cluster in found]


@pytest.mark.parametrize(
    ("labels", "known", "expected"),
    [
        ([0, 0, 1, 1], [None] * 4, ["0", "1"]),
        ([0, 0, 1, 1], ["b", None, "a", None], ["b", "a"]),
        ([0, 0, 0, 1], ["b", "b", "a", None], ["b", "1"]),  # one wrong label is outvoted
        ([0, 0, 1, 1, 1], ["a", "b", "b", None, None], ["a", "b"]),  # as many here: a is here alone
        ([0, 1, 1, 2, 2, 2], ["a", "a", "a", "a", None, None], ["a (3)", "a", "a (2)"]),  # most rows, then the larger
        ([0, 1, 2], ["a", "a", "a (2)"], ["a", "a (3)", "a (2)"]),  # a name that a label has is not given again
        ([0, 1, 2, 3], ["a", "a", "a", "a (2)"], ["a", "a (3)", "a (4)", "a (2)"]),  # nor one that another cluster has
        ([0, 1, 2], [1, 0, None], ["1", "0", "2"]),
        ([0, 1, 2], [2, 0, None], ["2", "0", "new 2"]),  # so with numbers
        ([0, 1], ["{x}", "{x}"], ["{x}", "{x} (2)"]),
    ],
)
def test_names(labels, known, expected):
    assert names(labels, known) == expected


@given(st.lists(st.tuples(st.integers(0, 4), st.sampled_from([None, "0", "1", "a", "a (2)"])), min_size=1))
def test_every_cluster_has_a_name_of_its_own(rows):
    labels, known = zip(*rows, strict=True)
    constraints = Constraints.from_labels(list(known))
    found = name_clusters(constraints, np.array(labels), 5)
    assert len({cluster.name for cluster in found}) == 5
    for number, cluster in enumerate(found):
        inside = [label for own, label in rows if own == number and label is not None]
        assert (cluster.label is None) == (not inside)
        if inside:
            assert inside.count(cluster.label) == cluster.known == max(map(inside.count, inside))
            assert cluster.known_in_all == known.count(cluster.label)


def test_only_labels_name_clusters():
    same = Constraints(4, partitions=[Partition([0, 0, 1, 1], names=["smith", "jones"])])
    assert [cluster.name for cluster in name_clusters(same, np.array([0, 0, 1, 1]), 2)] == ["0", "1"]
    first, second = Constraints.from_labels(["a", None, None]), Constraints.from_labels([None, "a", "b"])
    assert [each.known for each in name_clusters(first | second, np.array([0, 0, 1]), 2)] == [2, 1]


TYPES = ["ACL", "CLL", "DLBCL", "FL", "GCB", "NIL", "RAT", "RBB", "TCL"]


@pytest.fixture(scope="module")
def samples():
    """Ten types in 88 samples of 1,500 genes; two samples of nine types are known."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(10), [11, 8, 15, 9, 6, 5, 7, 9, 8, 10])
    means = 1.5 * rng.normal(size=(10, 1500)) * (rng.random((10, 1500)) < 0.15)
    X = means[y] + rng.normal(size=(len(y), 1500))
    known = [""] * len(y)
    for code, name in enumerate(TYPES):
        for row in rng.choice(np.flatnonzero(y == code), 2, replace=False):
            known[row] = name
    return X, y, known


def test_two_labels_a_type_name_the_clusters(samples):
    X, y, known = samples
    labels = Constraints.from_labels(known)
    assert labels.summary() == "18 labels of 9 classes (153 pairs)"
    model = Likewise(10, random_state=0, verbose=False).fit(X, constraints=labels)
    assert set(TYPES) < set(model.cluster_names_)
    named = model.cluster_names_[model.labels_]
    right = [name == TYPES[code] for name, code in zip(named, y, strict=True) if code < 9]
    assert np.mean(right) > 0.9
    reports = {cluster.name: cluster for cluster in model.report_.clusters}
    assert reports["CLL"].size == f"{reports['CLL'].rows} rows, 2 of 2 with this label"
    assert [cluster.new for cluster in model.report_.clusters].count(True) == 1
    text = str(model.report_)
    assert "18 labels of 9 classes (153 pairs)" in text
    assert "10: 9 named after labels, 1 without labeled rows" in text
    assert "new: none is labeled" in text
    assert "\nCLL " in text


def test_labels_give_at_least_as_many_clusters(samples):
    X, _, known = samples
    model = Likewise(random_state=0, verbose=False).fit(X, constraints=Constraints.from_labels(known))
    assert model.n_clusters_ >= 9
    assert set(TYPES) <= set(model.cluster_names_)


def test_fewer_clusters_than_classes(samples):
    X, _, known = samples
    labels = Constraints.from_labels(known)
    with pytest.warns(UserWarning, match="the labels name 9 classes, but n_clusters=4: some classes will share"):
        model = Likewise(4, random_state=0, verbose=False).fit(X, constraints=labels)
    assert len(model.cluster_names_) == 4
    labeled = np.array(known) != ""
    own = model.cluster_names_[model.labels_] == np.array(known)
    assert (model.certainty_[labeled & own] == 1).all()
    assert model.certainty_[labeled & ~own].min() < 1
    with pytest.raises(ValueError, match="all different from each other"):
        Likewise(4, trust="strict", verbose=False).fit(X, constraints=labels)
