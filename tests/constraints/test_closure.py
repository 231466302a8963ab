import numpy as np
import pytest
from hypothesis import given

from constraints.strategies import hints, slow_distances, slow_links
from likewise.constraints import ConstraintConflictError, Constraints, Partition


def slow_closure(constraints):
    """Return boolean matrices: which rows must be together, and which apart."""
    must, cannot = slow_links(constraints)
    together = np.isfinite(slow_distances(constraints.n_samples, must))
    apart = np.zeros_like(together)
    for i, j in cannot:
        across = np.outer(together[i], together[j])
        apart |= across | across.T
    return together, apart


@given(hints())
def test_groups_are_the_equivalence_relation_of_a_slow_search(hints):
    groups = hints.groups()
    together, _ = slow_closure(hints)
    assert ((groups[:, None] == groups) == together).all()
    _, first = np.unique(groups, return_index=True)
    assert (np.diff(first) > 0).all()  # numbered by first appearance


@given(hints())
def test_closure_entails_what_the_definition_entails(hints):
    together, apart = slow_closure(hints)
    if (together & apart).any():
        with pytest.raises(ConstraintConflictError):
            hints.closure()
        return
    closure = hints.closure()
    assert closure.n_groups == closure.groups.max() + 1
    assert closure.sizes.sum() == hints.n_samples
    assert closure.between.n_must_link == 0
    between = np.zeros((closure.n_groups, closure.n_groups), dtype=bool)
    left, right = closure.between.expand().cannot_link.T
    between[left, right] = between[right, left] = True
    assert (between[closure.groups][:, closure.groups] == apart).all()

    written = hints.expand(closed=True)
    for pairs, matrix in ((written.must_link, together), (written.cannot_link, apart)):
        assert {tuple(pair) for pair in pairs.tolist()} == set(zip(*np.nonzero(np.triu(matrix, 1)), strict=True))
    # closing twice changes nothing
    assert (written.groups() == hints.groups()).all()
    again = written.expand(closed=True)
    assert np.array_equal(again.cannot_link, written.cannot_link)


@given(hints())
def test_written_out_pairs_are_those_implied(hints):
    must, cannot = slow_links(hints)
    written = hints.expand()
    assert not written.partitions
    assert {tuple(pair) for pair in written.must_link.tolist()} == must
    assert {tuple(pair) for pair in written.cannot_link.tolist()} == cannot
    touched = {row for pair in must | cannot for row in pair}
    assert set(np.flatnonzero(hints.constrained_rows()).tolist()) == touched
    assert hints.is_empty == (not touched)


def test_weights_of_written_pairs():
    labels = Partition([0, 0, -1, 1, -1], different_across=True, weight=0.5)
    hints = Constraints(5, [(0, 1), (1, 2)], [(2, 4)], [2.0, 0.25], [0.75], [labels])
    written = hints.expand(closed=True)
    must = dict(zip(map(tuple, written.must_link.tolist()), written.must_weight.tolist(), strict=True))
    # (0, 1) is stated twice, the larger weight is its own; (0, 2) follows from all that joins the group
    assert must == {(0, 1): 2.0, (1, 2): 0.25, (0, 2): 0.25}
    cannot = dict(zip(map(tuple, written.cannot_link.tolist()), written.cannot_weight.tolist(), strict=True))
    assert cannot == {(0, 3): 0.5, (1, 3): 0.5, (2, 3): 0.5, (2, 4): 0.75, (0, 4): 0.75, (1, 4): 0.75}


def test_between_groups_the_larger_weight_stays():
    closure = Constraints(4, [(0, 1), (2, 3)], [(0, 2), (1, 3)], None, [0.2, 0.9]).closure()
    assert closure.between.cannot_weight.tolist() == [0.9]


def test_expand_stops_before_it_writes_too_much():
    hints = Constraints.from_labels(np.arange(100_000) % 2)
    with pytest.raises(ValueError, match=r"expanding to 4,999,950,000 pairs .* limit of 1,000,000"):
        hints.expand()
    chain = Constraints(5000, np.column_stack([np.arange(4999), np.arange(1, 5000)]))
    assert len(chain.expand().must_link) == 4999
    with pytest.raises(ValueError, match=r"expanding to 12,497,500 pairs"):
        chain.expand(closed=True)


def test_a_long_chain_closes_without_recursion():
    rows = np.random.default_rng(0).permutation(200_000)
    chain = Constraints(200_000, np.column_stack([rows[:-1], rows[1:]]), [(rows[0], rows[-1])])
    assert not chain.groups().any()
    (conflict,) = chain.conflicts()
    assert len(conflict.chain) == 200_000
    assert "(199,990 more)" in str(conflict)
    kept, dropped = chain.drop_conflicts()
    assert (len(kept.must_link), len(dropped.cannot_link)) == (199_999, 1)


def test_a_million_labels_stay_one_partition():
    labels = np.arange(1_000_000) % 7
    hints = Constraints.from_labels(labels)
    assert hints.n_must_link + hints.n_cannot_link == 1_000_000 * 999_999 // 2
    assert len(hints.must_link) == len(hints.cannot_link) == 0
    closure = hints.check().closure()
    assert closure.n_groups == 7
    (between,) = closure.between.partitions
    assert between.codes.tolist() == list(range(7))


def test_tracks_over_frames_keep_whole_blocks_where_they_can():
    # rows 0–5 are two people in three frames, rows 6–8 are strangers in a fourth
    frames = Partition([0, 0, 1, 1, 2, 2, 3, 3, 3], same_within=False, different_within=True)
    hints = Constraints(9, [(0, 2), (2, 4), (1, 3), (3, 5)], partitions=[frames])
    closure = hints.closure()
    assert closure.groups.tolist() == [0, 1, 0, 1, 0, 1, 2, 3, 4]
    assert closure.between.cannot_link.tolist() == [[0, 1]]
    (strangers,) = closure.between.partitions
    assert strangers.codes.tolist() == [-1, -1, 0, 0, 0]


def test_a_large_block_is_not_written_out_though_it_shares_a_row():
    n = 20_001
    codes = np.zeros(n, dtype=int)
    codes[-2:] = 1
    frames = Partition(codes, same_within=False, different_within=True)
    between = Constraints(n, [(0, n - 1)], partitions=[frames]).closure().between
    assert len(between.cannot_link) == 1
    assert between.n_cannot_link == frames.n_cannot_link
