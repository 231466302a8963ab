"""How good a clustering is, against known classes or against the hints a person gave.

Here belong scores that take labels and return numbers. Every score is read off one sparse contingency table
(:mod:`likewise.evaluation._contingency`), so a million items cost milliseconds and pair counts stay exact.

| question | score |
|---|---|
| of all pairs, how many are judged right? | `rand_index` |
| the same, when most pairs are apart and would drown the rest | `pair_f_score`, `scaled_rand_index` |
| the same, against what chance gets right | `adjusted_rand_index` |
| how much does a cluster tell about the class? | `normalized_mutual_information` |
| can each cluster be named after one class? | `purity` |
| are the person's own hints kept? | `constraint_accuracy` |

:mod:`likewise.evaluation.protocols` holds the experiments: drawing hints, repeats, splits, noise, significance.
"""

from ._compare import Comparison as Comparison
from ._compare import compare as compare
from ._ledger import Ledger as Ledger
from ._results import Results as Results
from ._scores import PairScore as PairScore
from ._scores import adjusted_rand_index as adjusted_rand_index
from ._scores import constraint_accuracy as constraint_accuracy
from ._scores import normalized_mutual_information as normalized_mutual_information
from ._scores import pair_f_score as pair_f_score
from ._scores import purity as purity
from ._scores import rand_index as rand_index
from ._scores import scaled_rand_index as scaled_rand_index
