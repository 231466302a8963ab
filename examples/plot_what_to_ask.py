"""
Pairs, piles or comparisons
===========================

A person answers one screen after the other. What should a screen ask: whether two rows are the same, how three rows
fall into piles, whether a is more like b than c, or which of two clusterings is better?
"""

import numpy as np
from sklearn.datasets import load_wine

from likewise import Comparisons, Constraints, Likewise, Preference
from likewise.evaluation import normalized_mutual_information as nmi
from likewise.evaluation.protocols import clustering_pool
from likewise.report.plots import learning_curve

X, y = load_wine(return_X_y=True)
n, k = len(y), 3

# %%
# All of it can be said at once, and is one object:

hints = (
    Constraints(n, must_link=[(0, 1)])
    | Constraints.from_piles(n, [[(2, 3), (60,)]])
    | Comparisons(n, nearer=[(4, 5, 61)], unsure=[(6, 62, 150)])
    | Comparisons.from_odd(n, [(7, 8, 151)], odd=[151])
    | Preference(better=y[:40].tolist() + [None] * (n - 40), worse=[0] * 20 + [1] * 20 + [None] * (n - 40))
)
print(hints)

# %%
# Here the answers come from the classes. Where these do not tell which of two pairs is more alike, some people say
# "can't say", and others are made to say something: a coin decides.


def answers(asked, amount, seed):
    """What a person says, asked so many times."""
    if asked == "preferences":
        pool = clustering_pool(X, k, seed)
        return Constraints.sample_preferences(pool, y, amount, random_state=seed)
    how, ties = {"triplets": ("triplets", "unsure"), "triplets, forced": ("triplets", "coin")}.get(asked, (asked, None))
    return Constraints.sample(y, how, amount, ties=ties, random_state=seed)


for asked in ("random_pairs", "piles", "triplets", "triplets, forced", "preferences"):
    print(f"{asked}: {answers(asked, 60, 0).summary()}")

# %%
# The same number of screens, two draws each, with a band of one standard deviation. What answers are worth on more data
# is measured in ``benchmarks/accuracy``.

amounts = [20, 60]
unsupervised = Likewise(k, random_state=0, verbose=False).fit(X)
print(f"without hints: NMI {nmi(y, unsupervised.labels_):.2f}")
lines = {}
for asked in ("random_pairs", "piles", "triplets", "triplets, forced", "preferences"):
    scores = np.array(
        [
            [nmi(y, unsupervised.set_constraints(answers(asked, amount, draw)).labels_) for amount in amounts]
            for draw in range(2)
        ]
    )
    lines[asked.replace("random_", "")] = (amounts, scores.mean(axis=0), scores.std(axis=0))

figure = learning_curve({"what is asked": lines}, x_label="screens answered", y_label="NMI with the classes")
