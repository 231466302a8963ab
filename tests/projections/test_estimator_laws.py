"""What every projection does for whoever uses it."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

import likewise as lw
from cases.data import blobs, consistent_hints, counts, partial_labels, principal_angle
from estimators import PROJECTIONS
from likewise import ConstraintConflictError, Constraints

X, Y = blobs(30, 6, seed=5)
LABELS = partial_labels(Y, 0.5)
HINTS = consistent_hints(Y)


@pytest.fixture(params=PROJECTIONS.values(), ids=PROJECTIONS)
def method(request):
    return request.param.fresh()


def test_labels_are_constraints(method):
    by_y = clone(method).fit(X, LABELS)
    by_constraints = clone(method).fit(X, constraints=Constraints.from_labels(LABELS))
    np.testing.assert_array_equal(by_y.components_, by_constraints.components_)
    names = np.array(["a", "b", "c"], dtype=object)
    strings = np.where(LABELS >= 0, names[LABELS], None)
    np.testing.assert_array_equal(clone(method).fit(X, strings).components_, by_y.components_)


def test_labels_and_constraints_both_count(method):
    both = clone(method).fit(X, LABELS, constraints=HINTS)
    joined = clone(method).fit(X, constraints=Constraints.from_labels(LABELS) | HINTS)
    np.testing.assert_array_equal(both.components_, joined.components_)


def test_in_a_pipeline(method):
    pipeline = Pipeline([("scale", StandardScaler()), ("project", clone(method))])
    Z = pipeline.fit_transform(X, project__constraints=HINTS)
    expected = method.fit(StandardScaler().fit_transform(X), constraints=HINTS)
    np.testing.assert_allclose(Z, expected.transform(StandardScaler().fit_transform(X)))
    assert list(pipeline.get_feature_names_out()) == [f"{type(method).__name__.lower()}{i}" for i in range(2)]


def test_as_published_is_cloned_whole(method):
    published = type(method).as_published(2)
    assert isinstance(published, type(method))
    assert clone(published).get_params() == published.get_params()
    assert published.n_components == 2
    published.fit(X, constraints=HINTS)


def test_frames_in_and_out(method):
    columns = [f"c{i}" for i in range(6)]
    frame = pd.DataFrame(X, columns=columns, index=np.arange(100, 130))
    plain = clone(method).fit(X, constraints=HINTS).transform(X)
    fitted = clone(method).fit(frame, constraints=HINTS)
    assert list(fitted.feature_names_in_) == columns
    np.testing.assert_allclose(fitted.transform(frame), plain, atol=1e-6)
    names = [f"{type(method).__name__.lower()}{i}" for i in range(2)]
    assert list(fitted.get_feature_names_out()) == names

    out = fitted.set_output(transform="pandas").transform(frame)
    assert isinstance(out, pd.DataFrame)
    assert list(out.columns) == names
    assert list(out.index) == list(range(100, 130))
    np.testing.assert_allclose(out.to_numpy(), plain, atol=1e-6)

    polars = pl.DataFrame(X, schema=columns)
    out = clone(method).set_output(transform="polars").fit(polars, constraints=HINTS).transform(polars)
    assert isinstance(out, pl.DataFrame)
    assert out.columns == names
    np.testing.assert_allclose(out.to_numpy(), plain, atol=1e-6)


def test_sparse_is_dense(method):
    S = counts(30, 8, seed=3)
    hints = consistent_hints(np.arange(30) % 3)
    dense = clone(method).fit(S.toarray(), constraints=hints)
    for make in (sparse.csr_array, sparse.csc_array, sparse.csr_matrix):
        fitted = clone(method).fit(make(S), constraints=hints)
        assert principal_angle(fitted.components_, dense.components_) < 1e-6
        Z = fitted.transform(make(S))
        assert isinstance(Z, np.ndarray)
        np.testing.assert_allclose(Z, dense.transform(S.toarray()), atol=1e-5 * np.abs(Z).max())


def test_float32_stays_float32(method):
    fitted = clone(method).fit(X.astype(np.float32), constraints=HINTS)
    assert fitted.components_.dtype == np.float32
    assert fitted.transform(X.astype(np.float32)).dtype == np.float32
    assert fitted.transform(X).dtype == np.float64
    double = clone(method).fit(X, constraints=HINTS)
    assert double.components_.dtype == np.float64
    assert principal_angle(fitted.components_, double.components_) < 1e-3


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("make", [np.array, sparse.csr_array, sparse.csc_array, pd.DataFrame])
def test_new_rows_must_be_finite(method, wrong, make):
    fitted = clone(method).fit(X, constraints=HINTS)
    if getattr(method, "kernel", "linear") == "linear":
        fitted.components_[:, 3] = 0.0  # no weight shows this column
    for row, column in ((0, 0), (len(X) - 1, 3)):
        bad = X.copy()
        bad[row, column] = wrong
        with pytest.raises(ValueError, match=r"X is (NaN|-?inf) in row"):
            fitted.transform(make(bad))


def test_large_rows_are_finite_rows():
    """What overflows only in the product is no fault of the rows."""
    fitted = lw.SSDR(2).fit(X, constraints=HINTS)
    fitted.components_[0] = 1e10
    with np.errstate(over="ignore"):
        assert np.isinf(fitted.transform(np.full((1, 6), 1e300))[0, 0])


def test_pickled(method):
    fitted = method.fit(X, constraints=HINTS)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_allclose(again.transform(X), fitted.transform(X), rtol=1e-12)
    assert again.get_params() == fitted.get_params()


def test_transform_is_a_product(method):
    fitted = method.fit(X, constraints=HINTS)
    assert fitted.components_.shape[0] == fitted.n_components_ == len(fitted.share_) == 2
    assert isinstance(fitted.route_, str)
    assert fitted.n_perfect_ >= 0
    if "kernel" not in fitted.get_params() or fitted.kernel == "linear":
        np.testing.assert_allclose(fitted.transform(X[:5]), X[:5] @ fitted.components_.T)
    np.testing.assert_array_equal(clone(method).fit_transform(X, constraints=HINTS), fitted.transform(X))


def test_fit_leaves_what_it_was_given(method):
    before, params = X.copy(), method.get_params()
    method.fit(X, LABELS, constraints=HINTS)
    np.testing.assert_array_equal(X, before)
    assert method.get_params() == params


class TestErrors:
    def test_nothing_given(self, method):
        if not method._needs:
            assert method.fit(X).n_components_ == 2  # their unsupervised selves
            return
        with pytest.raises(ValueError, match=rf"{type(method).__name__} requires y to be passed.*learns from"):
            method.fit(X)

    @pytest.mark.parametrize("needy", ["asp", "costco", "slpp", "rca"])
    def test_no_must_links(self, needy):
        method = PROJECTIONS[needy].fresh()
        words = f"{type(method).__name__} learns from must-links, but the constraints contain none: Constr"
        with pytest.raises(ValueError, match=words):
            method.fit(X, constraints=Constraints(30, cannot_link=[(0, 1)]))

    @pytest.mark.parametrize("needy", ["dca", "screen cannot"])
    def test_no_cannot_links(self, needy):
        with pytest.raises(ValueError, match="learns from cannot-links, but the constraints contain none: Constr"):
            PROJECTIONS[needy].fresh().fit(X, constraints=Constraints(30, must_link=[(0, 3)]))

    def test_hints_that_say_nothing(self, method):
        if not method._needs:
            pytest.skip("needs none")
        with pytest.raises(ValueError, match="but the constraints contain none"):
            method.fit(X, constraints=Constraints(30))
        with pytest.raises(ValueError, match="but the constraints contain none"):
            method.fit(X, np.full(30, -1))

    def test_wrong_number_of_rows(self, method):
        words = "constraints were built for 20 rows, X has 30. Restrict them to the same rows: constraints.restrict"
        with pytest.raises(ValueError, match=words):
            method.fit(X, constraints=Constraints(20, [(0, 3)], [(0, 1)]))

    def test_wrong_number_of_labels(self, method):
        with pytest.raises(ValueError, match="y has 20 labels, X has 30 rows"):
            method.fit(X, Y[:20])

    @pytest.mark.parametrize("wrong", [[(0, 1)], np.zeros((30, 2)), {"must_link": []}])
    def test_not_constraints(self, method, wrong):
        with pytest.raises(TypeError, match=r"constraints must be a likewise\.Constraints, got "):
            method.fit(X, constraints=wrong)

    def test_wrong_parameters(self, method):
        with pytest.raises(ValueError, match="n_components"):
            method.set_params(n_components=0).fit(X, constraints=HINTS)

    def test_other_features(self, method):
        with pytest.raises(ValueError, match="features"):
            method.fit(X, constraints=HINTS).transform(X[:, :3])


class TestContradictions:
    hints = Constraints(30, must_link=[(0, 3), (3, 6), (1, 4)], cannot_link=[(0, 6), (0, 1)])

    @pytest.mark.parametrize("closing", ["gcdr", "dca", "screen cannot"])
    def test_closure_refuses_them(self, closing):
        with pytest.raises(ConstraintConflictError, match="must_link and cannot_link contradict: rows 0 and 6"):
            PROJECTIONS[closing].fresh().fit(X, constraints=self.hints)

    @pytest.mark.parametrize("given", ["costco", "ssdr", "asp", "rca", "dsp", "slpp", "lppsi"])
    def test_pairs_as_given_accept_them(self, given):
        fitted = PROJECTIONS[given].fresh().fit(X, constraints=self.hints)
        assert np.all(np.isfinite(fitted.components_))
