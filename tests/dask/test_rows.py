"""Dask arrays and data frames give the bits of rows in memory, for any chunks; what cannot work says so."""

import subprocess
import sys
from dataclasses import dataclass

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import dask
import likewise as lw
from cases.data import law
from dask_parts import F, N, array, csr, data, digest, readings
from likewise.chunked import DaskRows, InMemory, _fold
from likewise.chunked._dask import LeafResults, _added, _append, _total
from likewise.chunked._fold import TreeSum

X, Y = data()
HINTS = lw.Constraints.sample(Y, "random_pairs", 60, random_state=0)
LABELS = lw.Constraints.from_labels(np.where(np.arange(N) % 50 == 0, Y, -1))
PROJECTIONS = [
    lw.Costco(2),
    lw.SSDR(2),
    lw.ASP(2),
    lw.SCREEN(2),
    lw.RCA(2),
    lw.DCA(2),
    lw.SLPP(2),
    lw.GCDR(2, n_neighbors=0),
]
CLUSTERERS = [
    lw.PCKMeans(3, random_state=0),
    lw.PCKMeans(3, must_link="hard", metric="cosine", random_state=0),
    lw.COPKMeans(3, random_state=0),
    lw.SphericalKMeans(3, random_state=0),
    lw.MPCKMeans(3, random_state=0),
    lw.MPCKMeans(3, metric="full", random_state=0),
    lw.ProjectThenCluster(3, random_state=0),
    lw.Likewise(3, verbose=False, random_state=0),
]
MODELS = PROJECTIONS + CLUSTERERS
EVERY = pytest.mark.parametrize("model", MODELS, ids=repr)


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(_fold, "LEAF", 256)
    monkeypatch.setattr("likewise.clustering.kmeans._centers.SAMPLE", 300)
    monkeypatch.setattr("likewise.clustering._project.SAMPLE", 300)
    monkeypatch.setattr("likewise.front._landmarks.MAX_LANDMARKS", 200)
    monkeypatch.setattr("likewise.front._landmarks.MAX_CONSTRAINED", 150)
    monkeypatch.setattr("likewise.front._likewise.MAX_LANDMARKS", 200)
    with dask.config.set(scheduler="synchronous"):
        yield


def hints_for(model):
    if isinstance(model, lw.SphericalKMeans):
        return None
    return LABELS if isinstance(model, lw.ASP | lw.SCREEN | lw.SLPP) else HINTS


def fitted(model, rows):
    return model.fit(rows, constraints=hints_for(model))


@EVERY
def test_the_bits_of_rows_in_memory(model, tmp_path):
    here = digest(fitted(model, InMemory(X)))
    assert len(here) >= 2
    assert digest(fitted(model, array(tmp_path))) == here
    assert digest(fitted(model, da.from_array(X, chunks=(1000, 2)))) == here  # split along the columns
    with dask.config.set(scheduler="threads"):
        assert digest(fitted(model, da.from_array(X, chunks=(512, -1)))) == here


@pytest.mark.parametrize("model", [lw.Costco(2), lw.PCKMeans(3, random_state=0)], ids=repr)
def test_sparse_chunks_of_unknown_length(model, tmp_path):
    here = digest(fitted(model, InMemory(csr(X))))
    assert digest(fitted(model, array(tmp_path, kind=csr))) == here
    rows = DaskRows(array(tmp_path, known=False, kind=csr))
    assert rows.shape == (N, F)
    assert digest(fitted(model, rows)) == here
    assert sparse.issparse(rows.take(np.array([3, 900])).rows)
    image = (model.transform if hasattr(model, "transform") else model.predict)(array(tmp_path, known=False, kind=csr))
    there = (model.transform if hasattr(model, "transform") else model.predict)(csr(X))
    np.testing.assert_allclose(image.compute(), there, rtol=1e-5)


@EVERY
def test_new_rows_are_placed_when_somebody_asks(model, tmp_path):
    model = fitted(model, InMemory(X))
    for name in ("transform", "predict"):
        if hasattr(model, name):
            lazy = getattr(model, name)(array(tmp_path))
            assert isinstance(lazy, da.Array)
            assert readings(tmp_path) == 0
            here = getattr(model, name)(X)
            assert (lazy.shape, lazy.dtype, lazy.chunks[0]) == (here.shape, here.dtype, array(tmp_path).chunks[0])
            np.testing.assert_allclose(lazy.compute(), here, rtol=2e-5, atol=1e-5)
            for path in tmp_path.iterdir():
                path.unlink()


def test_whole_leaves_are_placed_with_the_bits_of_files(tmp_path):
    model = lw.Costco(2).fit(X, constraints=HINTS)
    there = np.concatenate(list(InMemory(X).map(lambda rows, first: model.transform(rows))))
    np.testing.assert_array_equal(model.transform(da.from_array(X, chunks=(512, -1))).compute(), there)


def test_models_that_learn_in_memory_place_chunks_too():
    few = X[:300]
    known = HINTS.restrict(np.arange(300))
    for model in (lw.KernelKMeans(3, random_state=0).fit(few), lw.XingMetric().fit(few, constraints=known)):
        name = "predict" if hasattr(model, "predict") else "transform"
        lazy = getattr(model, name)(da.from_array(X, chunks=(1000, -1)))
        np.testing.assert_allclose(lazy.compute(), getattr(model, name)(X), rtol=1e-5)


def frame(**more):
    return dd.from_pandas(pd.DataFrame({**{f"c{i}": X[:, i] for i in range(F)}, **more}), npartitions=7)


def test_data_frames_have_names_and_unknown_lengths():
    here = lw.PCKMeans(3, random_state=0).fit(InMemory(X), constraints=HINTS)
    rows = frame(id=[f"row-{i}" for i in range(N)])
    with pytest.raises(ValueError, match=r"column 'id' of X is \w+, not a number\. Choose columns"):
        lw.PCKMeans(3, random_state=0).fit(rows, constraints=HINTS)
    model = lw.PCKMeans(3, random_state=0).fit(DaskRows(rows, key="id"), constraints=HINTS)
    np.testing.assert_array_equal(model.cluster_centers_, here.cluster_centers_)
    assert model.feature_names_in_.tolist() == [f"c{i}" for i in range(F)]
    labels = model.predict(rows[[f"c{i}" for i in reversed(range(F))]])  # by name
    np.testing.assert_array_equal(labels.compute(), here.predict(X))
    with pytest.raises(ValueError, match="X has no column 'c2'"):
        model.predict(rows[["c0", "c1"]])
    front = lw.Likewise(3, random_state=0, verbose=False).fit(DaskRows(rows, key="id"), constraints=HINTS)
    assert front.feature_names_in_.tolist() == [f"c{i}" for i in range(F)]
    assert front.n_features_in_ == F


def test_hints_name_rows_by_key(tmp_path):
    keys = [f"row-{i}" for i in range(N)]
    rows = DaskRows(
        frame(id=keys, kind=np.where(np.arange(N) % 9 == 0, Y.astype(str), "")), columns=["c0", "c1"], key="id"
    )
    hints = tmp_path / "hints.csv"
    hints.write_text("left,right,kind\nrow-5,row-4900,same\nrow-5,row-301,different\n")
    known = rows.read_constraints(hints)
    assert (known.n_samples, known.must_link.tolist(), known.cannot_link.tolist()) == (N, [[5, 4900]], [[5, 301]])
    hints.write_text("left,right,kind\nrow-5,nobody,same\n")
    with pytest.raises(ValueError, match="1 id was not found in 'id': 'nobody'"):
        rows.read_constraints(hints)
    (classes,) = rows.read_labels("kind").partitions
    assert sorted(classes.names) == ["0", "1", "2"]
    np.testing.assert_array_equal(classes.codes >= 0, np.arange(N) % 9 == 0)
    model = lw.PCKMeans(3, random_state=0).fit_to(tmp_path / "clusters.parquet", rows, constraints=known)
    written = pd.read_parquet(tmp_path / "clusters.parquet")
    assert written["id"].tolist() == keys
    assert set(written["cluster"]) == {0, 1, 2}
    np.testing.assert_array_equal(model.predict(rows).compute()[100:200], written["cluster"][100:200])
    with pytest.raises(ValueError, match="X has no column 'ids'"):
        DaskRows(frame(id=keys), key="ids")
    with pytest.raises(ValueError, match="a Dask array has no column 'id'"):
        DaskRows(da.from_array(X), key="id")


def test_more_hints_about_the_same_rows():
    more = lw.Constraints.sample(Y, "random_pairs", 30, random_state=1)
    models = [
        lw.Likewise(3, verbose=False, random_state=0).fit(rows, constraints=HINTS).add_constraints(more)
        for rows in (InMemory(X), da.from_array(X, chunks=(999, -1)))
    ]
    assert digest(models[0]) == digest(models[1])
    assert models[1].set_constraints(HINTS).constraints_ == HINTS


def test_values_of_other_types():
    whole = np.round(X).astype(np.int64)
    here = lw.Costco(2).fit(InMemory(whole.astype(np.float64)), constraints=HINTS)
    there = lw.Costco(2).fit(da.from_array(whole, chunks=(900, -1)), constraints=HINTS)
    np.testing.assert_array_equal(here.components_, there.components_)
    columns = {f"c{i}": pd.array(whole[:, i], dtype="Int64") for i in range(F)}
    there = lw.Costco(2).fit(dd.from_pandas(pd.DataFrame(columns), npartitions=3), constraints=HINTS)
    np.testing.assert_array_equal(here.components_, there.components_)


@law
@given(st.lists(st.integers(0, 5), max_size=30), st.integers(2, 9))
def test_sums_of_any_spans_are_the_tree_over_all_leaves(spans, fan_in):
    total, parts, leaf = TreeSum(), [], 0
    for span in spans:
        sums = []
        for number in range(leaf, leaf + span):
            total.add(Order(str(number)))
            _append(sums, (number, 1, Order(str(number))))
        parts.append(LeafResults(tuple(sums), frozenset()))
        leaf += span
    if not leaf:
        return
    while len(parts) > 1:
        parts = [_added(*parts[i : i + fan_in]) for i in range(0, len(parts), fan_in)]
    assert _total(parts[0].sums) == total.value()


@dataclass(frozen=True)
class Order:
    """Remembers the order of additions."""

    text: str

    def __add__(self, other):
        return Order(f"({self.text}+{other.text})")


# What cannot work


@pytest.mark.parametrize("sparsely", [False, True])
def test_a_value_that_is_not_finite_is_named(sparsely):
    bad = X.copy()
    bad[2500, 3] = np.nan
    rows = da.from_array(bad, chunks=(999, -1))
    rows = rows.map_blocks(sparse.csr_matrix) if sparsely else rows
    with pytest.raises(ValueError, match=r"row 2,500 \(counted from 0, in chunk 2\): column 3 is nan"):
        lw.Costco(2).fit(rows, constraints=HINTS)


def unseeded(block):
    return block + np.random.default_rng().normal(size=block.shape)


def test_values_that_change_between_readings():
    rows = da.from_array(X, chunks=(1000, -1)).map_blocks(unseeded, dtype=np.float64, meta=np.empty((0, 0)))
    with pytest.raises(ValueError, match=r"chunk 0 \(rows 0 to 999\) has changed\. Its values change"):
        lw.PCKMeans(3, random_state=0).fit(rows, constraints=HINTS)
    seeded = da.random.default_rng().normal(size=(N, F), chunks=(1000, -1))  # Dask seeds each chunk
    lw.PCKMeans(3, random_state=0).fit(seeded)


def shortened(block):
    return block[:-1]


def test_chunks_of_another_length_than_they_said():
    rows = da.from_array(X, chunks=(1000, -1)).map_blocks(shortened, dtype=X.dtype, meta=X[:0])
    with pytest.raises(ValueError, match="chunk 0 has 999 rows, but 1,000 are expected"):
        lw.Costco(2).fit(rows, constraints=HINTS)


def doubled(block):
    return np.hstack([block, block])


def first_column(block):
    return block[:, 0]


def listed(block):
    return block.tolist()


@pytest.mark.parametrize(
    ("change", "said"), [(doubled, r"of shape \(1000, 12\)"), (first_column, r"of shape \(1000,\)"), (listed, "a list")]
)
def test_chunks_of_another_width_than_they_said(change, said):
    rows = da.from_array(X, chunks=(1000, -1)).map_blocks(change, dtype=X.dtype, meta=X[:0])
    with pytest.raises(ValueError, match=rf"chunk \d is {said}, but the Dask array declares rows of 6 columns"):
        lw.Costco(2).fit(rows, constraints=HINTS)


def every_other_sparse(block, block_info=None):
    return csr(block) if block_info[0]["chunk-location"][0] % 2 else block


def test_chunks_that_are_not_all_sparse():
    rows = da.from_array(X, chunks=(1000, -1)).map_blocks(every_other_sparse, dtype=X.dtype, meta=X[:0])
    with pytest.raises(ValueError, match="some parts of X are sparse, and others dense"):
        lw.PCKMeans(3, random_state=0).fit(rows, constraints=HINTS)


def test_columns_of_one_name():
    with pytest.raises(ValueError, match="X has 2 columns called 'c0'"):
        lw.PCKMeans(3).fit(frame()[["c0", "c0"]])


@pytest.mark.parametrize("model", [lw.Costco(2), lw.PCKMeans(3)], ids=repr)
def test_no_weights(model):
    with pytest.raises(ValueError, match="leave sample_weight out"):
        model.fit(da.from_array(X, chunks=(1000, -1)), constraints=HINTS, sample_weight=np.ones(N))


def test_a_lazy_image_is_no_frame():
    model = lw.Costco(2).set_output(transform="pandas").fit(X, constraints=HINTS)
    with pytest.raises(TypeError, match=r"a Dask array, not pandas\. Call set_output\(transform='default'\)"):
        model.transform(da.from_array(X, chunks=(1000, -1)))


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (da.ones((3, 4, 5)), r"shape \(3, 4, 5\)"),
        (da.ones(5), r"shape \(5,\)"),
        (da.from_array(np.array([["a"]])), "not rows of numbers"),
        (da.ones((0, 5)), "without rows"),
        (da.ones((5, 0)), "without columns"),
        (da.ones((9, 4), chunks=(3, 2))[da.arange(9, chunks=3) > 2], "split along the columns and have unknown"),
        (dask.delayed(1), r"X is a dask Delayed\w*, but must be a Dask array or data frame"),
    ],
)
def test_collections_that_are_no_rows(rows, said):
    with pytest.raises((TypeError, ValueError), match=said):
        lw.SphericalKMeans(2).fit(rows)


@pytest.mark.parametrize("model", [lw.NormalizedCut(3), lw.KernelKMeans(3), lw.LPP(2)], ids=repr)
def test_what_stays_in_memory_says_so(model):
    with pytest.raises(TypeError, match=r"works on rows in memory|needs repeated access to all rows"):
        model.fit(da.from_array(X, chunks=(1000, -1)))


def test_methods_that_place_rows_in_memory_say_what_else_there_is():
    model = lw.Likewise(3, verbose=False, random_state=0).fit(X[:150])
    with pytest.raises(TypeError, match=r"placed by predict and transform\. For anything else .*X\.compute\(\)"):
        model.predict_certainty(da.from_array(X, chunks=(1000, -1)))


def test_another_number_of_columns():
    model = lw.PCKMeans(3, random_state=0).fit(X)
    with pytest.raises(ValueError, match="X has 4 columns, the data of fit had 6"):
        model.predict(da.ones((5, 4)))


def test_hints_must_be_about_as_many_rows():
    with pytest.raises(ValueError, match="constraints were built for 9 rows"):
        lw.Costco(2).fit(da.from_array(X), constraints=lw.Constraints(9, [(0, 1)]))


# Checkpoints


@pytest.mark.parametrize("model", [lw.Costco(2), lw.ProjectThenCluster(3, random_state=0)], ids=repr)
def test_what_passes_found_is_not_looked_for_again(model, tmp_path):
    folder, noted = tmp_path / "kept", tmp_path / "noted"
    noted.mkdir()
    here = digest(fitted(model, InMemory(X)))
    assert digest(fitted(model, DaskRows(array(noted), checkpoint=folder))) == here
    before, kept = readings(noted), len(list(folder.glob("pass-*.npz")))
    assert kept == before - isinstance(model, lw.ProjectThenCluster)  # labels are not kept
    for path in sorted(folder.glob("pass-*.npz"))[1:]:
        path.unlink()  # killed early
    rows = DaskRows(array(noted), checkpoint=folder)
    assert digest(fitted(model, rows)) == here
    assert readings(noted) - before == 1 + rows.passes  # one to compare
    assert rows.passes == before - 1


def test_a_checkpoint_of_other_rows(tmp_path):
    def fit(rows):
        return lw.Costco(2).fit(DaskRows(rows, checkpoint=tmp_path), constraints=HINTS)

    fit(da.from_array(X, chunks=(1000, -1)))
    with pytest.raises(ValueError, match="was made for other rows"):
        fit(da.from_array(X + 1, chunks=(1000, -1)))
    with pytest.raises(ValueError, match=r"was made for values of type <f4, and X has <f8"):
        fit(da.from_array(X.astype(np.float64), chunks=(1000, -1)))
    with pytest.raises(ValueError, match=r"was made for chunks that start at \[0, 1000, 2000, 3000, \.\.\.\], and X"):
        fit(da.from_array(X, chunks=(500, -1)))
    (kept,) = tmp_path.glob("pass-*.npz")
    kept.write_bytes(kept.read_bytes()[:-9])
    with pytest.raises(ValueError, match=r"npz is damaged: .* Remove it to repeat its pass"):
        fit(da.from_array(X, chunks=(1000, -1)))


def test_likewise_does_not_import_dask():
    code = "import sys; from likewise import Costco, chunked; chunked.DaskRows; assert 'dask' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
