"""Documents with links between them: link analysis, Costco, k-means."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from types import NoneType
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .._method import Method, Needs
from .._progress import stage
from .._saved import Saved
from .._sklearn import POSITIVE_INT, HasMethods, Interval, StrOptions, _fit_context
from ..constraints import Constraints
from ..projections import Costco
from ..sources.links import balanced, global_core_pairs, homophily, link_matrix, linked_pairs, local_core_pairs
from ._base import Clusterer
from ._project import k_means_after_projection
from .kmeans._centers import LOOP

CANNOT_PENALTY = 0.3
SHARE = Interval(Real, 0, 1, closed="both")


class NetworkedDocuments(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Clusterer):
    """Cluster documents by their words and by the links between them.

    Links join documents that belong together, but there are few of them, and new documents have none. So links are
    converted to must-links (core pairs), from which Costco learns a projection of the words, and k-means by cosine
    clusters all documents after the projection. New documents need no links.

    Parameters
    ----------
    n_clusters : int
    links_method : {"both", "links", "local", "global"}
        How to convert links to core pairs: the links themselves ("links"), pairs with common references ("local",
        :func:`~likewise.sources.links.local_core_pairs`), pairs that are close in random walks ("global",
        :func:`~likewise.sources.links.global_core_pairs`), or the first two together ("both").
    balance : bool
        Whether to give every document about the same weight, independent of the number of its pairs
        (:func:`~likewise.sources.links.balanced`). Otherwise documents with many links dominate.
    n_components : int
        Number of directions of Costco.
    alpha, theta
        Parameters of the local core pairs.
    gamma, n_pairs, n_similar, global_score
        Parameters of the global core pairs; ``global_score`` is their ``score``.
    projection : projection, optional
        Replaces :class:`~likewise.Costco`; ``n_components`` is then not used.
    metric : {"cosine", "euclidean"}
        How to compare projected documents.
    trust : bool
        Whether ``y`` and ``constraints`` are certain. If so, must-link groups always stay together in the clustering;
        otherwise a constraint may be violated at a penalty. Links are used only for the projection.
    n_init, max_iter, tol, random_state
        Parameters of the k-means.

    Attributes
    ----------
    labels_ : (n,) int array
    core_pairs_ : Constraints
        The core pairs of the links.
    homophily_ : Homophily or None
        How often links join documents of the same class, if labels or constraints are given.
    projection_ : Costco or None
        None if there were neither links nor must-links.
    text_features_ : TextFeatures or None
        The transformer of the texts; None if X was a matrix.
    cluster_centers_ : (n_clusters, r) array
        In the projected space.
    n_iter_ : int

    Notes
    -----
    NMI on Cora (2,708 papers, 7 classes, tf-idf, mean of 5 seeds): words only 0.35; links 0.50 (balanced 0.51); local
    core pairs 0.46 (balanced 0.53); global core pairs 0.46 (balanced 0.47; 0.36 with artificial links,
    ``n_similar=5``); links and local core pairs, balanced, 0.54 (the default). :meth:`as_published` is Algorithm 4:
    local core pairs, unbalanced, β of Eq. 5.17, and plain k-means. It gives 0.37, as in the thesis.

    On WebKB, links join pages of *different* classes: NMI is 0.34 with words only, and 0.03 with links. A warning is
    issued if constraints show this.

    References
    ----------
    S. Yan, PhD thesis, Pennsylvania State University, 2010, Sections 5.3–5.6, Algorithm 4.

    Examples
    --------
    >>> from likewise.clustering import NetworkedDocuments
    >>> words = [[2, 1, 0, 0], [1, 2, 0, 0], [1, 1, 1, 0], [0, 0, 1, 2], [0, 0, 2, 1], [0, 1, 1, 1]]
    >>> links = [(0, 1), (1, 2), (3, 4), (4, 5)]
    >>> model = NetworkedDocuments(2, random_state=0).fit(words, links=links)
    >>> labels = model.labels_
    >>> bool(labels[0] == labels[1] == labels[2] != labels[3] == labels[4] == labels[5])
    True
    >>> model.core_pairs_
    Constraints(6 rows: 4 must-links)
    >>> bool(model.predict([[3, 1, 0, 0]])[0] == labels[0])
    True
    """

    _method: ClassVar[Method] = Method(
        "networked", prefer="documents and their links", paper="Yan 2010, chapter 5", needs=Needs.LINKS
    )
    _saved: ClassVar[Saved] = Saved(
        ("labels_", "n_iter_", "n_features_in_", "_n_features_out", "cluster_centers_", "inertia_"),
        parts={
            "projection_": (BaseEstimator, NoneType),
            "clusterer_": BaseEstimator,
            "text_features_": (BaseEstimator, NoneType),
        },
    )
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **LOOP,
        "links_method": [StrOptions({"both", "links", "local", "global"})],
        "balance": ["boolean"],
        "n_components": [POSITIVE_INT],
        "alpha": [SHARE],
        "theta": [Interval(Real, 0, 1, closed="left")],
        "gamma": [Interval(Real, 0, None, closed="neither"), None],
        "n_pairs": [POSITIVE_INT, None],
        "n_similar": [Interval(Integral, 0, None, closed="left")],
        "global_score": [StrOptions({"degree-corrected", "commute"})],
        "projection": [HasMethods(["fit", "transform"]), None],
        "metric": [StrOptions({"cosine", "euclidean"})],
        "trust": ["boolean"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        links_method: str = "both",
        balance: bool = True,
        n_components: int = 40,
        alpha: float = 0.5,
        theta: float = 0.0,
        gamma: float | None = None,
        n_pairs: int | None = None,
        n_similar: int = 0,
        global_score: str = "degree-corrected",
        projection: Any = None,
        metric: str = "cosine",
        trust: bool = True,
        n_init: int = 10,
        max_iter: int = 100,
        tol: float = 1e-6,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.links_method = links_method
        self.balance = balance
        self.n_components = n_components
        self.alpha = alpha
        self.theta = theta
        self.gamma = gamma
        self.n_pairs = n_pairs
        self.n_similar = n_similar
        self.global_score = global_score
        self.projection = projection
        self.metric = metric
        self.trust = trust
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @classmethod
    def as_published(cls, n_clusters: int = 8, **params: Any) -> Self:
        """Algorithm 4 as published; pass ``links_method="global"`` for the global analysis."""
        published = {
            "links_method": "local",
            "balance": False,
            "n_similar": 5,
            "global_score": "commute",
            "projection": Costco.as_published(params.get("n_components", 40)),
            "metric": "euclidean",
        }
        return cls(n_clusters, **{**published, **params})

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: Any, y: Any = None, *, links: Any = None, constraints: Constraints | None = None, ids: Any = None
    ) -> Self:
        """Cluster documents.

        Parameters
        ----------
        X : list of str, or (n, f) array, sparse matrix or data frame
            Texts are converted by :class:`likewise.prepare.TextFeatures`. A matrix is used as it is; tf-idf works best.
        y : (n,) array-like, optional
            Partial labels; −1, None or NaN where unknown.
        links : (m, 2) array-like, (n, n) sparse matrix, networkx graph, or path of a file, optional
            See :func:`~likewise.sources.links.link_matrix`. If None, k-means on the words, with the constraints if any.
        constraints : Constraints, optional
            Constraints, used in addition to ``y``. They have precedence over core pairs.
        ids : list-like, optional
            Names of the documents, if the links refer to them by name.

        Returns
        -------
        self
        """
        X, known = self._fit_inputs(self._features(X, fitting=True), y, constraints)
        n = X.shape[0]
        matrix = None if links is None else link_matrix(links, n, ids=ids)
        self.homophily_ = None
        if matrix is not None and not known.is_empty:
            self.homophily_ = homophily(matrix, known, warn=False)
        with stage("finding core pairs"):
            self.core_pairs_ = Constraints(n) if matrix is None else self._core_pairs(matrix, X)
        self._warn(matrix)
        self.labels_ = np.asarray(self._cluster(X, known), dtype=np.int32)
        return self

    def fit_predict(
        self, X: Any, y: Any = None, *, links: Any = None, constraints: Constraints | None = None, ids: Any = None
    ) -> np.ndarray:
        """Cluster documents and return their labels.

        Parameters
        ----------
        X, y, links, constraints, ids
            As for :meth:`fit`.

        Returns
        -------
        (n,) int array
        """
        return self.fit(X, y, links=links, constraints=constraints, ids=ids).labels_

    def _warn(self, matrix: sparse.csr_array | None) -> None:
        if self.homophily_ is not None and self.homophily_.verdict in ("unrelated", "opposite"):
            warnings.warn(
                f"links do not indicate similarity here: {self.homophily_}. Leave them out.",
                UserWarning,
                stacklevel=5,
            )
        if matrix is not None and not len(self.core_pairs_.must_link):
            warnings.warn(
                f"{matrix.nnz:,} links give no core pair (links_method={self.links_method!r}, theta={self.theta:g}): "
                'only the words are used. Decrease theta, or use links_method="links".',
                UserWarning,
                stacklevel=5,
            )

    def _core_pairs(self, matrix: sparse.csr_array, X: Any) -> Constraints:
        parts = []
        if self.links_method in ("links", "both"):
            parts.append(linked_pairs(matrix))
        if self.links_method in ("local", "both"):
            parts.append(local_core_pairs(matrix, alpha=self.alpha, theta=self.theta))
        if self.links_method == "global":
            chosen: dict[str, Any] = {"gamma": self.gamma, "n_pairs": self.n_pairs, "score": self.global_score}
            parts.append(global_core_pairs(matrix, X, n_similar=self.n_similar, **chosen))
        found = Constraints(matrix.shape[0])
        for some in parts:
            found = found | (balanced(some) if self.balance else some)
        return found

    def _cluster(self, X: Any, constraints: Constraints) -> np.ndarray:
        rng = check_random_state(self.random_state)
        pairs = self.core_pairs_ | constraints
        self.projection_ = None
        if pairs.n_must_link:
            r = self.n_components if self.n_components < min(X.shape) else None
            projection = Costco(r) if self.projection is None else clone(self.projection)
            with stage("projecting"):
                self.projection_ = projection.fit(X, constraints=pairs)
        Z = self._image(X)
        self._n_features_out = Z.shape[1]
        clusterer = k_means_after_projection(
            Z,
            self.n_clusters,
            penalty=CANNOT_PENALTY,
            trust=self.trust,
            metric=self.metric,
            n_init=self.n_init,
            max_iter=self.max_iter,
            tol=self.tol,
            random_state=rng,
        )
        with stage("clustering"):
            self.clusterer_ = clusterer.fit(Z, constraints=constraints)
        self.cluster_centers_ = self.clusterer_.cluster_centers_
        self.inertia_ = self.clusterer_.inertia_
        self.n_iter_ = self.clusterer_.n_iter_
        return self.clusterer_.labels_

    def _image(self, X: Any) -> Any:
        return X if self.projection_ is None else self.projection_.transform(X)

    def _features(self, X: Any, *, fitting: bool = False) -> Any:
        """Convert texts to a matrix; a matrix is returned as it is."""
        if not _are_texts(X):
            if fitting:
                self.text_features_ = None
            return X
        if fitting:
            from ..prepare import TextFeatures

            self.text_features_ = TextFeatures()
            return self.text_features_.fit_transform(X)
        if self.text_features_ is None:
            raise ValueError("these are texts, but the model was fitted to a matrix. Pass rows of the same columns.")
        return self.text_features_.transform(X)

    def _new_rows(self, X: Any) -> Any:
        check_is_fitted(self)
        return super()._new_rows(self._features(X))

    def transform(self, X: Any) -> Any:
        """Project documents.

        Parameters
        ----------
        X : list of str, or (n, f) array, sparse matrix or data frame

        Returns
        -------
        (n, r) array
        """
        return self._image(self._new_rows(X))

    def predict(self, X: Any) -> np.ndarray:
        """The clusters of new documents, from their words only.

        Parameters
        ----------
        X : list of str, or (n, f) array, sparse matrix or data frame

        Returns
        -------
        (n,) int array
        """
        Z = self.transform(X)
        return np.asarray(self.clusterer_.predict(Z), dtype=np.int32)


def _are_texts(X: Any) -> bool:
    if sparse.issparse(X) or isinstance(X, str) or getattr(X, "ndim", 1) != 1:
        return False
    first = next(iter(X), None) if hasattr(X, "__iter__") else None
    return isinstance(first, str)
