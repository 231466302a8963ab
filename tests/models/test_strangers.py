"""A model file may come from anyone: what is damaged, newer or hostile is told, and nothing in it is run."""

import hashlib
import io
import json
import pickle
import zipfile

import numpy as np
import pytest
from sklearn.datasets import load_iris

from likewise.clustering import ProjectThenCluster
from likewise.front import Likewise
from likewise.models import FORMAT, ModelFileError, load, save
from likewise.models._container import _spelled

X, Y = load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    model = ProjectThenCluster(3, random_state=0).fit(X, Y)
    return save(tmp_path_factory.mktemp("models") / "m.likewise", model).read_bytes()


@pytest.fixture(scope="module")
def front_door(tmp_path_factory):
    model = Likewise(3, random_state=0, verbose=False).fit(X)
    return save(tmp_path_factory.mktemp("models") / "m.likewise", model).read_bytes()


def parts(data):
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return {name: file.read(name) for name in file.namelist()}


def packed(members, compression=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as file:
        for name, data in members.items():
            file.writestr(name, data)
    return out.getvalue()


def signed(document, arrays):
    """A file whose checksums are right, as a stranger would make it."""
    document = {key: value for key, value in document.items() if key != "checksums"}
    sums = {
        "model.json": hashlib.sha256(_spelled(document)).hexdigest(),
        "arrays.npz": hashlib.sha256(arrays).hexdigest(),
    }
    return packed({"model.json": json.dumps({**document, "checksums": sums}), "arrays.npz": arrays})


def altered(data, change, rearrange=None):
    members = parts(data)
    document = json.loads(members["model.json"])
    change(document)
    arrays = members["arrays.npz"]
    if rearrange is not None:
        held = parts(arrays)
        rearrange(held)
        arrays = packed(held)
    return signed(document, arrays)


def refused(tmp_path, data):
    path = tmp_path / "strange.likewise"
    path.write_bytes(data)
    with pytest.raises(ModelFileError, match=r"strange\.likewise") as error:
        load(path)
    return str(error.value)


def test_the_layout_is_as_documented(whole):
    members = parts(whole)
    assert set(members) == {"model.json", "arrays.npz"}
    document = json.loads(members["model.json"])
    assert document["format"] == FORMAT == 1
    assert document["class"] == "ProjectThenCluster"
    assert document["checksums"]["arrays.npz"] == hashlib.sha256(members["arrays.npz"]).hexdigest()
    with np.load(io.BytesIO(members["arrays.npz"]), allow_pickle=False) as arrays:
        assert "model.parts.projection_.learned.components_" in arrays
    unsigned = {key: value for key, value in document.items() if key != "checksums"}
    assert document["checksums"]["model.json"] == hashlib.sha256(_spelled(unsigned)).hexdigest()


def test_a_file_that_is_signed_again_is_read(tmp_path, whole):
    (tmp_path / "m").write_bytes(altered(whole, lambda document: None))
    assert load(tmp_path / "m").model.predict(X[:2]).shape == (2,)


@pytest.mark.parametrize("place", [60, 1000, -2000, -30])
def test_every_flipped_byte_is_noticed(tmp_path, whole, place):
    data = bytearray(whole)
    data[place] ^= 0xFF
    refused(tmp_path, bytes(data))


@pytest.mark.parametrize("share", [0.0, 0.3, 0.99])
def test_a_file_that_was_cut_short(tmp_path, whole, share):
    refused(tmp_path, whole[: int(share * len(whole))])


def test_a_newer_file_says_so(tmp_path, whole):
    said = refused(tmp_path, altered(whole, lambda document: document.update(format=2, likewise="9.1")))
    assert "is of format 2, written by likewise 9.1" in said
    assert "Install a newer one" in said


def test_other_files(tmp_path, whole):
    assert "is no model file" in refused(tmp_path, b"id,cluster\n")
    assert "is no model file: it holds a.txt" in refused(tmp_path, packed({"a.txt": b""}))
    assert "is no model file" in refused(tmp_path, packed({**parts(whole), "extra.py": b"print()"}))
    assert "is not JSON" in refused(tmp_path, packed({**parts(whole), "model.json": b"{"}))
    assert "names no format" in refused(tmp_path, packed({**parts(whole), "model.json": b"[]"}))
    assert "checksum of model.json" in refused(tmp_path, packed({**parts(whole), "model.json": b'{"format": 1}'}))
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nothing.likewise")


def test_packed_parts_are_refused_before_they_are_unpacked(tmp_path, whole):
    bomb = packed({**parts(whole), "arrays.npz": b"\0" * 10_000_000}, zipfile.ZIP_DEFLATED)
    assert len(bomb) < 50_000
    assert "is packed" in refused(tmp_path, bomb)


def test_a_pickle_is_never_opened(tmp_path, whole):
    class Trap:
        def __reduce__(self):
            return (open, (str(tmp_path / "sprung"), "w"))

    trap = np.empty(1, dtype=object)
    trap[0] = Trap()
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, trap, allow_pickle=True)

    def arm(arrays):
        arrays["model.learned.labels_.npy"] = buffer.getvalue()

    assert "array model.learned.labels_.npy" in refused(tmp_path, altered(whole, lambda document: None, arm))
    assert "is no model file" in refused(tmp_path, pickle.dumps(Trap()))
    assert not (tmp_path / "sprung").exists()


def test_an_array_that_says_it_is_larger_than_it_is(tmp_path, whole):
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (10**13,)})

    def swell(arrays):
        arrays["model.learned.labels_.npy"] = header.getvalue() + b"\0" * 64

    assert "is not as large as it says" in refused(tmp_path, altered(whole, lambda document: None, swell))


@pytest.mark.parametrize(
    "change",
    [
        lambda model: model.update({"class": "Popen"}),
        lambda model: model["parameters"].update(shell=True),
        lambda model: model["learned"].pop("labels_"),
        lambda model: model["parts"].update(projection_={"class": "system", "parameters": {}}),
        lambda model: model["parts"].update(projection_="PCA"),
        lambda model: model["learned"].update(labels_={"$array": "elsewhere"}),
        lambda model: model.pop("feature_names"),
    ],
)
def test_names_that_are_not_ours_are_refused(tmp_path, whole, change):
    assert "do not fit together" in refused(tmp_path, altered(whole, lambda document: change(document["model"])))


def test_a_learned_name_of_a_strangers_choice_is_not_set(tmp_path, whole):
    def smuggle(document):
        document["model"]["learned"]["predict"] = "mine"
        document["model"]["learned"]["__class__"] = "mine"

    (tmp_path / "m").write_bytes(altered(whole, smuggle))
    assert load(tmp_path / "m").model.predict(X[:2]).shape == (2,)


def _array(values):
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.asarray(values))
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "values"),
    [("model.learned.labels_.npy", np.zeros(3, dtype=np.int32)), ("model.learned.labels_.npy", np.full(150, -5))],
)
def test_parts_that_do_not_fit_together(tmp_path, front_door, name, values):
    data = altered(front_door, lambda document: None, lambda arrays: arrays.update({name: _array(values)}))
    assert "do not fit together" in refused(tmp_path, data)


def test_indices_beyond_a_sparse_matrix_are_refused(tmp_path):
    from scipy import sparse

    rng = np.random.default_rng(0)
    model = Likewise(2, random_state=0, verbose=False).fit(sparse.csr_matrix(rng.poisson(0.5, size=(40, 30)) * 1.0))
    data = save(tmp_path / "m.likewise", model).read_bytes()
    name = "model.graph.near.rows.indices.npy"
    indices = np.lib.format.read_array(io.BytesIO(parts(parts(data)["arrays.npz"])[name]))
    indices[5] = 2**30
    data = altered(data, lambda document: None, lambda arrays: arrays.update({name: _array(indices)}))
    assert "do not fit together" in refused(tmp_path, data)


def test_centers_of_another_width_are_refused(tmp_path):
    from sklearn.cluster import KMeans

    data = save(tmp_path / "m.likewise", KMeans(3, n_init=1, random_state=0).fit(X)).read_bytes()
    name = "model.learned.cluster_centers_.npy"
    narrow = altered(data, lambda document: None, lambda arrays: arrays.update({name: _array(np.zeros((3, 2)))}))
    assert "centers have the shape (3, 2)" in refused(tmp_path, narrow)
