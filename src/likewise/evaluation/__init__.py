"""How good a clustering is, against known classes or against the hints a person gave.

Here belong scores that take labels and return numbers. Every score is read off one sparse contingency table
(:mod:`likewise.evaluation.contingency`), so a million items cost milliseconds and pair counts stay exact.

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

from .metrics import (
    PairScore,
    adjusted_rand_index,
    constraint_accuracy,
    normalized_mutual_information,
    pair_f_score,
    purity,
    rand_index,
    scaled_rand_index,
)

__all__ = [
    "PairScore",
    "adjusted_rand_index",
    "constraint_accuracy",
    "normalized_mutual_information",
    "pair_f_score",
    "purity",
    "rand_index",
    "scaled_rand_index",
]
