"""Warning classes."""

from __future__ import annotations


class InterruptedWarning(UserWarning):
    """A fit was interrupted; its result is the best one until then."""


class NarrowKernelWarning(UserWarning):
    """A kernel is so narrow that a must-link group becomes the neighbor of every row."""
