"""A model file may come from anyone: what is damaged, newer or hostile is refused, and nothing in it is run."""

import hashlib
import io
import json
import pickle
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris

from likewise.clustering import ChainedClusterer, MPCKMeans, ProjectThenCluster, SKKMeans
from likewise.constraints import Constraints
from likewise.front import Likewise
from likewise.metric import XingMetric
from likewise.models import FORMAT, ModelFileError, load, save
from likewise.models._format import canonical_json, parse_container
from likewise.projections import LPPSI, SSDR

X, Y = load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    model = ProjectThenCluster(3, random_state=0).fit(X, Y)
    return save(tmp_path_factory.mktemp("models") / "m.likewise", model).read_bytes()


@pytest.fixture(scope="module")
def front(tmp_path_factory):
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
        "model.json": hashlib.sha256(canonical_json(document)).hexdigest(),
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
    assert document["format"] == FORMAT == 2
    assert document["class"] == "ProjectThenCluster"
    assert document["checksums"]["arrays.npz"] == hashlib.sha256(members["arrays.npz"]).hexdigest()
    with np.load(io.BytesIO(members["arrays.npz"]), allow_pickle=False) as arrays:
        assert "model.parts.projection_.learned.components_" in arrays
        assert set(arrays) == set(re.findall(r'"\$array": "(.*)"', members["model.json"].decode()))
    assert members["model.json"].decode() == json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True)
    with zipfile.ZipFile(io.BytesIO(whole)) as file:
        assert {entry.date_time for entry in file.infolist()} == {(1980, 1, 1, 0, 0, 0)}  # the same whenever written
    unsigned = {key: value for key, value in document.items() if key != "checksums"}
    assert document["checksums"]["model.json"] == hashlib.sha256(canonical_json(unsigned)).hexdigest()


def test_a_file_that_is_signed_again_is_read(tmp_path, whole):
    (tmp_path / "m").write_bytes(altered(whole, lambda document: None))
    assert load(tmp_path / "m").model.predict(X[:2]).shape == (2,)


@pytest.mark.parametrize("flip", [0xFF, 0x01])
def test_every_flipped_byte_is_noticed_or_harmless(tmp_path, flip):
    model = KMeans(2, n_init=1, random_state=0).fit(X[::15, :2])
    data = save(tmp_path / "m.likewise", model).read_bytes()
    path = Path("flipped.likewise")
    document, arrays = parse_container(path, data)
    harmless = []
    for place in range(len(data)):
        flipped = bytearray(data)
        flipped[place] ^= flip
        try:
            found, held = parse_container(path, bytes(flipped))
        except ModelFileError as error:
            assert str(error).startswith("flipped.likewise is")  # noqa: PT017
            continue
        assert found == document
        assert {name: array.tobytes() for name, array in held.items()} == {
            name: array.tobytes() for name, array in arrays.items()
        }
        harmless.append(place)
    # all but dates, versions and permissions of the zip and its two members
    assert len(harmless) < 2 * (30 + 46) + 22  # the headers of two members, and the end of the zip
    for member in parts(data).values():
        begin = data.index(member)
        assert not set(range(begin, begin + len(member))) & set(harmless)


@pytest.mark.parametrize("member", ["model.json", "arrays.npz"])
def test_a_member_that_was_changed_and_zipped_again_is_noticed(tmp_path, whole, member):
    members = parts(whole)
    if member == "arrays.npz":
        arrays = parts(members[member])
        name = "model.parts.projection_.learned.components_.npy"
        changed = bytearray(arrays[name])
        changed[-1] ^= 0x01  # one bit of one number
        members[member] = packed({**arrays, name: bytes(changed)})
    else:
        members[member] = members[member].replace(b'"n_iter_": ', b'"n_iter_": 1')
    assert f"the checksum of {member}" in refused(tmp_path, packed(members))


def test_checksums_of_another_kind_are_refused(tmp_path, whole):
    members = parts(whole)
    for sums in (None, [], {}, {"model.json": None}):
        document = {**json.loads(members["model.json"]), "checksums": sums}
        data = packed({**members, "model.json": json.dumps(document)})
        assert "the checksum of model.json" in refused(tmp_path, data)


@pytest.mark.parametrize("version", [True, 2.0, "2", None])
def test_a_format_that_is_no_whole_number(tmp_path, whole, version):
    message = refused(tmp_path, altered(whole, lambda document: document.update(format=version)))
    assert "does not say its format" in message


def test_an_older_file_says_so(tmp_path, whole):
    message = refused(tmp_path, altered(whole, lambda document: document.update(format=1)))
    assert "is of format 1" in message
    assert "Fit the model again" in message


def test_a_member_that_is_there_twice(tmp_path, whole):
    out = io.BytesIO()
    members = parts(whole)
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("model.json", members["model.json"])
        file.writestr("arrays.npz", members["arrays.npz"])
        with pytest.warns(UserWarning, match="Duplicate name"):
            file.writestr("model.json", members["model.json"])
    assert "is not a model file" in refused(tmp_path, out.getvalue())
    arrays = io.BytesIO()
    with zipfile.ZipFile(arrays, "w") as file:
        file.writestr("a.npy", b"")
        with pytest.warns(UserWarning, match="Duplicate name"):
            file.writestr("a.npy", b"")
    document = json.loads(members["model.json"])
    assert "a member is there twice" in refused(tmp_path, signed(document, arrays.getvalue()))


def test_members_that_say_they_are_larger_than_the_file(tmp_path, whole):
    data = bytearray(whole)
    central = data.rfind(b"PK\x01\x02")
    data[central + 24 : central + 28] = (10**9).to_bytes(4, "little")  # the size before compression
    assert "members are larger than the file" in refused(tmp_path, bytes(data))


def test_a_file_is_written_in_one_stroke(tmp_path, whole, monkeypatch):
    path = tmp_path / "m.likewise"
    path.write_bytes(whole)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(zipfile.ZipFile, "writestr", full)
    with pytest.raises(OSError, match="No space left"):
        save(path, KMeans(2, n_init=1, random_state=0).fit(X))
    assert path.read_bytes() == whole
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("share", [0.0, 0.3, 0.99])
def test_a_file_that_was_cut_short(tmp_path, whole, share):
    refused(tmp_path, whole[: int(share * len(whole))])


def test_a_newer_file_says_so(tmp_path, whole):
    said = refused(tmp_path, altered(whole, lambda document: document.update(format=3, likewise="9.1")))
    assert "is of format 3, written by likewise 9.1" in said
    assert "Install a newer one" in said


def test_other_files(tmp_path, whole):
    assert "is not a model file" in refused(tmp_path, b"id,cluster\n")
    assert "is not a model file: it holds a.txt" in refused(tmp_path, packed({"a.txt": b""}))
    assert "is not a model file" in refused(tmp_path, packed({**parts(whole), "extra.py": b"print()"}))
    assert "is not JSON" in refused(tmp_path, packed({**parts(whole), "model.json": b"{"}))
    assert "does not say its format" in refused(tmp_path, packed({**parts(whole), "model.json": b"[]"}))
    assert "checksum of model.json" in refused(tmp_path, packed({**parts(whole), "model.json": b'{"format": 2}'}))
    with pytest.raises(FileNotFoundError, match=r"nothing\.likewise does not exist\. Check the spelling"):
        load(tmp_path / "nothing.likewise")


def test_packed_parts_are_refused_before_they_are_unpacked(tmp_path, whole):
    bomb = packed({**parts(whole), "arrays.npz": b"\0" * 10_000_000}, zipfile.ZIP_DEFLATED)
    assert len(bomb) < 50_000
    assert "a member is compressed" in refused(tmp_path, bomb)


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

    message = refused(tmp_path, altered(whole, lambda document: None, arm))
    assert "array model.learned.labels_.npy holds objects" in message
    assert "is not a model file" in refused(tmp_path, pickle.dumps(Trap()))
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize(
    ("shape", "n_bytes"), [((10**13,), 64), ((2**62, 2**62), 64), ((7,), 64), ((9,), 64), ((2**32, 2**32), 0)]
)
def test_an_array_that_is_not_as_large_as_it_says(tmp_path, whole, shape, n_bytes):
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": shape})

    def swell(arrays):
        arrays["model.learned.labels_.npy"] = header.getvalue() + b"\0" * n_bytes

    assert "is not as large as it says" in refused(tmp_path, altered(whole, lambda document: None, swell))


@pytest.mark.parametrize(
    "change",
    [
        lambda model: model.update({"class": "Popen"}),
        lambda model: model["parameters"].update(shell=True),
        lambda model: model["learned"].pop("metric_"),
        lambda model: model["parts"].update(projection_={"class": "system", "parameters": {}}),
        lambda model: model["parts"].update(projection_="PCA"),
        lambda model: model["parts"].update(projection_=model["parts"]["projection_"] | {"class": "Numbers"}),
        lambda model: model["parts"]["projection_"]["learned"].update(components_="a word"),
        lambda model: model["parts"]["projection_"]["learned"].update(components_=3.0),
        lambda model: model["parts"]["clusterer_"]["learned"].update(cluster_centers_=[[1.0, 2.0]]),
        lambda model: model["learned"].update(labels_={"$array": "elsewhere"}),
        lambda model: model.pop("feature_names"),
    ],
)
def test_names_that_are_not_ours_are_refused(tmp_path, whole, change):
    assert "do not fit together" in refused(tmp_path, altered(whole, lambda document: change(document["model"])))


@pytest.mark.parametrize(
    ("part", "change", "said"),
    [
        ("steps_", lambda steps: steps[0], "steps_ of ChainedClusterer is a SSDR"),
        ("steps_", lambda steps: None, "steps_ of ChainedClusterer is a NoneType"),
        ("clusterer_", lambda clusterer: [clusterer], "clusterer_ of ChainedClusterer is a list"),
    ],
)
def test_one_part_for_many_and_many_for_one(tmp_path, part, change, said):
    model = ChainedClusterer(3, steps=[SSDR(2)], clusterer=KMeans(n_init=1), random_state=0)
    data = save(tmp_path / "m.likewise", model.fit(X, constraints=Constraints(len(X), [(0, 1)]))).read_bytes()

    def alter(document):
        held = document["model"]["parts"]
        held[part] = change(held[part])

    assert f"(ValueError: {said})" in refused(tmp_path, altered(data, alter))


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
def test_parts_that_do_not_fit_together(tmp_path, front, name, values):
    data = altered(front, lambda document: None, lambda arrays: arrays.update({name: _array(values)}))
    assert "do not fit together" in refused(tmp_path, data)


def leaves(node, path=()):
    """The places of all values in a document, those that hold others after them."""
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in () if isinstance(node, dict) and "$array" in node else children:
        yield from leaves(value, (*path, key))
    if path:
        yield path


HOSTILE = ["word", 3.5, None, [], {}, 2**40]
MODELS = {
    "Likewise": Likewise(3, random_state=0, verbose=False),
    "ProjectThenCluster": ProjectThenCluster(3, random_state=0),
    "MPCKMeans": MPCKMeans(3, random_state=0),
    "SKKMeans": SKKMeans(3, random_state=0),
    "LPPSI": LPPSI(2, kernel="rbf"),
    "XingMetric": XingMetric(),
    "ChainedClusterer": ChainedClusterer(3, steps=[SSDR(2)], clusterer=KMeans(n_init=1), random_state=0),
}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
@pytest.mark.filterwarnings("ignore")
def test_any_value_of_a_strangers_choice_is_refused_or_harmless(tmp_path, model):
    """With right checksums, whatever stands in the place of a value: a ValueError at most."""
    model.fit(X[::5], constraints=Constraints.sample(Y[::5], "equal", 10, random_state=0))
    members = parts(save(tmp_path / "m.likewise", model).read_bytes())
    whole = json.loads(members["model.json"])
    refusals = 0
    for path in leaves(whole["model"]):
        for value in HOSTILE:
            document = json.loads(members["model.json"])
            node = document["model"]
            for key in path[:-1]:
                node = node[key]
            node[path[-1]] = value
            (tmp_path / "h").write_bytes(signed(document, members["arrays.npz"]))
            try:
                load(tmp_path / "h").place(X[:3])
            except ValueError:
                refusals += 1
    assert refusals > len(list(leaves(whole["model"])))


@pytest.mark.parametrize(
    ("part", "learned"),
    [
        ("to_graph", {"eigenvalues_": "a word"}),
        ("to_graph", {"_walk": 1.5}),
        ("to_graph", {"n_components_": 2**40}),
        ("to_linear", {"metric": "manhattan"}),
        ("to_linear", {"kind": "music"}),
    ],
)
def test_features_that_do_not_fit_together(tmp_path, front, part, learned):
    def change(document):
        document["model"]["parts"]["_features"]["parts"][part]["learned"].update(learned)

    assert "do not fit together" in refused(tmp_path, altered(front, change))


def test_a_number_of_rows_that_would_take_all_memory(tmp_path, front):
    def change(document):
        document["model"]["parts"]["_placement"]["learned"]["n"] = 2**40

    assert "1099511627776 rows and 150" in refused(tmp_path, altered(front, change))


@pytest.mark.parametrize(
    "data",
    [
        np.lib.format.magic(3, 0) + b"\0" * 64,  # a version that is never written
        np.lib.format.magic(1, 0) + (30).to_bytes(2, "little") + b"{'descr': '<f8', 'shape': (((,".ljust(29) + b"\n",
        b"not an array",
        b"",
    ],
    ids=["version", "header", "magic", "empty"],
)
def test_an_array_that_cannot_be_read(tmp_path, whole, data):
    changed = altered(whole, lambda document: None, lambda arrays: arrays.update({"model.learned.labels_.npy": data}))
    assert "array model.learned.labels_.npy cannot be read" in refused(tmp_path, changed)


def test_indices_beyond_a_sparse_matrix_are_refused(tmp_path):
    from scipy import sparse

    rng = np.random.default_rng(0)
    model = Likewise(2, random_state=0, verbose=False).fit(sparse.csr_matrix(rng.poisson(0.5, size=(40, 30)) * 1.0))
    data = save(tmp_path / "m.likewise", model).read_bytes()
    name = "model.parts._features.parts.to_graph.parts._near.learned._rows.indices.npy"
    indices = np.lib.format.read_array(io.BytesIO(parts(parts(data)["arrays.npz"])[name]))
    indices[5] = 2**30
    changed = altered(data, lambda document: None, lambda arrays: arrays.update({name: _array(indices)}))
    assert "indices must be < 30" in refused(tmp_path, changed)
    name = name.replace("indices", "indptr")
    bounds = np.lib.format.read_array(io.BytesIO(parts(parts(data)["arrays.npz"])[name])).astype(np.int8)
    bounds[-1] = -12  # as numbers of 8 bits end that are larger
    changed = altered(data, lambda document: None, lambda arrays: arrays.update({name: _array(bounds)}))
    assert "indptr must be a row of numbers that never fall" in refused(tmp_path, changed)


def test_numbers_of_a_machine_of_another_byte_order_are_read(tmp_path):
    model = KMeans(3, n_init=1, random_state=0).fit(X)
    data = save(tmp_path / "m.likewise", model).read_bytes()
    swapped = {"model.learned.cluster_centers_.npy": _array(model.cluster_centers_.astype(">f8"))}
    (tmp_path / "m.likewise").write_bytes(altered(data, lambda document: None, lambda arrays: arrays.update(swapped)))
    np.testing.assert_array_equal(load(tmp_path / "m.likewise").model.predict(X), model.labels_)


def test_centers_of_another_width_are_refused(tmp_path):
    data = save(tmp_path / "m.likewise", KMeans(3, n_init=1, random_state=0).fit(X)).read_bytes()
    name = "model.learned.cluster_centers_.npy"
    narrow = altered(data, lambda document: None, lambda arrays: arrays.update({name: _array(np.zeros((3, 2)))}))
    assert "cluster_centers_ has the shape (3, 2), not any × 4" in refused(tmp_path, narrow)
