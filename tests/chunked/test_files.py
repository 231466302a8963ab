"""Rows in files are the rows in memory, to the bit, and what is wrong with a file is said with its name."""

import errno
import os
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from scipy import sparse

from likewise import Comparisons, Constraints, Costco, Likewise, Partition, PCKMeans, Preference
from likewise.chunked import InMemory, RowFiles, _files, _fold, moments
from likewise.constraints._constraints import as_one

N, F = 1000, 5
X = np.random.default_rng(0).normal(size=(N, F)).astype(np.float32) + 3
NAMES = [f"c{i}" for i in range(F)]
KEYS = [f"row-{i:04d}" for i in range(N)]
CUTS = [0, 10, 300, 301, 640, N]  # parts of any length


@pytest.fixture(autouse=True)
def small_leaves(monkeypatch):
    monkeypatch.setattr(_fold, "LEAF", 64)
    monkeypatch.setattr(_files, "LEAF", 64)


def table(rows, first=0, **changed):
    columns = {"key": KEYS[first : first + len(rows)], **dict(zip(NAMES, rows.T, strict=True)), **changed}
    return pa.table({name: column for name, column in columns.items() if column is not None})


def written(folder, suffix, **options):
    for part, (start, stop) in enumerate(pairwise(CUTS)):
        path = folder / f"part{part}{suffix}"
        if suffix == ".npy":
            np.save(path, X[start:stop])
        elif suffix == ".parquet":
            pq.write_table(table(X[start:stop], start), path, row_group_size=77)
        else:
            pyarrow.feather.write_feather(table(X[start:stop], start), path, compression="uncompressed")
    return RowFiles(folder / f"part*{suffix}", **({} if suffix == ".npy" else {"key": "key"}), **options)


KINDS = pytest.mark.parametrize("suffix", [".npy", ".parquet", ".arrow"])


@KINDS
def test_the_rows_of_all_parts_in_one(suffix, tmp_path):
    rows = written(tmp_path, suffix)
    assert rows.shape == (N, F)
    assert rows.dtype == np.float32
    np.testing.assert_array_equal(np.concatenate([leaf for leaf, _ in rows.leaves()]), X)
    assert [first for _, first in rows.leaves()] == list(range(0, N, 64))


@KINDS
def test_sums_have_the_bits_of_rows_in_memory(suffix, tmp_path):
    def look(rows, first):
        return moments(rows, first, origin=np.zeros(F))

    ours, memory = written(tmp_path, suffix).fold(look), InMemory(X).fold(look)
    np.testing.assert_array_equal(ours.scatter, memory.scatter)
    np.testing.assert_array_equal(ours.total, memory.total)


@KINDS
def test_a_projection_from_files_is_that_from_memory(suffix, tmp_path, monkeypatch):
    monkeypatch.setattr("likewise.projections._sigma_points.LEAST_ROWS", 100)
    hints = Constraints(N, must_link=[(0, 5), (700, 800), (3, 999)])
    rows = written(tmp_path, suffix)
    found = Costco(2).fit(rows, constraints=hints)
    assert rows.passes == 1
    np.testing.assert_array_equal(found.components_, Costco(2).fit(X, constraints=hints).components_)


@KINDS
def test_a_sample_depends_on_numbers_of_rows_alone(suffix, tmp_path):
    numbers = np.array([3, 500, 999])
    here, there = InMemory(X).take(numbers, 50, seed=4), written(tmp_path, suffix).take(numbers, 50, seed=4)
    np.testing.assert_array_equal(here.numbers, there.numbers)
    np.testing.assert_array_equal(here.rows, there.rows)
    assert set(numbers) <= set(here.numbers)
    assert 20 < len(here.numbers) < 100


def test_hints_name_rows_by_key(tmp_path):
    rows = written(tmp_path, ".parquet")
    hints = tmp_path / "hints.csv"
    hints.write_text("left,right,kind\nrow-0005,row-0900,same\nrow-0005,row-0301,different\n")
    known = rows.read_constraints(hints)
    assert known.n_samples == N
    assert known.must_link.tolist() == [[5, 900]]
    assert known.cannot_link.tolist() == [[5, 301]]
    hints.write_text("left,right,kind\nrow-0005,row-9900,same\nrow-0005,nobody,different\n")
    with pytest.raises(ValueError, match=r"2 ids were not found in 'key': 'nobody', 'row-9900'\. Ids look like"):
        rows.read_constraints(hints)
    pq.write_table(table(X[:3], 4), tmp_path / "part9.parquet")
    hints.write_text("left,right,kind\nrow-0005,row-0900,same\n")
    twice = RowFiles(tmp_path / "part*.parquet", key="key")
    with pytest.raises(ValueError, match=r"1 id was found twice in 'key': 'row-0005' \(rows 5 and 1,001\)"):
        twice.read_constraints(hints)


HINTS_OF_ALL_KINDS = {
    "labels": Constraints.from_labels(["a" if row % 3 else None for row in range(30)]),
    "groups": Constraints(30, partitions=[Partition(np.arange(30) // 5, weight=0.5)]),
    "frames": Constraints(30, partitions=[Partition(np.arange(30) // 6, same_within=False, different_within=True)]),
    "piles": Constraints.from_piles(30, [[[0, 1], [2, 9]], [[4], [5, 6]]]),
    "comparisons": as_one(
        Comparisons(30, nearer=[(0, 3, 5)], pairs=[(0, 1, 2, 9)], weight=[0.5, 1], unsure=[(1, 2, 4)])
    ),
    "preferences": as_one(Preference(["a", "a", "b", None] + [None] * 26, ["a", "b", "b", "b"] + [None] * 26)),
    "weights": Constraints(30, [(0, 4)], [(1, 7), (2, 9)], [0.5], [0.25, 2.0]),
}


@pytest.mark.parametrize("kind", HINTS_OF_ALL_KINDS)
@pytest.mark.parametrize("suffix", [".csv", ".json", ".parquet"])
def test_all_kinds_of_hints_name_rows_by_key(kind, suffix, tmp_path):
    rows = written(tmp_path, ".parquet")
    known = HINTS_OF_ALL_KINDS[kind]
    places = np.random.default_rng(1).permutation(N)[:30]  # where the thirty rows lie in the files
    path = tmp_path / f"hints{suffix}"
    known.write(path, ids=[KEYS[place] for place in places])
    found = rows.read_constraints(path)
    assert found.n_samples == N
    assert found.restrict(places) == known
    touched = found.constrained_rows() | found.comparisons.compared_rows()
    assert set(np.flatnonzero(touched)) <= set(places)


def test_labels_in_a_column(tmp_path):
    labels = [["one", "two", None, "", "-1"][row % 5] for row in range(N)]
    for part, (start, stop) in enumerate(pairwise(CUTS)):
        pq.write_table(table(X[start:stop], start, kind=labels[start:stop]), tmp_path / f"part{part}.parquet")
    rows = RowFiles(tmp_path / "part*.parquet", columns=NAMES, key="key")
    found = rows.read_labels("kind")
    assert found == Constraints.from_labels([label if label in ("one", "two") else None for label in labels])
    assert found.partitions[0].names == ("one", "two")
    with pytest.raises(ValueError, match=r"part0\.parquet has no column 'kin'\. Did you mean 'kind'"):
        rows.read_labels("kin")


def test_spooled_rows_are_removed(tmp_path):
    rows = written(tmp_path, ".parquet")
    before = set(tmp_path.iterdir())
    with rows.spooled() as copied:
        np.testing.assert_array_equal(np.concatenate([leaf for leaf, _ in copied.leaves()]), X)
    with pytest.raises(KeyboardInterrupt), rows.spooled():
        raise KeyboardInterrupt
    assert set(tmp_path.iterdir()) == before


def test_a_full_disk_is_told_before(tmp_path, monkeypatch):
    rows = written(tmp_path, ".parquet")
    monkeypatch.setattr(_files.shutil, "disk_usage", lambda path: type("Usage", (), {"free": 1000}))
    with pytest.raises(OSError, match=r"has 1000 bytes left, and the rows take 19\.5 KiB"), rows.spooled():
        pass


def test_a_disk_that_fills_up_while_rows_are_copied(tmp_path, monkeypatch):
    rows = written(tmp_path, ".parquet")
    before = set(tmp_path.iterdir())
    blocks, seen = _files.RowFiles._ready, []

    def full(self, block, first):
        seen.append(first)
        if len(seen) > 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return blocks(self, block, first)

    monkeypatch.setattr(_files.RowFiles, "_ready", full)
    with pytest.raises(OSError, match="No space left"), rows.spooled():
        pass
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize("model", [PCKMeans(3, random_state=0), Likewise(3, random_state=0)], ids=repr)
def test_a_part_that_changes_during_a_fit_leaves_no_file(model, tmp_path, monkeypatch):
    monkeypatch.setattr("likewise.front._landmarks.MAX_LANDMARKS", 200)
    monkeypatch.setattr("likewise.front._likewise.MAX_LANDMARKS", 200)
    rows = written(tmp_path, ".npy")
    before = {path.name for path in tmp_path.iterdir()}
    take = rows.take

    def changing(*given):
        found = take(*given)
        np.save(tmp_path / "part1.npy", X[:7])
        return found

    rows.take = changing
    with pytest.raises(ValueError, match=r"part1\.npy was changed while it was read"):
        model.fit_to(tmp_path / "clusters.csv", rows)
    assert {path.name for path in tmp_path.iterdir()} == before


def test_images_come_out_in_one_file(tmp_path):
    rows = written(tmp_path, ".parquet")
    rows.map_to(tmp_path / "image.npy", lambda block: block[:, :2] * 2)
    np.testing.assert_array_equal(np.load(tmp_path / "image.npy"), X[:, :2] * 2)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda block: block[1:], "should have 1,000 rows, and 984 came"),
        (lambda block: block[:, : len(block) // 20], r"rows from 960 on are of type float32 and shape \(40, 2\)"),
        (lambda block: block.astype(object), "these are Python objects"),
    ],
)
def test_images_that_do_not_fit_together(function, said, tmp_path):
    rows = written(tmp_path, ".npy")
    with pytest.raises((TypeError, ValueError), match=said):
        rows.map_to(tmp_path / "image.npy", function)
    assert not (tmp_path / "image.npy").exists()


def damaged(folder, name, make):
    written(folder, ".parquet")
    make(folder / name)
    return folder / "part*.parquet"


def test_a_part_that_ends_early(tmp_path):
    def cut(path):
        path.write_bytes(path.read_bytes()[:-100])

    with pytest.raises(ValueError, match=r"part3\.parquet is not a complete Parquet file"):
        RowFiles(damaged(tmp_path, "part3.parquet", cut), key="key")
    np.save(tmp_path / "a.npy", X)
    cut(tmp_path / "a.npy")
    with pytest.raises(ValueError, match=r"a\.npy is not a complete NumPy file"):
        RowFiles(tmp_path / "a.npy")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"c3": None}, r"part4\.parquet has no column 'c3'"),
        ({"c3": pa.array(X[:9, 3].astype(np.float64))}, r"part4\.parquet: column 'c3' is double, but float in"),
        ({"c3": pa.array(["a"] * 9)}, r"part4\.parquet: column 'c3' is string"),
        ({"key": None}, r"part4\.parquet has no column 'key'"),
        ({"key": list(range(9))}, r"part4\.parquet: column 'key' is int64, but string in .*part0\.parquet"),
        ({"more": list(range(9))}, r"part4\.parquet has a column 'more', and .*part0\.parquet has none"),
    ],
)
def test_a_part_with_other_columns(changed, said, tmp_path):
    pattern = damaged(tmp_path, "part4.parquet", lambda path: pq.write_table(table(X[:9], 0, **changed), path))
    with pytest.raises(ValueError, match=said):
        RowFiles(pattern, key="key")


def test_a_value_that_is_not_finite_is_named_by_file_and_row(tmp_path):
    bad = X[:50].copy()
    bad[7, 2] = np.nan
    pattern = damaged(tmp_path, "part4.parquet", lambda path: pq.write_table(table(bad), path))
    with pytest.raises(ValueError, match=r"part4\.parquet, row 7 \(counted from 0\): 'c2' is nan"):
        Costco(2).fit(RowFiles(pattern, key="key"), constraints=Constraints(690, must_link=[(0, 1)]))


def test_a_part_that_changes_between_passes(tmp_path):
    rows = written(tmp_path, ".npy")
    rows.take(np.array([0]))
    np.save(tmp_path / "part2.npy", X[:2])
    with pytest.raises(ValueError, match=r"part2\.npy was changed while it was read"):
        rows.take(np.array([0]))


def test_an_array_with_more_columns_than_the_first(tmp_path):
    written(tmp_path, ".npy")
    np.save(tmp_path / "part4.npy", np.hstack([X, X]))
    with pytest.raises(ValueError, match=r"part4\.npy has a column '5', and .*part0\.npy has none"):
        RowFiles(tmp_path / "part*.npy")
    assert RowFiles(tmp_path / "part*.npy", columns=["1", "0"]).shape == (640 + N, 2)


def test_a_part_that_changes_while_it_is_read(tmp_path):
    rows = written(tmp_path, ".npy")

    def look(some, first):
        if first == 960:  # in the last leaf
            np.save(tmp_path / "part0.npy", X[:7])
        return 0

    with pytest.raises(ValueError, match=r"part0\.npy was changed while it was read"):
        rows.fold(look)


def test_rows_without_a_key(tmp_path):
    for part, keys in enumerate(([3, None, 5], [6, 7, 8])):
        columns = {"key": pa.array(keys, pa.int64()), **dict(zip(NAMES, X[:3].T, strict=True))}
        pq.write_table(pa.table(columns), tmp_path / f"part{part}.parquet")
    rows = RowFiles(tmp_path / "part*.parquet", key="key")
    assert rows.find(["5", "8"]) == {"5": 2, "8": 5}
    assert [key for some in rows.ids() for key in some] == [3, None, 5, 6, 7, 8]
    rows.map_to(tmp_path / "same.npy", lambda block: block)
    PCKMeans(2, random_state=0).fit_to(tmp_path / "clusters.parquet", rows)
    assert pq.read_table(tmp_path / "clusters.parquet")["id"].to_pylist() == [3, None, 5, 6, 7, 8]


def test_rows_in_memory_are_checked_in_the_first_pass():
    bad = X.copy()
    bad[777, 2] = np.nan
    with pytest.raises(ValueError, match="X is nan in row 777, column 2"):
        InMemory(bad).take(np.array([0]))
    with pytest.raises(ValueError, match="X is nan in row 777, column 2"):
        InMemory(sparse.csr_array(bad)).take(np.array([0]))
    large = np.full((200, 2), np.finfo(np.float32).max, dtype=np.float32)  # their sum is not finite
    assert len(InMemory(large).take(np.array([5])).rows) == 1
    with pytest.raises(TypeError, match=r"shape \(3, 1\) and dtype int64"):
        InMemory(np.ones((3, 1), dtype=np.int64))


def test_columns_that_cannot_be_used(tmp_path):
    rows = written(tmp_path, ".npy")
    assert repr(rows) == "RowFiles(1,000 rows of 5 columns, float32)"
    assert RowFiles(tmp_path / "part*.npy", columns=[3, 0]).columns == ("3", "0")
    with pytest.raises(ValueError, match=r"part0\.npy has no column 'key'\. Use Parquet or Arrow files"):
        RowFiles(tmp_path / "part*.npy", key="key")
    with pytest.raises(ValueError, match="has no columns of numbers"):
        RowFiles(tmp_path / "part*.npy", columns=[])
    pq.write_table(pa.table([X[:, 0], X[:, 1]], names=["a", "a"]), tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=r"a\.parquet has 2 columns called 'a'"):
        RowFiles(tmp_path / "a.parquet")
    pq.write_table(pa.table({"key": KEYS}), tmp_path / "a.parquet")
    with pytest.raises(ValueError, match="has no columns of numbers"):
        RowFiles(tmp_path / "a.parquet", key="key")


@pytest.mark.parametrize("numbers", [[5, 3], [3, 3], [-1, 2], [3, N]])
def test_numbers_of_rows_that_cannot_be_taken(numbers):
    with pytest.raises(ValueError, match="row numbers must be in ascending order, from 0 to 999"):
        InMemory(X).take(np.array(numbers))


def test_columns_that_are_no_numbers(tmp_path):
    pq.write_table(table(X), tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=r"column 'key' is string, not a number\. Choose the columns to use"):
        RowFiles(tmp_path / "a.parquet")
    assert RowFiles(tmp_path / "a.parquet", columns=["c1", "c0"]).columns == ("c1", "c0")


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="no file matches"):
        RowFiles(tmp_path / "*.parquet")
    with pytest.raises(FileNotFoundError, match="there is no file"):
        RowFiles(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=r"not '\.csv'"):
        RowFiles(tmp_path / "a.csv")
    with pytest.raises(ValueError, match=r"If this is a pattern of files: likewise\.chunked\.RowFiles\('a\*\.npy'\)"):
        Costco(2).fit("a*.npy")
