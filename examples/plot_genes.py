"""
Genes: sixty samples, two thousand columns
==========================================

With far more columns than rows, distances say little: noise adds up over all columns, and what matters is in a few.
Hints show which: these two samples are of one tissue, those two are not.
"""

import numpy as np
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA

from likewise import ASP, Constraints, Costco, Likewise, SubspaceMetricEnsemble
from likewise.evaluation import normalized_mutual_information
from likewise.report.plots import scatter

# %%
# Made-up expression levels: four tissues, sixty genes that differ between them, and batches of samples that were
# measured on one day, which shift two hundred others. The batches mean nothing.

rng = np.random.default_rng(0)
tissues = np.array(["brain", "liver", "lung", "skin"])
y = np.repeat(tissues, 15)
X = rng.normal(size=(60, 2000))
X[:, :60] += 2.0 * rng.normal(size=(4, 60))[np.repeat(np.arange(4), 15)]
days = rng.integers(0, 3, 60)
X[:, 60:260] += 0.8 * rng.normal(size=(3, 200))[days]

hints = Constraints.sample(y, "equal", 40, random_state=0)
print(hints)

# %%
# A projection takes milliseconds even so: with n rows it never forms a matrix of columns × columns.


def agreement(labels):
    """NMI with the tissues."""
    return normalized_mutual_information(y, labels)


def clustered(space):
    """k-means."""
    return KMeans(4, n_init=10, random_state=0).fit_predict(space)


costco = Costco(n_components=3).fit(X, constraints=hints)
asp = ASP(singletons="none").fit(X, constraints=hints)
ensemble = SubspaceMetricEnsemble(4, random_state=0).fit(X, constraints=hints)
model = Likewise(4, random_state=0, verbose=False).fit(X, constraints=hints)
print(f"k-means: {agreement(clustered(X)):.2f}")
print(f"Costco, then k-means: {agreement(clustered(costco.transform(X))):.2f} ({costco.route_} route)")
print(f"ASP, then k-means: {agreement(clustered(asp.transform(X))):.2f} in {asp.n_components_} directions")
print(f"SubspaceMetricEnsemble: {agreement(ensemble.labels_):.2f}")
print(f"Likewise: {agreement(model.labels_):.2f}")

# %%
# Which genes does the first direction of Costco use? Those below 60 are the ones that matter.

genes = [int(name.removeprefix("x")) for name, weight in costco.top_features(0, 40)]
print(f"of the 40 heaviest genes {sum(gene < 60 for gene in genes)} are among the 60 of 2,000 that matter")

# %%
# Two directions before and after:

figure = scatter(
    PCA(2, random_state=0).fit_transform(X),
    costco.transform(X)[:, :2],
    y,
    constraints=hints,
    titles=("largest variance, and the hints", "two directions of Costco"),
)
