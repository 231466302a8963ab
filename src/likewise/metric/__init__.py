"""Metric learning: weights of features, or of directions, for comparing rows.

This package has methods that learn a full metric A by convex optimization. Methods that learn a few directions are in
``projections``.
"""

from ._xing import XingMetric as XingMetric
