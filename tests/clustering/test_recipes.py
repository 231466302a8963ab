"""The named compositions are what they say: their parts, one after the other."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import cosine_distances
from sklearn.preprocessing import StandardScaler

from likewise import ASP, Constraints
from likewise.clustering import (
    ChainedClusterer,
    ConstrainedNormalizedCut,
    NormalizedCut,
    PropagatedAffinity,
    glo_nc,
    l_nc,
    lo_nc,
    propagate_globally,
    propagate_locally,
    rl_nc,
    rlc_nc,
)
from likewise.metric import XingMetric

RECIPES = [l_nc, rl_nc, rlc_nc, lo_nc, glo_nc]


def text(n=90, f=150, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    rates = rng.gamma(0.2, size=(3, f)) + 0.05
    return rng.poisson(rates[y]).astype(float), y


X, Y = text()
HINTS = Constraints.sample(Y, "labeled_items", 25, random_state=0)


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("published", [False, True])
@pytest.mark.filterwarnings("ignore:the optimum keeps")
def test_every_recipe_clusters(recipe, published):
    model = recipe(3, published=published, random_state=0)
    labels = clone(model).fit_predict(X, constraints=HINTS)
    assert len(np.unique(labels)) == 3
    assert adjusted_rand_score(labels, Y) > (0.1 if published else 0.5)
    np.testing.assert_array_equal(labels, model.fit(X, constraints=HINTS).labels_)


def test_rl_nc_by_hand():
    Z = ASP().fit_transform(X, constraints=HINTS)
    Z = XingMetric(toward="equal").fit_transform(Z, constraints=HINTS)
    for recipe, cut in ((rl_nc, NormalizedCut), (rlc_nc, ConstrainedNormalizedCut)):
        given = {"constraints": HINTS} if cut is ConstrainedNormalizedCut else {}
        expected = cut(3, affinity="cosine", random_state=0).fit_predict(Z, **given)
        model = recipe(3, random_state=0).fit(X, constraints=HINTS)
        np.testing.assert_array_equal(model.labels_, expected)
        assert [type(step) for step in model.steps_] == [ASP, XingMetric]
        assert isinstance(model.clusterer_, cut)


@pytest.mark.parametrize(("recipe", "propagate"), [(lo_nc, propagate_locally), (glo_nc, propagate_globally)])
def test_propagated_recipes_by_hand(recipe, propagate):
    D = cosine_distances(X)
    np.fill_diagonal(D, 0)
    D = propagate(D / D.max(), HINTS)
    full = ChainedClusterer(
        3,
        steps=[PropagatedAffinity("local" if recipe is lo_nc else "global", n_neighbors=None)],
        clusterer=NormalizedCut(affinity="precomputed"),
        random_state=0,
    ).fit(X, constraints=HINTS)
    expected = NormalizedCut(3, affinity="precomputed", random_state=0).fit_predict(1 - D)
    np.testing.assert_array_equal(full.labels_, expected)
    near = recipe(3, random_state=0).fit(X, constraints=HINTS).clusterer_.affinity_matrix_.toarray()
    np.testing.assert_allclose(near[near > 0], (1 - D)[near > 0])
    assert ((near > 0).sum(axis=1) >= 20).all()


def test_constraints_without_a_part_that_uses_them():
    chain = ChainedClusterer(3, steps=[StandardScaler()], clusterer=KMeans(n_init=1), random_state=0)
    assert chain.fit(X).labels_.shape == (90,)
    with pytest.raises(ValueError, match="no part of the chain uses constraints"):
        chain.fit(X, constraints=HINTS)
    with pytest.raises(ValueError, match="reach must be"):
        PropagatedAffinity("far").fit(X)


def test_what_a_part_needs_is_reported():
    with pytest.raises(ValueError, match="XingMetric requires y"):
        l_nc(3).fit(X)
