"""Where rows lie, and the colors they have."""

import itertools

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs

from likewise.page._palette import DARK, LIGHT, palette
from likewise.report._layout import Layout, leading_plane, spread_apart


@pytest.fixture(scope="module")
def blobs():
    X, labels = make_blobs(300, 8, centers=6, cluster_std=1.0, random_state=3)
    return X, labels, Layout.of(X, X, labels, 6)


def test_the_plane_before_is_that_of_largest_variance():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5)) * [1.0, 5.0, 0.1, 3.0, 0.5]
    _, values, turned = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    plane = leading_plane(X)
    np.testing.assert_allclose(np.square(plane).sum(axis=0), np.square(values[:2]))
    np.testing.assert_allclose(np.abs(plane), np.abs((X - X.mean(axis=0)) @ turned[:2].T), atol=1e-8)


def test_clusters_lie_apart_and_rows_with_their_own(blobs):
    _, labels, layout = blobs
    middles = np.array([layout.after[labels == number].mean(axis=0) for number in range(6)])
    assert (cdist(layout.after, middles).argmin(axis=1) == labels).mean() > 0.97
    assert layout.after.shape == layout.before.shape == (300, 2)


def test_typical_rows_are_in_the_middle(blobs):
    X, labels, layout = blobs
    for number in range(6):
        inside = np.flatnonzero(labels == number)
        far = np.linalg.norm(X[inside] - X[inside].mean(axis=0), axis=1)
        assert far[layout.off_center[inside].argmin()] < np.median(far)


def test_a_row_between_two_clusters_is_drawn_between_them():
    rng = np.random.default_rng(1)
    Z = np.repeat([[0.0, 0.0], [10.0, 0.0]], 50, axis=0) + rng.normal(scale=0.1, size=(100, 2))
    Z[0] = [4.5, 0.0]
    labels = np.repeat([0, 1], 50)
    after = Layout.of(Z, Z, labels, 2).after
    first, second = after[1:50].mean(axis=0), after[50:].mean(axis=0)
    along = (after[0] - first) @ (second - first) / np.square(second - first).sum()
    assert 0.2 < along < 0.65


@pytest.mark.parametrize("centers", [[0.0], [0.0, 9.0], [0.0, 9.0, 18.0]], ids=["one", "two", "three on a line"])
def test_rows_fill_the_plane_also_where_clusters_are_on_a_line(centers):
    labels = np.repeat(np.arange(len(centers)), 60)
    L = np.random.default_rng(2).normal(size=(len(labels), 5))
    L[:, 1] *= 2.0  # what varies most inside clusters
    L[:, 0] += np.array(centers)[labels]
    layout = Layout.of(L, L, labels, len(centers))
    for number in range(len(centers)):
        inside = layout.after[labels == number]
        extents = np.sqrt(np.linalg.eigvalsh(np.cov(inside.T)))
        assert extents[0] > 0.3 * extents[1], "a line"
    across = np.linalg.svd(layout.after - layout.after.mean(axis=0), full_matrices=False)[2][1]
    if len(centers) > 1:
        assert abs(np.corrcoef(layout.after @ across, L[:, 1])[0, 1]) > 0.8


@pytest.mark.parametrize("k", [1, 2, 3, 12, 60])
def test_discs_do_not_overlap(k):
    rng = np.random.default_rng(k)
    points = rng.normal(size=(k, 10))
    radii = np.sqrt(rng.dirichlet(np.ones(k)))
    places = spread_apart(cdist(points, points), radii)
    gaps = cdist(places, places) + 10 * np.eye(k)
    assert (gaps > 0.95 * (radii[:, None] + radii)).all()


def test_discs_in_one_place_are_parted():
    assert cdist(*[spread_apart(np.zeros((3, 3)), np.full(3, 0.4))] * 2)[np.triu_indices(3, 1)].min() > 0.7


@pytest.mark.parametrize("shape", [(1, 1), (5, 1), (4, 3)])
def test_rows_that_are_all_the_same_lie_somewhere(shape):
    same = np.ones(shape)
    layout = Layout.of(same, same, np.zeros(shape[0], dtype=int), 1)
    assert np.isfinite(layout.after).all()
    assert np.isfinite(layout.before).all()


@pytest.fixture(scope="module")
def hidden():
    """Clusters that the two directions of largest variance do not show, so that these cannot say how to turn a map."""
    rng = np.random.default_rng(0)
    middles = 2.0 * np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])  # as far from each other, each
    labels = np.repeat(np.arange(4), 50)
    wide = rng.normal(scale=20, size=(4, 50, 2))
    wide -= wide.mean(axis=1, keepdims=True)
    return np.hstack([wide.reshape(200, 2), middles[labels] + rng.normal(scale=0.4, size=(200, 3))]), labels


def moved(one, other):
    """How far rows lie from where they were, in units of the size of the map."""
    return np.linalg.norm(one - other, axis=1) / np.sqrt(np.square(other - other.mean(axis=0)).sum(axis=1).mean())


def test_rows_stay_where_they_were_if_little_changes(hidden):
    L, labels = hidden
    first = Layout.of(L, L[:, 2:], labels, 4)
    largest = {"with": [], "without": []}
    for seed in range(5):
        rng = np.random.default_rng(seed)
        Z = L[:, 2:] + rng.normal(scale=0.3, size=(200, 3))
        changed = labels.copy()
        changed[seed * 40] = 3 - changed[seed * 40]
        others = changed == labels
        for name, previous in (("with", first.after), ("without", None)):
            later = Layout.of(L, Z, changed, 4, previous).after
            largest[name].append(np.percentile(moved(later, first.after)[others], 95))
    assert max(largest["with"]) < 0.25
    assert max(largest["without"]) > 1.0, "the case is no test: nothing jumps anyway"


def test_the_same_rows_lie_in_the_same_places_again(blobs):
    X, labels, layout = blobs
    again = Layout.of(X, X, labels, 6, layout.after).after
    assert moved(again, layout.after).max() < 0.01
    for _ in range(5):  # nor do they drift
        again = Layout.of(X, X, labels, 6, again).after
    assert moved(again, layout.after).max() < 0.01


@pytest.mark.parametrize("mirror", [1.0, -1.0])
def test_a_map_is_turned_as_the_one_before(blobs, mirror):
    X, labels, layout = blobs
    angle = 2.0
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) * [1.0, mirror]
    previous = layout.after @ turn + [3.0, -1.0]
    assert moved(Layout.of(X, X, labels, 6, previous).after, previous).max() < 0.01


def test_clusters_that_split_lie_where_the_one_was(blobs):
    X, labels, layout = blobs
    split = np.where((labels == 2) & (X[:, 0] > X[labels == 2, 0].mean()), 6, labels)
    later = Layout.of(X, X, split, 7, layout.after).after
    middles = np.array([later[split == number].mean(axis=0) for number in range(7)])
    before = np.array([layout.after[labels == number].mean(axis=0) for number in range(6)])
    assert (cdist(middles[[2, 6]], before).argmin(axis=1) == 2).all()
    assert np.median(moved(later, layout.after)[labels != 2]) < 0.4


def test_rows_without_a_place_before_are_placed_too(blobs):
    X, labels, layout = blobs
    previous = layout.after.copy()
    previous[(labels == 1) | (np.arange(300) % 7 == 0)] = np.nan
    later = Layout.of(X, X, labels, 6, previous)
    assert np.isfinite(later.after).all()
    assert np.median(moved(later.after, layout.after)[labels != 1]) < 0.4
    with pytest.raises(ValueError, match="no row has a position in the previous layout"):
        Layout.of(X, X, labels, 6, np.full((300, 2), np.nan))


def test_one_cluster_is_turned_as_before():
    X = np.random.default_rng(0).normal(size=(60, 4)) * [3, 2, 1, 1]
    labels = np.zeros(60, dtype=int)
    first = Layout.of(X, X, labels, 1).after
    assert moved(Layout.of(X, X, labels, 1, -first).after, -first).max() < 1e-6


RGB_TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
RGB_TO_CONES = np.array([[17.8824, 43.5161, 4.1193], [3.4557, 27.1554, 3.8671], [0.02996, 0.18431, 1.46709]])
WITHOUT = {
    "all colors": np.eye(3),
    "no red": np.array([[0, 2.02344, -2.52581], [0, 1, 0], [0, 0, 1]]),
    "no green": np.array([[1, 0, 0], [0.494207, 0, 1.24827], [0, 0, 1]]),
}


def seen(colors, eyes):
    """Lightness and two color axes (CIE Lab) of what some eyes see."""
    values = np.array([[int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)] for color in colors])
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    linear = np.clip(linear @ (np.linalg.inv(RGB_TO_CONES) @ WITHOUT[eyes] @ RGB_TO_CONES).T, 0, 1)
    relative = linear @ RGB_TO_XYZ.T / RGB_TO_XYZ.sum(axis=1)
    root = np.where(relative > 0.008856, np.cbrt(relative), 7.787 * relative + 16 / 116)
    return np.column_stack([116 * root[:, 1] - 16, 500 * (root[:, 0] - root[:, 1]), 200 * (root[:, 1] - root[:, 2])])


@pytest.mark.parametrize(("eyes", "least"), [("all colors", 18), ("no red", 9), ("no green", 9)])
@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
def test_any_two_colors_can_be_told_apart(colors, eyes, least):
    places = seen(colors, eyes)
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(places, 2)) > least


def test_colors_go_on_and_none_repeats():
    for scheme in ("light", "dark"):
        assert len(set(palette(150, scheme))) == 150
        assert palette(5, scheme) == palette(150, scheme)[:5]
