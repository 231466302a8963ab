"""
Records: keys as hints
======================

A list of customers has no labels, but it has keys. Two rows with one e-mail address are one household; rows whose
postal codes begin differently live in different regions. ``from_records`` reads such keys as hints, each with a weight.
"""

import numpy as np
from sklearn.preprocessing import scale

from likewise import Likewise
from likewise.evaluation import normalized_mutual_information
from likewise.report.plots import constraints_kept
from likewise.sources.blocking import from_records, prefix

# %%
# Made-up purchases: 240 orders of 60 households in three regions. What they buy depends a little on the region, and
# more on the season and the amount.

rng = np.random.default_rng(1)
households = rng.integers(0, 60, 240)
region_of = rng.integers(0, 3, 60)
regions = region_of[households]
taste = rng.normal(0, 1.0, (3, 12))[regions]
season = rng.normal(0, 1.6, (4, 12))[rng.integers(0, 4, 240)]
X = scale(taste + season + rng.normal(0, 0.7, (240, 12)))
customers = {
    "email": [f"h{household}@example.org" if rng.random() < 0.8 else None for household in households],
    "code": [f"{region + 1}{rng.integers(100, 999)}" if rng.random() < 0.2 else None for region in regions],
}

# %%
# One address, one household, hence one region. Different first digits of the code, different regions, with a weight of
# 0.8, as codes are less reliable. Blocks of rows are kept as they are, and not written out as pairs.

hints = from_records(customers, same="email", different_across={prefix("code", 1): 0.8})
print(hints)
print(f"that is {hints.n_must_link:,} must-links and {hints.n_cannot_link:,} cannot-links")
print("contradictions:", len(hints.conflicts()))

# %%
# Orders grouped without hints, and with them:

model = Likewise(3, random_state=0, verbose=False).fit(X, constraints=hints)
for name, labels in (("without hints", model.unsupervised_labels_), ("with keys", model.labels_)):
    print(f"{name}: NMI with the regions {normalized_mutual_information(regions, labels):.2f}")

# %%
# Which hints are broken without them, and which with them:

before = constraints_kept(model.unsupervised_labels_, hints)
figure = constraints_kept(model.labels_, hints)
