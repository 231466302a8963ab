"""Who relates to whom: symmetric n×n weights between rows, never stored as n×n.

Here belong the weights themselves (:class:`RowMatrix`), the graphs of stated pairs, of neighbours, and of distances
after the kernel null-space projection, and the leading eigenvectors of a graph. What a direction of feature space
pays for such a graph is for ``forms``.
"""

from .kernel import kernel_null_space
from .neighbors import neighbor_graph, neighbours
from .pairs import cannot_link_graph, must_link_graph
from .rows import RowMatrix

__all__ = [
    "RowMatrix",
    "cannot_link_graph",
    "kernel_null_space",
    "must_link_graph",
    "neighbor_graph",
    "neighbours",
]
