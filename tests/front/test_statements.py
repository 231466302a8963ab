"""Comparisons and preferences in Likewise: likelihoods by enumeration, forms by loops, and what must never happen."""

import tracemalloc
from itertools import combinations, product

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import scale

from likewise import Comparisons, Constraints, Likewise, Preference
from likewise.evaluation import constraint_accuracy, normalized_mutual_information
from likewise.front import _held_out, _members, _soft_assignment, _training
from likewise.front._answerer import VOTES_SHARE, answered_ties, are_pairs, decided_share, tie_share, worth_in_pairs
from likewise.front._evidence import Evidence, family_weights
from likewise.front._folds import Statements
from likewise.front._held_out import (
    HeldOutComparisons,
    HeldOutPreferences,
    calibrated_slopes,
    disputed_pairs,
    log_likelihoods,
    log_odds,
    resemblance,
)
from likewise.front._learned_map import ERROR_RATE, disputed_graph, links_of
from likewise.front._members import Member
from likewise.front._soft_assignment import _with_comparisons, softmax_labels
from likewise.front._suspects import as_said
from likewise.front._unsupervised import Features, cluster_unsupervised

X, Y = load_wine(return_X_y=True)
X = scale(X)


def fitted(constraints, **params):
    return Likewise(3, verbose=False, random_state=0, **params).fit(X, constraints=constraints)


def nmi(labels, y=Y):
    return normalized_mutual_information(y, labels)


@pytest.fixture(scope="module")
def unsupervised():
    features = Features.of(X)
    return cluster_unsupervised(features, 3, np.random.RandomState(0))


class TestLikelihood:
    """P(answer) against the sum over all labelings of the rows."""

    @pytest.mark.parametrize("rows", [(0, 1, 0, 2), (0, 1, 2, 3)], ids=["triplet", "quadruple"])
    def test_of_any_joint_distribution_if_ties_are_a_coin(self, rows):
        rng = np.random.default_rng(0)
        labelings = np.array(list(product(range(3), repeat=4)))
        for _ in range(20):
            chance = rng.dirichlet(np.ones(len(labelings)))
            near, far = (labelings[:, rows[a]] == labelings[:, rows[b]] for a, b in ((0, 1), (2, 3)))
            decided = np.where(near & ~far, 1 - ERROR_RATE, np.where(far & ~near, ERROR_RATE, 0.5))
            stated, _ = _with_comparisons(
                np.array([chance @ near, chance @ far]), 0, np.array([0.5]), np.zeros(0, bool), np.zeros(0), np.ones(1)
            )
            assert stated[0] == pytest.approx(chance @ decided, abs=1e-12)

    def test_of_independent_rows_if_ties_go_by_resemblance(self):
        rng = np.random.default_rng(1)
        for tie in (0.2, 0.5, 0.9):
            chances = rng.dirichlet(np.ones(3), size=4)
            expected = 0.0
            for labels in product(range(3), repeat=4):
                near, far = labels[0] == labels[1], labels[2] == labels[3]
                answer = tie if near == far else 1 - ERROR_RATE if near else ERROR_RATE
                expected += answer * np.prod([chances[row, label] for row, label in enumerate(labels)])
            together = np.array([chances[0] @ chances[1], chances[2] @ chances[3]])
            stated, _ = _with_comparisons(together, 0, np.array([tie]), np.zeros(0, bool), np.zeros(0), np.ones(1))
            assert stated[0] == pytest.approx(expected, abs=1e-12)

    @pytest.mark.parametrize("ties", ["coin", "resemblance"])
    @pytest.mark.parametrize("pairs", [0, 4])
    def test_its_gradient_is_that_of_central_differences(self, monkeypatch, ties, pairs):
        rng = np.random.default_rng(2)
        affine = np.hstack([rng.normal(size=(20, 3)), np.ones((20, 1))])
        y = rng.integers(0, 3, 20)
        comparisons = Constraints.sample(y, "triplets", 15, ties="coin", random_state=0).comparisons
        told = Constraints.sample(y, "random_pairs", pairs, random_state=0) if pairs else Constraints(20)
        statements = Statements.of(told, np.random.RandomState(0))
        odds = np.zeros(len(comparisons)) if ties == "coin" else rng.normal(size=len(comparisons))
        minimize, worst = _soft_assignment.minimize, []

        def checked(loss, start, **options):
            at = start + 0.1 * rng.normal(size=start.shape)
            slopes = [(loss(at + 1e-5 * e)[0] - loss(at - 1e-5 * e)[0]) / 2e-5 for e in np.eye(len(at))]
            worst.append(np.abs(loss(at)[1] - slopes).max() / np.abs(slopes).max())
            return minimize(loss, start, **options)

        monkeypatch.setattr(_soft_assignment, "minimize", checked)
        softmax_labels(affine, statements, y, 3, None, (comparisons, odds))
        assert worst[0] < 1e-8

    def test_comparisons_alone_move_the_softmax(self):
        rng = np.random.default_rng(0)
        y = np.repeat([0, 1], 30)
        rows = np.column_stack([2 * y + 0.5 * rng.normal(size=60), rng.normal(size=60)])
        affine = np.hstack([rows - rows.mean(axis=0), np.ones((60, 1))])
        comparisons = Constraints.sample(y, "triplets", 300, ties="coin", random_state=0).comparisons
        statements = Statements.of(Constraints(60), np.random.RandomState(0))
        start = (rows.sum(axis=1) > 1).astype(int)
        labels, _ = softmax_labels(affine, statements, start, 2, None, (comparisons, np.zeros(len(comparisons))))
        assert nmi(labels, y) > nmi(start, y) + 0.2


class TestAnswerer:
    def test_how_often_clusters_decide(self):
        for k in (2, 3, 10):
            y = np.arange(300) % k
            sampled = Constraints.sample(y, "triplets", 2000, random_state=0).comparisons
            assert len(sampled) / 2000 == pytest.approx(decided_share(k), abs=0.03)

    @pytest.mark.parametrize("how", ["triplets", "odd"])
    def test_who_may_leave_questions_open_is_told_from_who_must_answer(self, unsupervised, how):
        free, forced = (
            Constraints.sample(Y, how, 100, ties=ties, random_state=0).comparisons for ties in ("unsure", "coin")
        )
        assert answered_ties(free, unsupervised) < 0.3
        assert answered_ties(forced, unsupervised) == 1.0
        assert are_pairs(free, unsupervised)
        assert not are_pairs(forced, unsupervised)
        assert not are_pairs(Comparisons(len(Y)), unsupervised)

    def test_questions_that_clusters_do_not_decide_are_counted_by_a_loop(self, unsupervised):
        rows = np.random.default_rng(0).integers(0, len(Y), size=(60, 4))
        seen = 0.0
        for labels, weight in zip(unsupervised.labelings, unsupervised.weights, strict=True):
            open_ = [(labels[a] == labels[b]) == (labels[c] == labels[d]) for a, b, c, d in rows]
            seen += weight / unsupervised.weights.sum() * np.mean(open_)
        expected = VOTES_SHARE * seen + (1 - VOTES_SHARE) * (1 - decided_share(3))
        assert tie_share(rows[:, :2], rows[:, 2:], unsupervised) == pytest.approx(expected)

    def test_somebody_who_leaves_all_ties_open_answered_none_of_them(self, unsupervised):
        rng = np.random.default_rng(0)
        left_open = [rng.choice(60, 4, replace=False) for _ in range(90)]
        assert answered_ties(Comparisons(len(Y), nearer=[(0, 1, 100)], unsure=left_open), unsupervised) == 0.0

    def test_the_share_of_ties_that_were_answered_explains_how_many_questions_were(self, unsupervised):
        rng = np.random.default_rng(0)
        asked = np.array([rng.choice(len(Y), 4, replace=False) for _ in range(90)])
        answered = Comparisons(len(Y), pairs=asked[:75], unsure=asked[75:])
        found, ties = answered_ties(answered, unsupervised), tie_share(asked[:, :2], asked[:, 2:], unsupervised)
        assert 0 < found < 1
        assert (1 - ties) + found * ties == pytest.approx(75 / 90)

    def test_what_counts_as_how_many_pairs(self):
        hints = Comparisons(6, nearer=[(0, 1, 2), (3, 4, 5)]) | Preference([0, 0, 1, 1, 2, 2], [0, 1, 1, 2, 2, 0], 2.0)
        assert worth_in_pairs(hints, 2) == pytest.approx(2 * 0.5 + 1.25 * 2)
        assert worth_in_pairs(Constraints(6, [(0, 1)]), 2) == 0

    def test_comparisons_as_good_as_pairs_are_pairs_bit_for_bit(self):
        hints = Constraints.sample(Y, "triplets", 80, random_state=1)
        told, pairs = fitted(hints), fitted(hints.as_pairs())
        np.testing.assert_array_equal(told.labels_, pairs.labels_)
        np.testing.assert_array_equal(told.embedding_, pairs.embedding_)
        assert list(told.suspects_) == as_said(pairs.suspects_, hints)
        assert told.report_.gain == pairs.report_.gain


class TestForms:
    """What two clusterings dispute, against loops over all pairs."""

    better = np.array([0, 0, 1, 1, 2, 2, -1, 0, 1, 2, -1, 0])
    worse = np.array([0, 1, 1, 2, 2, 0, -1, 0, 0, 1, -1, 2])

    def disputed(self):
        for i, j in combinations(np.flatnonzero(self.better >= 0), 2):
            first, second = (codes[i] == codes[j] for codes in (self.better, self.worse))
            if first != second:
                yield i, j, bool(first)

    def test_graphs(self):
        preference = Preference(self.better, self.worse, weight=0.5)
        for side, own in (("better", True), ("worse", False)):
            expected = np.zeros((12, 12))
            for i, j, first in self.disputed():
                if first == own:
                    expected[i, j] = expected[j, i] = 1.0
            graph = disputed_graph([preference], side).without_diagonal().toarray()
            np.testing.assert_allclose(graph, expected * 0.5 * 3 * 2 / expected.sum(), atol=1e-12)

    def test_scatters(self):
        rng = np.random.default_rng(0)
        F = rng.normal(size=(12, 3))
        links = links_of(Constraints(12, preferences=[Preference(self.better, self.worse)]), closed=False)
        for scatter, own in ((links.must, True), (links.cannot, False)):
            pairs = [(i, j) for i, j, first in self.disputed() if first == own]
            expected = 3 * sum(np.outer(F[i] - F[j], F[i] - F[j]) for i, j in pairs) / (2 * len(pairs))
            np.testing.assert_allclose(scatter.matrix(F[links.rows]), expected)
            assert scatter.n_links == pytest.approx(3.0)

    def test_comparisons_beside_pairs(self):
        rng = np.random.default_rng(0)
        F = rng.normal(size=(6, 2))
        hints = Constraints(6, must_link=[(0, 1)]) | Comparisons(6, pairs=[(2, 3, 4, 5)], weight=0.5)
        links = links_of(hints, closed=True)
        half = [np.outer(F[i] - F[j], F[i] - F[j]) / 2 for i, j in ((0, 1), (2, 3), (4, 5))]
        np.testing.assert_allclose(links.must.matrix(F), half[0] + 0.5 * half[1])
        np.testing.assert_allclose(links.cannot.matrix(F), 0.5 * half[2])
        assert (links.must.n_links, links.cannot.n_links) == (1.5, 0.5)

    def test_pairs_and_margins_that_touch_a_fold(self):
        preference = Preference(self.better, self.worse)
        pairs, same = disputed_pairs(preference, np.random.RandomState(0))
        assert {(i, j, s) for (i, j), s in zip(pairs.tolist(), same.tolist(), strict=True)} == set(self.disputed())
        folds = np.arange(12) % 4
        held_out = HeldOutPreferences.of((preference,), folds, np.random.RandomState(0))
        labels = np.random.default_rng(3).integers(0, 3, 12)
        member = Member("graph", labels, fold=1)
        sides = [(labels[i] == labels[j]) == first for i, j, first in self.disputed() if folds[i] == 1 or folds[j] == 1]
        scores = held_out.scores([member], folds)
        assert scores[1] == pytest.approx(2 * np.mean(sides) - 1)
        assert scores[[0, 2, 3]].tolist() == [0.0, 0.0, 0.0]

    def test_better_and_worse_have_margins_of_one(self):
        preference = Preference(self.better, self.worse)
        folds = np.arange(12) % 4
        held_out, swapped = (
            HeldOutPreferences.of((each,), folds, np.random.RandomState(0))
            for each in (preference, Preference(self.worse, self.better))
        )
        members = [Member("graph", self.better, fold) for fold in range(4)]
        assert held_out.scores(members, folds).tolist() == [1.0] * 4
        assert swapped.scores(members, folds).tolist() == [-1.0] * 4
        assert held_out.weight.sum() == pytest.approx(1.0)

    @pytest.mark.parametrize(("weights", "count"), [([1.0, 1.0], 2), ([0.2], 1), ([3.0, 1.0], 4), ([9.0], 4)])
    def test_preferences_say_as_many_things_as_they_count_for(self, weights, count):
        preferences = tuple(Preference(self.better, self.worse, weight) for weight in weights)
        held_out = HeldOutPreferences.of(preferences, np.arange(12) % 4, np.random.RandomState(0))
        assert held_out.n_independent == count

    @pytest.mark.parametrize("request_", ["split", "merge"])
    def test_requests_are_contrasted_with_what_stays(self, request_):
        """All rows together, or none, must not pass for what was asked for."""
        shown = np.repeat([0, 1, 2], 4)
        asked = Preference.from_split(shown, [0, 1]) if request_ == "split" else Preference.from_merge(shown, [0, 1])
        pairs, same = disputed_pairs(asked, np.random.RandomState(0))
        assert same.mean() == 0.5
        folds = np.arange(12) % 4
        held_out = HeldOutPreferences.of((asked,), folds, np.random.RandomState(0))
        for labels in (np.zeros(12, dtype=int), np.arange(12)):
            members = [Member("graph", labels, fold) for fold in range(4)]
            assert held_out.scores(members, folds).mean() < 0.5
        assert len(pairs) == len(same)

    def test_a_sample_takes_less_memory_than_all_pairs(self):
        rng = np.random.default_rng(0)
        preference = Preference(rng.integers(0, 4, 3_000), rng.integers(0, 4, 3_000))
        tracemalloc.start()
        try:
            disputed_pairs(preference, np.random.RandomState(0))
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 3_000 * 2_999 // 2  # a byte for each pair

    def test_a_sample_has_each_number_once_and_in_order(self):
        numbers = np.arange(0, 300, 3)
        some = _held_out._sample(numbers, 80, np.random.RandomState(0))
        assert len(some) == 80
        assert (np.diff(some) > 0).all()
        assert set(some) < set(numbers)
        assert _held_out._sample(numbers, 100, np.random.RandomState(0)) is numbers

    def test_many_pairs_are_sampled(self):
        rng = np.random.default_rng(0)
        preference = Preference(rng.integers(0, 4, 900), rng.integers(0, 4, 900))
        pairs, same = disputed_pairs(preference, np.random.RandomState(0))
        assert len(pairs) == len(same) == _held_out.MAX_DISPUTED
        better = preference.better[pairs[:, 0]] == preference.better[pairs[:, 1]]
        worse = preference.worse[pairs[:, 0]] == preference.worse[pairs[:, 1]]
        np.testing.assert_array_equal(better, same)
        assert (better != worse).all()


def test_rounds_with_comparisons_train_each_member_once():
    hints = Constraints(6) | Comparisons(6, nearer=[(0, 1, 2)])
    rounds = _members.rounds_for(hints)
    assert len(set(rounds)) == len(rounds)
    assert set(rounds) == {*_members.ROUNDS, *((name, 0) for name in _members.COMPARED_FAMILIES)}
    assert [each for each in rounds if each in _members.ROUNDS] == list(_members.ROUNDS)
    assert _members.rounds_for(Constraints(6)) == _members.ROUNDS


class TestEvidence:
    comparisons = Constraints.sample(Y, "triplets", 120, ties="coin", random_state=0).comparisons

    def held_out(self, comparisons):
        return HeldOutComparisons(comparisons, resemblance(X, comparisons))

    def members(self):
        rng = np.random.default_rng(0)
        noisy = [np.where(rng.random(len(Y)) < 0.2, rng.integers(0, 3, len(Y)), Y) for _ in range(8)]
        return [Member(f"family {t % 2}", labels, t % 4) for t, labels in enumerate(noisy)]

    def test_reversed_answers_have_reversed_scores(self):
        turned = Comparisons(len(Y), pairs=np.hstack([self.comparisons.far, self.comparisons.near]))
        place = {tuple(row): t for t, row in enumerate(np.hstack([turned.far, turned.near]).tolist())}
        order = [place[tuple(row)] for row in np.hstack([self.comparisons.near, self.comparisons.far]).tolist()]
        folds = np.arange(len(Y)) % 4
        scores, opposite = (self.held_out(each).scores(self.members(), folds) for each in (self.comparisons, turned))
        np.testing.assert_array_equal(scores, -opposite[order])
        first, second = (resemblance(X, each) for each in (self.comparisons, turned))
        np.testing.assert_allclose(first, -second[order])

    def test_resemblance_is_in_units_of_how_much_it_varies(self):
        found = resemblance(X, self.comparisons)
        assert np.square(found).mean() == pytest.approx(1.0)
        for unit in (1e3, 1e-3):
            np.testing.assert_allclose(resemblance(unit * X, self.comparisons), found)
        np.testing.assert_array_equal(resemblance(np.ones_like(X), self.comparisons), 0.0)
        (a, b), (c, d) = self.comparisons.near[0], self.comparisons.far[0]
        assert (found[0] > 0) == (np.linalg.norm(X[a] - X[b]) < np.linalg.norm(X[c] - X[d]))
        assert resemblance(X, Comparisons(len(Y))).shape == (0,)

    def test_scores_are_those_of_a_loop(self):
        folds = np.random.default_rng(1).integers(0, 4, len(Y))
        scores = self.held_out(self.comparisons).scores(self.members(), folds)
        for t in range(len(self.comparisons)):
            (a, b), (c, d) = self.comparisons.near[t], self.comparisons.far[t]
            families = {}
            for member in self.members():
                if member.fold in folds[[a, b, c, d]]:
                    labels = member.labels
                    difference = float(labels[a] == labels[b]) - float(labels[c] == labels[d])
                    families.setdefault(member.family, []).append(difference)
            expected = np.mean([np.mean(own) for own in families.values()]) if families else 0.0
            assert scores[t] == pytest.approx(expected)

    @pytest.mark.parametrize("heavy", [False, True])
    def test_slopes_are_where_the_posterior_is_flat(self, heavy):
        rng = np.random.default_rng(0)
        rows, weight, prior = rng.normal(size=(40, 2)) / 3 + [0.2, 0.0], rng.random(40), ((6.0, 0.0), (3.0, 1.0))
        if heavy:  # whole steps would go to and fro
            rows, weight = np.array([[-0.7, -2.7], [0.9, -0.7], [0.7, -0.5], [0.6, -0.8]]), np.full(4, 4.0)
        found = calibrated_slopes(rows, weight, prior)

        def posterior(slopes):
            likelihood = -weight @ np.log1p(np.exp(-rows @ slopes))
            return likelihood - np.sum((slopes - prior[0]) ** 2 / (2 * np.square(prior[1])))

        for step in ([1e-3, 0], [0, 1e-3]):
            assert posterior(found) > max(posterior(found + step), posterior(found - np.array(step)))

    def test_what_resemblance_explains_is_no_gain(self, unsupervised):
        """People who go by resemblance alone teach nothing about clusters."""
        rng = np.random.default_rng(0)
        rows = np.array([rng.choice(len(Y), 3, replace=False) for _ in range(300)])
        distance = [np.linalg.norm(X[rows[:, 0]] - X[rows[:, place]], axis=1) for place in (1, 2)]
        rows[distance[1] < distance[0]] = rows[distance[1] < distance[0]][:, [0, 2, 1]]
        comparisons = Comparisons(len(Y), rows)
        halves = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2][0] @ X.T > 0
        members = [Member("graph", 3 * halves + unsupervised.labels, fold) for fold in range(4)]
        folds = np.arange(len(Y)) % 4
        statements = Statements.of(Constraints(len(Y)), np.random.RandomState(0))

        def gain(like):
            held_out = [HeldOutComparisons(comparisons, like)]
            return Evidence.of(statements, members, folds, unsupervised, np.random.RandomState(0), held_out).gain

        alone, beside = gain(np.zeros(len(comparisons))), gain(resemblance(X, comparisons))
        assert abs(beside) < 0.5 * abs(alone)

    def test_families_are_weighed_by_what_they_say_of_comparisons(self):
        blind = np.random.default_rng(0).permutation(Y)
        members = [Member(name, y, fold) for name, y in (("right", Y), ("blind", blind)) for fold in range(4)]
        held_out = self.held_out(self.comparisons)
        plain = log_likelihoods(held_out, np.zeros(len(self.comparisons)))
        few = Statements.of(Constraints(len(Y), [(0, 1)], [(0, 100)]), np.random.RandomState(0))
        found = family_weights(few, members, np.arange(len(Y)) % 4, np.full(2, -0.7), [(held_out, plain)])
        assert found["right"] == 1.0
        assert max(found["blind"], found["without hints"]) < 0.1

    def test_odds_of_likely_answers_are_positive(self):
        folds = np.arange(len(Y)) % 4
        held_out = self.held_out(self.comparisons)
        scores = held_out.scores(self.members(), folds)
        decided = np.abs(scores) > 0.5
        assert (np.sign(log_odds(held_out, scores))[decided] == np.sign(scores)[decided]).mean() > 0.9


class TestLikewise:
    def test_forced_answers_help(self):
        hints = Constraints.sample(Y, "triplets", 500, ties="coin", random_state=0)
        model = fitted(hints)
        assert nmi(model.labels_) > nmi(model.unsupervised_labels_) + 0.03
        assert model.report_.constraint_weight > 0.5
        assert "compared linear" in {family.name for family in model.report_.families}

    def test_the_report_counts_all_kinds_of_hints_by_weight(self):
        pairs = Constraints.sample(Y, "random_pairs", 20, random_state=0)
        hints = pairs | Constraints.sample(Y, "triplets", 60, ties="coin", random_state=0)
        model = fitted(hints)
        assert model.report_.kept == constraint_accuracy(model.labels_, hints)

    def test_answers_by_a_coin_change_next_to_nothing(self):
        rng = np.random.default_rng(0)
        rows = np.array([rng.choice(len(Y), 3, replace=False) for _ in range(200)])
        model = fitted(Comparisons(len(Y), rows))
        assert nmi(model.labels_) > nmi(model.unsupervised_labels_) - 0.01

    def test_reversed_answers_are_suspected(self):
        right = Constraints.sample(Y, "triplets", 400, random_state=0).comparisons.take(slice(None), [])
        turned = np.random.default_rng(0).random(len(right)) < 0.1
        pairs = [np.where(turned[:, None], a, b) for a, b in ((right.far, right.near), (right.near, right.far))]
        model = fitted(Comparisons(len(Y), pairs=np.hstack(pairs)))
        wrong = [Y[s.rows[0]] != Y[s.rows[1]] for s in model.suspects_]
        assert {s.kind for s in model.suspects_} == {"comparison"}
        assert roc_auc_score(wrong, [s.wrong for s in model.suspects_]) > 0.9
        assert model.report_.reversed == sum(s.wrong > 0.5 for s in model.suspects_)
        assert f"{model.report_.reversed} look reversed" in str(model.report_)
        assert "more alike than" in str(model.suspects_[0])
        assert "likely wrong" in repr(model.suspects_)

    def test_preferences_help(self):
        rng = np.random.default_rng(0)
        iris = load_iris()
        y = iris.target
        hints = Constraints(len(y))
        for _ in range(20):
            better, worse = (np.where(rng.random(150) < share, y, rng.integers(0, 3, 150)) for share in (0.9, 0.5))
            hints |= Preference(better, worse)
        model = Likewise(3, verbose=False, random_state=0).fit(iris.data, constraints=hints)
        assert nmi(model.labels_, y) > nmi(model.unsupervised_labels_, y) + 0.02
        assert "20 preferences" in str(model.report_)

    def test_requests_to_split_and_to_merge_are_preferences(self):
        pairs = Constraints.sample(Y, "random_pairs", 60, random_state=0)
        shown = fitted(None).labels_
        majority = np.array([np.bincount(Y[shown == cluster]).argmax() for cluster in range(3)])
        mixed = np.flatnonzero(majority[shown] != Y)
        told = pairs | Preference.from_split(shown, mixed) | Preference.from_merge(np.arange(len(Y)) % 6, [0, 3])
        model = fitted(told)
        assert nmi(model.labels_) > nmi(shown)
        assert "2 preferences" in str(model.report_)

    def test_one_request_alone_is_too_little_to_learn_from(self):
        shown = fitted(None).labels_
        model = fitted(Preference.from_split(shown, np.flatnonzero(shown == 1)[:10]))
        np.testing.assert_array_equal(model.labels_, shown)
        assert "worth fewer than 25 pairs" in model.report_.fallback
        assert "24 more pairs" in model.report_.advice

    def test_few_are_not_learned_from(self):
        model = fitted(Constraints.sample(Y, "triplets", 40, ties="coin", random_state=0))
        assert model.report_.fallback == "worth fewer than 25 pairs"
        assert "Pairs apply to their own rows only" in model.report_.weight_in_words
        np.testing.assert_array_equal(model.labels_, model.unsupervised_labels_)
        assert model.report_.constraint_weight == 0

    def test_strict_trust_refuses_what_cannot_be_certain(self):
        with pytest.raises(ValueError, match="a comparison only says what is more alike: there are 2 comparisons"):
            fitted(Comparisons(len(Y), nearer=[(0, 1, 2), (3, 4, 5)]), trust="strict")
        with pytest.raises(ValueError, match="a preference only says which of two clusterings is better"):
            fitted(Preference(Y, np.arange(len(Y)) % 2), trust="strict")

    def test_more_can_be_added_of_every_kind(self):
        model = fitted(Constraints.sample(Y, "random_pairs", 40, random_state=0))
        model.add_constraints(Constraints.sample(Y, "triplets", 100, ties="coin", random_state=0))
        model.add_constraints(Constraints(len(Y), preferences=[Preference(Y, np.arange(len(Y)) % 3)]))
        assert len(model.constraints_.comparisons) == 100
        assert len(model.constraints_.preferences) == 1
        assert nmi(model.labels_) > nmi(model.unsupervised_labels_)

    def test_without_them_nothing_of_it_is_used(self, monkeypatch):
        def refuse(*_args, **_options):
            raise AssertionError("there are neither comparisons nor preferences")

        for module, name in (
            (_training, "HeldOutComparisons"),
            (_training, "HeldOutPreferences"),
            (_training, "tie_odds"),
            (_members, "Terms"),
            (_soft_assignment, "_with_comparisons"),
            (_held_out, "calibrated_slopes"),
        ):
            monkeypatch.setattr(module, name, refuse)
        model = fitted(Constraints.sample(Y, "random_pairs", 60, random_state=0))
        assert {family.name for family in model.report_.families} == {*_members.FAMILIES, "without hints"}
