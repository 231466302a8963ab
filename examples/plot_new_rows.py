"""
New rows: predict, keep, and open again
=======================================

Clusters found once serve for rows that come later. ``predict`` assigns new rows, ``transform`` gives their coordinates,
and a model file keeps the model for another day.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import train_test_split

from likewise import Constraints, Likewise
from likewise.evaluation import normalized_mutual_information
from likewise.models import load, save
from likewise.report.plots import palette

X, y = load_digits(return_X_y=True)
X, y = X[y < 6] / 16, y[y < 6]

# %%
# Hints are about all rows; ``restrict`` keeps those about the training rows and renumbers them. (Do not index the
# arrays of pairs yourself: they hold row numbers.)

hints = Constraints.sample(y, "equal", 60, random_state=0)
old, new = train_test_split(np.arange(len(y)), test_size=0.3, random_state=0)
model = Likewise(6, random_state=0, verbose=False).fit(X[old], constraints=hints.restrict(old))
print(f"training rows: NMI {normalized_mutual_information(y[old], model.labels_):.2f}")

placed = model.predict(X[new])
print(f"new rows: NMI {normalized_mutual_information(y[new], placed):.2f}")

# %%
# A model file holds no code, so it is safe to open, and predicts as before:

with TemporaryDirectory() as folder:
    path = save(Path(folder) / "digits.likewise", model)
    again = load(path).model
    print(f"{path.stat().st_size / 1e6:.1f} MB; the same clusters: {(again.predict(X[new]) == placed).all()}")

# %%
# Training rows and new rows, in the plane that separates the clusters best:

plane = LinearDiscriminantAnalysis(n_components=2).fit(X[old], model.labels_)
figure = Figure(figsize=(10, 4.4), layout="constrained")
colors = np.array(palette(6))
shown = {
    f"{len(old)} training rows": (X[old], model.labels_),
    f"{len(new)} new rows": (X[new], placed),
}
for axis, (title, (rows, labels)) in zip(figure.subplots(1, 2, sharex=True, sharey=True), shown.items(), strict=True):
    axis.scatter(*plane.transform(rows).T, c=colors[labels], s=9, linewidths=0)
    axis.set_title(title)
    axis.set_xticks([])
    axis.set_yticks([])
