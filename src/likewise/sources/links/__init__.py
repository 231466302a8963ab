"""Constraints from links between documents, such as citations, hyperlinks or messages.

| question | function |
|---|---|
| do links indicate similarity at all? | `homophily` |
| the links themselves, as must-links | `linked_pairs` |
| which documents cite the same ones, or are cited together? | `local_core_pairs` |
| which documents are close in random walks? | `global_core_pairs`, `hitting_times` |
| how to keep hubs from dominating | `balanced` |
| the baselines of the papers | `augmented`, `linear_combination`, `links_only` |

All take an edge list, a sparse matrix, a networkx graph or a file of edges; see `link_matrix`.
:class:`likewise.clustering.NetworkedDocuments` clusters documents by their links and texts.
"""

from ._baselines import augmented as augmented
from ._baselines import linear_combination as linear_combination
from ._baselines import links_only as links_only
from ._homophily import Homophily as Homophily
from ._homophily import homophily as homophily
from ._local import balanced as balanced
from ._local import linked_pairs as linked_pairs
from ._local import local_core_pairs as local_core_pairs
from ._read import link_matrix as link_matrix
from ._walks import global_core_pairs as global_core_pairs
from ._walks import hitting_times as hitting_times
