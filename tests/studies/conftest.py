"""A paper small enough to run in a test."""

import pytest

CLAIMS = """
title = "A paper of two tables"
reference = "Nobody, 2026"

claim = [
  {id = "table1/blobs/10/k-means", published = 1.0, quick = true},
  {id = "table1/blobs/20/k-means", published = 0.5},
  {id = "table1/blobs/10/refuses", published = 0.9},
  {id = "table2/blobs/timed/seconds", published = 7, lower_is_better = true, unit = "s"},
  {id = "table2/blobs/timed/width", published = 9},
  {id = "figure1/steady", published = 1, rises = "table1/blobs/*/k-means", says = "more hints never hurt"},
  {id = "figure1/best", published = 1, above = ["table1/blobs/*/k-means", "table1/blobs/*/half"], says = "it leads"},
]

[titles]
table1 = "Rand index"

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
def papers(tmp_path):
    folder = tmp_path / "papers" / "tiny"
    folder.mkdir(parents=True)
    (folder / "claims.toml").write_text(CLAIMS, encoding="utf-8")
    (folder / "run.py").write_text(RUN, encoding="utf-8")
    return folder.parent
