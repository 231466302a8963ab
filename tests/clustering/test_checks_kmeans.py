"""scikit-learn's own checks, for the k-means family."""

import pytest
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.utils.estimator_checks import parametrize_with_checks

from likewise.clustering import (
    COPKMeans,
    KernelKMeans,
    MPCKMeans,
    PCKMeans,
    ProjectThenCluster,
    SKKMeans,
    SphericalKMeans,
)

CLUSTERERS = [
    SphericalKMeans(),
    KernelKMeans(n_init=2),
    SKKMeans(n_init=2),
    COPKMeans(n_init=2),
    PCKMeans(n_init=2),
    PCKMeans(n_init=2, must_link="hard", metric="cosine"),
    MPCKMeans(n_init=1),
    MPCKMeans(n_init=1, metric="full"),
    ProjectThenCluster(n_init=2),
    ProjectThenCluster(2, PCA(1), KMeans(n_init=1)),
]


# The checks ask for fewer clusters than the labels they pass have classes.
@pytest.mark.filterwarnings("ignore:y has .* classes:UserWarning")
@parametrize_with_checks(CLUSTERERS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
