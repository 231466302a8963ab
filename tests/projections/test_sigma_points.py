"""Few weighted rows have the answer of all rows, after one pass."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

import likewise as lw
from cases.data import blobs, principal_angle
from likewise import ConstraintConflictError, Constraints
from likewise.chunked import InMemory, _fold, moments
from likewise.chunked._fold import TreeSum
from likewise.chunked._moments import origin_of, precision_of_products
from likewise.projections import _sigma_points

N, F = 700, 6
X, Y = blobs(N, F, seed=5)
PAIRS = Constraints.sample(Y, "random_pairs", 60, random_state=0)
LABELED = Constraints.from_labels(np.where(np.arange(N) % 11 == 0, Y, -1))
MODELS = [
    lw.Costco(3),
    lw.Costco(3, beta="published", regularizer="identity"),
    lw.Costco.as_published(3),
    lw.SSDR(3),
    lw.ASP(3),
    lw.ASP(3, singletons="none"),
    lw.ASP(3, singletons="constrained"),
    lw.SCREEN(3),
    lw.SCREEN(2, scatter="cannot"),
    lw.GCDR(3, n_neighbors=0),
    lw.GCDR(3, n_neighbors=0, degree="shrink", ridge=0.1),
    lw.RCA(3),
    lw.DCA(2),
    lw.SLPP(3),
]


@pytest.fixture
def tall(monkeypatch):
    """Let small data count as tall, and count how often few rows are made of many."""
    made = []
    original = _sigma_points._weighted
    monkeypatch.setattr(_sigma_points, "LEAST_ROWS", 100)
    monkeypatch.setattr(_sigma_points, "_weighted", lambda *given: made.append(original(*given)) or made[-1])
    return made


def both(model, X, hints):
    """The model by few rows and by all rows."""
    few = clone(model).fit(X, constraints=hints)
    every = clone(model)
    every._keep(every._components(X, hints))
    return few, every


@pytest.mark.parametrize("hints", [PAIRS, LABELED], ids=["pairs", "labels"])
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_the_answer_is_that_of_all_rows(model, hints, tall):
    few, every = both(model, X + 20.0, hints)
    assert len(tall) == 1
    assert len(tall[0].points) < N / 2
    assert tall[0].weight.sum() == pytest.approx(N)
    assert principal_angle(few.components_, every.components_) < 1e-10
    np.testing.assert_allclose(few.components_, every.components_, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(few.share_, every.share_, rtol=1e-9, atol=1e-12)
    assert few.route_ == every.route_
    assert few.n_perfect_ == every.n_perfect_
    assert getattr(few, "beta_", None) == pytest.approx(getattr(every, "beta_", None))


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_single_precision(model, tall):
    few, every = both(model, X.astype(np.float32), PAIRS)
    assert few.components_.dtype == np.float32
    assert principal_angle(few.components_, every.components_) < 1e-6


@pytest.mark.parametrize(
    "model", [lw.Costco(3), lw.SSDR(2), lw.ASP(3), lw.SCREEN(2), lw.GCDR(3, n_neighbors=0)], ids=repr
)
def test_products_in_single_precision(model, monkeypatch):
    many, classes = blobs(40_000, 6, seed=1)
    hints = Constraints.sample(classes, "random_pairs", 60, random_state=0)
    data = (many * np.logspace(-3, 3, 6) + 10).astype(np.float32)
    monkeypatch.setattr(_sigma_points, "MANY_ROWS", 2**14)
    assert precision_of_products(data, origin_of(data)) == np.float32
    few, every = both(model, data, hints)
    assert principal_angle(few.components_, every.components_) < 1e-6


def test_single_precision_is_not_trusted_where_digits_would_be_lost():
    data = X.astype(np.float32)
    for wrong in (X, data * 1e14, data * 1e-14, np.column_stack([data, data[:, 0] + 1e-3 * data[:, 1]])):
        assert precision_of_products(wrong, origin_of(wrong)) == np.float64
    constant = data.copy()
    constant[:, 2] = 7
    assert precision_of_products(constant, origin_of(constant)) == np.float64


def test_one_value_too_large_for_single_precision(monkeypatch):
    monkeypatch.setattr(_sigma_points, "MANY_ROWS", 100)
    data = np.tile(X, (5, 1)).astype(np.float32)
    data[1, 2] = 1e20  # none of the rows that precision is decided by
    hints = Constraints(5 * N, PAIRS.must_link, PAIRS.cannot_link)
    rows = InMemory(data)
    few = lw.SCREEN(1).fit(rows, constraints=hints)
    every = lw.SCREEN(1)._components(data.astype(np.float64), hints)
    assert rows.passes == 2
    assert principal_angle(few.components_, every) < 1e-6


@given(st.lists(st.integers(0, 99), unique=True, max_size=20), st.integers(0, 50), st.sampled_from(["dense", "sparse"]))
def test_moments_without_some_rows(numbers, first, kind):
    some, numbers = X[:60], np.sort(np.array(numbers, dtype=np.int64))
    kept = some[~np.isin(np.arange(first, first + 60), numbers)]
    found = moments(some if kind == "dense" else sparse.csr_array(some), first, origin=np.zeros(F), without=numbers)
    assert found.count == len(kept)
    np.testing.assert_allclose(found.total, kept.sum(axis=0), atol=1e-12)
    np.testing.assert_allclose(found.scatter, kept.T @ kept, atol=1e-11)


@pytest.mark.parametrize("model", MODELS[:1] + MODELS[3:4], ids=repr)
def test_columns_in_any_units(model, tall):
    scale = np.logspace(-4, 4, F)
    few, every = both(model, X * scale, PAIRS)
    np.testing.assert_allclose(few.components_ * scale, every.components_ * scale, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_sparse_rows(model, tall):
    data = np.where(np.abs(X) > 1, X, 0.0)
    few, every = both(model, sparse.csr_array(data), PAIRS)
    assert principal_angle(few.components_, every.components_) < 1e-9


@settings(max_examples=10)
@given(st.floats(-1e6, 1e6), st.integers(0, 3), st.sampled_from([lw.Costco(2), lw.SSDR(1), lw.SCREEN(2)]))
def test_columns_that_are_constant_or_equal(value, column, model):
    data = X.copy()
    data[:, column] = value
    data[:, 4] = data[:, 5]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_sigma_points, "LEAST_ROWS", 100)
        few, every = both(model, data, PAIRS)
    assert principal_angle(few.components_, every.components_) < 1e-8


def test_all_directions_are_as_many(tall):
    data = np.column_stack([X, X[:, 0] + X[:, 1], np.full(N, 3.0)])
    few, every = both(lw.Costco(), data, PAIRS)
    assert few.components_.shape == every.components_.shape


def test_qr_and_neighbors_look_at_each_row(tall):
    for model in (lw.ASP(3, basis="qr"), lw.GCDR(2), lw.LPP(2), lw.GCDR(2, n_neighbors=0, degree="strict")):
        model.fit(X, constraints=None if isinstance(model, lw.LPP) else PAIRS.only("must"))
    assert not tall


def test_many_hints_leave_nothing_to_replace(tall):
    lw.Costco(2).fit(X, Y)
    assert not tall


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_not_finite(value, tall):
    data = X.copy()
    data[333, 2] = value
    said = []
    for model in (lw.RCA(2), lw.Costco(2), lw.SSDR(2)):
        with pytest.raises(ValueError, match=r"NaN|inf") as error:
            model.fit(data, constraints=PAIRS)
        said.append(str(error.value).replace(type(model).__name__, "the model"))
    assert said[0] == said[1] == said[2]


@pytest.mark.parametrize("scale", [1e180, 1e-170])
def test_values_that_cannot_be_squared(scale, tall):
    with pytest.raises(ValueError, match="to be squared in float64"):
        lw.Costco(2).fit(X * scale, constraints=PAIRS)


def test_contradictions_name_rows_of_the_data(tall):
    wrong = Constraints(N, must_link=[(600, 601), (601, 602)], cannot_link=[(600, 602)])
    with pytest.raises(ConstraintConflictError, match=r"60[012]"):
        lw.GCDR(2, n_neighbors=0).fit(X, constraints=wrong)


def test_sums_have_the_same_bits_for_any_number_of_threads(monkeypatch):
    monkeypatch.setattr(_fold, "LEAF", 64)
    found = []
    for threads in (1, 3):
        monkeypatch.setattr("likewise._threads.n_threads", lambda threads=threads: threads)
        found.append(InMemory(X).fold(lambda rows, first: moments(rows, first, origin=np.zeros(F))))
    np.testing.assert_array_equal(found[0].scatter, found[1].scatter)
    np.testing.assert_allclose(found[0].scatter, X.T @ X)
    assert found[0].count == N


@given(st.integers(1, 40))
def test_a_tree_adds_two_neighbors_at_a_time(n):
    total = TreeSum()
    for i in range(n):
        total.add(f"({i})")
    parts = [f"({i})" for i in range(n)]
    assert total.value() == "".join(parts)

    class Pair(tuple):
        def __add__(self, other):
            return Pair((self, other))

    total, parts = TreeSum(), [Pair((i,)) for i in range(n)]
    for part in parts:
        total.add(part)
    while len(parts) > 1:
        parts = [a + b for a, b in zip(parts[::2], parts[1::2], strict=False)] + parts[len(parts) & ~1 :]
    assert total.value() == parts[0]
