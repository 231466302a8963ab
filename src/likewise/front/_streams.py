"""Random numbers that do not depend on who is first: every run has a stream of its own, drawn before any starts."""

from __future__ import annotations

from typing import Any

import numpy as np

Stream = dict[str, Any]
"""A state to draw from, once it is opened: many are never needed, and a copy of a state is cheap."""


def own_stream(rng: np.random.RandomState, n_clusters: int) -> Stream:
    """What one start of k-means is to draw from: ``rng`` as it is; ``rng`` itself moves on to where that will end.

    So runs can be made in any order, side by side or not at all, and each draws what it would have drawn had they been
    made one after the other. A start of ``spread_out`` draws one number for its first
    center and 2 + log k for each other one (where rows are fewer than clusters it draws otherwise, and streams share
    some numbers, which does no harm).
    """
    own: Stream = rng.get_state(legacy=False)
    rng.uniform(size=1 + (n_clusters - 1) * (2 + int(np.log(n_clusters))))
    return own


def opened(stream: Stream) -> np.random.RandomState:
    """A generator at the start of the stream."""
    own = np.random.RandomState(0)  # seeding from the system takes longer, and the state is replaced
    own.set_state(stream)
    return own
