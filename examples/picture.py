"""The picture of the README: a table full of noise, before and after 60 hints."""

from pathlib import Path

import numpy as np
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from likewise import Constraints, Costco
from likewise.report.plots import scatter

X, y = load_wine(return_X_y=True)
noise = np.random.default_rng(0).normal(size=(len(X), 60))
X = np.hstack([StandardScaler().fit_transform(X), 1.5 * noise])  # 13 columns that matter, 60 that do not

hints = Constraints.sample(y, "equal", 30, random_state=0)  # 30 times "same", 30 times "different"
Z = Costco(n_components=2).fit_transform(X, constraints=hints)

out = Path(__file__).parents[1] / "docs" / "images" / "before-after.png"
scatter(
    PCA(2, random_state=0).fit_transform(X),
    Z,
    np.array(load_wine().target_names)[y],
    path=out,
    constraints=hints,
    titles=("178 wines, 73 columns, 60 of them noise: PCA", "the same after 60 hints: Costco"),
)
