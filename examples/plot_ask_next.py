"""
What to ask next
================

A person has patience for so many questions. ``report_.agreement`` says, for each row, how many of the clusterings put
it where the answer does. Ask about those on which they agree least, and each answer teaches more than one about rows
that everybody agrees on.
"""

import numpy as np
from sklearn.datasets import load_digits

from likewise import Constraints, Likewise
from likewise.evaluation import purity
from likewise.report.plots import learning_curve

X, y = load_digits(return_X_y=True)
rows = np.flatnonzero(y < 8)[:900]
X, y = X[rows] / 16, y[rows]
n, k = len(y), 8

# %%
# A question is a pair of rows. The doubtful row comes first; its partner is the surest row of its own cluster, or of
# the cluster that it might belong to instead. Who asks at random takes any two.


def doubtful(model, count, rng):
    """Pairs of a row in doubt and a sure row of a cluster near it."""
    agreement = model.report_.agreement + rng.uniform(0, 0.01, n)  # ties in any order
    sure = [np.flatnonzero(model.labels_ == c)[agreement[model.labels_ == c].argmax()] for c in range(k)]
    pairs = []
    for row in np.argsort(agreement)[: count // 2]:
        near = np.argsort(-(model.embedding_[sure] @ model.embedding_[row]))[:2]
        pairs += [(row, sure[cluster]) for cluster in near if sure[cluster] != row]
    return pairs


def by_chance(model, count, rng):
    """Pairs of any two rows."""
    return [rng.choice(n, 2, replace=False) for _ in range(count)]


def answered(pairs):
    """What the person says: here, the truth."""
    same = [pair for pair in pairs if y[pair[0]] == y[pair[1]]]
    different = [pair for pair in pairs if y[pair[0]] != y[pair[1]]]
    return Constraints(n, must_link=same, cannot_link=different)


# %%
# Both begin with the same thirty hints and ask thirty questions at a time.

amounts = [30, 60, 90, 120]
lines = {}
for name, ask in (("about rows in doubt", doubtful), ("about any rows", by_chance)):
    scores = np.zeros((3, len(amounts)))
    for run in range(3):
        rng = np.random.default_rng(run)
        told = Constraints.sample(y, "equal", 15, random_state=run)
        model = Likewise(k, random_state=0, verbose=False).fit(X, constraints=told)
        for step in range(len(amounts)):
            if step:
                model.add_constraints(answered(ask(model, 30, rng)))
            scores[run, step] = purity(y, model.labels_)
    lines[name] = (amounts, scores.mean(axis=0), scores.std(axis=0))
    print(name, scores.mean(axis=0).round(3))

# %%
# Three runs each, with a band of one standard deviation:

figure = learning_curve(
    {"whom to ask about": lines}, x_label="answers given", y_label="rows in a cluster of their digit"
)
