"""Detections over frames."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases.data import law
from likewise.constraints import Constraints
from likewise.sources.tracks import from_detections


@st.composite
def detections(draw):
    n = draw(st.integers(0, 14))
    frames = draw(st.lists(st.integers(0, 5), min_size=n, max_size=n))
    # few places, so that distances tie and objects meet
    places = draw(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), min_size=n, max_size=n))
    return np.array(frames, dtype=int), np.array(places, dtype=float).reshape(n, 2)


def slow_links(frames, positions, max_gap, max_distance):
    """Mutually nearest rows of two frames, by the definition; of those that tie the first."""
    links = {}
    for early in set(frames.tolist()):
        for late in set(frames.tolist()):
            if not 0 < late - early <= max_gap:
                continue
            here, there = np.flatnonzero(frames == early), np.flatnonzero(frames == late)
            distance = np.linalg.norm(positions[here][:, None] - positions[there], axis=2)
            for i, j in enumerate(distance.argmin(axis=1)):
                if distance[:, j].argmin() == i and distance[i, j] <= max_distance:
                    links[min(here[i], there[j]), max(here[i], there[j])] = distance[i, j]
    return links


@given(detections(), st.sampled_from([1.0, 1.5, 3.0]), st.sampled_from([0.5, 1.0]))
@law
def test_next_frames_are_linked_by_the_definition(seen, max_distance, weight):
    frames, positions = seen
    hints = from_detections(frames, positions, max_distance=max_distance, weight=weight)
    wanted = slow_links(frames, positions, 1, max_distance)
    assert {tuple(pair) for pair in hints.must_link.tolist()} == set(wanted)
    for pair, found in zip(hints.must_link.tolist(), hints.must_weight, strict=True):
        assert found == pytest.approx(weight * (1 - wanted[tuple(pair)] / (2 * max_distance)))


@given(detections(), st.integers(1, 6), st.sampled_from([1.0, 2.0, np.inf]))
@law
def test_nothing_contradicts(seen, max_gap, max_distance):
    frames, positions = seen
    hints = from_detections(frames, positions, max_gap=max_gap, max_distance=max_distance)
    assert hints.conflicts() == []
    assert {tuple(pair) for pair in hints.must_link.tolist()} <= set(
        slow_links(frames, positions, max_gap, max_distance)
    )
    later = [(i, frames[j]) for pair in hints.must_link.tolist() for i, j in (pair, pair[::-1])]
    assert len(later) == len(set(later))  # at most one link from a detection to each other frame


@given(detections(), st.integers(2, 4))
@law
def test_a_longer_gap_keeps_the_links_of_a_shorter(seen, max_gap):
    frames, positions = seen
    few, more = (from_detections(frames, positions, max_gap=gap, max_distance=2.0) for gap in (1, max_gap))
    assert {tuple(pair) for pair in few.must_link.tolist()} <= {tuple(pair) for pair in more.must_link.tolist()}


@given(detections(), st.randoms(use_true_random=False))
@law
def test_rows_come_in_any_order(seen, random):
    frames, positions = seen
    positions = positions + np.random.default_rng(0).uniform(0, 0.1, positions.shape)  # without ties
    order = list(range(len(frames)))
    random.shuffle(order)
    hints = from_detections(frames, positions, max_gap=2, max_distance=1.5)
    assert from_detections(frames[order], positions[order], max_gap=2, max_distance=1.5) == hints.restrict(order)


def test_frames_are_one_partition():
    frames = np.repeat(np.arange(50), 200)
    hints = from_detections(frames, np.random.default_rng(0).uniform(size=(10_000, 2)), max_distance=0.01)
    assert len(hints.cannot_link) == 0
    (partition,) = hints.partitions
    assert partition.different_within
    assert hints.n_cannot_link == 50 * 199 * 100


def test_two_walkers_keep_their_tracks_over_a_missed_detection():
    steps = np.arange(10)
    frames = np.concatenate([steps, steps])
    positions = np.column_stack([np.concatenate([steps, 20.0 - steps]), np.repeat([0.0, 5.0], 10)])
    seen = np.arange(20) != 14
    hints = from_detections(frames[seen], positions[seen], max_gap=2, max_distance=2.5)
    assert hints.groups().tolist() == [0] * 10 + [1] * 9
    assert len(set(from_detections(frames[seen], positions[seen], max_distance=2.5).groups())) == 3


def test_a_link_that_would_put_a_track_twice_into_a_frame_is_refused():
    # 0 → 1 in the next frame; in the one after, 2 is nearest to 1 but 3 is nearest to where 0 was
    frames, positions = [0, 1, 2, 2], [0.0, 2.0, 3.0, 0.5]
    hints = from_detections(frames, positions, max_gap=2, max_distance=5.0)
    assert hints.must_link.tolist() == [[0, 1], [1, 2]]


def test_ties_go_to_the_lower_row():
    hints = from_detections([0, 0, 1, 1], [0.0, 0.0, 0.0, 0.0], max_distance=1.0)
    assert hints.must_link.tolist() == [[0, 2]]


def test_times_of_day_are_frames_too():
    times = np.arange(8) * 0.1  # 0.30000000000000004 and its like
    assert len(from_detections(times, np.zeros(8), max_gap=0.1, max_distance=1.0).must_link) == 7
    stamps = 1_700_000_000_000_000_000 + 40_000_000 * np.arange(5)
    assert len(from_detections(stamps, np.zeros(5), max_gap=40_000_000, max_distance=1.0).must_link) == 4


def test_series_and_empty_film():
    table = pd.DataFrame({"frame": [3, 2, 1], "x": [0.0, 1.0, 2.0], "y": [0.0, 0.0, 0.0]})
    hints = from_detections(table["frame"], table[["x", "y"]], max_distance=1.0)
    assert hints.must_link.tolist() == [[0, 1], [1, 2]]
    assert from_detections([], np.empty((0, 2)), max_distance=1.0) == Constraints(0)
    assert from_detections([], [], max_distance=1.0) == Constraints(0)


@pytest.mark.parametrize(
    ("frames", "positions", "options", "error", "message"),
    [
        (["a", "b"], [0, 1], {}, TypeError, "frames must be numbers.*Number them"),
        (np.array(["1", "2"], dtype=object), [0, 1], {}, TypeError, "frames must be numbers"),
        ([0, np.nan], [0, 1], {}, ValueError, r"frames\[1\] = nan"),
        ([0, None], [0, 1], {}, TypeError, "frames must be numbers"),
        ([[0, 1]], [0, 1], {}, ValueError, "one number for each detection"),
        ([0, 1], [0, 1, 2], {}, ValueError, r"shape \(3, 1\) for 2 frames"),
        ([0, 1], [[0, 1], [np.inf, 2]], {}, ValueError, r"positions\[1\] = \[inf, 2.0\] is no place"),
        ([0, 1], [0, 1e200], {}, ValueError, "below 1e[+]150"),
        ([0, 1], ["x", "y"], {}, TypeError, "positions must be numbers"),
        ([0, 1], [0, 1], {"max_gap": 0}, ValueError, "max_gap must be above 0"),
        ([0, 1], [0, 1], {"max_distance": -1.0}, ValueError, "max_distance must be above 0"),
        ([0, 1], [0, 1], {"max_distance": "far"}, TypeError, "max_distance must be one number"),
        ([0, 1], [0, 1], {"weight": 0}, ValueError, "weight must be finite and above 0"),
    ],
)
def test_errors_say_where(frames, positions, options, error, message):
    with pytest.raises(error, match=message):
        from_detections(frames, positions, **{"max_distance": 1.0, **options})
