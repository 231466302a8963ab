"""A made-up corpus: short sentences on three subjects that share their commonest words."""

from __future__ import annotations

import numpy as np

SUBJECTS = {
    "sea": "boat harbour sailing captain waves anchor tide fishing nets storm deck rowing shore gulls",
    "kitchen": "bread oven baking flour butter pans onions frying cook salt knife soup tasting spoon",
    "garden": "roses soil planting seeds digging hedge watering apples pruning spade leaves lawn weeds bees",
}
SHARED = "morning old small day work hands cold warm people time year long good little found went again house"


def sentences(n_each: int, seed: int, share: float = 0.4) -> tuple[list[str], np.ndarray]:
    """``n_each`` sentences on each subject, and the number of the subject; ``share`` of the words are on it."""
    rng = np.random.default_rng(seed)
    written, subjects = [], []
    shared = SHARED.split()
    for number, words in enumerate(text.split() for text in SUBJECTS.values()):
        for _ in range(n_each):
            length = int(rng.integers(9, 15))
            own = rng.random(length) < share
            chosen = np.where(own, rng.choice(words, length), rng.choice(shared, length))
            written.append("The " + " ".join(chosen) + ".")
            subjects.append(number)
    return written, np.array(subjects)
