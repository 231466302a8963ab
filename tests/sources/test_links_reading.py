"""All kinds of links are one matrix, and a wrong link is named."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from cases.data import law
from likewise.sources.links import link_matrix, linked_pairs
from likewise.sources.links._read import undirected, undirected_pairs

PAIRS = [(0, 1), (2, 1), (2, 1), (3, 3), (1, 0)]
NAMES = ["a", "b", "c", "d", "e"]
MATRIX = np.zeros((5, 5))
MATRIX[[0, 2, 1], [1, 1, 0]] = 1


def write(path, lines):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def kinds(folder):
    named = [(NAMES[i], NAMES[j]) for i, j in PAIRS]
    graph, by_name = nx.DiGraph(PAIRS), nx.DiGraph(named)
    graph.add_node(4)
    yield "pairs", PAIRS, {"n_samples": 5}
    yield "array", np.array(PAIRS), {"n_samples": 5}
    yield "generator", (pair for pair in PAIRS), {"n_samples": 5}
    yield "frame", pd.DataFrame(PAIRS), {"n_samples": 5}
    yield "named pairs", named, {"ids": NAMES}
    yield "named frame", pd.DataFrame(named), {"ids": NAMES}
    yield "named array", np.array(named), {"ids": np.array(NAMES)}
    weights = sparse.coo_matrix((np.array([3.0, 0.5, 2.0, 1.0, 0.0]), ([0, 2, 1, 3, 4], [1, 1, 0, 3, 0])), shape=(5, 5))
    for form in (sparse.csr_array(weights), weights, weights.tocsc()):
        yield f"sparse {type(form).__name__}", form, {}
    yield "graph", graph, {}
    yield "multigraph", nx.MultiDiGraph(PAIRS), {"n_samples": 5}
    yield "named graph", by_name, {"ids": NAMES}
    numbers, words = [f"{i},{j}" for i, j in PAIRS], [f"{i}\t{j}\t7" for i, j in named]
    yield "csv", write(folder / "links.csv", ["left,right", *numbers, ""]), {"n_samples": 5}
    yield "tsv", str(write(folder / "links.tsv", ["Left\tright\tyear", *words])), {"ids": NAMES}
    swapped = [f"{j},{i}" for i, j in PAIRS]
    yield "no names", write(folder / "bare.csv", numbers), {"n_samples": 5}
    yield (
        "other names",
        write(folder / "years.csv", ["a;b", *(line.replace(",", ";") for line in numbers)]),
        {"n_samples": 5},
    )
    yield "spaces", write(folder / "edges.txt", [f"{i} {j}" for i, j in named]), {"ids": NAMES}
    yield (
        "stems",
        write(folder / "cites.tsv", ["citing\tcited", *(f"{i}\t{j}" for i, j in named)]),
        {"ids": [f"papers/{name}.txt" for name in NAMES]},
    )
    yield (
        "swapped names",
        write(folder / "target.csv", ["target,source", *(f"{j},{i}" for i, j in PAIRS)]),
        {"n_samples": 5},
    )
    yield "swapped columns", write(folder / "swapped.csv", ["right,left", *swapped]), {"n_samples": 5}


def test_all_kinds_are_the_same_matrix(tmp_path):
    for kind, links, known in kinds(tmp_path):
        found = link_matrix(links, **known)
        assert np.array_equal(found.toarray(), MATRIX), kind
        assert found.nnz == 3


def test_an_undirected_graph_links_both_ways():
    assert np.array_equal(link_matrix(nx.path_graph(3)).toarray(), nx.to_numpy_array(nx.path_graph(3)))
    both = undirected(link_matrix(PAIRS, 5)).toarray()
    assert np.array_equal(both, np.maximum(MATRIX, MATRIX.T))
    assert undirected_pairs(link_matrix(PAIRS, 5)).tolist() == [[0, 1], [1, 2]]
    assert linked_pairs(PAIRS, 5).must_link.tolist() == [[0, 1], [1, 2]]


def test_the_number_of_documents_where_the_links_tell():
    assert link_matrix(PAIRS).shape == (4, 4)
    assert link_matrix([], 3).shape == (3, 3)
    assert link_matrix([]).shape == (0, 0)
    assert link_matrix(nx.empty_graph(4)).shape == (4, 4)


@law
@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=30))
def test_a_matrix_goes_through_unchanged(pairs):
    found = link_matrix(pairs, 8)
    assert np.array_equal(link_matrix(found).toarray(), found.toarray())
    assert {tuple(map(int, pair)) for pair in np.argwhere(found.toarray())} == {(i, j) for i, j in pairs if i != j}


@pytest.mark.parametrize(
    ("links", "known", "message"),
    [
        ([(0, 1), (2, 5)], {"n_samples": 5}, r"links\[1\] = \(2, 5\) is outside the 5 documents.* pass ids="),
        ([(-1, 2)], {}, r"links\[0\] = \(-1, 2\) is outside"),
        ([(0, 1, 2)], {}, r"links must be pairs of rows, got shape \(1, 3\)"),
        (np.eye(5), {"n_samples": 5}, r"got shape \(5, 5\).*scipy\.sparse\.csr_array"),
        ([("a", "z")], {"ids": NAMES}, r"links\[0\]: id 'z' is not among the 5 ids"),
        ([("a", "b", "c")], {"ids": NAMES}, r"links\[0\] = \('a', 'b', 'c'\) is not a pair"),
        ([(0, 1)], {"ids": ["a", "a"]}, r"ids\[0\] and ids\[1\] are both 'a'"),
        ([(0, 1)], {"ids": NAMES, "n_samples": 4}, "ids names 5 documents, there are 4"),
        (sparse.csr_array((2, 3)), {}, r"as many columns as rows, got \(2, 3\)"),
        (sparse.csr_array((2, 2)), {"n_samples": 3}, r"the shape \(3, 3\), got \(2, 2\)"),
        (sparse.csr_array([[0, np.nan], [0, 0]]), {}, r"links\[0, 1\] = nan is not a link"),
        (nx.path_graph(4), {"n_samples": 3}, "node 3 of the graph is outside the 3 documents"),
        (nx.DiGraph([("a", "q")]), {"ids": NAMES}, "the graph: id 'q' is not among the 5 ids"),
    ],
)
def test_what_is_wrong_is_said(links, known, message):
    with pytest.raises(ValueError, match=message):
        link_matrix(links, **known)


def test_wrong_types():
    with pytest.raises(TypeError, match=r"node 'a' of the graph is not a row number. Pass ids="):
        link_matrix(nx.DiGraph([("a", "b")]))
    with pytest.raises(TypeError, match=r"links\[0\]\[0\] = .* is not a whole number.*pass ids="):
        link_matrix([("a", "b")])


@pytest.mark.parametrize(
    ("lines", "known", "message"),
    [
        (["from", "0"], {}, ": links need two columns, from which row and to which. Found from"),
        (["left,right", "0,1", "0,x"], {}, ", line 3: 'x' is not a row number. Pass ids="),
        (["left,right", "0,1", "", "0,1,2"], {}, ", line 4: 3 cells where the header has 2 columns"),
        (["left,right", "0,7"], {"n_samples": 5}, ", line 2: row 7 is outside the rows, 0 to 4"),
        (["left,right", "a,b", "a,zz"], {"ids": NAMES}, ", line 3: id 'zz' is not among the 5 ids"),
        (["left,right", "0,-1"], {}, ", line 2: row -1 is outside the rows"),
        (["a,zz", "a,b"], {"ids": NAMES}, ", line 1: id 'zz' is not among the 5 ids"),
        (
            ["left,right", "a,zz", "a,yy"],
            {"ids": NAMES},
            ", line 2: id 'zz' is not among the 5 ids.*1 more is unknown",
        ),
    ],
)
def test_a_bad_line_is_named(tmp_path, lines, known, message):
    path = write(tmp_path / "links.csv", lines)
    with pytest.raises(ValueError, match=rf"links\.csv{message}"):
        link_matrix(path, **known)
