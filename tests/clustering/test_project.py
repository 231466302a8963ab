"""Project, then cluster."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, normalize

from cases.data import blobs, consistent_hints, counts, partial_labels
from likewise import ASP, DSP, SSDR, Constraints, Costco
from likewise.clustering import COPKMeans, NormalizedCut, PCKMeans, ProjectThenCluster, SphericalKMeans
from likewise.clustering.kmeans._points import Points
from likewise.clustering.kmeans._scale import mean_squared_deviation
from likewise.evaluation import rand_index


def noisy(seed=0, n=120):
    """Three classes in two features, drowned in others that vary more."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    return np.column_stack([2.5 * np.eye(3)[y][:, :2] + 0.5 * rng.normal(size=(n, 2)), 4 * rng.normal(size=(n, 8))]), y


def test_hints_find_what_kmeans_does_not():
    X, y = noisy()
    hints = consistent_hints(y, 80, 60)
    plain = KMeans(3, n_init=10, random_state=0).fit_predict(X)
    labels = ProjectThenCluster(3, random_state=0).fit_predict(X, constraints=hints)
    assert rand_index(y, labels) > 0.95 > rand_index(y, plain)


def test_trusted_must_links_hold():
    X, y = noisy()
    hints = consistent_hints(y, 40, 20)
    model = ProjectThenCluster(3, random_state=0).fit(X, constraints=hints)
    assert (model.labels_[hints.must_link[:, 0]] == model.labels_[hints.must_link[:, 1]]).all()


def test_the_default_is_the_two_parts_by_hand():
    X, y = noisy()
    hints = consistent_hints(y, 40, 20)
    model = ProjectThenCluster(3, random_state=0).fit(X, constraints=hints)
    Z = Costco(n_components=10).fit_transform(X, constraints=hints)
    np.testing.assert_allclose(model.transform(X), Z)
    byhand = PCKMeans(3, must_link="hard", penalty=0.3 * mean_squared_deviation(Z), random_state=0)
    np.testing.assert_array_equal(byhand.fit(Z, constraints=hints).labels_, model.labels_)
    assert model.inertia_ == pytest.approx(byhand.inertia_)
    untrusted = ProjectThenCluster(3, trust=False, random_state=0).fit(X, constraints=hints)
    assert (untrusted.clusterer_.must_link, untrusted.clusterer_.closure) == ("soft", False)


def test_which_projection_where_none_is_given():
    X, y = noisy()
    both = consistent_hints(y)
    apart = Constraints(len(y), cannot_link=both.cannot_link)
    assert isinstance(ProjectThenCluster(3).fit(X, constraints=both).projection_, Costco)
    assert isinstance(ProjectThenCluster(3).fit(X, constraints=apart).projection_, SSDR)
    nothing = ProjectThenCluster(3, random_state=0).fit(X)
    assert isinstance(nothing.projection_, SSDR)
    assert nothing.transform(X).shape == (120, 3)


def test_cosine_for_text_and_euclid_otherwise():
    X = counts(40, 12)
    dense = normalize(X.toarray())
    hints = consistent_hints(np.arange(40) % 3)
    for data, metric in ((X, "cosine"), (dense, "cosine"), (X.toarray(), "euclidean"), (dense - 0.1, "euclidean")):
        assert ProjectThenCluster(3, random_state=0).fit(data, constraints=hints).metric_ == metric
    chosen = ProjectThenCluster(3, metric="euclidean", random_state=0).fit(X, constraints=hints)
    assert chosen.metric_ == chosen.clusterer_.metric == "euclidean"


def test_predict_is_the_nearest_center_of_projected_rows():
    X, y = noisy()
    for data in (X, sparse.csr_array(np.abs(X))):
        model = ProjectThenCluster(3, SSDR(n_components=2), random_state=0).fit(data)
        np.testing.assert_array_equal(model.predict(data), model.labels_)
    hints = consistent_hints(y, 80, 60)
    model = ProjectThenCluster(3, random_state=0).fit(X, constraints=hints)
    new, classes = noisy(seed=1)
    distances = ((model.transform(new)[:, None] - model.cluster_centers_) ** 2).sum(2)
    np.testing.assert_array_equal(model.predict(new), distances.argmin(axis=1))
    assert rand_index(classes, model.predict(new)) > 0.9


@pytest.mark.parametrize(
    "projection", [ASP(n_components=3), DSP(n_neighbors=3), PCA(2), make_pipeline(StandardScaler())]
)
def test_any_projection(projection):
    X, y = noisy(n=60)
    model = ProjectThenCluster(3, projection, random_state=0).fit(X, constraints=consistent_hints(y))
    assert model.labels_.shape == (60,)
    assert model.transform(X).shape[0] == 60


def test_kmeans_of_scikit_learn_gets_groups_as_one():
    X, y = noisy()
    hints = consistent_hints(y, 40, 5)
    model = ProjectThenCluster(None, PCA(4), KMeans(3, n_init=3, random_state=0)).fit(X, constraints=hints)
    assert (model.labels_[hints.must_link[:, 0]] == model.labels_[hints.must_link[:, 1]]).all()
    points = Points(PCA(4).fit_transform(X), hints.groups())
    byhand = KMeans(3, n_init=3, random_state=0).fit(points.take(np.arange(points.n)), sample_weight=points.weight)
    np.testing.assert_array_equal(byhand.labels_[hints.groups()], model.labels_)
    rows = ProjectThenCluster(None, PCA(4), KMeans(3, n_init=3, random_state=0), trust=False).fit(X, constraints=hints)
    np.testing.assert_array_equal(
        rows.labels_, KMeans(3, n_init=3, random_state=0).fit_predict(PCA(4).fit_transform(X))
    )


def test_any_clusterer():
    X, y = noisy()
    hints = consistent_hints(y, 20, 10)
    tree = ProjectThenCluster(3, PCA(4), AgglomerativeClustering()).fit(X, constraints=hints)
    assert len(set(tree.labels_)) == 3
    assert not hasattr(tree, "predict")
    hard = ProjectThenCluster(3, clusterer=COPKMeans(), random_state=0).fit(X, constraints=hints)
    assert (hard.labels_[hints.cannot_link[:, 0]] != hard.labels_[hints.cannot_link[:, 1]]).all()
    deaf = ProjectThenCluster(3, clusterer=SphericalKMeans(), metric="cosine", random_state=0).fit(X, constraints=hints)
    np.testing.assert_array_equal(deaf.predict(X), deaf.labels_)
    assert len(ProjectThenCluster(3, clusterer=NormalizedCut(3)).fit(X, constraints=hints).labels_) == 120


def test_n_clusters_of_the_clusterer_counts_unless_given():
    X, _ = noisy()
    assert len(set(ProjectThenCluster(clusterer=KMeans(4, n_init=1)).fit(X).labels_)) == 4
    assert len(set(ProjectThenCluster(5, clusterer=KMeans(4, n_init=1)).fit(X).labels_)) == 5
    assert len(set(ProjectThenCluster(random_state=0).fit(X).labels_)) == 8


def test_weights_need_trust_off():
    X, y = noisy()
    hints = consistent_hints(y, weighted=True)
    with pytest.raises(ValueError, match=r"trust=True takes every hint as certain.* Pass trust=False"):
        ProjectThenCluster(3).fit(X, constraints=hints)
    ProjectThenCluster(3, trust=False, random_state=0).fit(X, constraints=hints)


def test_parts_given_are_not_changed_and_it_clones():
    X, y = noisy()
    projection, clusterer = Costco(n_components=3), KMeans(n_init=1)
    model = ProjectThenCluster(3, projection, clusterer, random_state=0).fit(X, partial_labels(y))
    assert not hasattr(projection, "components_")
    assert not hasattr(clusterer, "labels_")
    assert clusterer.n_clusters == 8
    assert clone(model).get_params()["projection__n_components"] == 3


def test_in_a_pipeline():
    X, y = noisy()
    pipe = make_pipeline(StandardScaler(), ProjectThenCluster(3, random_state=0))
    labels = pipe.fit(X, projectthencluster__constraints=consistent_hints(y, 80, 60)).predict(X)
    assert rand_index(y, labels) > 0.9


def test_blobs_with_labels():
    X, y = blobs(90)
    assert rand_index(y, ProjectThenCluster(3, random_state=0).fit_predict(X, partial_labels(y))) > 0.9


def test_data_frames_and_float32():
    X, y = noisy()
    frame = pd.DataFrame(X, columns=[f"feature {j}" for j in range(X.shape[1])])
    model = ProjectThenCluster(3, random_state=0).fit(frame, partial_labels(y))
    again = ProjectThenCluster(3, random_state=0).fit(X, partial_labels(y))
    np.testing.assert_array_equal(model.predict(frame), again.predict(X))
    assert model.transform(frame).shape[1] == len(model.get_feature_names_out())
    small = ProjectThenCluster(3, random_state=0).fit(X.astype(np.float32), partial_labels(y))
    assert small.transform(X.astype(np.float32)).dtype == small.cluster_centers_.dtype == np.float32


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("value", [0.0, 3.0])
def test_equal_rows_are_refused_before_a_foreign_projection_divides_by_zero(make, value):
    model = ProjectThenCluster(2, PCA(1), KMeans(n_init=1))
    with pytest.raises(ValueError, match="all rows of X are equal, so PCA cannot"):
        model.fit(make(np.full((9, 3), value)))
