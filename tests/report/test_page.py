"""The report as a file: whole, safe, true, and nothing fetched."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from PIL import Image

from likewise import Constraints, Likewise, Partition, PCKMeans
from likewise.front._evidence import UNSUPERVISED
from likewise.front._members import FAMILIES
from likewise.prepare import read_table
from likewise.report import _chapters, _facts, _map_data, write_report
from likewise.report._map_data import as_script, constraint_lines


class Reader(HTMLParser):
    """What a browser would make of a page: its elements, and the text in them."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.texts, self._inside = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self._inside.append(tag)

    def handle_data(self, data):
        if self._inside and self._inside[-1] not in ("script", "style"):
            self.texts.append(data)

    def handle_endtag(self, tag):
        self._inside.append(f"/{tag}")

    @property
    def words(self):
        return " ".join(" ".join(self.texts).split())

    def named(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


def read(path):
    return Reader(path.read_text(encoding="utf-8"))


def data_of(path):
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', path.read_text("utf-8"), re.DOTALL)
    return json.loads(found[1])


def unpacked(text, kind):
    return np.frombuffer(base64.b64decode(text), kind)


def test_nothing_is_fetched(page):
    text = page.read_text("utf-8")
    reader = Reader(text)
    for tag, attributes in reader.elements:
        assert "src" not in attributes or attributes["src"].startswith("data:image/"), tag
        assert tag not in ("link", "iframe", "object", "embed", "base", "form")
        assert not attributes.get("href", "#").removeprefix("#").startswith(("http", "//", "file"))
        assert not [name for name in attributes if name.startswith("on") or name == "style"], "the policy forbids it"
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)[1]
    assert "url(" not in style
    assert "@import" not in style
    script = text.rsplit("<script>", 1)[1]
    assert not re.search(r"\b(fetch|XMLHttpRequest|WebSocket|EventSource|sendBeacon|importScripts)\b", script)


def test_the_policy_lets_in_this_style_and_this_script_alone(page):
    text = page.read_text("utf-8")
    (policy,) = (m["content"] for m in Reader(text).named("meta") if m.get("http-equiv") == "Content-Security-Policy")
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["img-src"] == "data:"
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)[1]
    script = text.rsplit("<script>", 1)[1].rsplit("</script>", 1)[0]
    for kind, content in (("style-src", style), ("script-src", script)):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert rules[kind] == f"'sha256-{digest}'"


def test_texts_stay_texts(page, wine, hostile):
    reader = read(page)
    assert len(reader.named("script")) == 2
    assert "bold" not in [text for text in reader.texts if text == "bold"]
    assert '<b>bold</b> & "quoted"' in reader.words
    data = data_of(page)
    assert data["ids"][3] == "wine <3>"
    assert data["texts"][3] == " ".join(f"3 {hostile}".split())
    assert data["count"] == len(wine[0])


def test_data_cannot_end_its_script():
    written = as_script({"a": "</script><!--\u2028&"})
    assert not set("<>&\u2028") & set(written)
    assert json.loads(written) == {"a": "</script><!--\u2028&"}


def test_numbers_are_those_of_the_model(page, wine):
    X, _, hints, model = wine
    words, report = read(page).words, model.report_
    together = model.labels_[hints.must_link]
    kept = int((together[:, 0] == together[:, 1]).sum())
    assert f"{kept} of {len(hints.must_link)} said to be the same, and together" in words
    assert f"Of 80 hinted pairs the result keeps {report.kept:.1%}." in words
    for size in np.bincount(model.labels_):
        assert f"{size} rows · {size / len(X):.1%} of all" in words
    suspects = [suspect for suspect in model.suspects_ if suspect.wrong > 0.5]
    assert suspects, "hints were made wrong on purpose"
    assert f"{len(suspects)} hints are more likely wrong than right." in words
    for family in report.families:
        assert f"{family.members} {family.agreement:.0%} {family.held_out:.0%} {family.weight:.2f}" in words
    assert "likewise cluster wine.csv" in words
    assert "seed 0" in words
    for name, difference in model.top_features(0, 6):
        assert name[:39] in words
        assert f"{difference:+.1f}".replace("-", "−") in words


def test_every_family_is_explained():
    assert set(_chapters.FAMILIES) == {*FAMILIES, UNSUPERVISED}


def test_the_weight_of_a_family_is_told_once(page):
    words = read(page).words
    assert "way counts the same" not in words
    assert words.count("family’s weight depends on how well it explains unseen hints") == 1


def test_a_table_with_categories_speaks_of_columns(tmp_path):
    rng = np.random.default_rng(0)
    ages = np.concatenate([rng.normal(30, 3, 20), rng.normal(60, 3, 20)])
    towns = ["Rome"] * 18 + ["Oslo"] * 2 + ["Oslo"] * 18 + ["Rome"] * 2
    path = tmp_path / "people.csv"
    path.write_text("age,town\n" + "\n".join(f"{age:.1f},{town}" for age, town in zip(ages, towns, strict=True)))
    rows = read_table(path)
    model = Likewise(2, kind=rows.kind, random_state=0).fit(rows.X)
    names = list(rows.feature_names)
    page = write_report(tmp_path / "people.html", model, rows.X, feature_names=names)
    words = read(page).words
    assert "40 rows, 3 columns." in words
    assert "Rows are texts" not in words
    assert "Words that set it apart" not in words
    assert words.count("Columns that set it apart") == 2
    # standard deviations, in both directions
    old = int(model.labels_[-1])
    inside = model.labels_ == old
    difference = (ages[inside].mean() - ages[~inside].mean()) / ages.std()
    for sign in "+−":
        assert f"age {sign}{difference:.1f}" in words
    assert re.search(r"row \d+ age [+−]\d\.\d SD, town=(Rome|Oslo)", words), "values that a reader can understand"


def test_values_that_were_scaled_are_shown_in_standard_deviations(wine, tmp_path):
    X, _, _, _ = wine
    words = []
    for rows in (X, (X - X.mean()) / X.std(ddof=0)):
        model = PCKMeans(3, random_state=5).fit(rows)
        words.append(read(write_report(tmp_path / "a.html", model, rows)).words)
    assert " SD," not in words[0]
    assert re.search(r"alcohol [+−]\d\.\d SD", words[1])


def test_positions_are_those_of_the_layout(page, wine):
    data = data_of(page)
    _, _, _, model = wine
    assert unpacked(data["cluster"], "<u2").tolist() == model.labels_.tolist()
    assert unpacked(data["unsupervised"], "<u2").tolist() == model.unsupervised_labels_.tolist()
    places = unpacked(data["places"], "<u2").reshape(4, -1)
    assert np.ptp(places, axis=1).min() > 1000
    agreement = unpacked(data["agreement"], "<u1") / 255
    np.testing.assert_allclose(agreement, model.report_.agreement, atol=1 / 255)


def test_the_same_twice(wine, tmp_path):
    X, _, _, model = wine
    first, second = (write_report(tmp_path / name, model, X).read_bytes() for name in ("a.html", "b.html"))
    assert first == second


def test_a_likewise_remembers_its_hints(wine, tmp_path):
    X, _, hints, model = wine
    found, given = (
        data_of(write_report(tmp_path / "a.html", model, X, constraints=constraints))["lines"]
        for constraints in (None, hints)
    )
    assert found == given
    assert len(unpacked(found["same"]["pairs"], "<u4")) == 2 * len(hints.must_link)


def test_any_clusterer_has_a_report(wine, tmp_path):
    X, _, hints, _ = wine
    model = PCKMeans(3, random_state=5).fit(X, constraints=hints)
    path = write_report(tmp_path / "pck.html", model, X, constraints=hints)
    words, data = read(path).words, data_of(path)
    assert "One method was run: PCKMeans" in words
    assert "Hints that look wrong" not in words
    assert "seed 5" in words
    assert "unsupervised" not in data
    assert data["suspects"] == []


def test_labels_and_no_hints_at_all(wine, tmp_path):
    X, y, _, _ = wine
    known = np.where(np.arange(len(y)) % 9 == 0, y, -1)
    path = write_report(tmp_path / "labels.html", Likewise(3, random_state=0).fit(X, known), X)
    assert "20 rows in 3 groups (rows of one group are the same, rows of two groups are different)" in read(path).words
    assert len(unpacked(data_of(path)["lines"]["same"]["pairs"], "<u4")) == 2 * (20 - 3)
    path = write_report(tmp_path / "none.html", Likewise(random_state=0).fit(X), X)
    words = read(path).words
    assert "No hints were given." in words
    assert "No number was given" in words


def test_lines_of_groups_are_chains():
    frames = Partition([0, 1, 0, -1, 1, 0], same_within=False, different_within=True)
    same, different = constraint_lines(Constraints(6, must_link=[(0, 3)], partitions=[frames]))
    assert same.tolist() == [[0, 3]]
    assert different.tolist() == [[0, 2], [2, 5], [1, 4]]


def test_of_very_many_rows_a_sample_is_drawn(wine, tmp_path, monkeypatch):
    X, _, hints, model = wine
    paired = np.unique(np.concatenate([hints.must_link, hints.cannot_link]))
    monkeypatch.setattr(_facts, "MAX_POINTS", len(paired) + 10)
    path = write_report(tmp_path / "a.html", model, X)
    data = data_of(path)
    rows = unpacked(data["rows"], "<u4")
    assert len(rows) == data["count"] == len(paired) + 10
    assert set(paired) <= set(rows.tolist())
    assert f"Of 178 rows {len(rows)} are drawn, picked at random." in read(path).words
    assert unpacked(data["cluster"], "<u2").tolist() == model.labels_[rows].tolist()
    left = rows[unpacked(data["lines"]["different"]["pairs"], "<u4").reshape(-1, 2)]
    assert sorted(map(tuple, left.tolist())) == sorted(map(tuple, hints.cannot_link.tolist()))
    monkeypatch.setattr(_facts, "MAX_POINTS", 30)
    assert data_of(write_report(tmp_path / "b.html", model, X))["count"] == 30


def test_of_very_many_hints_broken_ones_are_drawn_first(wine, tmp_path, monkeypatch):
    X, _, _, model = wine
    monkeypatch.setattr(_map_data, "MAX_LINES", 20)
    path = write_report(tmp_path / "a.html", model, X)
    data = data_of(path)
    drawn = sum(len(unpacked(data["lines"][kind]["pairs"], "<u4")) // 2 for kind in ("same", "different"))
    assert 20 <= drawn == data["linesDrawn"] <= 21
    assert f"Of 80 lines for hints {drawn} are drawn, broken ones first." in read(path).words
    pairs = unpacked(data["lines"]["different"]["pairs"], "<u4").reshape(-1, 2)
    broken = model.labels_[pairs[:, 0]] == model.labels_[pairs[:, 1]]
    assert broken.tolist() == sorted(broken, reverse=True)
    assert data["lines"]["different"]["broken"] == broken.sum() > 0


def test_long_texts_are_cut_and_many_are_cut_shorter(wine, tmp_path, monkeypatch):
    X, _, _, model = wine
    texts = [f"{row} " + "word " * 100 for row in range(len(X))]
    cut = data_of(write_report(tmp_path / "a.html", model, X, texts=texts))["texts"]
    assert 150 < max(map(len, cut)) <= _map_data.MAX_EXCERPT
    monkeypatch.setitem(_map_data.MAX_BYTES, "texts", 5000)
    cut = data_of(write_report(tmp_path / "b.html", model, X, texts=texts))["texts"]
    assert sum(map(len, cut)) < 5000
    assert cut[77].startswith("77 word")


def test_pictures_become_thumbnails(wine, tmp_path):
    X, _, _, model = wine
    picture = tmp_path / "large.png"
    Image.new("RGBA", (400, 200), (255, 0, 0, 128)).save(picture)
    path = write_report(tmp_path / "a.html", model, X, images=[picture] * len(X))
    shown = [image["src"] for image in read(path).named("img") if image["alt"].startswith("Picture of")]
    assert len(shown) >= 3 * 4
    assert shown[0].startswith("data:image/jpeg;base64,")
    assert len(data_of(path)["pictures"]) == len(X)
    assert path.stat().st_size < 1_000_000
    assert "Columns that set it apart" in read(path).words
    path = write_report(path, model, X, images=[picture] * len(X), kind="images")
    assert "Columns that set it apart" not in read(path).words
    broken = tmp_path / "no.png"
    broken.write_text("not a picture")
    with pytest.raises(ValueError, match=r"no\.png is no picture that can be read"):
        write_report(tmp_path / "b.html", model, X, images=[broken] * len(X))
    with pytest.raises(ValueError, match=r"there is no picture .*gone\.png"):
        write_report(tmp_path / "b.html", model, X, images=[tmp_path / "gone.png"] * len(X))


def test_a_failure_leaves_no_file_and_keeps_the_old_one(wine, tmp_path, monkeypatch):
    X, _, _, model = wine
    path = tmp_path / "a.html"
    path.write_text("old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match="No space left"):
        write_report(path, model, X)
    assert [file.name for file in tmp_path.iterdir()] == ["a.html"]
    assert path.read_text() == "old"


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"ids": ["a"]}, "ids has 1 entries, there are 178 rows"),
        ({"texts": "one"}, "texts has one string, there are 178 rows"),
        ({"feature_names": ["a", "b"]}, "feature_names has 2 entries, there are 13 columns"),
        ({"kind": "words"}, "kind='words' is no kind of data. Use one of 'counts', 'text',"),
        ({"constraints": Constraints(5)}, "constraints were built for 5 rows, X has 178"),
    ],
)
def test_what_does_not_belong_together_is_told(wine, tmp_path, wrong, says):
    X, _, _, model = wine
    with pytest.raises(ValueError, match=says):
        write_report(tmp_path / "a.html", model, X, **wrong)
    assert not list(tmp_path.iterdir())


def test_a_model_must_be_fitted_on_these_rows(wine, tmp_path):
    X, _, _, model = wine
    with pytest.raises(ValueError, match="Likewise has no labels_"):
        write_report(tmp_path / "a.html", Likewise(3), X)
    with pytest.raises(ValueError, match="fitted on 178 rows, X has 100"):
        write_report(tmp_path / "a.html", model, X[:100])
