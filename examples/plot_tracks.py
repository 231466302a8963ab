"""
Tracks: hints that nobody had to give
=====================================

A camera sees four people walk across a square for eighty frames. Each detection comes with a vector that describes how
the person looks, but light and angle change it more than the person does. Two detections in one frame are two people,
and a detection close to one a moment before is the same person. ``from_detections`` makes hints of that.
"""

import numpy as np
from matplotlib.figure import Figure

from likewise import Likewise
from likewise.evaluation import normalized_mutual_information
from likewise.report.plots import palette
from likewise.sources.tracks import from_detections

# %%
# Four people on their paths; each is missed in one frame of six, and their looks drift as they walk.

rng = np.random.default_rng(3)
start = rng.uniform(0, 10, (4, 2))
velocity = rng.normal(0, 0.16, (4, 2))
looks = rng.normal(0, 1.0, (4, 20))
rows = [(frame, person) for frame in range(80) for person in range(4) if rng.random() > 1 / 6]
frames, people = np.array(rows).T
positions = start[people] + velocity[people] * frames[:, None] + rng.normal(0, 0.03, (len(rows), 2))
light = 2.5 * np.sin(frames / 9.0)[:, None] * rng.normal(size=20)
X = looks[people] + light + rng.normal(0, 0.8, (len(rows), 20))

hints = from_detections(frames, positions, max_gap=2, max_distance=0.6)
tracks = hints.groups()
print(hints)
print(f"{len(np.unique(tracks))} tracks, some of them parts of one person's path")

# %%
# Looks alone, and looks with hints:

model = Likewise(4, random_state=0, verbose=False).fit(X, constraints=hints)
for name, labels in (("looks alone", model.unsupervised_labels_), ("with tracks as hints", model.labels_)):
    print(f"{name}: NMI with the people {normalized_mutual_information(people, labels):.2f}")

# %%
# Positions, colored by cluster:

figure = Figure(figsize=(10, 4), layout="constrained")
colors = np.array(palette(4))
answers = {"looks alone": model.unsupervised_labels_, "with tracks as hints": model.labels_}
for axis, (title, labels) in zip(figure.subplots(1, 2), answers.items(), strict=True):
    axis.scatter(*positions.T, c=colors[labels], s=18, linewidths=0)
    axis.set_title(title)
    axis.set_xticks([])
    axis.set_yticks([])
