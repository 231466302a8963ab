"""The methods of the peer packages: each takes the data and a seed, and returns its results by name.

The data are the arrays of a saved case: X, must_link, cannot_link and n_clusters. COBRAS also gets said, rows, budget
and, if intermediate results are wanted, budgets. LSML and SCML get near and far instead of links: the rows of near[t]
are more alike than those of far[t].
"""

from __future__ import annotations

from functools import partial

import numpy as np
from cobras_ts.cobras_kmeans import COBRAS_kmeans
from metric_learn import ITML, LSML, MMC, RCA, SCML
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA

with np.errstate():  # importing it makes numpy raise on every overflow, in the other packages, too
    from active_semi_clustering.semi_supervised import pairwise_constraints

# cobras-ts says np.int, which meant int until numpy 1.24 took the name away; nothing else keeps it from running.
np.int = int  # noqa: NPY001


def constrained(name, data, seed):
    """A k-means of active-semi-supervised-clustering; numpy raises errors as after importing that package."""
    model = getattr(pairwise_constraints, name)(n_clusters=int(data["n_clusters"]))
    must_link, cannot_link = (list(map(tuple, data[kind].tolist())) for kind in ("must_link", "cannot_link"))
    with np.errstate(all="raise"):
        model.fit(data["X"], ml=must_link, cl=cannot_link)
    return {"labels": model.labels_}


def k_means(rows, data, seed):
    """Cluster the rows transformed by a metric."""
    return {"labels": KMeans(int(data["n_clusters"]), n_init=10, random_state=seed).fit_predict(rows)}


def fitted_to_pairs(model, data):
    """A metric of metric-learn that is learned from pairs and their kinds."""
    pairs = np.vstack([data["must_link"], data["cannot_link"]])
    kinds = np.repeat([1, -1], [len(data["must_link"]), len(data["cannot_link"])])
    return model.fit(data["X"][pairs], kinds)


def itml(data, seed):
    """Information-theoretic metric learning, then k-means."""
    return k_means(fitted_to_pairs(ITML(random_state=seed), data).transform(data["X"]), data, seed)


def diagonal_mmc(data, seed):
    """The diagonal metric of Xing et al., without a clustering."""
    return fitted_to_pairs(MMC(diagonal=True, max_iter=100, random_state=seed), data)


def mmc(data, seed):
    """The diagonal metric of Xing et al., then k-means."""
    return k_means(diagonal_mmc(data, seed).transform(data["X"]), data, seed)


def mmc_weights(data, seed):
    """The feature weights of the diagonal metric."""
    return {"weights": np.diag(diagonal_mmc(data, seed).get_mahalanobis_matrix())}


def rca(data, seed):
    """Relevant component analysis of must-link groups, then k-means.

    With fewer must-links than features, the scatter within groups is singular. RCA's n_components does not help: it
    takes the directions of smallest scatter first, and divides by a scatter of zero. Its warning recommends PCA before
    RCA, which is done here. PCA to the rank of the scatter would whiten noise; half of the rank, which leaves two
    differences per direction, gave better results mostly. If the singularity is that of the columns themselves, only
    the redundant dimensions are removed.
    """
    X, chunks = data["X"], chunks_of(data["must_link"], len(data["X"]))
    rank = rank_of(X[chunks >= 0] - means_of(X, chunks)[chunks[chunks >= 0]])
    kept = rank if rank == rank_of(X) else max(1, rank // 2)
    if kept < X.shape[1]:
        X = PCA(kept, random_state=seed).fit_transform(X)
    return k_means(RCA().fit(X, chunks).transform(X), data, seed)


def lsml(data, seed):
    """A metric from comparisons by squared residuals (LSML), then k-means."""
    model = LSML(random_state=seed).fit(data["X"][np.hstack([data["near"], data["far"]])])
    return k_means(model.transform(data["X"]), data, seed)


def scml(data, seed):
    """A sparse combination of directions found from comparisons (SCML), then k-means.

    It refuses fewer comparisons than features; PCA to as many as there are comparisons goes before it then.
    """
    X, near, far = data["X"], data["near"], data["far"]
    if len(near) < X.shape[1]:
        X = PCA(len(near), random_state=seed).fit_transform(X)
    # the row that both pairs of a triplet have, the one it is nearer to, and the other
    shared = np.where((near[:, :1] == far).any(axis=1), near[:, 0], near[:, 1])
    triplets = np.column_stack([shared, near.sum(axis=1) - shared, far.sum(axis=1) - shared])
    return k_means(SCML(random_state=seed).fit(X[triplets]).transform(X), data, seed)


def chunks_of(must_link, n_rows):
    """The must-link group of each row; −1 for rows without must-links."""
    if len(must_link) == 0:
        raise ValueError("RCA learns from must-links alone, and there are none")
    graph = coo_array((np.ones(len(must_link)), must_link.T), shape=(n_rows, n_rows))
    linked = np.unique(must_link)
    chunks = np.full(n_rows, -1)
    chunks[linked] = np.unique(connected_components(graph, directed=False)[1][linked], return_inverse=True)[1]
    return chunks


def means_of(X, chunks):
    """The mean of each group."""
    return np.array([X[chunks == chunk].mean(axis=0) for chunk in range(chunks.max() + 1)])


def rank_of(rows):
    """Rank of the covariance, with the tolerance of RCA."""
    return np.linalg.matrix_rank(np.atleast_2d(np.cov(rows, rowvar=False, bias=True)))


class Oracle:
    """Answers the questions of COBRAS, and records them. COBRAS does not support "can't say", which counts as no."""

    def __init__(self, said, rows, budget):
        self.said, self.rows, self.budget, self.asked = said, rows, budget, []

    def query_points(self, first, second):
        if first not in self.rows or second not in self.rows:
            raise ValueError(f"COBRAS asked about rows {first} and {second}, which are not both among those it may use")
        if len(self.asked) == self.budget:
            raise ValueError("COBRAS asked once more than its budget allows")
        self.asked.append((int(first), int(second)))
        return self.said[first, second] > 0

    def continue_cluster_process(self):
        return True

    def update_clustering(self, clustering):
        pass


def cobras(data, seed):
    """COBRAS, which chooses its own questions and its own number of clusters.

    Besides the labels: the pairs it asked about, and its labels after each of the numbers of questions in `budgets`.
    """
    rows, budget = frozenset(data["rows"].tolist()), int(data["budget"])
    oracle = Oracle(data["said"], rows, budget)
    model = COBRAS_kmeans(data["X"], oracle, budget, train_indices=rows)
    clustering, after_each, *_ = model.cluster()
    labels = clustering.construct_cluster_labeling()
    steps = [after_each[count - 1] if count <= len(after_each) else labels for count in data.get("budgets", ())]
    return {"labels": labels, "asked": oracle.asked, "steps": steps}


LABELING = {
    "ITML": itml,
    "MMC": mmc,
    "RCA": rca,
    **{name: partial(constrained, name) for name in ("COPKMeans", "PCKMeans", "MPCKMeans")},
    "COBRAS": cobras,
    "LSML": lsml,
    "SCML": scml,
}
"""Methods that return labels."""

WEIGHTING = {"MMC weights": mmc_weights}
"""Methods that return feature weights."""
