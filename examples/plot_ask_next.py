"""
What to ask next
================

A person has time for a few questions only. ``report_.agreement`` is, for each row, the share of clusterings that put it
where the result does. Questions about rows of low agreement teach more than questions about rows that all agree on.
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
# A question is a pair of rows: one of low agreement, and the row of highest agreement in its own cluster, or in the
# cluster next to it. The alternative is to ask about any two rows.


def low_agreement_pairs(model, count, rng):
    """Pairs of a row with low agreement and a typical row of a cluster near it."""
    agreement = model.report_.agreement + rng.uniform(0, 0.01, n)  # ties in any order
    typical = [np.flatnonzero(model.labels_ == c)[agreement[model.labels_ == c].argmax()] for c in range(k)]
    pairs = []
    for row in np.argsort(agreement)[: count // 2]:
        near = np.argsort(-(model.embedding_[typical] @ model.embedding_[row]))[:2]
        pairs += [(row, typical[cluster]) for cluster in near if typical[cluster] != row]
    return pairs


def random_pairs(model, count, rng):
    """Pairs of any two rows."""
    return [rng.choice(n, 2, replace=False) for _ in range(count)]


def answers(pairs):
    """The person's answers: here, the truth."""
    same = [pair for pair in pairs if y[pair[0]] == y[pair[1]]]
    different = [pair for pair in pairs if y[pair[0]] != y[pair[1]]]
    return Constraints(n, must_link=same, cannot_link=different)


# %%
# Both begin with the same thirty hints and ask thirty questions at a time.

amounts = [30, 60, 90, 120]
lines = {}
for name, questions in (("low agreement", low_agreement_pairs), ("random", random_pairs)):
    scores = np.zeros((3, len(amounts)))
    for run in range(3):
        rng = np.random.default_rng(run)
        hints = Constraints.sample(y, "equal", 15, random_state=run)
        model = Likewise(k, random_state=0, verbose=False).fit(X, constraints=hints)
        for step in range(len(amounts)):
            if step:
                model.add_constraints(answers(questions(model, 30, rng)))
            scores[run, step] = purity(y, model.labels_)
    lines[name] = (amounts, scores.mean(axis=0), scores.std(axis=0))
    print(name, scores.mean(axis=0).round(3))

# %%
# Three runs each, with a band of one standard deviation:

figure = learning_curve(
    {"questions about rows": lines}, x_label="answers given", y_label="rows in a cluster of their digit"
)
