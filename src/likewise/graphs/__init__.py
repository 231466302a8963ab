"""Who relates to whom: symmetric n×n weights between rows, never stored as n×n.

Here belong the weights themselves (:class:`RowMatrix`), the graphs of stated pairs, of neighbors, and of distances
after the kernel null-space projection. What a direction of feature space costs by such a graph is for ``forms``.
"""

from ..linalg._row_matrix import RowMatrix as RowMatrix
from ._collapsed import CollapsedKernel as CollapsedKernel
from ._distances import Cosine as Cosine
from ._distances import Distances as Distances
from ._distances import Euclidean as Euclidean
from ._distances import Precomputed as Precomputed
from ._exact import Neighbors as Neighbors
from ._kernel import kernel_null_space as kernel_null_space
from ._link_graphs import cannot_link_graph as cannot_link_graph
from ._link_graphs import must_link_graph as must_link_graph
from ._neighbors import SearchMethod as SearchMethod
from ._neighbors import choose_search as choose_search
from ._neighbors import neighbor_graph as neighbor_graph
from ._neighbors import neighbors as neighbors
