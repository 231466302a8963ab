"""A method of one's own in the tables of the papers: ``likewise papers --with mine.py:Class``."""

import pytest
from papers.framework.command import run_outside, run_papers

from likewise import _methods

MINE = """
class EveryThird:
    def __init__(self, n_clusters=3):
        self.n_clusters = n_clusters

    def fit(self, X, y=None):
        self.labels_ = [row % self.n_clusters for row in range(X.shape[0])]
        return self


class NoClusters:
    def fit(self, X):
        return self
"""


@pytest.fixture
def mine(tmp_path, monkeypatch):
    monkeypatch.setattr(_methods, "_REGISTERED", [])
    path = tmp_path / "mine.py"
    path.write_text(MINE, encoding="utf-8")
    return path


def test_a_class_of_ones_own_in_the_tables_of_papers(papers, mine, tmp_path, capsys):
    assert run_papers(papers, "tiny", jobs=1)
    capsys.readouterr()
    before = (tmp_path / papers / "tiny" / "results.csv").read_text(encoding="utf-8")
    out = tmp_path / "out"
    address = f"{mine}:EveryThird"
    assert run_outside(papers, address, out=out, jobs=1)
    printed = capsys.readouterr().out
    assert "every-third is at or above likewise in 0 of 2 rows" in printed.replace("\n", " ")
    lines = (out / "TABLE.md").read_text(encoding="utf-8").splitlines()
    assert "| paper | row | every-third | runs | likewise | best measured | best published |" in lines
    (row,) = [line for line in lines if line.startswith("| tiny | table1/blobs/10 |")]
    assert row.endswith("| 3 | 1.000 | 1.000 (k-means) | 1.000 (k-means) |")
    assert (tmp_path / papers / "tiny" / "results.csv").read_text(encoding="utf-8") == before
    assert run_outside(papers, address, cell="table1/blobs/20", quick=True, out=tmp_path / "few", jobs=2)
    assert run_outside(papers, address, cell="figure9", out=tmp_path / "none", jobs=1)
    assert "every-third has no answer in any row of 'figure9'" in capsys.readouterr().out
    assert not run_outside(papers, f"{mine}:NoClusters", out=tmp_path / "failed", jobs=1)
    assert "NoClusters has no parameter n_clusters" in capsys.readouterr().out.replace("\n", " ")
