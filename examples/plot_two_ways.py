"""
Wine: two groupings of the same rows
====================================

Nothing in a table says what its clusters are *for*. The same 178 wines can be grouped by the grower's variety, or
into light and strong ones. Both are right; a few hints show which is meant.
"""

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_wine

from likewise import Constraints, Costco, Likewise
from likewise.evaluation import normalized_mutual_information
from likewise.report.plots import palette

data = load_wine(as_frame=True)
X = data.data
variety = data.target_names[data.target]
strength = np.where(X["alcohol"] > X["alcohol"].median(), "strong", "light")
print(f"the two groupings agree little: NMI {normalized_mutual_information(variety, strength):.2f}")

# %%
# Sixty hints from a grower, and sixty from a tax office that charges by alcohol:

answers = {}
for name, truth in (("variety", variety), ("strength", strength)):
    hints = Constraints.sample(truth, "equal", 30, random_state=0)
    model = Likewise(len(set(truth)), random_state=0, verbose=False).fit(X, constraints=hints)
    answers[name] = hints, model
    without = normalized_mutual_information(truth, model.unsupervised_labels_)
    found = normalized_mutual_information(truth, model.labels_)
    print(f"{name}: NMI {without:.2f} without hints, {found:.2f} with them")

# %%
# The columns that set the clusters apart, in standard deviations, differ:

for name, (_, model) in answers.items():
    for cluster in range(model.n_clusters_):
        features = ", ".join(f"{feature} {difference:+.1f}" for feature, difference in model.top_features(cluster, 3))
        print(f"{name}, cluster {cluster}: {features}")

# %%
# The same rows in two directions learned from each set of hints, colored by the clusters found:

standard = (X - X.mean()) / X.std()
figure = Figure(figsize=(10, 4.4), layout="constrained")
for axis, (name, (hints, model)) in zip(figure.subplots(1, 2), answers.items(), strict=True):
    points = Costco(n_components=2).fit_transform(standard, constraints=hints)
    axis.scatter(*points.T, c=np.array(palette(3))[model.labels_], s=22, linewidths=0)
    axis.set_title(f"by {name}")
    axis.set_xticks([])
    axis.set_yticks([])
