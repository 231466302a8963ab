"""
A projection by hand: Costco and DSP
====================================

``Likewise`` chooses for you. To see and keep a linear map, choose one yourself: a projection learned from hints, then
any clusterer of scikit-learn. The share of each direction shows how many to keep.
"""

# sphinx_gallery_thumbnail_number = 2
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.preprocessing import minmax_scale, scale

from likewise import DSP, Constraints, Costco
from likewise.evaluation import normalized_mutual_information
from likewise.report.plots import eigenvalue_share, scatter

data = load_iris()
y = data.target_names[data.target]
rng = np.random.default_rng(0)
X = np.hstack([scale(data.data), rng.normal(size=(len(y), 5))])  # four measurements, and five columns of noise
hints = Constraints.sample(y, "equal", 40, random_state=0)

# %%
# Each learns a matrix; ``transform`` is one product with it. Costco wants standardized columns, DSP columns between 0
# and 1.


def agreement(space):
    """NMI of k-means in a space with the species."""
    labels = KMeans(3, n_init=10, random_state=0).fit_predict(space)
    return normalized_mutual_information(y, labels)


costco = Costco(n_components=8).fit(X, constraints=hints)
dsp = DSP(n_components=8).fit(minmax_scale(X), constraints=hints)
print(f"k-means on all columns: {agreement(X):.2f}")
print(f"k-means on two principal components: {agreement(PCA(2, random_state=0).fit_transform(X)):.2f}")
print(f"k-means on two directions of Costco: {agreement(costco.transform(X)[:, :2]):.2f}")
print(f"k-means on two directions of DSP: {agreement(dsp.transform(minmax_scale(X))[:, :2]):.2f}")

# %%
# What the first direction means, as columns and weights:

names = [*data.feature_names, *(f"noise {column}" for column in range(5))]
for name, weight in costco.top_features(0, 5, names):
    print(f"{weight:+.2f}  {name}")

# %%
# The share of each direction: the part of all spread along it that is wanted. Keep those before it levels off.

shares = eigenvalue_share({"Costco": costco, "DSP": dsp})

# %%
# The first two directions of DSP, beside the plane of largest variance:

figure = scatter(
    PCA(2, random_state=0).fit_transform(X),
    dsp.transform(minmax_scale(X))[:, :2],
    y,
    constraints=hints,
    titles=("largest variance, and the hints", "two directions of DSP"),
)
