"""Nearest and farthest rows, by every distance and every search, against all distances sorted."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.preprocessing import normalize

import likewise as lw
from cases.data import blobs, consistent_hints, law
from cases.published import collapsed_kernel, gaussian
from likewise.graphs import _approximate as approximate
from likewise.graphs import _distances as distances
from likewise.graphs import _exact as exact
from likewise.graphs import choose_search, neighbor_graph, neighbors
from likewise.graphs._approximate import largest_distance, radii
from likewise.graphs._collapsed import CollapsedKernel
from likewise.graphs._distances import Cosine, Euclidean, Precomputed
from likewise.graphs._exact import exact_search, symmetric_search, tree_search, use_symmetry
from likewise.graphs._fuzzy import Nearness
from likewise.graphs._neighbors import distances_by, pairs_of

N = 400


@pytest.fixture
def small_tiles(monkeypatch):
    """Blocks and tiles that small data fill several times."""
    monkeypatch.setattr(distances, "TILE", 150)
    monkeypatch.setattr(distances, "PAIR_ENTRIES", 300)
    monkeypatch.setattr(exact, "QUERIES", 64)
    monkeypatch.setattr(exact, "CHUNKS", 8)


def all_distances(metric, X, queries):
    if metric == "euclidean":
        return np.array([[np.linalg.norm(x - y) for y in X] for x in queries])
    return 1 - normalize(queries) @ normalize(X).T


def sorted_rows(D, k, *, farthest=False, exclude_self=True):
    """Every distance, sorted with the index behind it."""
    sign = -1 if farthest else 1
    found = []
    for i, row in enumerate(D):
        keys = [(sign * d, j) for j, d in enumerate(row) if not (exclude_self and i == j)]
        found.append([j for _, j in sorted(keys)[:k]])
    return np.array(found)


def chosen_rows(D, before, k, *, farthest, unit):
    """Of every row, which others have the k best rounded distances; ties for the last places go by ``before``."""
    sign = -1 if farthest else 1
    found = []
    for i, row in enumerate(D):
        keys = [(sign * round(d / unit), sign * before[i, j], j) for j, d in enumerate(row) if j != i]
        found.append({j for *_, j in sorted(keys)[:k]})
    return found


def as_far(found, D, rows, tolerance):
    """The rows found are as near as those sorted by hand; where rounding tells equals apart they may be others."""
    own = np.arange(len(rows))[:, None]
    np.testing.assert_allclose(D[own, found.rows], D[own, rows], atol=tolerance)
    np.testing.assert_allclose(found.distances, D[own, rows], atol=tolerance)
    assert all(len(set(row)) == len(row) for row in found.rows.tolist())


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("kind", ["dense", "sparse", "single"])
@pytest.mark.parametrize("farthest", [False, True])
@pytest.mark.parametrize("exclude_self", [True, False])
def test_search_is_all_distances_sorted(small_tiles, metric, kind, farthest, exclude_self):
    rng = np.random.default_rng(0)
    X, queries = rng.normal(size=(N, 14)) + 3, rng.normal(size=(70, 14)) + 3
    X[5] = 0
    if exclude_self:
        queries = X
    cast = {"dense": np.asarray, "sparse": sparse.csr_array, "single": lambda rows: rows.astype(np.float32)}[kind]
    kinds = distances_by(metric, cast(X), None if exclude_self else cast(queries))
    D = all_distances(metric, X, queries)
    found = neighbors(kinds, 7, farthest=farthest, exclude_self=exclude_self)
    as_far(
        found, D, sorted_rows(D, 7, farthest=farthest, exclude_self=exclude_self), 1e-6 if kind == "single" else 1e-9
    )
    assert found.recall == 1


def texts(seed, n=N, f=300):
    """Counts of words, few of them common; some texts are there twice, some are empty."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(2.0 / np.arange(1, f + 1), size=(n, f)).astype(float)
    X[rng.integers(n, size=20)] = X[rng.integers(n, size=20)]
    X[rng.integers(n, size=5)] = 0
    return X


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("common", [0.0, 0.08, 1.0])
@pytest.mark.parametrize(("precision", "scale"), [("f4", 1.0), ("f8", 1.0), ("f8", 1e-25), ("f8", 1e25)])
@pytest.mark.parametrize("whole", [exact_search, symmetric_search])
def test_common_and_rare_words(small_tiles, monkeypatch, metric, scale, common, precision, whole):
    """The same neighbors, however the columns are split; equals are ranked by their index."""
    monkeypatch.setattr(distances, "COMMON", common)
    X = texts(0)
    D = all_distances(metric, X, X)
    kinds = distances_by(metric, sparse.csr_array(X * scale, dtype=precision))
    columns = kinds._products.n_common
    assert {0.0: columns > 250, 0.08: 10 < columns < 40, 1.0: columns == 0}[common]
    found = whole(kinds, 6)
    if metric == "euclidean":
        found = replace(found, distances=found.distances / scale)
    expected = sorted_rows(np.round(D, 9), 6)
    as_far(found, D, expected, 1e-6)
    if metric == "euclidean" and scale == 1:  # differences of whole numbers: no rounding tells equals apart
        np.testing.assert_array_equal(found.rows, expected)


@pytest.mark.parametrize("whole", [exact_search, symmetric_search])
def test_texts_that_are_all_the_same(small_tiles, whole):
    """Then every pair is a candidate, and single precision is given up."""
    X = np.repeat(np.array([[1.0, 2.0, 0.1], [0.0, 0.3, 3.0]]), N // 2, axis=0)
    for kinds in (Euclidean(sparse.csr_array(X)), Cosine(sparse.csr_array(X))):
        found = whole(kinds, 3)
        np.testing.assert_allclose(found.distances, 0, atol=1e-6)
        assert (found.rows // (N // 2) == (np.arange(N) // (N // 2))[:, None]).all()


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("farthest", [False, True])
@pytest.mark.parametrize("unit", [0.0, 0.3])
@pytest.mark.parametrize("n", [90, 150, 151, N])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_each_distance_taken_once_gives_the_same(small_tiles, metric, farthest, unit, n, n_jobs):
    kinds = distances_by(metric, sparse.csr_array(texts(n, n=n)))
    taken = []
    original = kinds.approx
    kinds.approx = lambda queries, rows, **asked: (
        taken.append(len(queries) * (rows.stop - rows.start)) or original(queries, rows, **asked)
    )
    found = symmetric_search(kinds, 5, farthest=farthest, resolution=unit, n_jobs=n_jobs)
    once, taken[:] = sum(taken), []
    expected = exact_search(kinds, 5, farthest=farthest, resolution=unit)
    np.testing.assert_allclose(found.distances, expected.distances, atol=1e-12)
    if metric == "euclidean":  # of whole numbers: no rounding tells equals apart
        np.testing.assert_array_equal(found.rows, expected.rows)
    if n == N and not unit:
        assert once < 0.75 * sum(taken)


def test_symmetry_is_used_for_sparse_rows_in_several_tiles(small_tiles):
    X = texts(0)
    assert use_symmetry(Euclidean(sparse.csr_array(X)), exclude_self=True)
    assert not use_symmetry(Euclidean(sparse.csr_array(X)), exclude_self=False)
    assert not use_symmetry(Euclidean(sparse.csr_array(X[:150])), exclude_self=True)
    assert not use_symmetry(Euclidean(X), exclude_self=True)
    assert not use_symmetry(Precomputed(X @ X.T), exclude_self=True)


@law
@given(st.integers(0, 1000), st.integers(1, 40), st.floats(0, 1))
def test_products_of_sparse_rows_do_not_depend_on_the_split(seed, n, density):
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n, 12), density=density, rng=rng, format="csr")
    ready = distances.SplitProducts(X)
    some = rng.integers(n, size=5)
    for rows in (slice(0, n), slice(0, max(n // 2, 1)), some):
        expected = X.toarray()[some] @ X.toarray()[rows].T
        np.testing.assert_allclose(ready.products(ready.rows, some, rows), expected, atol=1e-5)


@law
@given(
    st.integers(0, 1000),
    st.integers(2, 40),
    st.integers(1, 4),
    st.integers(1, 6),
    st.booleans(),
    st.sampled_from([1.0, 2.0**-10, 2.0**27]),  # powers of two, so that ties are exact
)
def test_ties_go_to_the_lower_index(seed, n, f, k, farthest, scale):
    """Points of a small grid, most of them there several times."""
    rng = np.random.default_rng(seed)
    X = (rng.integers(0, 3, size=(n, f)) + 1024) * scale
    k = min(k, n - 1)
    D = all_distances("euclidean", X, X)
    expected = sorted_rows(D, k, farthest=farthest)
    np.testing.assert_array_equal(exact_search(Euclidean(X), k, farthest=farthest).rows, expected)
    np.testing.assert_array_equal(neighbors(Precomputed(D), k, farthest=farthest).rows, expected)
    if not farthest:
        np.testing.assert_array_equal(tree_search(Euclidean(X), k).rows, expected)


@law
@given(st.integers(0, 1000), st.integers(1, 6), st.booleans())
def test_distances_are_rounded_before_they_rank(seed, k, farthest):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(12, 2)) + 1e-9 * rng.random((12, 2))
    D = all_distances("euclidean", X, X)
    unit = 1e-6 * (D.max() or 1.0)
    found = exact_search(Euclidean(X), k, farthest=farthest, resolution=unit)
    assert [set(row) for row in found.rows.tolist()] == chosen_rows(D, D, k, farthest=farthest, unit=unit)
    pairs, apart = pairs_of(found)
    assert {tuple(pair) for pair in pairs.tolist()} == {
        (min(i, j), max(i, j)) for i, row in enumerate(found.rows.tolist()) for j in row
    }
    np.testing.assert_allclose(apart, D[pairs[:, 0], pairs[:, 1]], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("delta", [0.5, 3.0])
def test_neighbors_after_the_collapse(small_tiles, kind, delta):
    X, y = blobs(N, 6)
    hints = consistent_hints(y, 25, 5)
    K = collapsed_kernel(gaussian(X, delta), hints)
    D = np.sqrt(np.maximum(np.diag(K)[:, None] + np.diag(K) - 2 * K, 0.0))
    kinds = CollapsedKernel(kind(X), delta, hints)
    assert largest_distance(kinds) == pytest.approx(D.max(), rel=1e-9)
    unit = 1e-6 * D.max()
    for farthest in (False, True):
        found = exact_search(kinds, 5, farthest=farthest, resolution=unit)
        expected = chosen_rows(D, all_distances("euclidean", X, X), 5, farthest=farthest, unit=unit)
        assert [set(row) for row in found.rows.tolist()] == expected


def test_rows_of_very_different_length_are_still_distinguished(small_tiles, monkeypatch):
    """Single precision sees nothing here, and the block is looked at again in double."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(N, 3))
    X[0] = 1e7
    seen = []
    values = Euclidean.approx
    monkeypatch.setattr(
        Euclidean, "approx", lambda self, *of, double=False: seen.append(double) or values(self, *of, double=double)
    )
    found = exact_search(Euclidean(X), 5)
    np.testing.assert_array_equal(found.rows, sorted_rows(all_distances("euclidean", X, X), 5))
    assert any(seen)


@law
@given(st.integers(0, 1000), st.integers(2, 60), st.integers(1, 5))
def test_the_largest_distance_and_radii_that_bound_it(seed, n, f):
    X = np.random.default_rng(seed).standard_t(2, size=(n, f))
    D = all_distances("euclidean", X, X)
    assert largest_distance(Euclidean(X)) == pytest.approx(D.max(), rel=1e-12)
    radius = radii(Euclidean(X))
    assert ((radius[:, None] + radius) * (1 + 1e-12) >= D).all()


def test_some_queries_among_some_rows():
    X = blobs(50, 4)[0]
    queries, among = np.array([3, 7, 40]), np.array([9, 3, 2, 40, 1])
    D = all_distances("euclidean", X, X)
    found = exact_search(Euclidean(X), 2, queries=queries, candidates=among)
    for query, rows in zip(queries, found.rows, strict=True):
        others = sorted(row for row in among if row != query)
        assert rows.tolist() == sorted(others, key=lambda row: D[query, row])[:2]
    nothing = exact_search(Euclidean(X), 2, queries=np.zeros(0, dtype=int))
    assert nothing.rows.shape == nothing.distances.shape == (0, 2)


@pytest.mark.parametrize("farthest", [False, True])
@pytest.mark.parametrize("kind", ["euclidean", "cosine", "collapsed"])
def test_an_approximate_search_says_what_it_found(kind, farthest):
    X, y = blobs(3000, 10)
    kinds = CollapsedKernel(X, 4.0, consistent_hints(y, 20, 5)) if kind == "collapsed" else distances_by(kind, X)
    found = neighbors(kinds, 5, farthest=farthest, search="approximate")
    truth = neighbors(kinds, 5, farthest=farthest, search="exact")
    own = np.repeat(np.arange(3000), 5)
    np.testing.assert_allclose(found.distances.ravel(), kinds.exact(own, found.rows.ravel()), atol=1e-12)
    reached = found.distances >= truth.distances[:, -1:] if farthest else found.distances <= truth.distances[:, -1:]
    assert found.recall >= approximate.RECALL
    assert reached.mean() == pytest.approx(found.recall, abs=0.05)
    assert not (found.rows == np.arange(3000)[:, None]).any()
    again = neighbors(kinds, 5, farthest=farthest, search="approximate")
    np.testing.assert_array_equal(found.rows, again.rows)


def test_an_approximate_search_of_other_rows():
    X, queries = blobs(2000, 10)[0], blobs(300, 10, seed=3)[0]
    found = neighbors(Euclidean(X, queries), 4, search="approximate", exclude_self=False)
    truth = neighbors(Euclidean(X, queries), 4, search="exact", exclude_self=False)
    assert found.recall >= approximate.RECALL
    assert (found.distances <= truth.distances[:, -1:]).mean() == pytest.approx(found.recall, abs=0.05)


def test_an_approximate_search_looks_at_more_until_it_finds_enough(monkeypatch):
    monkeypatch.setattr(approximate, "CELLS", 1)
    X = np.random.default_rng(0).normal(size=(1500, 12))
    found = neighbors(Euclidean(X), 5, search="approximate")
    assert found.recall >= approximate.RECALL
    monkeypatch.setattr(approximate, "ATTEMPTS", 1)
    assert neighbors(Euclidean(X), 5, search="approximate").recall < approximate.RECALL


@pytest.mark.parametrize(
    ("asked", "method"),
    [
        (("auto", 10_000, 10_000, 12), "tree"),
        (("exact", 10**6, 10**6, 3), "tree"),
        (("auto", 10_000, 10_000, 13), "blocks"),
        (("auto", 200_000, 200_000, 64), "approximate"),
        (("exact", 200_000, 200_000, 64), "blocks"),
        (("auto", 100, 200_000, 64), "blocks"),
        (("approximate", 10, 10, 2), "approximate"),
    ],
)
def test_the_search_is_chosen_by_its_table(asked, method):
    assert choose_search(*asked) == method


def test_the_choice_depends_on_what_the_distances_allow():
    assert choose_search("auto", 10_000, 10_000, 3, allow_tree=False) == "blocks"
    assert choose_search("auto", 10**6, 10**6, 30_000, dense=False) == "blocks"
    with pytest.raises(ValueError, match="requires dense rows, but these are sparse"):
        choose_search("approximate", 10, 10, 3, dense=False)
    with pytest.raises(ValueError, match='must be "euclidean" or "cosine", got \'manhattan\''):
        neighbor_graph(np.eye(3), 1, metric="manhattan")


def test_a_graph_that_is_approximate_says_so(monkeypatch):
    monkeypatch.setattr("likewise.graphs._neighbors.WORK", 10)
    X = blobs(1500, 14)[0]
    with pytest.warns(UserWarning, match=r"1500 × 14 values are too many for an exact search.*with a recall of"):
        neighbor_graph(X, 5)
    fitted = lw.LPP(2).fit(X)
    assert approximate.RECALL <= fitted.recall_ <= 1
    assert lw.LPP(2, search="exact").fit(X).recall_ == 1


def test_nearness_of_new_rows_does_not_depend_on_their_company():
    X, new = blobs(60, 14)[0], blobs(8, 14, seed=2)[0]
    near = Nearness(X, 4, "euclidean")
    together = near.of(new).toarray()
    alone = np.vstack([near.of(row[None]).toarray() for row in new])
    np.testing.assert_allclose(together, alone, atol=1e-12)


@pytest.mark.parametrize("cls", [lw.DSP, lw.LPP, lw.LPPSI])
def test_single_precision_is_kept(cls):
    X, y = blobs(80, 10)
    hints = None if cls is lw.LPP else consistent_hints(y)
    fitted = cls(2).fit(X.astype(np.float32), constraints=hints)
    assert fitted.components_.dtype == fitted.transform(X.astype(np.float32)).dtype == np.float32
    exact = cls(2).fit(X, constraints=hints).components_
    assert np.abs(np.sum(normalize(exact) * normalize(fitted.components_), axis=1)) == pytest.approx(1, abs=1e-3)


def test_dsp_approximate_is_about_the_exact_one():
    X, y = blobs(2500, 10)
    hints = consistent_hints(y, 20, 20)
    exact, quick = (lw.DSP(2, search=how).fit(X, constraints=hints) for how in ("exact", "approximate"))
    assert exact.recall_ == 1
    assert quick.recall_ >= approximate.RECALL
    angles = np.linalg.svd(
        np.linalg.qr(exact.components_.T)[0].T @ np.linalg.qr(quick.components_.T)[0], compute_uv=False
    )
    assert angles.min() > 0.95


def test_the_number_of_threads_changes_nothing(small_tiles):
    X = blobs(N, 10)[0]
    one, two = (exact_search(Cosine(X), 5, n_jobs=n_jobs) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.rows, two.rows)
    np.testing.assert_array_equal(one.distances, two.distances)


def test_every_step_of_an_approximate_search_takes_n_jobs(monkeypatch):
    asked = []
    original = approximate.parallel_map
    for module in (approximate, exact):
        monkeypatch.setattr(
            module,
            "parallel_map",
            lambda work, tasks, n_jobs=None, **options: (
                asked.append(n_jobs) or original(work, tasks, n_jobs, **options)
            ),
        )
    X = blobs(600, 14)[0]
    for farthest in (False, True):
        neighbors(Euclidean(X), 3, farthest=farthest, search="approximate", n_jobs=1)
    assert set(asked) == {1}


def test_advice_names_what_exists(monkeypatch):
    """Estimators without a parameter ``search`` warn by the function that has one; those with it report a recall."""
    monkeypatch.setattr("likewise.graphs._neighbors.WORK", 10)
    X, y = blobs(300, 14)
    with pytest.warns(UserWarning, match=r'neighbor_graph\(X, n_neighbors, search="exact"\) to find all'):
        lw.NormalizedCut(3, random_state=0).fit(X)
    for estimator in (lw.GCDR(2), lw.LPPSI(2)):
        fitted = estimator.fit(X, constraints=consistent_hints(y))
        assert 0 < fitted.recall_ <= 1
        assert estimator.set_params(search="exact").fit(X, constraints=consistent_hints(y)).recall_ == 1


@pytest.mark.parametrize("value", [1e20, 1e30, 1e100])
@pytest.mark.parametrize("farthest", [False, True])
def test_neighbors_after_the_collapse_beside_one_very_long_row(value, farthest):
    """In units of that row all others coincide, and exponents of the kernel exceed single precision."""
    X, y = blobs(90, 14)
    X[7, 3] = value
    kernel = CollapsedKernel(X, 4.0, consistent_hints(y))
    left, right = np.indices((90, 90)).reshape(2, -1)
    D = kernel.exact(left, right).reshape(90, 90)
    found = exact_search(kernel, 5, farthest=farthest)
    np.testing.assert_array_equal(found.rows, sorted_rows(D, 5, farthest=farthest))
