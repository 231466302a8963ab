"""
Wrong hints are found
=====================

People err. Here one hint in eight is wrong. ``Likewise`` compares each hint with the clusterings that did *not* see it;
where they clearly disagree with the hint, it is a suspect.
"""

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits

from likewise import Constraints, Likewise
from likewise.evaluation import normalized_mutual_information

X, y = load_digits(return_X_y=True)
rows = y < 5
X, y = X[rows] / 16, y[rows]
hints = Constraints.sample(y, "equal", 80, error_rate=0.125, random_state=0)
print(hints)

model = Likewise(5, random_state=0, verbose=False).fit(X, constraints=hints)
print(f"hints are taken as: {model.report_.trust}; left out as wrong: {model.report_.dropped}")

# %%
# The ten most suspicious, worst first. ``together`` is the share of clusterings that put the two rows together:

for suspect in model.suspects_[:10]:
    first, second = suspect.rows
    print(f"{suspect}   truth: {y[first]} and {y[second]}")

# %%
# How much harm wrong hints do depends on ``trust``. ``trust="strict"`` keeps every must-link, wrong ones too; the
# default found that hints are unreliable, and weighs them:

strict = Likewise(5, trust="strict", random_state=0, verbose=False).fit(X, constraints=hints)
for name, labels in (
    ("without hints", model.unsupervised_labels_),
    ("every hint certain", strict.labels_),
    ("hints weighed", model.labels_),
):
    print(f"{name}: NMI with the digits {normalized_mutual_information(y, labels):.2f}")

# %%
# How likely each hint is to be wrong by ``Likewise``; red ones are wrong in truth.

wrong = np.array([suspect.wrong for suspect in model.suspects_])
same = np.array([y[left] == y[right] for left, right in (suspect.rows for suspect in model.suspects_)])
stated = np.array([suspect.kind == "must-link" for suspect in model.suspects_])
in_truth = same != stated

figure = Figure(figsize=(8, 3.6), layout="constrained")
axis = figure.subplots()
order = np.arange(len(wrong))
for mask, color, label in ((~in_truth, "#7f8c9a", "right hints"), (in_truth, "#b2182b", "wrong hints")):
    axis.bar(order[mask], wrong[mask], color=color, label=label)
axis.axhline(0.5, color="black", linewidth=0.8, linestyle="--")
axis.set_xlabel("hints, most suspicious first")
axis.set_ylabel("likely wrong")
axis.spines[["top", "right"]].set_visible(False)
axis.legend(frameon=False)
