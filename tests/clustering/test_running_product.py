"""The running product of weights between groups with a table, against the product with the whole table."""

import numpy as np
import pytest
from scipy import sparse

from cases.data import blobs
from likewise import Constraints
from likewise.clustering import MPCKMeans
from likewise.clustering.kmeans.mpck import _violations as violations
from likewise.clustering.kmeans.mpck._running_product import RunningProduct
from likewise.clustering.kmeans.mpck._violations import GroupPenalties

GROUPS, CLUSTERS, FEATURES = 40, 3, 5


def sparse_core(rng, hub):
    """Few entries between groups; some groups without any; with a hub, one group with an entry for all others."""
    core = np.where(rng.random((GROUPS, GROUPS)) < 0.03, rng.normal(size=(GROUPS, GROUPS)), 0.0)
    if hub:
        core[7] = rng.normal(size=GROUPS)
    core[30:] = 0
    core = core + core.T
    core[30:] = core[:, 30:] = 0
    return sparse.csr_array(core)


@pytest.mark.parametrize("hub", [False, True])
@pytest.mark.parametrize("shape", [(), (FEATURES,)])
@pytest.mark.parametrize("columns", [slice(None), np.array([0, 3])])
def test_it_is_the_product_with_the_present_table(hub, shape, columns):
    rng = np.random.default_rng(0)
    core, table = sparse_core(rng, hub), rng.normal(size=(GROUPS, CLUSTERS, *shape))
    columns = columns if shape else slice(None)
    running = RunningProduct(core, (table[:, cluster] for cluster in range(CLUSTERS)))
    assert bool(running._kept) == hub
    for group in rng.integers(0, GROUPS, 100).tolist():
        cluster = int(rng.integers(CLUSTERS))
        amount = rng.normal(size=table[0, 0][..., columns].shape) if shape else rng.normal()
        running.add(group, cluster, amount, columns)
        if shape:
            table[group, cluster, columns] += amount
        else:
            table[group, cluster] += amount
        expected = np.einsum("pq,q...->p...", core.toarray(), table)
        asked = int(rng.integers(30))
        np.testing.assert_allclose(running.at(asked, columns), expected[asked][..., columns], atol=1e-12)
        np.testing.assert_allclose(running.at(7, columns), expected[7][..., columns], atol=1e-12)
    np.testing.assert_allclose(running.everywhere(), expected, atol=1e-12)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_one_large_group_and_many_single_rows_are_their_pairs(kind, monkeypatch):
    """The large group is linked to every single row, and every row moves."""
    X, _ = blobs(60, 4)
    X = kind(np.random.default_rng(1).permutation(X))
    chain, single = np.arange(30), np.arange(30, 60)
    hints = Constraints(
        60,
        must_link=np.column_stack([chain[:-1], chain[1:]]),
        cannot_link=np.column_stack([chain, single]),
    )
    model = MPCKMeans(3, penalty=0.02, n_init=2, random_state=0)
    pairs = model.fit(X, constraints=hints).history_  # so few are expanded
    monkeypatch.setattr(violations, "FEW_PAIRS", 0)
    monkeypatch.setattr(violations, "FEW_ENTRIES", 0)
    assert [type(part) for part in violations.Violations(X, hints, 0.02, closed=True)._parts] == [GroupPenalties]
    groups = model.fit(X, constraints=hints).history_
    np.testing.assert_allclose(groups, pairs, rtol=1e-9)
    assert len(groups) > 2
