"""Cora: scientific papers clustered by their words alone, and by their words and citations.

    python examples/plot_cora.py [FOLDER]

FOLDER (or the environment variable LIKEWISE_DATA) holds cora.npz: X (papers × words, 0 or 1), y (classes),
target_names, links (citing, cited) and, if there is one, words (names of the columns).
"""

import os
import sys
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer

from likewise.clustering import NetworkedDocuments
from likewise.evaluation import normalized_mutual_information
from likewise.report import before_and_after
from likewise.sources.links import homophily

folder = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("LIKEWISE_DATA")
if folder is None or not (Path(folder) / "cora.npz").exists():
    sys.exit(f"no cora.npz in {folder or 'any folder'}: name its folder, or set LIKEWISE_DATA.")
data = np.load(Path(folder) / "cora.npz", allow_pickle=False)
y, names, links = data["y"], data["target_names"], data["links"]
X = TfidfTransformer().fit_transform(sparse.csr_array(data["X"].astype(float)))
words = data["words"] if "words" in data else np.array([f"word {j}" for j in range(X.shape[1])])

# Do citations mean similarity? Fifty papers per class, read by somebody, tell.
rng = np.random.default_rng(0)
sample = np.full(len(y), -1)
for label in range(len(names)):
    sample[rng.choice(np.flatnonzero(y == label), 50, replace=False)] = label
print(homophily(links, sample))

model = NetworkedDocuments(len(names), random_state=0)
without = model.fit(X).labels_
print(f"words alone: NMI {normalized_mutual_information(y, without):.3f}")
labels = model.fit(X, links=links).labels_
print(f"words and citations: NMI {normalized_mutual_information(y, labels):.3f}, from {model.core_pairs_}")

# What a cluster is about: the words it uses more than the others do.
mean = X.mean(axis=0)
for cluster in range(len(names)):
    rows = labels == cluster
    more = np.asarray(X[rows].mean(axis=0) - mean).ravel()
    subject, count = np.unique(names[y[rows]], return_counts=True)
    mostly = f"{subject[count.argmax()]} {count.max() / count.sum():.0%}"
    print(f"cluster {cluster}: {rows.sum()} papers, {mostly}: {', '.join(words[np.argsort(-more)[:6]])}")

out = Path("cora.png")
unit = model.transform(X)
unit /= np.maximum(np.linalg.norm(unit, axis=1, keepdims=True), 1e-12)
before_and_after(
    TruncatedSVD(2, random_state=0).fit_transform(X),
    TruncatedSVD(2, random_state=0).fit_transform(unit - unit.mean(axis=0)),
    names[y],
    out,
    titles=("2,708 papers by their words", "by the words that citations teach"),
)
print(f"wrote {os.path.relpath(out)}")
