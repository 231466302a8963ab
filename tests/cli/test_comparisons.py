"""Hints that say more than same and different, from a file of them to clusters and back."""

import json

import pytest

from likewise.constraints import Comparisons, Constraints, Preference


@pytest.fixture
def said(folder):
    """Triplets, and a preference for the classes over one cluster of all, among some rows."""
    shown = [label if row % 10 == 0 else None for row, label in enumerate(folder.y)]
    one = [None if label is None else 0 for label in shown]
    hints = Constraints.sample(folder.y, "triplets", 80, random_state=0) | Preference(shown, one)
    hints.write(folder.path / "said.csv", ids=folder.ids)
    return hints


def test_clusters_from_comparisons_and_preferences(folder, said):
    options = ["--k", 3, "--out", folder / "clusters.csv", "--model", folder / "m.likewise"]
    answer = folder.run("cluster", "flowers.csv", "--hints", "said.csv", *options, "--json")
    assert answer.exit_code == 0, answer.output
    found = json.loads(answer.stdout)
    assert (found["must_links"], found["comparisons"], found["preferences"]) == (0, len(said.comparisons), 1)
    assert found["constraint_accuracy"] > 0.9

    more = Constraints(150) | Comparisons(150, nearer=[(0, 1, 100), (60, 61, 101)])
    more.write(folder.path / "more.csv", ids=folder.ids)
    options = ["--from", "m.likewise", "--hints", "more.csv", "--out", folder / "second.csv"]
    answer = folder.run("cluster", "flowers.csv", *options)
    assert answer.exit_code == 0, answer.output
    assert f"2 more comparisons in hints ({len(said.comparisons)} before)" in answer.output
    assert "0 more preferences in hints (1 before)" in answer.output


def test_comparisons_that_contradict_are_mentioned(folder):
    folder.write("said.csv", "left,right,kind,third\nf0,f1,nearer,f60\nf0,f60,nearer,f1\nf2,f1,nearer,f60\n")
    answer = folder.run("cluster", "flowers.csv", "--hints", "said.csv", "--k", 3, "--out", folder / "clusters.csv")
    assert answer.exit_code == 0, answer.output
    assert "2 contradictions among the hints: see `likewise hints check`" in answer.output
    answer = folder.run("hints", "check", "said.csv", "--for", "flowers.csv")
    assert answer.exit_code == 1
    assert "'f0'–'f1' nearer than 'f0'–'f60', 'f0'–'f60' nearer than 'f0'–'f1'" in answer.output


def test_a_method_that_uses_pairs_alone(folder, said):
    options = ["--k", 3, "--out", folder / "clusters.csv", "--method", "pck"]
    answer = folder.run("cluster", "flowers.csv", "--hints", "said.csv", *options)
    assert answer.exit_code == 2
    assert f"PCKMeans does not use {len(said.comparisons)} comparisons" in answer.output
    assert "clusters.csv" not in folder.names()
    answer = folder.run("cluster", "flowers.csv", "--hints", "said.csv", "--hints", "pairs.csv", *options)
    assert answer.exit_code == 0, answer.output
    assert "and 1 preference of the constraints. Likewise does." in answer.output
