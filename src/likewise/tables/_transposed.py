"""Tables whose columns are the items, as genes in rows and samples in columns."""

from __future__ import annotations

import numpy as np

from ._cells import as_numbers, as_texts
from ._raw import RawTable

SAMPLES = "sample"
"""The column of ids of a transposed table: what its columns were called."""


def transposed(raw: RawTable, id: str | None = None) -> RawTable:
    """The same with rows and columns exchanged.

    Parameters
    ----------
    raw : RawTable
        A table of numbers beside a column of names, or a matrix.
    id : str, optional
        The column that names the rows; by default the first one that does not hold numbers, else rows are numbered.

    Returns
    -------
    RawTable
        One row for each column of numbers, called as it was; one column for each row.

    Examples
    --------
    >>> genes = RawTable("t.csv", 2, {"gene": ["BRCA1", "TP53"], "S1": ["0.5", "1"], "S2": ["2", "3"]})
    >>> columns = transposed(genes).columns
    >>> columns["sample"], columns["TP53"].tolist()
    (['S1', 'S2'], [1.0, 3.0])
    """
    if raw.images is not None or raw.text is not None:
        raise ValueError(f"{raw.source} holds texts or images, which cannot be transposed. Leave --transpose out.")
    left_out = dict(raw.left_out)
    if raw.matrix is not None:
        rows = [str(cell) for cell in raw.columns[raw.id]] if raw.id else [f"x{row}" for row in range(raw.n)]
        names = raw.matrix_names or tuple(f"column {place}" for place in range(raw.matrix.shape[1]))
        matrix = raw.matrix.T
        matrix = matrix.tocsr() if hasattr(matrix, "tocsr") else np.ascontiguousarray(matrix)
        columns = {SAMPLES: list(names)}
        return RawTable(raw.source, matrix.shape[0], columns, matrix=matrix, matrix_names=tuple(rows), id=SAMPLES)
    numbers = {name: as_numbers(cells) for name, cells in raw.columns.items() if name != id}
    texts = [name for name, column in numbers.items() if column.wrong or column.n_missing == raw.n]
    id = id if id is not None else next((name for name in texts if numbers[name].wrong), None)
    left_out.update({name: "not numbers, so it is not transposed" for name in texts if name != id})
    samples = [name for name in numbers if name not in (*texts, id)]
    if len(samples) < 2:
        raise ValueError(
            f"{raw.source} has {len(samples)} columns of numbers, and transposing makes a row of each. It needs two or "
            f"more. Its columns: {raw.listed_columns()}."
        )
    genes = [str(row) for row in range(raw.n)] if id is None else _unique(raw, id)
    if SAMPLES in genes:
        raise ValueError(f"{raw.source} has a row called {SAMPLES!r}, which would be a column of ids. Rename it.")
    values = np.column_stack([numbers[name].values for name in samples])
    columns = {SAMPLES: samples, **{gene: values[row] for row, gene in enumerate(genes)}}
    return RawTable(raw.source, len(samples), columns, id=SAMPLES, left_out=left_out)


def _unique(raw: RawTable, id: str) -> list[str]:
    """Names of rows; those that occur again get a number."""
    seen: dict[str, int] = {}
    names = []
    for row, text in enumerate(as_texts(raw.column(id))):
        name = f"row {row}" if text is None else text
        seen[name] = seen.get(name, 0) + 1
        names.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return names
