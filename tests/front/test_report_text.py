"""What a report says: every line of it, tables of clusters and families, and the hints that look wrong."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.preprocessing import StandardScaler

from likewise import Comparisons, Constraints, Partition, Preference
from likewise.front import Suspect, Suspects
from likewise.front._cluster_names import ClusterName
from likewise.front._consensus import Consensus
from likewise.front._evidence import UNSUPERVISED, Evidence
from likewise.front._folds import Statements
from likewise.front._held_out import HeldOutComparisons, HeldOutPreferences
from likewise.front._landmarks import EveryRow, Landmarks
from likewise.front._members import Member
from likewise.front._report import (
    ClusterReport,
    FamilyReport,
    Report,
    cluster_reports,
    feature_differences,
    kept_comparisons,
    largest_differences,
    make_report,
)
from likewise.front._unsupervised import Unsupervised
from likewise.prepare import DataKind

FEATURES = (("petal", -1.284), ("sepal", 0.5))
CLUSTERS = (
    ClusterReport("0", 1, FEATURES),
    ClusterReport("CLL", 1200, FEATURES[:1], "CLL", 1000, 2000),
    ClusterReport("2", 3, (), new=True),
)
FAMILIES = (FamilyReport(UNSUPERVISED, 30, 0.98765, 0.5, 0.256), FamilyReport("graph", 8, 1.0, 0.751, 0.744))
BARE = Report(12_345, 3, DataKind.TABLE, "table: scaled", "40 hints", seconds={"features": 0.26, "hints": 12.0})
FULL = replace(
    BARE,
    n_requested=4,
    trust="weighted",
    contradictions=1_001,
    dropped=2_002,
    families=FAMILIES,
    doubtful=3_003,
    constraint_weight=0.456,
    gain=-1.25,
    gain_error=0.5,
    advice="give more",
    ask_about=(7, 8),
    comparisons="5 comparisons",
    preferences="2 preferences",
    kept=0.98765,
    moved=np.arange(1_500),
    left_out=("this", "that"),
    interrupted=True,
    landmarks=10_000,
    learned_from="30 of 40 hints",
    broken="an odd cycle",
    clusters=CLUSTERS,
)


def test_a_report_of_everything_has_these_lines():
    assert FULL.lines() == [
        ("data", "12,345 rows; table: scaled"),
        ("clusters", "3 (requested: 4): 1 named after labels, 2 without labeled rows"),
        ("hints", "40 hints"),
        ("landmarks", "10,000 rows; every other row is assigned by the nearest of them"),
        ("learned from", "30 of 40 hints"),
        ("trust", "weighted"),
        ("contradictions", "1,001"),
        ("left out as wrong", "2,002"),
        ("comparisons", "5 comparisons"),
        ("preferences", "2 preferences"),
        ("hints kept", "98.8%"),
        ("not all kept", "an odd cycle"),
        (
            "learned from hints",
            "weight 46%: held-out hints are predicted no better than by clusters without hints "
            "(log-likelihood −1.2 ± 0.5)",
        ),
        ("what to do next", "give more; ask about rows 7, 8 first"),
        ("rows moved by hints", "1,500"),
        ("rows in doubt", "3,003 (certainty below 0.7)"),
        ("time", "features 0.3 s, hints 12.0 s"),
        ("interrupted", "this is the best result until then"),
        ("no time for", "this; that"),
    ]
    in_files = dict(replace(FULL, in_files=True).lines())
    assert in_files["rows moved by hints"] == "1,500 of the landmarks"


def test_a_report_without_hints_has_few_lines():
    assert BARE.lines() == [
        ("data", "12,345 rows; table: scaled"),
        ("clusters", "3"),
        ("hints", "40 hints"),
        ("rows in doubt", "0 (certainty below 0.7)"),
        ("time", "features 0.3 s, hints 12.0 s"),
    ]
    assert BARE.cluster_lines() == []
    assert str(BARE).splitlines() == [f"{name:<13}  {value}" for name, value in BARE.lines()]


def test_a_report_of_nothing_counts_nothing():
    bare, other = Report(1, 2, DataKind.TABLE, "", ""), Report(1, 2, DataKind.TABLE, "", "")
    assert (bare.contradictions, bare.dropped, bare.doubtful, bare.reversed, bare.landmarks) == (0, 0, 0, 0, 0)
    assert (bare.constraint_weight, bare.gain, bare.gain_error, bare.kept) == (0.0, 0.0, 0.0, 1.0)
    assert (bare.families, bare.clusters, bare.left_out, bare.ask_about, bare.moved.tolist()) == ((), (), (), (), [])
    assert (bare.interrupted, bare.in_files, bare.trust, bare.n_requested) == (False, False, "none", None)
    assert (
        bare.fallback == bare.advice == bare.comparisons == bare.preferences == bare.learned_from == bare.broken == ""
    )
    assert bare.seconds == {}
    assert bare.seconds is not other.seconds
    assert "moved" not in repr(bare)
    assert "clusters=" not in repr(bare).replace("n_clusters=", "")


@pytest.mark.parametrize(
    ("gain", "better"), [(0.04, "better than by clusters without hints (log-likelihood +0.0 ± 2.0)"),
                         (0.0, "no better than by clusters without hints (log-likelihood +0.0 ± 2.0)"),
                         (0.6, "better than by clusters without hints (log-likelihood +0.6 ± 2.0)")],
)  # fmt: skip
def test_only_a_gain_is_better(gain, better):
    words = replace(BARE, trust="strict", gain=gain, gain_error=2.0, constraint_weight=1.0).weight_in_words
    assert words == f"weight 100%: held-out hints are predicted {better}"


@pytest.mark.parametrize(("comparisons", "preferences"), [("", ""), ("2", ""), ("", "1"), ("2", "1")])
def test_what_applies_where_nothing_was_learned(comparisons, preferences):
    report = replace(BARE, fallback="fewer than 25 hints", comparisons=comparisons, preferences=preferences)
    what = "Pairs" if comparisons or preferences else "They"
    assert report.weight_in_words == f"nothing: fewer than 25 hints. {what} apply to their own rows only"


@pytest.mark.parametrize(
    ("requested", "labels", "words"),
    [
        (None, [None, None], "2"),
        (2, [None, None], "2"),
        (3, [None, None], "2 (requested: 3)"),
        (None, ["a", None], "2: 1 named after labels, 1 without labeled rows"),
        (2, ["a", "b"], "2: 2 named after labels"),
    ],
)
def test_how_many_clusters_have_names(requested, labels, words):
    clusters = tuple(ClusterReport(str(number), 5, (), label) for number, label in enumerate(labels))
    assert replace(BARE, n_clusters=2, n_requested=requested, clusters=clusters).named_clusters == words


def test_clusters_say_their_size_and_features():
    assert FULL.cluster_lines() == [
        ("cluster 0", "1 row: petal -1.3, sepal +0.5"),
        ("CLL", "1,200 rows, 1,000 of 2,000 with this label: petal -1.3"),
        ("cluster 2", "3 rows, new: none is labeled: "),
    ]
    assert [cluster.size for cluster in CLUSTERS] == [str(cluster).split(":")[0] for cluster in CLUSTERS[:2]] + [
        "3 rows, new: none is labeled"
    ]
    plain = ClusterReport("0", 5, ())
    assert (plain.label, plain.known, plain.known_in_all, plain.new) == (None, 0, 0, False)


@pytest.mark.parametrize(("count", "more"), [(20, None), (21, "1"), (1_520, "1,500")])
def test_twenty_clusters_are_listed(count, more):
    report = replace(BARE, clusters=tuple(ClusterReport(str(number), 5, ()) for number in range(count)))
    lines = report.cluster_lines()
    assert [name for name, _ in lines[:20]] == [f"cluster {number}" for number in range(20)]
    assert lines[20:] == ([] if more is None else [("…", f"{more} more; see top_features(cluster)")])


def test_a_report_as_text_is_three_tables():
    info, clusters, families = (part.splitlines() for part in str(FULL).split("\n\n"))
    width = len("rows moved by hints")
    assert info == [f"{name:<{width}}  {value}" for name, value in FULL.lines()]
    assert clusters == [f"{name:<{width}}  {value}" for name, value in FULL.cluster_lines()]
    assert families == [
        "family               members  agreement  held-out hints kept  weight",
        "without hints             30      98.8%                50.0%    0.26",
        "graph                      8     100.0%                75.1%    0.74",
    ]
    long = replace(BARE, clusters=(ClusterReport("", 1, (), label="a" * 30, known=1, known_in_all=1),))
    long = replace(long, clusters=(replace(long.clusters[0], name="a" * 30),))
    assert all(line[30:32] == "  " for line in str(long).splitlines() if line)


def test_a_report_in_a_notebook_escapes_what_it_shows():
    odd = replace(FULL, constraints="<b>", clusters=(ClusterReport("<i>", 1, (), "<i>", 1, 1),))
    odd = replace(odd, families=(replace(FAMILIES[1], name="a & b"),))
    html = odd._repr_html_()
    assert html.startswith(
        "<table><caption>likewise</caption><tr><th>data</th><td>12,345 rows; table: scaled</td></tr>"
    )
    assert "<tr><th>hints</th><td>&lt;b&gt;</td></tr>" in html
    assert "<table><tr><th>&lt;i&gt;</th><td>1 row, 1 of 1 with this label: </td></tr></table>" in html
    assert html.endswith(
        "<table><tr><th>family</th><th>members</th><th>agreement</th><th>held-out hints kept</th><th>weight</th></tr>"
        "<tr><td>a &amp; b</td><td>8</td><td>100.0%</td><td>75.1%</td><td>0.74</td></tr></table>"
    )
    assert BARE._repr_html_().count("<table>") == 1


def test_a_frame_has_a_line_for_each_cluster():
    frame = FULL.to_frame(backend="polars").to_dict(as_series=False)
    assert frame == {
        "cluster": [0, 1, 2],
        "name": ["0", "CLL", "2"],
        "rows": [1, 1200, 3],
        "features": ["petal -1.3, sepal +0.5", "petal -1.3", ""],
    }


def test_clusters_are_new_if_others_are_labeled():
    differences = np.zeros((2, 7))
    differences[0] = [0.1, 0.2, -0.3, 0.4, -0.5, 0.6, 0.0]
    unlabeled, labeled = ClusterName("0"), ClusterName("a", "a", 2, 3)
    names = [f"x{column}" for column in range(7)]
    first, second = cluster_reports([unlabeled, labeled], differences, np.array([4, 5]), names)
    assert first == ClusterReport(
        "0", 4, (("x5", 0.6), ("x4", -0.5), ("x3", 0.4), ("x2", -0.3), ("x1", 0.2)), None, 0, 0, new=True
    )
    assert second == ClusterReport("a", 5, (), "a", 2, 3, new=False)
    alone = cluster_reports([unlabeled, ClusterName("1")], differences, np.array([4, 5]), names)
    assert not any(cluster.new for cluster in alone)


class Prepared:
    """Preprocessing that does nothing, or centers and scales."""

    def __init__(self, metric, scaler=None):
        self.metric, self.scaler = metric, scaler

    def prepared(self, X):
        return X if self.scaler is None else self.scaler.transform(X)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_differences_are_of_means_inside_and_outside(metric, form):
    rng = np.random.default_rng(0)
    X, labels = rng.integers(0, 3, size=(30, 4)).astype(float), np.arange(30) % 3
    X[:, 3] = 2.0  # does not vary
    found = feature_differences(form(X), labels, 5, Prepared(metric))
    assert found.shape == (5, 4)
    spread = np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0) if metric == "euclidean" else np.ones(4)
    for cluster in range(3):
        inside = labels == cluster
        expected = (X[inside].mean(axis=0) - X[~inside].mean(axis=0)) / spread
        np.testing.assert_allclose(found[cluster], expected, atol=1e-12)
    assert not found[3:].any()


def test_differences_of_scaled_columns_are_in_their_units():
    X = np.random.default_rng(1).normal(size=(20, 3)) * [1.0, 5.0, 25.0] + 100
    labels = np.repeat([0, 1], [5, 15])
    scaled = feature_differences(X, labels, 2, Prepared("euclidean", StandardScaler().fit(X)))
    np.testing.assert_allclose(scaled, feature_differences(X, labels, 2, Prepared("euclidean")))
    np.testing.assert_allclose(scaled[0], -scaled[1])


def test_of_equal_differences_the_first_columns_are_named():
    differences = np.array([0.0, -1.0, 1.0, 2.0, 0.0])
    names = np.array(list("abcde"))
    assert largest_differences(differences, 9, names) == [("d", 2.0), ("b", -1.0), ("c", 1.0)]
    assert largest_differences(differences, 2, names) == [("d", 2.0), ("b", -1.0)]


def test_comparisons_are_kept_unless_only_the_far_rows_share_a_cluster():
    labels = np.array([0, 0, 1, 1, 2, 3])
    both, near, far, neither = (0, 1, 2, 3), (0, 1, 0, 2), (0, 2, 0, 1), (0, 2, 4, 5)
    for four, kept in ((both, True), (near, True), (far, False), (neither, True)):
        assert kept_comparisons(labels, Comparisons(6, pairs=[four])).tolist() == [kept]


# ---- reports on results that are known -----------------------------------------------------------------------------

LABELS = np.repeat([0, 1], 20)
OTHER = np.where(np.arange(40) < 5, 1, LABELS)
FOLDS = np.arange(40) % 4


def consensus_of(hints, *, scores=(), others=(), members=(), stated=None, fallback="", closed=True, applied=None):
    stated = hints if stated is None else stated
    statements = Statements.of(stated, np.random.RandomState(0))
    zeros = np.zeros(len(statements))
    weights = {**{member.family: 1.0 for member in members}, UNSUPERVISED: 1.0}
    evidence = Evidence(statements, zeros, zeros, 30.0, 2.0, weights, 2, tuple(others), tuple(scores))
    applied = stated if applied is None else applied
    return Consensus(LABELS, np.zeros((40, 2)), tuple(members), FOLDS, evidence, fallback, closed, applied, stated)


def reported(hints, consensus, placement=None, labels=LABELS):
    run = Unsupervised(2, OTHER, np.zeros((40, 2)), [OTHER, LABELS], np.array([0.75, 0.25]))
    common = {"n_clusters": 2, "kind": DataKind.TABLE, "preprocessing": ""}
    return make_report(hints, run, consensus, placement or EveryRow(40, None), labels, **common)


def test_a_report_counts_what_was_dropped_moved_and_contradicted():
    hints = Constraints(40, [(0, 1), (1, 2), (20, 21)], [(0, 2), (3, 30)])
    applied = Constraints(40, [(0, 1)], [(3, 30)])
    report = reported(hints, consensus_of(hints, closed=False, applied=applied))
    assert (report.n_rows, report.constraints, report.landmarks, report.learned_from) == (40, hints.summary(), 0, "")
    assert (report.trust, report.contradictions, report.dropped) == ("weighted", 1, 3)
    assert report.kept == 0.8
    np.testing.assert_array_equal(report.moved, np.arange(5))
    assert (report.gain, report.gain_error, report.constraint_weight) == (30.0, 2.0, 1.0)
    assert (report.comparisons, report.reversed, report.preferences) == ("", 0, "")
    assert reported(hints, consensus_of(hints)).trust == "strict"


def test_contradictions_count_pairs_and_cycles_of_comparisons():
    cycle = Comparisons(40, pairs=[(0, 1, 2, 3), (2, 3, 4, 5), (4, 5, 0, 1)])
    hints = Constraints(40, [(0, 1), (1, 2)], [(0, 2)]) | cycle
    held_out = HeldOutComparisons(hints.comparisons, np.zeros(3))
    report = reported(hints, consensus_of(hints, others=[held_out], scores=[np.ones(3)]))
    alone = reported(Constraints(40) | cycle, consensus_of(Constraints(40) | cycle, others=[held_out],
                                                           scores=[np.ones(3)]))  # fmt: skip
    assert alone.contradictions > 0
    assert report.contradictions == 1 + alone.contradictions


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ([1.0] * 40, "40 comparisons, 40 kept, 0 look reversed"),
        ([1.0] * 39 + [-1.0], "40 comparisons, 39 kept, 1 looks reversed"),
        ([1.0] * 38 + [-1.0] * 2, "40 comparisons, 38 kept, 2 look reversed"),
    ],
)
def test_comparisons_that_look_reversed_are_counted(scores, words):
    four = [(t % 20, (t + 1 + t // 20) % 20, t % 20, 20 + t % 20) for t in range(40)]
    hints = Constraints(40) | Comparisons(40, pairs=four)
    scores = np.array(scores)
    held_out = HeldOutComparisons(hints.comparisons, np.zeros(40))
    report = reported(hints, consensus_of(hints, others=[held_out], scores=[scores]))
    assert report.comparisons == words
    assert report.reversed == (scores < 0).sum()


@pytest.mark.parametrize(("n_unsure", "words"), [(1, "1 question"), (2, "2 questions")])
def test_comparisons_that_were_read_as_pairs_are_not_tested_for_reversal(n_unsure, words):
    hints = Constraints(40) | Comparisons(40, nearer=[(0, 1, 20)], unsure=[(0, 1, 2, 3), (4, 5, 6, 7)][:n_unsure])
    report = reported(hints, consensus_of(hints, stated=hints.as_pairs()))
    assert report.comparisons == f"1 comparison, read as pairs, as ties were left open ({words})"
    assert report.reversed == 0


def test_preferences_that_the_result_agrees_with_are_counted():
    liked, disliked = Preference(LABELS, np.zeros(40, dtype=int)), Preference(np.zeros(40, dtype=int), LABELS)
    undecided = Preference(np.arange(40) % 2, np.arange(40) // 2 % 2)
    for preferences, words in (
        ([liked], "1 preference, 1 kept"),
        ([liked, disliked], "2 preferences, 1 kept"),
        ([disliked], "1 preference, 0 kept"),
    ):
        hints = Constraints(40, preferences=preferences)
        held_out = HeldOutPreferences.of(tuple(preferences), FOLDS, np.random.RandomState(0))
        scores = held_out.scores([Member("a", LABELS, fold) for fold in range(4)], FOLDS)
        assert reported(hints, consensus_of(hints, others=[held_out], scores=[scores])).preferences == words
    assert undecided.margin(np.zeros(40, dtype=int)) == 0.0


def test_hints_about_other_rows_than_landmarks_are_not_learned_from():
    hints = Constraints(40, [(0, 1), (2, 39)], [(0, 20)])
    rows = np.arange(30)
    weights = sparse.csr_array(np.eye(40, 30) + np.eye(40, 30, -10))
    placement = Landmarks(40, type("Near", (), {"n": 30}), rows, weights)
    consensus = consensus_of(placement.restrict(hints))
    run = Unsupervised(2, OTHER[:30], np.zeros((30, 2)), [OTHER[:30]], np.ones(1))
    common = {"n_clusters": 2, "kind": DataKind.TABLE, "preprocessing": ""}
    report = make_report(hints, run, replace(consensus, folds=FOLDS[:30]), placement, LABELS, **common)
    assert report.learned_from == "2 of 3 hints"
    assert (report.n_rows, report.landmarks) == (40, 30)
    nothing = make_report(hints, run, None, placement, LABELS, **common)
    assert (nothing.landmarks, nothing.trust, nothing.learned_from, nothing.n_rows) == (30, "none", "", 40)


def test_families_are_compared_with_the_result_and_with_held_out_hints():
    hints = Constraints(40, [(0, 1), (0, 5)], [(0, 20), (1, 2)], must_weight=[1.0, 0.5])
    halves = np.arange(40) // 10  # finer than the result
    members = [Member("graph", LABELS, 0), Member("graph", OTHER, 1), Member("linear", halves, 0)]
    compared = Comparisons(40, nearer=[(0, 1, 20)], weight=[2.0])
    held_out = HeldOutComparisons(compared, np.zeros(1))
    consensus = consensus_of(hints, members=members, others=[held_out], scores=[np.zeros(1)])
    plain, graph, linear = reported(hints, consensus).families
    assert [family.name for family in (plain, graph, linear)] == [UNSUPERVISED, "graph", "linear"]
    assert [family.members for family in (plain, graph, linear)] == [2, 2, 1]
    # agreement: the share of rows in the cluster that most rows of a member's cluster are in
    assert plain.agreement == pytest.approx((35 / 40 + 1) / 2)
    assert graph.agreement == pytest.approx((35 / 40 + 1) / 2)
    assert linear.agreement == 1.0
    # held-out hints: 0–1 and 0–5 together, 0–20 and 1–2 apart, and 0–1 nearer than 0–20
    weight = np.array([1.0, 0.5, 1.0, 1.0, 2.0])
    of_labels = np.array([1, 1, 1, 0, (1 + 1) / 2])
    of_other = np.array([1, 0, 0, 0, (1 + 0) / 2])
    # runs without hints have weights; of members, only those that were not trained on a hint are asked
    assert plain.held_out == pytest.approx(np.average(0.75 * of_other + 0.25 * of_labels, weights=weight))
    asked = np.array([1.0, (1 + 0) / 2, 1.0, 0.0, (1 + 0.5) / 2])
    assert (OTHER[[0, 1, 5, 20]] == [1, 1, 0, 1]).all()
    assert graph.held_out == pytest.approx(np.average(asked, weights=weight))
    assert [family.weight for family in (plain, graph, linear)] == pytest.approx([1 / 3] * 3)


# ---- hints that look wrong -----------------------------------------------------------------------------------------


def test_a_suspect_says_how_likely_it_is_wrong():
    pair = Suspect((3, 8), "must-link", 0.914, 0.256)
    assert str(pair) == "must-link 3–8: 91% likely wrong (26% put them together)"
    assert pair.than is None
    compared = Suspect((3, 8), "comparison", 0.25, -0.5, (1, 2))
    assert str(compared) == "3–8 more alike than 1–2: 25% likely reversed"


@pytest.mark.parametrize(("count", "more"), [(20, None), (21, "1"), (1_520, "1,500")])
def test_twenty_suspects_are_listed(count, more):
    suspects = Suspects(Suspect((row, 7), "must-link", 0.5, 0.0) for row in range(count))
    lines, html = repr(suspects).splitlines(), suspects._repr_html_()
    assert lines[0] == "kind       rows   likely wrong  put together"
    assert lines[1] == "must-link  0, 7            50%            0%"
    assert lines[20].startswith("must-link  19, 7")
    words = f"… {more} more, less likely wrong; to_frame() has all"
    assert lines[21:] == ([] if more is None else [words])
    assert html.count("<tr>") == 21
    assert html.endswith("</table>" if more is None else f"</table><p>{words}</p>")


def test_suspects_in_a_notebook():
    suspects = Suspects([Suspect((0, 1), "comparison", 0.5, 0.4, (0, 2)), Suspect((4, 5), "<b>", 0.1, 0.9)])
    assert suspects._repr_html_() == (
        "<table><caption>Hints, most likely wrong first</caption><thead><tr><th>kind</th><th>rows</th>"
        "<th>likely wrong</th><th>put together</th></tr></thead><tbody>"
        "<tr><td>comparison</td><td>0, 1 vs. 0, 2</td><td>50%</td><td>40%</td></tr>"
        "<tr><td>&lt;b&gt;</td><td>4, 5</td><td>10%</td><td>90%</td></tr></tbody></table>"
    )
    assert repr(Suspects()) == "no hints"
    assert Suspects()._repr_html_() == "<p>no hints</p>"


def test_suspects_stay_suspects():
    suspects = Suspects(Suspect((row, row + 1), "must-link", 0.5, 0.0) for row in range(4))
    assert isinstance(suspects[1:3], Suspects)
    assert len(suspects[1:3]) == 2
    assert suspects[1] == Suspect((1, 2), "must-link", 0.5, 0.0)
    again = pickle.loads(pickle.dumps(suspects))
    assert again == suspects
    assert isinstance(again, Suspects)
    plain = suspects.to_frame(backend="polars")
    assert plain.columns == ["left", "right", "kind", "wrong", "together"]


def test_partitions_count_as_hints_that_are_learned_from():
    hints = Constraints(40, partitions=[Partition(np.where(np.arange(40) < 4, np.arange(40) % 2, -1))])
    report = reported(hints, consensus_of(hints))
    assert report.learned_from == ""
    assert report.dropped == 0
