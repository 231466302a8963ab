"""Every estimator either learns from rows in files, or says that it works in memory and what to use instead."""

import numpy as np
import pytest

import likewise as lw
from cases.data import blobs
from estimators import CASES, PARTS
from likewise import Constraints
from likewise.chunked import RowFiles
from likewise.clustering._from_files import ReadsFiles

N = 120
X, Y = blobs(N, 4, seed=5)
HINTS = Constraints.sample(Y, "random_pairs", 60, random_state=0)

READS = {"asp", "screen", "screen cannot", "costco", "ssdr", "slpp", "rca", "dca"} | {
    "likewise", "project", "project euclidean", "pck", "pck hard", "mpck", "mpck full", "cop", "spherical"
}  # fmt: skip
"""What learns from rows in files; all others refuse them."""


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    folder = tmp_path_factory.mktemp("parts")
    np.save(folder / "0.npy", X[:50])
    np.save(folder / "1.npy", X[50:])
    return RowFiles(folder / "*.npy")


@pytest.mark.parametrize("key", [*CASES, *PARTS])
def test_rows_in_files_are_learned_from_or_refused(key, rows):
    model = {**CASES, **PARTS}[key].fresh()
    given = {"constraints": HINTS} if key not in ("spherical", "nc", "nc cosine", "nc rbf", "kernel") else {}
    if key.startswith(("graph features", "chain")):
        given = {}
    if key not in READS:
        with pytest.raises(TypeError, match=r"memory|cannot learn from rows in files") as error:
            model.fit(rows, **given)
        assert "se " in str(error.value)  # it names what to use
        assert any(name in str(error.value) for name in ("Likewise", "Costco", "a projection of this package"))
        return
    model.fit(rows, **given)
    if isinstance(model, ReadsFiles):
        assert model.labels_.shape == (N,)
        assert len(model.predict(X[:3])) == 3
    else:
        assert model.transform(X[:3]).shape == (3, model.n_components_)


def test_every_clusterer_that_reads_files_is_in_the_table():
    found = {type(CASES[key].estimator) for key in READS if isinstance(CASES[key].estimator, ReadsFiles)}
    assert found == {
        lw.Likewise, lw.ProjectThenCluster, lw.PCKMeans, lw.MPCKMeans, lw.COPKMeans, lw.SphericalKMeans
    }  # fmt: skip
