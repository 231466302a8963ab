"""The one table of estimators for tests: an instance for laws, and what scikit-learn's tiny data asks to be changed.

A new method is added here once; the laws of all projections or of all clusterers, scikit-learn's own checks and the
test of model files then hold for it, too. The key begins with the name of the method.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sklearn.base import BaseEstimator, clone
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA

import likewise as lw
from likewise import clustering
from likewise._method import Method, MethodKind
from likewise._methods import method_named


@dataclass(frozen=True)
class Case:
    """An estimator for tests.

    Attributes
    ----------
    estimator : unfitted estimator
        For laws, on some dozens of rows of three classes.
    tiny : dict or None
        Parameters to change for scikit-learn's checks; None: a variant that they are not run on.
    """

    estimator: BaseEstimator
    tiny: Mapping[str, Any] | None = None

    def fresh(self) -> Any:
        """A clone of the estimator."""
        return clone(self.estimator)

    def for_checks(self) -> Any:
        """A clone with the parameters for scikit-learn's checks."""
        return self.fresh().set_params(**(self.tiny or {}))


ANY_WIDTH = {"n_components": None}
FEW_NEIGHBORS = {"n_neighbors": 2}
QUICK = {"n_init": 2}

CASES: dict[str, Case] = {
    "asp": Case(lw.ASP(2), ANY_WIDTH),
    "asp qr": Case(lw.ASP(2, basis="qr"), {**ANY_WIDTH, "singletons": "none"}),
    "screen": Case(lw.SCREEN(2), ANY_WIDTH),
    "screen cannot": Case(lw.SCREEN(2, scatter="cannot")),
    "costco": Case(lw.Costco(2), ANY_WIDTH),
    "dsp": Case(lw.DSP(2), FEW_NEIGHBORS),
    "gcdr": Case(lw.GCDR(2), FEW_NEIGHBORS),
    "gcdr shrink": Case(lw.GCDR(2, degree="shrink")),
    "comparison": Case(lw.ComparisonProjection(2), {}),
    "comparison ratio": Case(lw.ComparisonProjection(2, loss="ratio"), {}),
    "ssdr": Case(lw.SSDR(2), {}),
    "lpp": Case(lw.LPP(2), FEW_NEIGHBORS),
    "slpp": Case(lw.SLPP(2), {}),
    "lppsi": Case(lw.LPPSI(2), FEW_NEIGHBORS),
    "lppsi rbf": Case(lw.LPPSI(2, kernel="rbf"), FEW_NEIGHBORS),
    "rca": Case(lw.RCA(2), ANY_WIDTH),
    "dca": Case(lw.DCA(2), ANY_WIDTH),
    "xing": Case(lw.XingMetric(), {}),
    "xing full": Case(lw.XingMetric("full"), {}),
    "xing optimum": Case(lw.XingMetric(shrink=0.0), {}),
    "likewise": Case(lw.Likewise(3, verbose=False, random_state=0), {"n_clusters": None}),
    "project": Case(lw.ProjectThenCluster(3, random_state=0), {**QUICK, "n_clusters": None}),
    "project euclidean": Case(lw.ProjectThenCluster(3, metric="euclidean", random_state=0)),
    "project pca": Case(lw.ProjectThenCluster(3, PCA(2), KMeans(n_init=2), random_state=0), {"projection": PCA(1)}),
    "networked": Case(lw.NetworkedDocuments(3, random_state=0), {**QUICK, "n_clusters": 8}),
    "networked euclidean": Case(
        lw.NetworkedDocuments(3, metric="euclidean", random_state=0), {**QUICK, "n_clusters": 8}
    ),
    "pck": Case(lw.PCKMeans(3, random_state=0), QUICK),
    "pck hard": Case(lw.PCKMeans(3, must_link="hard", metric="cosine", random_state=0), QUICK),
    "mpck": Case(lw.MPCKMeans(3, random_state=0), {"n_init": 1}),
    "mpck full": Case(lw.MPCKMeans(3, metric="full", random_state=0), {"n_init": 1}),
    "cop": Case(lw.COPKMeans(3, random_state=0), QUICK),
    "skk": Case(lw.SKKMeans(3, random_state=0), QUICK),
    "kernel": Case(lw.KernelKMeans(3, random_state=0), QUICK),
    "spherical": Case(lw.SphericalKMeans(3, random_state=0), {}),
    "c-nc": Case(lw.ConstrainedNormalizedCut(3, random_state=0), {}),
    "nc": Case(lw.NormalizedCut(3, random_state=0), {}),
    "nc cosine": Case(lw.NormalizedCut(3, affinity="cosine", random_state=0), {}),
    "nc rbf": Case(lw.NormalizedCut(3, affinity="rbf", normalization="shi-malik", random_state=0), {}),
    "ensemble": Case(lw.SubspaceMetricEnsemble(3, n_subspaces=4, random_state=0), {"n_subspaces": 2}),
    "ensemble constrained": Case(
        lw.SubspaceMetricEnsemble(3, n_subspaces=4, constrained=True, random_state=0), {"n_subspaces": 2}
    ),
    "l-nc": Case(clustering.l_nc(3, random_state=0)),
    "rl-nc": Case(clustering.rl_nc(3, random_state=0)),
    "rlc-nc": Case(clustering.rlc_nc(3, random_state=0)),
    "lo-nc": Case(clustering.lo_nc(3, random_state=0), {}),
    "glo-nc": Case(clustering.glo_nc(3, random_state=0)),
}

PARTS = {
    "chain": Case(lw.ChainedClusterer(3, random_state=0), {}),
    "graph features": Case(lw.GraphFeatures(n_components=3), {"n_components": 60}),
    "graph features cosine": Case(lw.GraphFeatures(n_components=3, metric="cosine"), {}),
}
"""Estimators that are no methods by themselves."""


def method_of(key: str) -> Method:
    """The facts about the method of a case."""
    return method_named(key.split()[0])


def cases(kind: MethodKind) -> dict[str, Case]:
    """The cases of one kind of method."""
    return {key: case for key, case in CASES.items() if method_of(key).kind is kind}


PROJECTIONS = cases(MethodKind.PROJECTION)
CLUSTERERS = cases(MethodKind.CLUSTERER)
METRICS = cases(MethodKind.METRIC)
