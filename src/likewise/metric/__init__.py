"""Learned distances: how much each feature, or each direction, should count when two rows are compared.

Here belong the problems whose answer is a whole metric A, found by convex optimization. Methods whose answer is a few
directions are pencils and live in ``projections``.
"""

from ._xing import XingMetric as XingMetric
