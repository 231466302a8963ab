"""
Text: messages sorted as the reader wants them
==============================================

A hundred and sixty messages to a shop. By their commonest words they fall into polite ones and angry ones. The shop
wants to know what they are *about*. Somebody reads thirty-two of them and sorts them into piles.
"""

import numpy as np
from matplotlib.figure import Figure

from likewise import Likewise, TextFeatures
from likewise.evaluation import normalized_mutual_information

# %%
# The messages
# ------------
# They are composed of random words, so that this example needs no file. Each has a subject and a tone.

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
# The piles
# ---------
# Eight messages on each subject, by their numbers. Known classes go in as ``y``, with −1 for rows that nobody sorted;
# rows of one pile are then must-links, and rows of two piles cannot-links.

piles = {
    "where is my parcel": [2, 9, 13, 17, 24, 28, 33, 36],
    "money back": [41, 45, 50, 58, 62, 66, 71, 75],
    "it broke": [80, 84, 88, 97, 103, 107, 112, 116],
    "cannot log in": [121, 126, 130, 138, 142, 147, 151, 159],
}
sorted_by_hand = np.full(len(messages), -1)
for number, rows in enumerate(piles.values()):
    sorted_by_hand[rows] = number

# %%
# From strings to clusters
# ------------------------

features = TextFeatures()
X = features.fit_transform(messages)
model = Likewise(4, random_state=0, verbose=False).fit(X, sorted_by_hand)
for name, labels in (("without hints", model.unsupervised_labels_), ("with 32 sorted", model.labels_)):
    print(f"{name}: NMI with the subject {normalized_mutual_information(about, labels):.2f}, "
          f"with the tone {normalized_mutual_information(tones, labels):.2f}")  # fmt: skip

# %%
# The words that set each cluster apart:

words = features.get_feature_names_out()
tops = [model.top_features(cluster, 6, words) for cluster in range(model.n_clusters_)]
figure = Figure(figsize=(10, 3), layout="constrained")
for cluster, (axis, top) in enumerate(zip(figure.subplots(1, len(tops)), tops, strict=True)):
    names, weights = zip(*reversed(top), strict=True)
    axis.barh(names, weights, color=["#176490" if weight > 0 else "#b2182b" for weight in weights])
    axis.set_title(f"cluster {cluster}: {(model.labels_ == cluster).sum()} messages", fontsize=10)
    axis.spines[["top", "right"]].set_visible(False)
