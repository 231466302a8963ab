"""Files of data sets, found and read; the real ones, where somebody has them; and what goes wrong."""

import gzip
import json
import subprocess
import sys

import numpy as np
import pytest

from cases.real import real
from likewise.datasets import DatasetError, DatasetNotFoundError, load, names
from likewise.datasets._catalog import CATALOG, Entry

TINY = Entry("tiny", 2, {"a": 2, "b": 1}, "Somebody: Tiny", n_links=1)
TEXTS = Entry("texts", None, {"no": 1, "yes": 2}, "Somebody: Texts")


@pytest.fixture(autouse=True)
def small_world(monkeypatch):
    """Two small data sets, and no folder unless a test gives one."""
    monkeypatch.delenv("LIKEWISE_DATA", raising=False)
    monkeypatch.setitem(CATALOG, "tiny", TINY)
    monkeypatch.setitem(CATALOG, "texts", TEXTS)


def save_tiny(folder, **changes):
    arrays = {"X": np.eye(3, 2), "y": [0, 1, 0], "target_names": ["a", "b"], "links": [(2, 1)], "id": [7, 8, 9]}
    np.savez(folder / "tiny.npz", **{key: value for key, value in {**arrays, **changes}.items() if value is not None})


def save_texts(folder, *lines):
    with gzip.open(folder / "texts.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines)


def text_record(number, label, **more):
    return {"id": f"n{number}", "text": f"text – {number}", "label": label, **more}


def test_arrays_from_a_folder(tmp_path):
    save_tiny(tmp_path)
    data = load("tiny", tmp_path)
    np.testing.assert_array_equal(data.X, np.eye(3, 2))
    assert data.y.tolist() == [0, 1, 0]
    assert data.target_names == ("a", "b")
    assert data.links.tolist() == [[2, 1]]
    assert data.extra["id"].tolist() == [7, 8, 9]
    assert data.feature_names is None


def test_texts_from_the_folder_of_the_environment(tmp_path, monkeypatch):
    save_texts(tmp_path, text_record(1, "yes", split="train"), text_record(2, "no"), text_record(3, "yes"))
    monkeypatch.setenv("LIKEWISE_DATA", str(tmp_path))
    data = load("texts")
    assert data.X is None
    assert data.text == ["text – 1", "text – 2", "text – 3"]
    assert data.y.tolist() == [1, 0, 1]
    assert data.ids.tolist() == ["n1", "n2", "n3"]
    assert data.extra["split"].tolist() == ["train", "", ""]


def test_a_folder_given_goes_before_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("LIKEWISE_DATA", str(tmp_path / "nowhere"))
    save_tiny(tmp_path)
    assert len(load("tiny", str(tmp_path))) == 3


@pytest.mark.parametrize("name", sorted(CATALOG))
def test_real_data_sets_are_those_of_the_catalog(name):
    data = real(name)
    entry = CATALOG[name]
    assert (len(data), data.counts) == (entry.n_samples, dict(entry.classes))
    if data.X is not None:
        assert data.X.shape == (entry.n_samples, entry.n_features)
        assert np.isfinite(data.X).all()


def test_the_catalog_holds_what_the_papers_need():
    assert len(CATALOG) == 28 + 2
    assert names() == tuple(sorted(CATALOG))
    assert all(entry.source and entry.name == name for name, entry in CATALOG.items())


def test_wdbc_has_another_name():
    assert repr(load("breast_cancer")) == "Dataset(wdbc: 569 rows × 30 features, 2 classes)"


def test_faces():
    faces = real("cmu_faces")
    np.testing.assert_array_equal(faces.X[5].reshape(faces.images)[:2, :2], faces.X[5, [[0, 1], [32, 33]]])
    assert faces.extra["images"].shape == (624, 120, 128)
    assert faces.labeled_by("eyes").counts == {"open": 313, "sunglasses": 311}
    assert faces.subset(["left", "right"]).labeled_by("user").n_classes == 20


def test_university_of_webkb():
    cornell = real("webkb").subset(university="cornell")
    assert (len(cornell), len(cornell.links)) == (195, 304)
    assert cornell.counts == {"course": 42, "faculty": 32, "project": 19, "staff": 19, "student": 83}


def test_small_classes_of_microarrays_are_left_out():
    lymphoma = real("lymphoma")
    assert lymphoma.extra["missing"].shape == lymphoma.extra["X_discrete"].shape == (88, 4026)
    lines = real("nci60").extra["line"]
    assert not {"PROSTATE", "UNKNOWN"} & set(lines)
    assert {"K562A-repro", "MCF7D-repro"} <= set(lines)


def test_views_of_mfeat_are_columns():
    view = real("mfeat").feature_extra["view"]
    assert view[[0, -1]].tolist() == ["fac", "zer"]
    assert (view == "pix").sum() == 240


def test_words_of_connections_and_their_codes():
    data = real("kddcup99_sample")
    column = data.feature_names.index("protocol_type")
    pairs = set(zip(data.X[:, column].tolist(), data.extra["protocol_type"].tolist(), strict=True))
    assert pairs == {(0.0, "icmp"), (1.0, "tcp"), (2.0, "udp")}


def test_ids_that_would_leak_the_class_are_no_features():
    assert real("glass").extra["id"][0] == 1
    assert real("glass").n_features == 9


@pytest.mark.parametrize(
    ("name", "close"), [("cor", "'cora'"), ("breast_cancr", "'breast_cancer'"), ("?", "banking77")]
)
def test_unknown_name(name, close):
    with pytest.raises(ValueError, match=f"no data set is called .*{close}"):
        load(name)


def test_absent_file(tmp_path):
    with pytest.raises(DatasetNotFoundError) as caught:
        load("tiny", tmp_path)
    assert isinstance(caught.value, FileNotFoundError)
    for part in ("no tiny.npz in", str(tmp_path), "scikit-learn cannot fetch it", "Somebody: Tiny", "LIKEWISE_DATA"):
        assert part in str(caught.value)


def test_no_folder():
    with pytest.raises(DatasetNotFoundError, match=r"cora: no folder of data sets was given.*LINQS: Cora.*cora\.npz"):
        load("cora")


def test_folder_that_is_none(tmp_path, monkeypatch):
    with pytest.raises(DatasetNotFoundError, match=r"folder= names .*nowhere, which is not a folder"):
        load("tiny", tmp_path / "nowhere")
    monkeypatch.setenv("LIKEWISE_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DatasetNotFoundError, match=r"variable LIKEWISE_DATA names .*nowhere"):
        load("tiny")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"X": np.eye(3, 4)}, "expected 2 features, seen 4"),
        ({"y": [0, 1, 1]}, "expected 2 rows of class a, seen 1; expected 1 rows of class b, seen 2"),
        ({"target_names": ["a", "c"]}, r"expected \('a', 'b'\) classes, seen \('a', 'c'\)"),
        ({"links": None}, "expected 1 links, seen None"),
        ({"y": None}, "has no array 'y'"),
        ({"y": [0, 5, 0]}, "tiny.npz cannot be used: tiny: y must be"),
        ({"id": [1, 2]}, r"extra\['id'\] must have 3 entries; it has 2"),
        ({"X": np.full((3, 2), None)}, "tiny.npz cannot be used: .*pickled objects"),
    ],
)
def test_arrays_that_are_not_those_of_the_catalog(tmp_path, changes, message):
    save_tiny(tmp_path, **changes)
    with pytest.raises(DatasetError, match=message):
        load("tiny", tmp_path)


def test_many_differences_are_not_all_listed(tmp_path, monkeypatch):
    monkeypatch.setitem(CATALOG, "tiny", Entry("tiny", 2, dict.fromkeys("abcdefgh", 9), "Somebody: Tiny", n_links=1))
    save_tiny(tmp_path)
    with pytest.raises(DatasetError, match=r"expected 72 rows, seen 3; .*; and 5 more. Get the one of Somebody"):
        load("tiny", tmp_path)


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 cut short", b"something else"])
def test_damaged_arrays(tmp_path, damage):
    (tmp_path / "tiny.npz").write_bytes(damage)
    with pytest.raises(DatasetError, match=r"tiny.npz cannot be used: .* get or make it anew"):
        load("tiny", tmp_path)


def test_arrays_cut_short(tmp_path):
    save_tiny(tmp_path)
    path = tmp_path / "tiny.npz"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(DatasetError, match="cannot be used"):
        load("tiny", tmp_path)


def test_one_array_alone(tmp_path):
    with open(tmp_path / "tiny.npz", "wb") as file:
        np.save(file, np.eye(3))
    with pytest.raises(DatasetError, match="one array only"):
        load("tiny", tmp_path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": \n', "line 2: not JSON"),
        ("3\n", "line 2 must be an object .*; it is 3"),
        ({"id": "a", "text": "b"}, "line 2 needs a string for 'label'; it has None"),
        ({"id": "a", "label": "b"}, "line 2 needs a string for 'text'; it has None"),
        ({"id": 1, "text": "b", "label": "c"}, "line 2 needs a string for 'id'; it has 1"),
        (text_record(2, None), "expected 3 rows, seen 2"),
    ],
)
def test_lines_that_are_no_texts(tmp_path, line, message):
    save_texts(tmp_path, text_record(1, "yes"), line)
    with pytest.raises(DatasetError, match=message):
        load("texts", tmp_path)


def test_damaged_texts(tmp_path):
    save_texts(tmp_path, *(text_record(number, "yes") for number in range(99)))
    path = tmp_path / "texts.jsonl.gz"
    for damage in (path.read_bytes()[:-50], b"no gzip", gzip.compress(b'{"text": "\xff"}')):
        path.write_bytes(damage)
        with pytest.raises(DatasetError, match=r"texts.jsonl.gz cannot be used"):
            load("texts", tmp_path)


def test_import_does_not_load_the_data_of_scikit_learn():
    code = "import sys, likewise.datasets; print('sklearn.datasets' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
