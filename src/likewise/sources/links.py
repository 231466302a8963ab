"""Links between documents as hints: citations, hyperlinks, who wrote to whom.

| question | function |
|---|---|
| do links mean similarity here at all? | `homophily` |
| the links themselves, as must-links | `linked_pairs` |
| who cites the same, who is cited together? | `local_core_pairs` |
| whom do random walks hold together? | `global_core_pairs`, `hitting_times` |
| let no hub drown the others | `balanced` |
| what the papers compare with | `augmented`, `linear_combination`, `links_only` |

All take an edge list, a sparse matrix, a networkx graph or a file of edges; see `link_matrix`.
:class:`likewise.clustering.NetworkedDocuments` goes from links and texts to clusters.
"""

from .links_direct import balanced, linked_pairs
from .links_global import global_core_pairs
from .links_homophily import Homophily, homophily
from .links_local import local_core_pairs
from .links_mixed import augmented, linear_combination, links_only
from .links_read import link_matrix
from .links_walk import hitting_times

__all__ = [
    "Homophily",
    "augmented",
    "balanced",
    "global_core_pairs",
    "hitting_times",
    "homophily",
    "linear_combination",
    "link_matrix",
    "linked_pairs",
    "links_only",
    "local_core_pairs",
]
