"""Graphs over the rows: symmetric n×n weights, which are never stored as n×n arrays.

This package has the weights themselves (:class:`RowMatrix`), graphs of must-links and cannot-links, the search for
neighbors and neighbor graphs, and Gaussian kernels in which must-linked rows coincide.
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
