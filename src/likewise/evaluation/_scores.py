"""Scores of a clustering: against true classes, and against constraints.

Notation, used in every formula: n items; T pairs of items of the same class, D pairs of different classes,
T + D = n(n−1)/2; P pairs placed together by the clustering; B pairs of the same class placed together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score, rand_score

from .._arrays import IntArray
from ..constraints import Constraints
from ..constraints._overlap import KINDS, implied_weights, links_once, stated_pairs
from ._contingency import contingency_of_labels, encode, encode_both


class PairScore(NamedTuple):
    """What `pair_f_score` returns.

    Attributes
    ----------
    f : float
        The harmonic mean of precision and recall.
    precision : float
        P(same class | together).
    recall : float
        P(together | same class).
    """

    f: float
    precision: float
    recall: float


def rand_index(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """Share of all pairs on which the clustering and the classes agree.

    ::

        Rand = (B + D − (P − B)) / (T + D)

    where B pairs are rightly together and D − (P − B) rightly apart (notation: top of this module).

    Use it to compare with papers that report it. With many classes nearly all pairs are in different classes, and any
    clustering with many clusters has a high score; prefer `scaled_rand_index` or `pair_f_score` then.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels of any kind; only their equality counts. No value is special, −1 included.

    Returns
    -------
    float
        In [0, 1], symmetric in its arguments. One item has no pair to get wrong: 1.

    References
    ----------
    W. M. Rand, Objective criteria for the evaluation of clustering methods, JASA 66 (1971).

    Examples
    --------
    >>> rand_index(["a", "a", "b", "b"], [0, 0, 1, 2])
    0.8333333333333334
    """
    return float(rand_score(*encode_both(y_true, y_pred)))


def pair_f_score(y_true: ArrayLike, y_pred: ArrayLike) -> PairScore:
    """F-score, precision and recall of the pairs placed together.

    ::

        precision = B / P        recall = B / T        F = 2B / (P + T)

    with B, P and T as at the top of this module; F is the harmonic mean of the other two.

    Prefer it if there are many small classes (records of one person, pages of one story): pairs that are correctly
    apart, which dominate the Rand index then, do not count. Precision is low if clusters merge classes, and recall if
    clusters split classes.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels of any kind; only their equality counts. No value is special, −1 included.

    Returns
    -------
    PairScore
        ``(f, precision, recall)``, each in [0, 1]. Exchanging the arguments exchanges precision and recall.
        If no pair is together in either labeling (one item, or only singletons), all three are 1, as in scikit-learn's
        ``rand_score``. If this is so in one labeling only, all three are 0: a precision or recall of 0/0 counts as 0.

    Examples
    --------
    >>> score = pair_f_score(["a", "a", "a", "b"], [0, 0, 1, 1])
    >>> score.precision, round(score.recall, 3), score.f
    (0.5, 0.333, 0.4)
    """
    pairs = contingency_of_labels(y_true, y_pred).pairs()
    empty = 0.0 if pairs.by_row or pairs.by_column else 1.0
    return PairScore(
        f=_share(2 * pairs.both, pairs.by_row + pairs.by_column, empty),
        precision=_share(pairs.both, pairs.by_column, empty),
        recall=_share(pairs.both, pairs.by_row, empty),
    )


def scaled_rand_index(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """Rand index with equal weight for pairs within and between classes.

    ::

        scaled Rand = ½ · P(together | same class) + ½ · P(apart | different class)
                    = ½ · B / T + ½ · (D − (P − B)) / D

    with the notation at the top of this module.

    Prefer it to `rand_index` if there are few same-class pairs. A single cluster, only singletons, and random clusters
    each have a score of ½ (the last on average). Unlike the Rand index it is not symmetric, since the classes determine
    the two weights.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels of any kind; only their equality counts. No value is special, −1 included.

    Returns
    -------
    float
        In [0, 1]. If all items are of one class, or every class has one item, only the term that is defined is used,
        with full weight. For one item the score is 1.

    Examples
    --------
    >>> scaled_rand_index(["a", "a", "b", "c"], [0, 0, 0, 0])
    0.5
    >>> scaled_rand_index(["a", "a", "b", "c"], [0, 0, 1, 1])
    0.9
    """
    pairs = contingency_of_labels(y_true, y_pred).pairs()
    same, different = pairs.by_row, pairs.total - pairs.by_row
    if not (same and different):
        return _share(pairs.both + pairs.neither, pairs.total, empty=1.0)
    # Over one denominator, so that only the last division rounds.
    return (pairs.both * different + pairs.neither * same) / (2 * same * different)


def adjusted_rand_index(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """Rand index corrected for chance: random clusterings have a score of 0 on average.

    ::

        ARI = (B − E) / ((T + P)/2 − E),   E = T P / (T + D)

    where E is the expected number of correct pairs by chance (notation: top of this module).

    Prefer it to `rand_index` if the number of clusters may differ: neither many small nor a few large clusters have an
    advantage by that alone.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels of any kind; only their equality counts.

    Returns
    -------
    float
        At most 1, below 0 if worse than chance, symmetric in its arguments. 1 if E equals the maximum.

    References
    ----------
    L. Hubert and P. Arabie, Comparing partitions, Journal of Classification 2 (1985).

    Examples
    --------
    >>> adjusted_rand_index(["a", "a", "b", "b"], [0, 0, 1, 2])
    0.5714285714285714
    """
    return float(adjusted_rand_score(*encode_both(y_true, y_pred)))


def normalized_mutual_information(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """Mutual information of classes and clusters over the mean of their entropies.

    ::

        NMI = 2 · I / (H_true + H_pred)
        I = Σ_ij (n_ij / n) · log(n · n_ij / (n_i · n_j))        H = Σ_i (n_i / n) · log(n / n_i)

    where n_ij items of class i lie in cluster j. The mean is the arithmetic one, scikit-learn's default.

    Prefer it if splitting a cluster in two should cost little: unlike pair counts, which grow with the square of a
    cluster's size, it gives all items the same weight. It increases with the number of clusters even by chance, so
    compare clusterings with similar numbers of clusters.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels of any kind; only their equality counts. No value is special, −1 included.

    Returns
    -------
    float
        In [0, 1], symmetric. 1 if both labelings have a single group, and 0 if only one of them does.

    Examples
    --------
    >>> round(normalized_mutual_information(["a", "a", "b", "b"], [0, 0, 1, 2]), 6)
    0.8
    >>> normalized_mutual_information(["a", "a", "b", "b"], [0, 1, 0, 1])
    0.0
    """
    table = contingency_of_labels(y_true, y_pred)
    n = table.n
    entropies = _entropy(table.row_total, n) + _entropy(table.column_total, n)
    if entropies == 0.0:
        return 1.0
    # Products of counts are exact in float64 up to 2⁵³: independent groups give log(1) = 0 and no noise.
    expected = table.row_total[table.row].astype(float) * table.column_total[table.column]
    information = float(np.dot(table.cells, np.log(table.cells * float(n) / expected))) / n
    return min(max(2.0 * information / entropies, 0.0), 1.0)


def purity(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """Share of items that belong to the most frequent class of their cluster.

    ::

        purity = (1/n) · Σ_j max_i n_ij

    where n_ij items of class i lie in cluster j.

    Prefer it if someone will look at each cluster and name it: it is the accuracy of the names. Splitting clusters
    never decreases it, and singletons have a score of 1, so compare only clusterings with the same number of clusters.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels of any kind; only their equality counts. No value is special, −1 included.

    Returns
    -------
    float
        In (0, 1], not symmetric: ``purity(y_pred, y_true)`` is the inverse purity.

    Examples
    --------
    >>> purity(["a", "a", "b", "b"], [0, 0, 0, 1])
    0.75
    """
    table = contingency_of_labels(y_true, y_pred)
    commonest = np.zeros_like(table.column_total)
    np.maximum.at(commonest, table.column, table.cells)
    return _share(int(commonest.sum()), table.n, empty=1.0)


def matched_accuracy(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """Accuracy after matching clusters to classes one-to-one.

    ::

        accuracy = (1/n) · max_m Σ_j n_m(j)j

    over all one-to-one matchings m of clusters j to classes (Hungarian algorithm).

    Prefer it if there are as many clusters as classes: it is then the accuracy of a classifier that assigns each
    cluster to one class. Items in unmatched clusters count as errors.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels of any kind; only their equality counts. No value is special, −1 included.

    Returns
    -------
    float
        In (0, 1], symmetric in its arguments.

    See Also
    --------
    purity : Allows several clusters for one class.

    Examples
    --------
    >>> matched_accuracy(["a", "a", "b", "b"], [1, 1, 1, 0])
    0.75
    >>> matched_accuracy(["a", "a", "b", "b"], [0, 1, 2, 3])
    0.5
    """
    table = contingency_of_labels(y_true, y_pred)
    counts = np.zeros((len(table.row_total), len(table.column_total)), dtype=np.int64)
    counts[table.row, table.column] = table.cells
    return _share(int(counts[linear_sum_assignment(counts, maximize=True)].sum()), table.n, empty=1.0)


def constraint_accuracy(labels: ArrayLike, constraints: Constraints) -> float:
    """Weighted share of the constraints that a clustering satisfies.

    ::

        accuracy = Σ_h weight_h · [h is kept] / Σ_h weight_h

    over the given pairs and the pairs that partitions imply, with the weight of the partition. A must-link is kept if
    its two rows have the same label, a cannot-link if they do not. A pair that is given or implied several times counts
    once, with its largest weight. A comparison is kept unless its far rows have the same label and its near rows do
    not. A preference is kept if the labels agree with the better clustering on the majority of the pairs on which the
    two clusterings differ.

    Use it if there are no true classes, preferably on constraints held out from fitting. On the constraints that a
    method was fitted to, it only measures whether the method satisfies them.

    Parameters
    ----------
    labels : array-like of shape (n_samples,)
        Labels of any kind; only their equality counts. No value is special: rows labeled −1 are together.
    constraints : Constraints
        Partitions are not expanded to pairs.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ValueError
        If there are no constraints, or they were built for another number of rows.

    Examples
    --------
    >>> from likewise.constraints import Constraints
    >>> hints = Constraints(4, must_link=[(0, 1), (2, 3)], cannot_link=[(0, 2)])
    >>> round(constraint_accuracy([0, 0, 1, 2], hints), 3)
    0.667
    """
    if isinstance(labels, Constraints):
        raise TypeError(f"labels is {labels!r}. Labels come first: constraint_accuracy(labels, constraints).")
    codes = encode(labels, "labels")
    if codes.size != constraints.n_samples:
        raise ValueError(
            f"constraints were built for {constraints.n_samples} rows, labels has {codes.size}. "
            "Restrict them to the same rows: constraints.restrict(rows)."
        )
    kept = total = 0.0
    for kind in KINDS:
        pairs, stated = stated_pairs(constraints, kind)
        # A pair that partitions also imply is counted below; here only the excess of its own weight counts.
        weights = np.maximum(stated - implied_weights(constraints, kind), 0.0)
        together = codes[pairs[:, 0]] == codes[pairs[:, 1]]
        kept += float(weights[together == (kind == "must")].sum())
        total += float(weights.sum())
        for weight, links in links_once(constraints.partitions, kind):
            n_pairs, n_together = links.n_pairs(), links.n_within(codes)
            kept += weight * (n_together if kind == "must" else n_pairs - n_together)
            total += weight * n_pairs
    comparisons = constraints.comparisons
    near, far = (codes[pairs[:, 0]] == codes[pairs[:, 1]] for pairs in (comparisons.near, comparisons.far))
    kept += float(comparisons.weight[near | ~far].sum())
    total += float(comparisons.weight.sum())
    kept += sum(each.weight for each in constraints.preferences if each.margin(codes) > 0)
    total += sum(each.weight for each in constraints.preferences)
    if total == 0.0:
        raise ValueError(
            "there is nothing to check: the constraints contain no pair of rows. "
            "Give at least one must-link, one cannot-link, or a partition of two known rows."
        )
    return min(kept / total, 1.0)


def _share(part: int, whole: int, empty: float) -> float:
    """Divide exact counts, rounding once; `empty` is the documented value of 0/0."""
    return part / whole if whole else empty


def _entropy(totals: IntArray, n: int) -> float:
    sizes = totals[totals > 0]
    return float(np.dot(sizes, np.log(n / sizes))) / n
