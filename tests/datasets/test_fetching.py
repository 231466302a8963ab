"""What scikit-learn fetches, here from stand-ins of its functions, comes out as the files have it."""

import numpy as np
import pytest
import sklearn.datasets
from sklearn.utils import Bunch

from cases.real import real
from likewise.datasets import DatasetError, DatasetNotFoundError, load
from likewise.datasets._catalog import CATALOG
from likewise.datasets._fetching import sender_subject_body

ONE_PART = sorted(name for name, entry in CATALOG.items() if entry.fetch and list(entry.fetch.parts) == [""])


@pytest.fixture(autouse=True)
def no_folder(monkeypatch):
    monkeypatch.delenv("LIKEWISE_DATA", raising=False)


@pytest.fixture
def home(monkeypatch):
    """Put bunches in the place of OpenML, by number; ask for another number and the line is dead."""
    bunches = {}

    def fetch_openml(*, data_id, as_frame, parser):
        assert (as_frame, parser) == (False, "liac-arff")  # neither needs pandas
        if data_id not in bunches:
            raise OSError("no route to host")
        return bunches[data_id]

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch_openml)
    return bunches


def table(entry, *, seed=0):
    """Rows as many as the catalog has, with its classes under the names of OpenML, in no order."""
    there = {ours: theirs for theirs, ours in entry.fetch.labels.items()}
    rng = np.random.default_rng(seed)
    labels = np.repeat(
        np.array([there.get(name, name) for name in entry.classes], dtype=object), [*entry.classes.values()]
    )
    labels = rng.permutation(labels)
    X = rng.normal(size=(entry.n_samples, entry.n_features))
    return Bunch(data=X, target=labels, feature_names=[f"f{k}" for k in range(entry.n_features)], categories={})


@pytest.mark.parametrize("name", ONE_PART)
def test_tables_of_one_part(name, home):
    entry = CATALOG[name]
    (number,) = entry.fetch.parts.values()
    bunch = home[number] = table(entry)
    data = load(name)
    np.testing.assert_array_equal(data.X, bunch.data)
    assert data.feature_names == tuple(bunch.feature_names)
    named = np.array(data.target_names)[data.y]
    assert [entry.fetch.labels.get(label, label) for label in bunch.target] == named.tolist()


def test_what_is_not_in_the_folder_is_fetched(tmp_path, home):
    home[59] = table(CATALOG["ionosphere"])
    assert len(load("ionosphere", tmp_path)) == 351


def test_rows_with_missing_values_are_left_out(home):
    bunch = table(CATALOG["breast_w"])
    gaps = Bunch(data=np.full((16, 9), np.nan), target=np.array(["benign"] * 14 + ["malignant"] * 2, dtype=object))
    home[15] = Bunch(
        data=np.vstack([gaps.data, bunch.data]),
        target=np.concatenate([gaps.target, bunch.target]),
        feature_names=bunch.feature_names,
    )
    np.testing.assert_array_equal(load("breast_w").X, bunch.data)


def test_numbers_that_are_names_of_categories(home):
    bunch = home[11] = table(CATALOG["balance"])
    bunch.data[:, 1] = np.arange(625) % 3
    bunch.categories = {"f1": ["10", "0", "5"]}
    np.testing.assert_array_equal(load("balance").X[:4, 1], [10, 0, 5, 10])


def parts_of_mfeat(home, *, first):
    """Set up the six parts; the class of digit 0 is called "1" or "10"."""
    sizes = {"fac": 216, "fou": 76, "kar": 64, "mor": 6, "pix": 240, "zer": 47}
    digits = np.repeat(np.arange(10), 200)
    labels = (digits + 1 if first else np.where(digits == 0, 10, digits)).astype(str).astype(object)
    rng = np.random.default_rng(0)
    tables = {view: rng.normal(size=(2000, size)) for view, size in sizes.items()}
    tables["mor"][:, 0] = np.isin(digits, (0, 6, 9)) + 2 * (digits == 8)
    for view, number in CATALOG["mfeat"].fetch.parts.items():
        names = [f"att{k}" for k in range(sizes[view])]
        home[number] = Bunch(data=tables[view], target=labels.copy(), feature_names=names, categories={})
    return np.hstack(list(tables.values())), digits


@pytest.mark.parametrize("first", [True, False])
def test_six_parts_side_by_side(home, first):
    X, digits = parts_of_mfeat(home, first=first)
    data = load("mfeat")
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.y, digits)
    assert data.feature_names[215:217] == ("fac215", "fou000")
    assert data.feature_extra["view"][[0, 216, -1]].tolist() == ["fac", "fou", "zer"]


def test_parts_in_different_order(home):
    parts_of_mfeat(home, first=True)
    home[22].target = home[22].target[::-1]
    with pytest.raises(DatasetError, match="mfeat: part 22 on OpenML has other classes"):
        load("mfeat")


def test_fetched_by_another_name(home):
    home[40] = table(CATALOG["sonar"])
    home[40].target[3] = "Submarine"
    with pytest.raises(DatasetError, match=r"sonar: .*data_id 40 gives classes 'Submarine', .*only M, R"):
        load("sonar")


def test_fetched_with_other_counts(home):
    home[40] = table(CATALOG["sonar"])
    home[40].target[:] = "Rock"
    with pytest.raises(DatasetError, match=r"sonar from .*data_id 40 .*expected 111 rows of class M, seen 0"):
        load("sonar")


@pytest.mark.parametrize("error", [OSError("no route to host"), ValueError("checksum of file does not match")])
def test_nothing_could_be_fetched(monkeypatch, error):
    def broken(**arguments):
        raise error

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", broken)
    with pytest.raises(
        DatasetNotFoundError, match=f"no folder .* failed with {type(error).__name__}: {error}.*UCI.*Glass"
    ):
        load("glass")


def with_more_headers(text, number):
    """Undo what leaves headers out: put others before, between and after those that were kept."""
    head, _, body = text.partition("\n\n")
    lines = head.replace("\nSubject:", "\nLines: 3\n\t4\nSubject:").replace("\nFrom:", "\nSender: x\nFrom:")
    return f"Path: a!b\nReferences: <{number}>\n <2>\n{lines}\nOrganization: From: here\n\n{body}"


def test_newsgroups(monkeypatch):
    file = real("newsgroups")
    order = np.random.default_rng(0).permutation(len(file))
    broken = {row for row, text in enumerate(file.text) if "\ufffd" in text}
    bunch = Bunch(
        data=[with_more_headers(file.text[row], row).encode("utf-8").decode("latin-1") for row in order],
        target=file.y[order],
        filenames=np.array([f"home/20news-bydate-{file.extra['split'][row]}/{file.ids[row]}" for row in order]),
    )
    seen = {}
    monkeypatch.setattr(sklearn.datasets, "fetch_20newsgroups", lambda **arguments: seen.update(arguments) or bunch)
    data = load("newsgroups")
    assert seen == {"subset": "all", "remove": (), "shuffle": False}
    assert len(broken) == 72
    assert data.text == file.text
    for name in ("ids", "y"):
        np.testing.assert_array_equal(getattr(data, name), getattr(file, name))
    for name in ("split", "duplicate_of"):
        np.testing.assert_array_equal(data.extra[name], file.extra[name])


def test_bytes_that_are_no_utf8_are_replaced(monkeypatch):
    bunch = Bunch(data=["From: M\xfcller\n\nGr\xfc\xc3\xbc\xdfe"], filenames=["x/20news-bydate-test/sci.med/7"])
    monkeypatch.setattr(sklearn.datasets, "fetch_20newsgroups", lambda **arguments: bunch)
    monkeypatch.setattr("likewise.datasets._loading._checked", lambda dataset, entry, where: dataset)
    data = load("newsgroups")
    assert data.text == ["From: M\ufffdller\n\nGr\ufffdü\ufffde"]
    assert (data.ids.tolist(), data.extra["split"].tolist()) == (["sci.med/7"], ["test"])


def test_a_post_without_a_body():
    assert sender_subject_body("Lines: 0\nFrom: me") == "From: me\n\n"


def test_connections(monkeypatch):
    """A made-up 10 % file with as many rows of each type as the real one: the draw takes the same of them."""
    file = real("kddcup99_sample")
    sizes = {
        "back": 2203, "ipsweep": 1247, "neptune": 107201, "nmap": 231, "normal": 97278, "pod": 264, "portsweep": 1040,
        "satan": 1589, "smurf": 280790, "teardrop": 979, "warezclient": 1020, "spy": 179,
    }  # fmt: skip
    types = np.repeat(list(sizes), list(sizes.values()))
    data = np.empty((len(types), 41), dtype=object)
    data[:] = 0
    data[:, 1:4] = b"tcp", b"http", b"SF"
    data[1, 1], data[-1, 2] = b"icmp", b"X11"  # words that the draw may miss are counted too
    data[:, 4] = np.arange(len(types))
    bunch = Bunch(
        data=data,
        target=np.array([f"{name}.".encode() for name in types], dtype=object),
        feature_names=list(file.feature_names),
    )
    monkeypatch.setattr(sklearn.datasets, "fetch_kddcup99", lambda *, percent10, shuffle: bunch)
    fetched = load("kddcup99_sample")
    rows = fetched.extra["row_index"]
    assert fetched.target_names == file.target_names
    np.testing.assert_array_equal(types[rows], np.array(fetched.target_names)[fetched.y])
    np.testing.assert_array_equal(fetched.X[:, 4], rows)
    assert set(fetched.extra["service"]) == {"http"}
    assert set(fetched.X[:, 2]) == {1.0}  # after X11, in the alphabet of the whole file
    for name in ("back", "smurf", "teardrop"):  # their rows lie side by side in the real file too, almost all of them
        ours, real_rows = (np.diff(part.subset(name).extra["row_index"]) for part in (fetched, file))
        assert (ours == real_rows).mean() > 0.95
