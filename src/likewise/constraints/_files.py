"""Hints in files: tables (.csv, .tsv, .parquet) and .json, read back exactly as they were written.

A table has a line for each pair, and a line for each row of a partition::

    # n_samples=150
    left,right,kind,weight
    0,17,must-link,1.0
    3,8,cannot-link,0.5
    4,p0:2,"partition:same,across",1.0

The last one puts row 4 into block 2 of partition p0. Its kind names what the partition means, of "same"
(within), "across" (different) and "within" (different). The first line may be missing, as may the column
weight or an entry of it (1.0); columns may come in any order and others are ignored. Parquet keeps
n_samples in the schema's metadata.

JSON says the same by lists::

    {"n_samples": 150,
     "pairs": [{"left": 0, "right": 17, "kind": "must-link", "weight": 1.0}, ...],
     "partitions": [{"kind": "partition:same,across", "weight": 1.0, "blocks": [[4, 9], [5]]}]}

Rows are written by number, or by the person's own record ids.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._records import BadRecord, Record, RowNames, UnknownId, UnknownIdError, assemble, records_of
from ._tables import read_csv, read_json, read_parquet, write_csv, write_json, write_parquet
from ._validate import whole_number

if TYPE_CHECKING:
    from ._constraints import Constraints

_Reader = Callable[[Path], tuple[int | None, Iterator[Record]]]
_Writer = Callable[[Path, int, list[Record]], None]

FORMATS: dict[str, tuple[_Reader, _Writer]] = {
    ".csv": (lambda path: read_csv(path, ","), lambda path, n, records: write_csv(path, n, records, ",")),
    ".tsv": (lambda path: read_csv(path, "\t"), lambda path, n, records: write_csv(path, n, records, "\t")),
    ".json": (read_json, write_json),
    ".parquet": (read_parquet, write_parquet),
}


def read(path: str | os.PathLike[str], n_samples: int | None, ids: Any) -> Constraints:
    """Read a file; whatever is wrong with it, nothing is loaded."""
    path = Path(path)
    reader, _ = _format(path)
    names = None if ids is None else RowNames(ids)
    if n_samples is not None:
        n_samples = whole_number(n_samples, "n_samples", remedy="Pass the number of rows, len(X).")
    try:
        stored, records = reader(path)
        if names is not None:
            stored = len(names)  # other records may have joined since the file was written
        if n_samples is not None and stored is not None and n_samples != stored:
            says = f"ids names {stored} rows" if names is not None else f"the file is for {stored} rows"
            raise BadRecord("n_samples", f"{says}, but n_samples = {n_samples}. Leave n_samples out, or correct it.")
        return assemble(records, stored if n_samples is None else n_samples, names)
    except UnknownId as bad:
        raise UnknownIdError(f"{path}, {bad.where}: {bad.why}", bad.name) from None
    except BadRecord as bad:
        raise ValueError(f"{path}, {bad.where}: {bad.why}") from None


def write(constraints: Constraints, path: str | os.PathLike[str], ids: Any) -> None:
    """Write a file, complete or not at all."""
    path = Path(path)
    _, writer = _format(path)
    names = None if ids is None else RowNames(ids)
    if names is not None and len(names) != constraints.n_samples:
        raise ValueError(
            f"ids names {len(names)} rows, the constraints have {constraints.n_samples}. Give one id for each row."
        )
    writer(path, constraints.n_samples, list(records_of(constraints, names)))


def _format(path: Path) -> tuple[_Reader, _Writer]:
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise ValueError(f"{path} ends in {suffix!r}, which names no known format. Use one of {', '.join(FORMATS)}.")
    return FORMATS[suffix]
