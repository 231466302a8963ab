"""
Digits: how much a few hints help
=================================

1,797 images of handwritten digits are to be sorted into ten piles. We compare k-means, ``Likewise`` without hints,
and ``Likewise`` with more and more hints. Only images that are in no hint count: for them the clustering had to learn.
"""

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits

from likewise import Constraints, Likewise
from likewise.evaluation import normalized_mutual_information
from likewise.report.plots import learning_curve

X, y = load_digits(return_X_y=True)
X = X / 16

# %%
# Hints
# -----
# A hint is a pair of rows, and whether they belong together. Here the true digits stand in for the person who is asked;
# half of the pairs are the same, half different. The smaller sets are parts of the larger ones.

rng = np.random.default_rng(0)
draws = [[Constraints.sample(y, "equal", amount, random_state=rng) for amount in (25, 25, 50)] for _ in range(3)]
print(draws[0][0])

# %%
# Fitting
# -------
# ``add_constraints`` reuses the features and clusterings of the first fit, so a second fit is quick.


def agreement(labels, rows):
    """NMI with the digits, over some rows."""
    return normalized_mutual_information(y[rows], labels[rows])


amounts = [50, 100, 200]
scores = np.zeros((len(draws), len(amounts)))
without = []
for draw, parts in enumerate(draws):
    untouched = ~np.any([hints.constrained_rows() for hints in parts], axis=0)
    model = Likewise(10, random_state=0, verbose=False).fit(X)
    without.append(agreement(model.labels_, untouched))
    for step, hints in enumerate(parts):
        model.add_constraints(hints)
        scores[draw, step] = agreement(model.labels_, untouched)
plain = agreement(KMeans(10, n_init=10, random_state=0).fit_predict(X), untouched)
print(f"k-means {plain:.2f}, Likewise without hints {np.mean(without):.2f}")
for amount, score in zip(amounts, scores.mean(axis=0), strict=True):
    print(f"Likewise with {amount} hints {score:.2f}")

# %%
# The report of the last model:

print(model.report_)

# %%
# The learning curve, with a band of one standard deviation over three draws of hints:

lines = {
    "Likewise": (amounts, scores.mean(axis=0), scores.std(axis=0)),
    "Likewise, no hints": ([0], [np.mean(without)], [0.0]),
    "k-means": ([0], [plain], [0.0]),
}
figure = learning_curve({"digits that are in no hint": lines}, y_label="NMI with the true digits")
