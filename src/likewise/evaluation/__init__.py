"""How good a clustering is, against known classes or against constraints.

Scores take labels of any kind and return numbers; pairs are counted exactly.

| question | score |
|---|---|
| of all pairs, how many are judged right? | `rand_index` |
| the same, when most pairs are apart and would dominate | `pair_f_score`, `scaled_rand_index` |
| the same, compared to chance | `adjusted_rand_index` |
| how much does a cluster tell about the class? | `normalized_mutual_information` |
| can each cluster be named after one class? | `purity` |
| are the constraints kept? | `constraint_accuracy` |

:func:`compare` runs several methods on the same draws of hints. :mod:`likewise.evaluation.protocols` has the parts of
such experiments: drawing hints, repeats, splits, noise, significance. Their values are :class:`Results`, kept in a file
by :class:`Ledger`.
"""

from ._compare import Comparison as Comparison
from ._compare import compare as compare
from ._ledger import Ledger as Ledger
from ._results import Results as Results
from ._scores import PairScore as PairScore
from ._scores import adjusted_rand_index as adjusted_rand_index
from ._scores import constraint_accuracy as constraint_accuracy
from ._scores import matched_accuracy as matched_accuracy
from ._scores import normalized_mutual_information as normalized_mutual_information
from ._scores import pair_f_score as pair_f_score
from ._scores import purity as purity
from ._scores import rand_index as rand_index
from ._scores import scaled_rand_index as scaled_rand_index
