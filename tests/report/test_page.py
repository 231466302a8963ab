"""The report as a file: whole, safe, true, and nothing fetched."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from likewise import Constraints, Likewise, Partition, PCKMeans
from likewise.evaluation import normalized_mutual_information
from likewise.front._evidence import UNSUPERVISED
from likewise.front._members import COMPARED_FAMILIES, FAMILIES
from likewise.prepare import read_table
from likewise.questions import Answer, Answers
from likewise.report import _chapters, _facts, _map_data, write_report
from likewise.report._charts import shown_number
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
    assert f"{kept} of {len(hints.must_link)} pairs said to be the same are together" in words
    assert f"{report.kept:.0%} of 80 hinted pairs kept" in words
    if report.advice and "nothing needs" not in report.advice:
        assert report.advice[1:] in words
    for number, size in enumerate(np.bincount(model.labels_)):
        assert f"cluster {number} · {size} rows · {size / len(X):.1%}" in words
    suspects = [suspect for suspect in model.suspects_ if suspect.wrong > 0.5]
    assert suspects, "hints were made wrong on purpose"
    assert f"{len(suspects)} hints are more likely wrong than right." in words
    for family in report.families:
        assert f"{family.members} {family.agreement:.0%} {family.held_out:.0%} {family.weight:.2f}" in words
    assert "likewise cluster wine.csv" in words
    assert "seed 0" in words
    inside = model.labels_ == 0
    for name, difference in model.top_features(0, 6):
        arrow = "↑" if difference > 0 else "↓"
        own, rest = (shown_number(X.loc[rows, name].median()) for rows in (inside, ~inside))
        assert f"{name[:39]} {arrow} {own} {rest}" in words


def test_every_family_is_explained():
    assert set(_chapters.FAMILIES) == {*FAMILIES, *COMPARED_FAMILIES, UNSUPERVISED}


def test_the_weight_of_a_family_is_told_once(page):
    words = read(page).words
    assert "way counts the same" not in words
    assert words.count("family’s weight is its share in the result") == 1


def test_a_table_with_categories_speaks_of_columns(tmp_path):
    rng = np.random.default_rng(0)
    ages = np.concatenate([rng.normal(30, 3, 20), rng.normal(60, 3, 20)])
    towns = ["Rome"] * 18 + ["Oslo"] * 2 + ["Oslo"] * 18 + ["Rome"] * 2
    path = tmp_path / "people.csv"
    path.write_text("age,town\n" + "\n".join(f"{age:.1f},{town}" for age, town in zip(ages, towns, strict=True)))
    rows = read_table(path)
    model = Likewise(2, kind=rows.kind, random_state=0).fit(rows.X)
    names = list(rows.feature_names)
    page = write_report(tmp_path / "people.html", model, rows.X, feature_names=names, table=rows.table)
    words = read(page).words
    assert "40 rows, 3 columns." in words
    assert "Rows are texts" not in words
    assert "Words that set it apart" not in words
    assert words.count("What sets it apart") == 2
    # the units of the file, in both directions; a category as shares
    inside = model.labels_ == model.labels_[-1]
    ages = ages.round(1)
    own, rest = (shown_number(np.median(part)) for part in (ages[inside], ages[~inside]))
    assert f"age ↑ {own} {rest}" in words
    assert f"age ↓ {rest} {own}" in words
    share = np.mean(np.array(towns)[inside] == "Oslo")
    other = np.mean(np.array(towns)[~inside] == "Oslo")
    assert f"town: Oslo ↑ {100 * share:.0f}% {100 * other:.0f}%" in words
    assert "high age, town Oslo" in words
    assert re.search(r"row \d+ age \d\d\.\d, town (Rome|Oslo)", words), "values that a reader can understand"
    # without the table: standard deviations, and levels by their indicators
    scaled = read(write_report(page, model, rows.X, feature_names=names)).words
    assert re.search(r"row \d+ age −?\d\.\d+ SD, town (Rome|Oslo)", scaled)
    assert f"town: Oslo ↑ {100 * share:.0f}% {100 * other:.0f}%" in scaled


def test_a_frame_is_shown_as_it_is(tmp_path):
    rng = np.random.default_rng(1)
    old = np.repeat([False, True], 30)
    frame = pd.DataFrame(
        {
            "age": np.where(old, 60, 30) + rng.normal(size=60),
            "town": np.where(old, "Oslo", "Rome"),
            "joined": [f"{2001 + 10 * is_old}-03-{day % 28 + 1:02d}" for day, is_old in enumerate(old)],
        }
    )
    frame.loc[3, "age"] = np.nan
    model = Likewise(2, random_state=0).fit(frame)
    path = write_report(tmp_path / "a.html", model, frame)
    words = read(path).words
    assert "town: Oslo ↑ 100% 0%" in words
    assert re.search(r"joined ↑ 2011-03 2001-03", words)
    age, town, joined = data_of(path)["columns"]
    np.testing.assert_allclose(unpacked(age["values"], "<f4"), frame["age"], rtol=1e-6)
    assert [town["levels"][code] for code in unpacked(town["values"], "<u2")] == frame["town"].tolist()
    assert joined["kind"] == "date"
    assert unpacked(joined["values"], "<f8")[0] == pd.Timestamp(frame["joined"][0]).timestamp()


def test_known_classes_are_compared_and_kept_aside(wine, tmp_path):
    X, y, _, model = wine
    names = np.array(["Barolo", "Grignolino", "Barbera"], dtype=object)[y]
    names[:5] = None
    words = read(write_report(tmp_path / "a.html", model, X, classes=names)).words
    nmi = normalized_mutual_information(y[5:], model.labels_[5:])
    before = normalized_mutual_information(y[5:], model.unsupervised_labels_[5:])
    ari = adjusted_rand_score(y[5:], model.labels_[5:])
    assert f"NMI with known classes: {nmi:.2f}, {before:.2f} without hints." in words
    assert f"all rows with a class 173 {nmi:.2f} {ari:.2f}" in words
    order = np.argsort(-np.bincount(model.labels_))
    counts = [int(np.sum((names == "Barbera") & (model.labels_ == number))) for number in order]
    assert "Barbera " + " ".join(str(count) if count else "·" for count in counts) in words
    assert "Known classes" not in read(write_report(tmp_path / "b.html", model, X)).words


def test_links_are_told(wine, tmp_path):
    X, y, _, _ = wine
    y = np.asarray(y)
    rng = np.random.default_rng(0)
    pairs = rng.integers(len(y), size=(900, 2))
    pairs = pairs[(y[pairs[:, 0]] == y[pairs[:, 1]]) & (pairs[:, 0] < pairs[:, 1])]
    links = sparse.coo_array((np.ones(len(pairs)), pairs.T), shape=(len(y), len(y))).tocsr()
    model = Likewise(3, random_state=0).fit(X)
    path = write_report(tmp_path / "a.html", model, X, links=links + links.T)
    words = read(path).words
    number = len(np.unique(pairs, axis=0))
    assert f"Grouped by links and contents. {number} links between rows were used" in words
    assert "without hints." not in words
    assert f"Links {number} links between rows." in words
    drawn = unpacked(data_of(path)["links"], "<u4").reshape(-1, 2)
    assert {tuple(sorted(pair)) for pair in drawn.tolist()} == set(map(tuple, pairs.tolist()))
    with pytest.raises(ValueError, match=r"links has the shape \(3, 3\), there are 178 rows"):
        write_report(tmp_path / "b.html", model, X, links=np.eye(3))


def test_what_hints_changed_is_counted_by_clusters(wine, tmp_path):
    X, y, _, _ = wine
    hints = Constraints.sample(y, "random_pairs", 150, random_state=2)
    model = Likewise(3, random_state=0).fit(X, constraints=hints)
    moved = np.flatnonzero(model.labels_ != model.unsupervised_labels_)
    assert len(moved)
    words = read(write_report(tmp_path / "a.html", model, X, feature_names=[f"x{i}" for i in range(13)])).words
    assert f"{len(moved)} row{'s' * (len(moved) > 1)} moved, {len(moved) / len(X):.0%} of all." in words
    for start, end in {(model.unsupervised_labels_[row], model.labels_[row]) for row in moved}:
        rows = np.sum((model.unsupervised_labels_[moved] == start) & (model.labels_[moved] == end))
        assert f"Cluster {start} → Cluster {end} {rows} row " in words


def test_the_verdict_tells_what_was_kept_and_what_to_check(wine, tmp_path):
    X, _, _, model = wine

    def top(model, **options):
        text = write_report(tmp_path / "a.html", model, X, **options).read_text("utf-8")
        return re.search(r'<div class="state main (\w+)">(.*?)</div>', text)[1], Reader(text).words

    tone, words = top(model)
    suspects = sum(suspect.wrong > 0.5 for suspect in model.suspects_)
    assert f"{suspects} hints to check." in words
    assert tone in ("bad", "warn")
    tone, words = top(Likewise(3, random_state=0).fit(X))
    assert tone == "plain"
    assert "No hints were given." in words
    strict = PCKMeans(3, random_state=0).fit(X, constraints=Constraints(len(X), must_link=[(0, 1)]))
    tone, words = top(strict, constraints=Constraints(len(X), must_link=[(0, 1)]))
    assert tone == "good"
    assert "Where hints are kept and broken" not in words, "nothing is broken"
    broken = Constraints(len(X), cannot_link=[(0, 1), (0, 2), (0, 3)])
    tone, words = top(strict, constraints=broken)
    assert tone == "bad"
    assert "0% of 3 hinted pairs kept: many hints are broken." in words
    assert "Where hints are kept and broken" in words


def test_fewer_clusters_than_asked_for_are_told(wine, tmp_path):
    X, _, _, _ = wine
    with pytest.warns(UserWarning, match="fewer clusters"):
        model = Likewise(3, random_state=0).fit(X, np.zeros(len(X), dtype=int))
    words = read(write_report(tmp_path / "a.html", model, X)).words
    assert "178 rows in 1 cluster" in words
    assert "3 clusters were asked for, 1 found." in words


def test_titles_are_labels_words_or_columns_and_no_two_are_alike(wine, tmp_path):
    X, y, _, _ = wine
    known = np.where(np.arange(len(y)) % 20 == 0, np.array(["Barolo", "Grignolino", "Barbera"], dtype=object)[y], None)
    model = Likewise(4, random_state=0).fit(X, constraints=Constraints.from_labels(known))
    names = data_of(write_report(tmp_path / "a.html", model, X))["names"]
    assert {"Barolo", "Barbera"} < set(names)
    assert len(set(names)) == 4
    alike = np.repeat([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]], 20, axis=0) + np.random.default_rng(0).normal(size=(60, 2))
    model = PCKMeans(3, random_state=0).fit(np.hstack([alike, alike]))
    frame = pd.DataFrame(np.hstack([alike, alike]), columns=["a", "b", "c", "d"])
    assert len(set(data_of(write_report(tmp_path / "b.html", model, frame))["names"])) == 3


def test_many_clusters_are_a_list_that_unfolds(tmp_path):
    X, _ = make_blobs(300, 4, centers=20, cluster_std=0.3, random_state=0)
    path = write_report(tmp_path / "a.html", PCKMeans(20, random_state=0).fit(X), X)
    cards = [attributes for attributes in read(path).named("details") if "card" in attributes.get("class", "")]
    assert len(cards) == 20
    assert not any("open" in attributes for attributes in cards)
    sizes = [int(size) for size in re.findall(r'class="count">(\d+) rows', path.read_text("utf-8"))]
    assert sizes == sorted(sizes, reverse=True)


def test_questions_are_those_of_the_model(wine):
    X, _, _, model = wine
    facts = _facts.Facts(model, X)
    assert [one.rows for one in facts.questions] == [one.rows for one in model.ask(10, kind="choice")]
    assert len({one.rows[0] for one in facts.questions}) == 10
    for one in facts.questions:
        assert len({model.labels_[row] for row in one.rows[1:]}) > 1, "all of one cluster: nothing to choose"


def test_the_report_says_how_many_answers_were_predicted(wine, tmp_path):
    X = wine[0]
    told = [Answer((row, row + 60), "same", chance=0.9 if row < 22 else 0.1, screen=row) for row in range(25)]
    answers = Answers(told, len(X))
    model = Likewise(3, random_state=0, verbose=False).fit(X)
    words = "22 of the last 25 answers were predicted"
    assert words not in write_report(tmp_path / "a.html", model, X).read_text("utf-8")
    assert write_report(tmp_path / "a.html", model, X, answers=answers).read_text("utf-8").count(words) == 2
    model.add_constraints(answers)
    assert write_report(tmp_path / "a.html", model, X).read_text("utf-8").count(words) == 2
    model.set_constraints(answers.constraints)
    assert words not in write_report(tmp_path / "a.html", model, X).read_text("utf-8")


def test_values_that_were_scaled_are_shown_in_standard_deviations(wine, tmp_path):
    X, _, _, _ = wine
    words = []
    for rows in (X, (X - X.mean()) / X.std(ddof=0)):
        model = PCKMeans(3, random_state=5).fit(rows)
        words.append(read(write_report(tmp_path / "a.html", model, rows)).words)
    assert " SD," not in words[0]
    assert re.search(r"alcohol −?\d\.\d+ SD", words[1])


def test_positions_are_those_of_the_layout(page, wine):
    data = data_of(page)
    _, _, _, model = wine
    assert unpacked(data["cluster"], "<u2").tolist() == model.labels_.tolist()
    assert unpacked(data["unsupervised"], "<u2").tolist() == model.unsupervised_labels_.tolist()
    places = unpacked(data["places"], "<u2").reshape(4, -1)
    assert np.ptp(places, axis=1).min() > 1000
    certainty = unpacked(data["certainty"], "<u2") / 10_000
    np.testing.assert_allclose(certainty, model.certainty_, atol=1 / 10_000)


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
    assert "20 labels of 3 classes (190 pairs)" in read(path).words
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
    assert f"{len(rows)} of 178 rows are drawn, chosen at random." in read(path).words
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
    assert f"{drawn} of 80 lines for hints are drawn, broken ones first." in read(path).words
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
    assert "What sets it apart" in read(path).words
    path = write_report(path, model, X, images=[picture] * len(X), kind="images")
    assert "What sets it apart" not in read(path).words
    broken = tmp_path / "no.png"
    broken.write_text("not a picture")
    with pytest.raises(ValueError, match=r"no\.png is not a picture, or is damaged"):
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
        ({"kind": "words"}, "kind='words' is not a kind of data. Use one of 'counts', 'text',"),
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


@pytest.mark.parametrize("n_blobs", [2, 3])
def test_hints_that_hold_anyway_are_said_to_confirm(tmp_path, n_blobs):
    X, y = make_blobs(90, 5, centers=n_blobs, cluster_std=0.4, random_state=1)
    model = Likewise(n_blobs, random_state=0, verbose=False)
    model.fit(X, constraints=Constraints.sample(y, "random_pairs", 10, random_state=0))
    words = read(write_report(tmp_path / "a.html", model, X)).words
    assert "All 10 hinted pairs kept, as they would be without hints." in words
    assert model.report_.doubtful == 0
    assert "No row in doubt." in words
    assert "rows in doubt would add" not in words.split("Clusters The largest first")[0]
    assert "Nothing: every row is in the same cluster as without hints." in words


def test_more_hints_are_used_by_what_the_method_can(tmp_path, wine):
    X, _, hints, model = wine
    written = {
        "a.html": (model, {}, "model.add_constraints(more)"),
        "b.html": (
            PCKMeans(3).fit(X, constraints=hints),
            {"constraints": hints},
            "model.fit(X, constraints=hints | more)",
        ),
        "c.html": (KMeans(3, n_init=1).fit(X), {}, "model = likewise.Likewise(3).fit(X, constraints=more)"),
        "d.html": (
            KMeans(3, n_init=1).fit(X),
            {"command": "likewise cluster wine --k 3 --method k-means"},
            "likewise cluster wine --k 3 --method k-means --method likewise --hints hints.csv",
        ),
    }
    for name, (fitted, given, code) in written.items():
        words = read(write_report(tmp_path / name, fitted, X, **given)).words
        assert code in words
        assert ("skip the rest" in words) == (name == "a.html")
