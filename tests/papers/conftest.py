"""A paper small enough to run in a test."""

import pytest

CLAIMS = """
title = "A paper of two tables"
reference = "Nobody, 2026"

claim = [
  {id = "table2/blobs/timed/seconds", published = 7, lower_is_better = true, unit = "s"},
  {id = "table2/blobs/timed/width", published = 9},
  {id = "figure1/steady", rises = "table1/blobs/*/k-means", says = "more hints never hurt"},
  {id = "figure1/best", above = ["table1/blobs/*/k-means", "table1/blobs/*/half"], says = "it leads"},
]

[[table]]
cells = "table1/blobs/{column}/{row}"
columns = ["10", "20"]
values = [
  ["k-means", 1.0, 0.5],
  ["refuses", 0.9, nan],
]
quick = ["*/10/k-means"]

[titles]
table1 = "Rand index"
table2 = "Time and width"

[because]
"table2" = "the width is another"
"""

RUN = """
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from likewise.evaluation.protocols import Trial, case, clustered


class NoAnswer(ValueError):
    pass


def refuses(drawn, seed):
    raise NoAnswer("cannot be done")


def trials():
    for amount in (10, 20):
        def draw(seed, amount=amount):
            X, y = make_blobs(60, centers=3, cluster_std=0.2, random_state=1)
            return case(X, y, "random_pairs", amount, random_state=seed)

        yield Trial(
            f"table1/blobs/{amount}",
            draw,
            {
                "k-means": clustered(lambda case, seed: KMeans(case.n_clusters, n_init=3, random_state=seed)),
                "half": lambda case, seed: np.arange(len(case.y)) % 2,
                "refuses": refuses,
                "likewise": lambda case, seed: case.y,
            },
            scores=("rand",),
            seeds=3,
            refusals=(NoAnswer,),
        )
    yield Trial("table2/blobs", draw, {"timed": lambda case, seed: {"seconds": 0.1, "width": 2}}, scores=(), seeds=2)
"""


@pytest.fixture
def papers(tmp_path, monkeypatch):
    """A package of papers with one study, ``tiny``: its name."""
    name = f"papers_{tmp_path.name.replace('-', '_')}"
    folder = tmp_path / name / "tiny"
    folder.mkdir(parents=True)
    for package in (folder.parent, folder):
        (package / "__init__.py").write_text("", encoding="utf-8")
    (folder / "claims.toml").write_text(CLAIMS, encoding="utf-8")
    (folder / "run.py").write_text(RUN, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return name
