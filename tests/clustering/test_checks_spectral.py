"""scikit-learn's own checks."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from likewise.clustering import ChainedClusterer, ConstrainedNormalizedCut, NormalizedCut, SubspaceMetricEnsemble, lo_nc

CLUSTERERS = [
    NormalizedCut(3),
    NormalizedCut(3, affinity="cosine"),
    NormalizedCut(3, affinity="rbf", normalization="shi-malik"),
    ConstrainedNormalizedCut(3),
    SubspaceMetricEnsemble(3, n_subspaces=2),
    SubspaceMetricEnsemble(3, n_subspaces=2, constrained=True),
    ChainedClusterer(3),
    lo_nc(3),
]


# of three clusters the labels that some checks pass as hints leave two
@pytest.mark.filterwarnings("ignore:Number of distinct clusters")
@parametrize_with_checks(CLUSTERERS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
