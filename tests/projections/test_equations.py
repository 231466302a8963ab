"""Each projection against its published equations, written out slowly and independently."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.preprocessing import minmax_scale

import likewise as lw
from cases import published
from cases.data import blobs, consistent_hints, nested_angle, partial_labels, principal_angle
from cases.forms import slow_neighbors
from likewise import Constraints

X, Y = blobs(36, 5, seed=1)
WIDE, _ = blobs(18, 40, seed=2)
HINTS = {
    "pairs": consistent_hints(Y, 14, 10),
    "weights": consistent_hints(Y, 14, 10, weighted=True),
    "labels": Constraints.from_labels(partial_labels(Y, 0.5)),
    "labels and pairs": Constraints.from_labels(partial_labels(Y, 0.3)) | consistent_hints(Y, 8, 8, seed=3),
}
WITH = pytest.mark.parametrize("hints", HINTS.values(), ids=HINTS)
WIDE_HINTS = consistent_hints(np.arange(18) % 3, 8, 6)


def same_directions(fitted, expected):
    """The same leading subspaces, one by one."""
    found = fitted.components_
    assert nested_angle(found, expected[: len(found)]) < 1e-6


def same_vectors(fitted, expected):
    """The same directions with the same lengths."""
    same_directions(fitted, expected)
    lengths = np.linalg.norm(expected[: len(fitted.components_)], axis=1)
    np.testing.assert_allclose(np.linalg.norm(fitted.components_, axis=1), lengths, rtol=1e-6)


class TestASP:
    @WITH
    @pytest.mark.parametrize("singletons", ["all", "none", "constrained"])
    @pytest.mark.parametrize("basis", ["svd", "qr"])
    def test_spans_the_centroids(self, hints, singletons, basis):
        fitted = lw.ASP(singletons=singletons, basis=basis).fit(X, constraints=hints)
        expected = published.asp(X, hints, singletons)
        assert fitted.components_.shape == expected.shape
        assert principal_angle(fitted.components_, expected) < 1e-6
        np.testing.assert_allclose(fitted.components_ @ fitted.components_.T, np.eye(len(expected)), atol=1e-9)

    @WITH
    @pytest.mark.parametrize("r", [1, 3])
    def test_svd_orders_the_basis(self, hints, r):
        same_vectors(lw.ASP(r).fit(X, constraints=hints), published.asp(X, hints, lw_auto(hints)))

    def test_more_features_than_rows(self):
        for singletons in ("all", "none"):
            fitted = lw.ASP(singletons=singletons).fit(WIDE, constraints=WIDE_HINTS)
            same_vectors(fitted, published.asp(WIDE, WIDE_HINTS, singletons))
            assert len(fitted.components_) == len(published.asp(WIDE, WIDE_HINTS, singletons))

    def test_as_published_keeps_the_singletons(self):
        assert lw.ASP.as_published().get_params() == {"basis": "svd", "n_components": None, "singletons": "all"}
        same_vectors(lw.ASP.as_published(3).fit(X, constraints=HINTS["pairs"]), published.asp(X, HINTS["pairs"]))

    def test_qr_says_when_there_are_fewer(self):
        hints = Constraints(36, must_link=[(0, 3), (1, 4)])
        with pytest.warns(UserWarning, match="n_components=4, but only 2"):
            fitted = lw.ASP(4, basis="qr", singletons="none").fit(X, constraints=hints)
        assert fitted.components_.shape == (2, 5)
        assert np.all(fitted.components_[[0, 1], np.abs(fitted.components_).argmax(axis=1)] > 0)


def lw_auto(hints):
    """What singletons="auto" stands for here: more than a tenth of the rows is tied in all of these hints."""
    groups = published.groups_of(hints)
    assert np.mean(np.bincount(groups)[groups] > 1) >= 0.1
    return "none"


class TestSCREEN:
    @WITH
    @pytest.mark.parametrize("singletons", ["all", "none", "constrained"])
    def test_groups(self, hints, singletons):
        fitted = lw.SCREEN(2, singletons=singletons).fit(X, constraints=hints)
        same_vectors(fitted, published.screen(X, hints, "groups", singletons))

    @WITH
    def test_cannot(self, hints):
        fitted = lw.SCREEN(2, scatter="cannot").fit(X, constraints=hints)
        same_vectors(fitted, published.screen(X, hints, "cannot"))

    def test_as_published(self):
        assert lw.SCREEN.as_published(2).get_params() == lw.SCREEN(2).get_params()
        assert lw.SCREEN().singletons == "all"


class TestCostco:
    @WITH
    @pytest.mark.parametrize("regularizer", ["variance", "identity"])
    def test_as_published(self, hints, regularizer):
        fitted = lw.Costco.as_published(3, regularizer=regularizer).fit(X, constraints=hints)
        beta = published.costco_beta(X, hints, regularizer)
        assert fitted.beta_ == pytest.approx(beta)
        same_vectors(fitted, published.costco(X, hints, beta, regularizer))

    @WITH
    def test_length_is_one_in_what_it_divides_by(self, hints):
        for fitted in (lw.Costco.as_published(3), lw.Costco(3, beta="published")):
            S = fitted.fit(X, constraints=hints).components_
            V, U = published.costco_parts(X, hints)
            np.testing.assert_allclose(S @ (V + fitted.beta_ * np.diag(np.diag(U))) @ S.T, np.eye(3), atol=1e-7)

    @WITH
    @pytest.mark.parametrize("over", ["sum", "pull"])
    def test_without_a_regularizer(self, hints, over):
        fitted = lw.Costco(3, beta=0, over=over, scaling="form").fit(X, constraints=hints)
        assert fitted.beta_ == 0
        same_directions(fitted, published.costco(X, hints, 0.0))

    def test_without_a_regularizer_on_wide_data_the_null_space_of_v_is_discarded(self):
        fitted = lw.Costco.as_published(beta=0).fit(WIDE, constraints=WIDE_HINTS)
        expected = published.costco(WIDE, WIDE_HINTS, 0.0)
        assert fitted.components_.shape == expected.shape
        same_vectors(fitted, expected)

    def test_wide(self):
        fitted = lw.Costco.as_published(4).fit(WIDE, constraints=WIDE_HINTS)
        beta = published.costco_beta(WIDE, WIDE_HINTS)
        same_vectors(fitted, published.costco(WIDE, WIDE_HINTS, beta))

    def test_auto_shrinks_where_must_links_outnumber_features(self):
        few, many = consistent_hints(Y, 4, 1), consistent_hints(Y, 50, 1)
        assert lw.Costco(1).fit(X, constraints=few).beta_ == pytest.approx(published.costco_beta(X, few))
        joined = len(X) - (many.groups().max() + 1)  # the must-links left when none follows from the others
        beta = published.costco_beta(X, many) * 5 / joined
        fitted = lw.Costco(3).fit(X, constraints=many)
        assert fitted.beta_ == pytest.approx(beta)
        same_vectors(fitted, published.costco(X, many, beta))

    def test_a_feature_without_variance_gets_weight_zero(self):
        with_constant = np.column_stack([X, np.full(36, 7.0)])
        for regularizer in ("variance", "identity"):
            costco = lw.Costco(3, beta="published", regularizer=regularizer)
            fitted = clone(costco).fit(with_constant, constraints=HINTS["pairs"])
            np.testing.assert_allclose(fitted.components_[:, -1], 0.0, atol=1e-9)
            plain = clone(costco).fit(X, constraints=HINTS["pairs"])
            assert nested_angle(fitted.components_[:, :-1], plain.components_) < 1e-6

    def test_published_parameters(self):
        params = lw.Costco.as_published().get_params()
        assert (params["beta"], params["over"], params["scaling"]) == ("published", "pull", "form")


class TestDSP:
    scaled = minmax_scale(X)

    @WITH
    @pytest.mark.parametrize("delta", ["median", 0.9])
    @pytest.mark.parametrize("null_space", ["keep", "discard"])
    def test_as_published(self, hints, delta, null_space):
        fitted = lw.DSP.as_published(3, delta=delta, null_space=null_space).fit(self.scaled, constraints=hints)
        width = published.median_distance(self.scaled) if delta == "median" else delta
        assert fitted.delta_ == pytest.approx(width)
        same_vectors(fitted, published.dsp(self.scaled, hints, width, null_space)[0])

    @WITH
    def test_share_divides_by_the_root_of_the_quotient(self, hints):
        fitted = lw.DSP(3, over="push").fit(self.scaled, constraints=hints)
        Z, values = published.dsp(self.scaled, hints, published.median_distance(self.scaled))
        floored = np.maximum(values[:3], 0.01 * values[:3].max())
        same_vectors(fitted, Z[:3] / np.sqrt(floored)[:, None])

    @WITH
    def test_default_finds_the_same_directions(self, hints):
        fitted = lw.DSP(3).fit(self.scaled, constraints=hints)
        same_directions(fitted, published.dsp(self.scaled, hints, published.median_distance(self.scaled))[0])

    def test_null_space_on_wide_data(self):
        wide = minmax_scale(WIDE)
        delta = published.median_distance(wide)
        kept = lw.DSP.as_published(None).fit(wide, constraints=WIDE_HINTS)
        rest = lw.DSP.as_published(None, null_space="discard").fit(wide, constraints=WIDE_HINTS)
        assert len(rest.components_) == len(kept.components_) - kept.n_perfect_
        expected = published.dsp(wide, WIDE_HINTS, delta, "discard")[0]
        assert principal_angle(rest.components_, expected) < 1e-6

    def test_a_narrow_kernel_is_warned_about(self):
        with pytest.warns(UserWarning, match="delta=0.01 is less than half of the median distance"):
            lw.DSP(2, delta=0.01).fit(self.scaled, constraints=HINTS["pairs"])

    def test_published_parameters(self):
        params = lw.DSP.as_published().get_params()
        assert (params["over"], params["scaling"], params["null_space"], params["n_neighbors"]) == (
            "push",
            "form",
            "keep",
            5,
        )


class TestGCDR:
    @WITH
    @pytest.mark.parametrize("degree", ["absolute", "shrink"])
    def test_directions(self, hints, degree):
        fitted = lw.GCDR(3, degree=degree).fit(X, constraints=uniform(hints))
        expected, factor = published.gcdr(X, uniform(hints), degree)
        assert fitted.shrinkage_ == pytest.approx(factor)
        same_vectors(fitted, expected)

    def test_strict(self):
        few = Constraints(36, must_link=[(0, 3), (1, 4)], cannot_link=[(0, 1)], cannot_weight=0.2)
        fitted = lw.GCDR(3, degree="strict").fit(X, constraints=few)
        same_vectors(fitted, published.gcdr(X, few, "strict")[0])

    def test_strict_names_the_rows(self):
        apart = Constraints(36, cannot_link=[(0, i) for i in range(1, 9)])
        with pytest.raises(ValueError, match=r"rows 0 sum to about -.* or degree='absolute' or 'shrink'"):
            lw.GCDR(2, degree="strict").fit(X, constraints=apart)

    def test_a_neighbor_said_to_differ_counts_once(self):
        near = slow_neighbors(X, 5, "mean")
        i, j = np.argwhere(near > 0.15)[0]
        hints = Constraints(36, cannot_link=[(i, j)])
        same_vectors(lw.GCDR(3).fit(X, constraints=hints), published.gcdr(X, hints, "absolute")[0])

    def test_as_published(self):
        params = lw.GCDR.as_published(2).get_params()
        assert (params["degree"], params["ridge"], params["scaling"]) == ("shrink", 0.0, "form")
        fitted = lw.GCDR.as_published(3).fit(WIDE, constraints=WIDE_HINTS)
        same_vectors(fitted, published.gcdr(WIDE, WIDE_HINTS, "shrink")[0])

    def test_default_ridge_when_features_outnumber_rows(self):
        fitted = lw.GCDR(3).fit(WIDE, constraints=WIDE_HINTS)
        same_vectors(fitted, published.gcdr(WIDE, WIDE_HINTS, "absolute", ridge=0.01)[0])


def uniform(hints):
    """The same constraints, all of one weight: how weights are entailed is for the graphs to test."""
    return Constraints(hints.n_samples, hints.must_link, hints.cannot_link, partitions=hints.partitions).expand()


class TestSSDR:
    @WITH
    @pytest.mark.parametrize("weights", [{}, {"alpha": 0.5, "beta": 3.0}])
    def test_directions(self, hints, weights):
        pairs = hints.expand()
        same_vectors(lw.SSDR(4, **weights).fit(X, constraints=pairs), published.ssdr(X, pairs, **weights))

    def test_published_parameters(self):
        params = lw.SSDR.as_published().get_params()
        assert (params["alpha"], params["beta"]) == (1.0, 20.0)

    def test_without_hints_it_is_pca(self):
        axes = np.linalg.svd(X - X.mean(axis=0))[2]
        same_vectors(lw.SSDR(3).fit(X), axes)


class TestLPP:
    @pytest.mark.parametrize("over", ["sum", "push"])
    def test_neighbors(self, over):
        same_vectors_or_directions(lw.LPP(3, over=over), None, published.lpp(X, slow_neighbors(X, 5, "union")))

    @WITH
    def test_closed_must_links(self, hints):
        W = published.closed_links(hints)
        pairs = uniform(hints)
        for estimator in (lw.SLPP(3), lw.SLPP.as_published(3)):
            same_vectors_or_directions(estimator, pairs, published.lpp(X, W))

    def test_as_published(self):
        params = lw.LPP.as_published().get_params()
        assert (params["ridge"], params["over"], params["scaling"]) == (0.0, "push", "form")
        assert lw.SLPP.as_published().get_params()["over"] == "push"
        same_vectors(lw.LPP.as_published(3).fit(X), published.lpp(X, slow_neighbors(X, 5, "union")))

    def test_ridge(self):
        W = slow_neighbors(X, 5, "union")
        same_vectors(lw.LPP(3, ridge=0.3, over="push").fit(X), published.lpp(X, W, ridge=0.3))
        W = slow_neighbors(WIDE, 5, "union")
        same_vectors(lw.LPP(3, over="push").fit(WIDE), published.lpp(WIDE, W, ridge=0.01))


def same_vectors_or_directions(estimator, hints, expected):
    fitted = estimator.fit(X, constraints=hints)
    (same_vectors if estimator.over == "push" else same_directions)(fitted, expected)


class TestLPPSI:
    @WITH
    def test_linear(self, hints):
        W = published.side_information(X, hints)
        for estimator in (lw.LPPSI(3), lw.LPPSI.as_published(3)):
            same_vectors(estimator.fit(X, constraints=hints), published.lppsi(X, W))

    @WITH
    @pytest.mark.parametrize("delta", ["median", 3.0])
    def test_kernel(self, hints, delta):
        width = published.median_distance(X) if delta == "median" else delta
        W = published.side_information(X, hints)
        fitted = lw.LPPSI(3, kernel="rbf", delta=delta).fit(X, constraints=hints)
        K = published.gaussian(X, width)
        same_vectors(fitted, published.lppsi(K, W, ridge=0.01))
        np.testing.assert_allclose(fitted.transform(X), K @ fitted.components_.T, atol=1e-8)

    def test_as_published_has_no_ridge(self):
        params = lw.LPPSI.as_published().get_params()
        assert (params["ridge"], params["scaling"]) == (0.0, "form")


class TestRCA:
    @WITH
    def test_as_published(self, hints):
        expected, within = published.rca(X, hints)
        fitted = lw.RCA.as_published().fit(X, constraints=hints)
        # With g groups the quotient is more than 1 along g − 1 directions; the others tie.
        leading = min(len(np.unique(published.chosen_groups(hints, "none"))) - 2, 5)
        same_vectors(lw.RCA.as_published(leading).fit(X, constraints=hints), expected)
        whitened = fitted.components_ @ within @ fitted.components_.T
        np.testing.assert_allclose(whitened, np.eye(len(whitened)), atol=1e-6)
        # The whitening transform, up to a rotation that no distance sees.
        np.testing.assert_allclose(fitted.components_.T @ fitted.components_, np.linalg.inv(within), rtol=1e-6)

    @WITH
    @pytest.mark.parametrize("over", ["sum", "pull"])
    def test_ridge(self, hints, over):
        fitted = lw.RCA(3, ridge=0.2, over=over).fit(X, constraints=hints)
        (same_vectors if over == "pull" else same_directions)(fitted, published.rca(X, hints, ridge=0.2)[0])

    def test_wide(self):
        fitted = lw.RCA.as_published().fit(WIDE, constraints=WIDE_HINTS)
        expected, within = published.rca(WIDE, WIDE_HINTS)
        assert fitted.components_.shape == expected.shape
        whitening = np.linalg.pinv(within, rcond=1e-10, hermitian=True)
        np.testing.assert_allclose(
            fitted.components_.T @ fitted.components_, whitening, atol=1e-6 * np.abs(whitening).max()
        )


class TestDCA:
    @WITH
    def test_as_published(self, hints):
        same_vectors(lw.DCA.as_published(2).fit(X, constraints=hints), published.dca(X, hints))

    @WITH
    @pytest.mark.parametrize("over", ["sum", "pull"])
    def test_ridge(self, hints, over):
        fitted = lw.DCA(2, ridge=0.2, over=over).fit(X, constraints=hints)
        (same_vectors if over == "pull" else same_directions)(fitted, published.dca(X, hints, ridge=0.2))

    def test_published_parameters(self):
        for method in (lw.RCA, lw.DCA):
            params = method.as_published().get_params()
            assert (params["ridge"], params["over"], params["scaling"]) == (0.0, "pull", "form")
