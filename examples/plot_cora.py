"""
Cora: papers by their words, and by who cites whom
==================================================

2,708 scientific papers on seven subjects, as words and as citations. Citations show which words matter; a new paper
then needs words alone.

This example reads ``cora.npz`` in the folder that the environment variable ``LIKEWISE_DATA`` names: ``X`` (papers ×
words, 0 or 1), ``y`` (classes), ``target_names`` and ``links`` (citing, cited). Where there is no such file it is
shown, but not run.
"""

import os
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize

from likewise.clustering import NetworkedDocuments
from likewise.evaluation import normalized_mutual_information
from likewise.report.plots import scatter
from likewise.sources.links import homophily

data = np.load(Path(os.environ["LIKEWISE_DATA"]) / "cora.npz", allow_pickle=False)
y, names, links = data["y"], data["target_names"], data["links"]
X = TfidfTransformer().fit_transform(sparse.csr_array(data["X"].astype(float)))

# %%
# Do citations join papers of one subject? Fifty papers of each subject whose subject is known show it.

rng = np.random.default_rng(0)
sample = np.full(len(y), -1)
for label in range(len(names)):
    sample[rng.choice(np.flatnonzero(y == label), 50, replace=False)] = label
print(homophily(links, sample))

# %%
# Words alone, and words with weights learned from citations:

model = NetworkedDocuments(len(names), random_state=0)
without = model.fit(X).labels_
print(f"words alone: NMI {normalized_mutual_information(y, without):.2f}")
labels = model.fit(X, links=links).labels_
print(f"words and citations: NMI {normalized_mutual_information(y, labels):.2f}, from {model.core_pairs_}")

# %%
# What the clusters are about:

for cluster in range(len(names)):
    subjects, counts = np.unique(names[y[labels == cluster]], return_counts=True)
    print(f"cluster {cluster}: {counts.sum()} papers, {counts.max() / counts.sum():.0%} on {subjects[counts.argmax()]}")

# %%
# Papers in the plane of their words, and in the plane of the weighted words:

learned = normalize(model.transform(X))
figure = scatter(
    TruncatedSVD(2, random_state=0).fit_transform(X),
    TruncatedSVD(2, random_state=0).fit_transform(learned - learned.mean(axis=0)),
    names[y],
    titles=("2,708 papers by their words", "by words weighted by citations"),
)
