"""
Text: messages sorted as the reader wants them
==============================================

A hundred and sixty messages to a shop. By their commonest words they fall apart into polite ones and angry ones. The
shop wants to know what they are *about*. Forty hints say so.
"""

import numpy as np
from matplotlib.figure import Figure

from likewise import Constraints, Likewise, TextFeatures
from likewise.evaluation import normalized_mutual_information

# %%
# The messages
# ------------
# They are put together from pieces, so that this example needs no file. Each has a subject and a tone.

SUBJECTS = {
    "delivery": "parcel courier late tracking doorstep delivered warehouse van address shipping",
    "payment": "invoice charged card refund twice bank amount receipt payment price",
    "quality": "broken seam scratched faded stitching cracked zipper torn color fabric",
    "account": "password login email locked reset profile username page browser link",
}
TONES = {
    "polite": "kindly thanks wondering please grateful appreciate hello regards hope friendly help thank",
    "angry": "unacceptable terrible again never furious ridiculous useless worst awful disgrace waste angry",
}
rng = np.random.default_rng(0)


def message(subject, tone):
    """A few words on the subject, more in the tone."""
    words = [*rng.choice(SUBJECTS[subject].split(), 4), *rng.choice(TONES[tone].split(), 7)]
    return " ".join(rng.permutation(words))


about = np.repeat(list(SUBJECTS), 40)
tones = rng.choice(list(TONES), len(about))
messages = [message(subject, tone) for subject, tone in zip(about, tones, strict=True)]
print(messages[0])

# %%
# From strings to clusters
# ------------------------

features = TextFeatures()
X = features.fit_transform(messages)
hints = Constraints.sample(about, "equal", 20, random_state=0)
model = Likewise(4, random_state=0, verbose=False).fit(X, constraints=hints)
for name, labels in (("without hints", model.unsupervised_labels_), ("with 40 hints", model.labels_)):
    print(f"{name}: NMI with the subject {normalized_mutual_information(about, labels):.2f}, "
          f"with the tone {normalized_mutual_information(tones, labels):.2f}")  # fmt: skip

# %%
# What each cluster says more than the others do, as words:

words = features.get_feature_names_out()
tops = [model.top_features(cluster, 6, words) for cluster in range(model.n_clusters_)]
figure = Figure(figsize=(10, 3), layout="constrained")
for cluster, (axis, top) in enumerate(zip(figure.subplots(1, len(tops)), tops, strict=True)):
    names, weights = zip(*reversed(top), strict=True)
    axis.barh(names, weights, color=["#176490" if weight > 0 else "#b2182b" for weight in weights])
    axis.set_title(f"cluster {cluster}: {(model.labels_ == cluster).sum()} messages", fontsize=10)
    axis.spines[["top", "right"]].set_visible(False)
