"""Links of any form as one directed n×n matrix of ones."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from ..._arrays import IntArray
from ...constraints._io import ROW_NUMBER, RowIds, check_number_of_rows, row_numbers
from ...constraints._pair_tables import LEFT, RIGHT, pair_columns
from ...constraints._validate import whole_number, whole_numbers
from ...tables import read_raw


def link_matrix(links: Any, n_samples: int | None = None, *, ids: Any = None) -> sparse.csr_array:
    """Links as a sparse matrix: entry (i, j) is 1 where document i links to document j.

    Parameters
    ----------
    links : (m, 2) array-like, (n, n) sparse matrix, networkx graph, or path of a table
        Pairs go from the first to the second. In a matrix every non-zero entry is a link. An undirected graph links
        both ways. A file (.csv, .tsv, .txt, .xlsx, .jsonl, .parquet) has two columns: the first links to the second. A
        line of names is not needed; if they are called left and right, source and target, from and to, or citing and
        cited, their order does not matter, and other columns are ignored.
    n_samples : int, optional
        Number of documents. Default: that of ``ids`` or of a matrix, else the largest row number + 1.
    ids : list-like, optional
        Ids of the documents in order. Pairs, the nodes of a graph and the entries of a file are then ids,
        compared as text, instead of row numbers.

    Returns
    -------
    (n, n) csr_array of float64
        A link from a document to itself is dropped; a link given twice counts
        once. A document without links is an empty row and column.

    Examples
    --------
    >>> from likewise.sources.links import link_matrix
    >>> link_matrix([(0, 1), (0, 1), (2, 2), (2, 0)], 3).toarray()
    array([[0., 1., 0.],
           [0., 0., 0.],
           [1., 0., 0.]])
    >>> link_matrix([("b", "a")], ids=["a", "b"]).toarray()
    array([[0., 0.],
           [1., 0.]])
    """
    row_ids = None if ids is None else RowIds(ids)
    n = _n_samples(n_samples, row_ids)
    if sparse.issparse(links):
        pairs, n = _from_matrix(links, n)
    elif isinstance(links, str | os.PathLike):
        pairs, n = _from_file(Path(links), n, row_ids)
    elif hasattr(links, "nodes") and hasattr(links, "edges"):
        pairs, n = _from_graph(links, n, row_ids)
    else:
        pairs, n = _from_pairs(links, n, row_ids)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    # scikit-learn's k-means takes 32-bit indices only
    ends = pairs.astype(sparse.get_index_dtype(maxval=max(n, len(pairs))))
    matrix = sparse.csr_array((np.ones(len(pairs)), (ends[:, 0], ends[:, 1])), shape=(n, n))
    matrix.sum_duplicates()
    matrix.data[:] = 1.0
    return matrix


def undirected(matrix: sparse.csr_array) -> sparse.csr_array:
    """The same links without their direction: symmetric, and still ones.

    >>> undirected(link_matrix([(0, 1), (1, 0), (2, 1)])).toarray()
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    """
    return sparse.csr_array(matrix.maximum(matrix.T))


def undirected_pairs(matrix: sparse.csr_array) -> IntArray:
    """Each linked pair once, the lower row first.

    >>> undirected_pairs(link_matrix([(0, 1), (1, 0), (2, 1)])).tolist()
    [[0, 1], [1, 2]]
    """
    upper = sparse.triu(undirected(matrix), k=1, format="csr").tocoo()
    return np.column_stack([upper.row, upper.col]).astype(np.int64)


def _n_samples(n_samples: int | None, ids: RowIds | None) -> int | None:
    if n_samples is not None:
        n_samples = whole_number(n_samples, "n_samples", remedy="Pass the number of documents, len(X).")
    if ids is None:
        return n_samples
    if n_samples is not None and len(ids) != n_samples:
        raise ValueError(f"ids names {len(ids)} documents, there are {n_samples}. Give one id for each row of X.")
    return len(ids)


def _from_matrix(links: Any, n: int | None) -> tuple[IntArray, int]:
    rows, columns = links.shape
    if rows != columns or (n is not None and rows != n):
        wanted = "as many columns as rows" if n is None else f"the shape ({n}, {n})"
        raise ValueError(
            f"a matrix of links must have {wanted}, got {links.shape}. "
            "Entry (i, j) says whether i links to j; give documents without links an empty row and column."
        )
    entries = links.tocoo()
    wrong = np.flatnonzero(~np.isfinite(entries.data))
    if wrong.size:
        i, j = entries.row[wrong[0]], entries.col[wrong[0]]
        raise ValueError(
            f"links[{i}, {j}] = {entries.data[wrong[0]]} is not a link. Leave the entry out, or set it to 1."
        )
    there = entries.data != 0
    return np.column_stack([entries.row[there], entries.col[there]]).astype(np.int64), rows


def _from_pairs(links: Any, n: int | None, ids: RowIds | None) -> tuple[IntArray, int]:
    if ids is not None:
        stated = [tuple(pair) for pair in np.asarray(links, dtype=object)] if _table(links) else list(map(tuple, links))
        for index, pair in enumerate(stated):
            if len(pair) != 2:
                raise ValueError(f"links[{index}] = {pair} is not a pair. Write it as (from, to).")
        ends = [end for pair in stated for end in pair]
        return ids.rows(ends, lambda place: f"links[{place // 2}]").reshape(-1, 2), len(ids)
    pairs = whole_numbers(
        links, "links", remedy="Rows are numbers, counted from 0; where they have names, pass ids=..."
    )
    if pairs.size == 0:
        pairs = pairs.reshape(0, 2)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError(
            f"links must be pairs of rows, got shape {pairs.shape}. Write them as [(0, 3), (2, 5)]; "
            "a dense n×n matrix of links goes through scipy.sparse.csr_array(matrix)."
        )
    n = int(pairs.max(initial=-1)) + 1 if n is None else n
    wrong = np.flatnonzero(((pairs < 0) | (pairs >= n)).any(axis=1))
    if wrong.size:
        raise ValueError(
            f"links[{wrong[0]}] = {tuple(pairs[wrong[0]].tolist())} is outside the {n} documents. "
            "Rows are counted from 0; pass ids=... if the links name documents."
        )
    return pairs, n


def _table(links: Any) -> bool:
    return hasattr(links, "__array__")  # an array or a data frame, which would iterate over its columns


def _from_graph(graph: Any, n: int | None, ids: RowIds | None) -> tuple[IntArray, int]:
    edges = np.empty((graph.number_of_edges(), 2), dtype=object)
    for place, edge in enumerate(graph.edges()):
        edges[place] = edge[:2]
    if ids is None:
        for node in graph.nodes:
            if isinstance(node, bool) or not isinstance(node, int | np.integer):
                raise TypeError(
                    f"node {node!r} of the graph is not a row number. Pass ids=... with the node of each row, in order."
                )
        n = max((int(node) + 1 for node in graph.nodes), default=0) if n is None else n
        for node in graph.nodes:
            if not 0 <= node < n:
                raise ValueError(f"node {node!r} of the graph is outside the {n} documents, counted from 0.")
        pairs = edges.astype(np.int64)
    else:
        pairs, n = ids.rows(edges.ravel().tolist(), lambda place: "the graph").reshape(-1, 2), len(ids)
    return pairs if graph.is_directed() else np.vstack([pairs, pairs[:, ::-1]]), n


def _from_file(path: Path, n: int | None, ids: RowIds | None) -> tuple[IntArray, int]:
    table = read_raw(path, is_header=lambda first, others: _names_columns(first, ids))
    columns = pair_columns(table)
    if columns is None:
        raise ValueError(
            f"{path}: links need two columns, from which row and to which. Found {table.listed_columns()}."
        )

    def where(row: int) -> str:
        return f"{path}, {table.where(row)}"

    ends = []
    for name in (columns.left, columns.right):
        cells = table.columns[name]
        if not isinstance(cells, np.ndarray):
            cells = [str(cell).strip() for cell in cells]
        ends.append(row_numbers(cells, n, where) if ids is None else ids.rows(cells, where))
    found = np.column_stack(ends)
    if n is None:
        n = int(found.max(initial=-1)) + 1
        check_number_of_rows(n, str(path))
    return found, n


def _names_columns(first: list[str], ids: RowIds | None) -> bool:
    """Whether the first line of a file of links names its columns; it is a link if it names a row."""
    if {name.lower() for name in first} & (LEFT | RIGHT):
        return True
    if ids is None:
        return not all(ROW_NUMBER.fullmatch(name) for name in first[:2])
    return not any(name in ids for name in first[:2])
