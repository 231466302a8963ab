"""PCA and TruncatedSVD for those who wait: the same answer, and words on the way."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.preprocessing import StandardScaler

from likewise import _foresight as foresight
from likewise._progress_legacy import listening
from likewise.clustering._principal import fit_transform

RNG = np.random.default_rng(0)
TALL, WIDE = RNG.normal(size=(4000, 250)), RNG.normal(size=(400, 3000))
TEXT = sparse.random_array((1500, 4000), density=0.01, rng=RNG, format="csr")
CASES = {
    "multiplied out": (PCA(20, svd_solver="covariance_eigh", random_state=0), TALL),
    "tall": (PCA(5, random_state=0), TALL),
    "randomized": (PCA(20, random_state=0), WIDE),
    "text": (TruncatedSVD(50, random_state=0), TEXT),
}


@pytest.mark.parametrize("name", CASES)
def test_the_answer_is_the_same_whoever_listens(name, monkeypatch):
    model, X = CASES[name]
    foretold, real = [], foresight.expected
    monkeypatch.setattr(foresight, "expected", lambda seconds: foretold.append(seconds) or real(seconds))
    plain = fit_transform(model, X)
    kept = model.components_
    assert not foretold
    shares = []
    with listening(shares.append):
        np.testing.assert_array_equal(fit_transform(model, X), plain)
    np.testing.assert_array_equal(model.components_, kept)
    assert len(foretold) == 1
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


@pytest.mark.parametrize("model", [StandardScaler(), PCA(0.5), PCA()])
def test_others_are_left_alone(model):
    shares = []
    with listening(shares.append):
        assert fit_transform(model, TALL).shape[0] == len(TALL)
    assert not shares
