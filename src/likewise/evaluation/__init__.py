"""Scores of a clustering against known classes or constraints, and comparison of methods.

Scores accept labels of any kind. Pairs are counted exactly, in integers.

| question | score |
|---|---|
| what share of all pairs is correct? | `rand_index` |
| the same, if most pairs are in different classes and would dominate | `pair_f_score`, `scaled_rand_index` |
| the same, corrected for chance | `adjusted_rand_index` |
| how much information do clusters carry about classes? | `normalized_mutual_information` |
| how well can each cluster be named after one class? | `purity` |
| are the constraints satisfied? | `constraint_accuracy` |

:func:`compare` runs several methods on the same samples of hints. :mod:`likewise.evaluation.protocols` has the parts of
such experiments: sampling hints, repetitions, splits, noise and significance tests. Values are stored in
:class:`Results`, and on disk by :class:`Ledger`.
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
