"""Rows in a Dask array or data frame: looked at where they lie, with the bits of rows in memory.

A leaf of 2¹⁶ rows may lie in several chunks, and a chunk may hold many leaves. A task looks at the whole leaves of its
chunk and adds them up as far as the tree over all leaves allows: only sums of 2, 4, 8, ... neighbors that are in the
tree. A leaf that lies in several chunks is put together from pieces first. So the result has the same bits for any
chunks, any number of workers, and after a lost worker: tasks keep nothing, and Dask works out again what is lost.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from os import PathLike
from typing import Any
from uuid import uuid4
from zlib import crc32

import numpy as np
from scipy import sparse

from .._arrays import evenly_spaced, slices
from .._frames import repeated_name
from .._suggest import suggest
from .._threads import keep_single_blas_thread, n_threads, single_blas_thread
from ..tables._extras import extra
from . import _fold
from ._checkpoint import Checkpoint
from ._fold import Look, first_not_finite, stacked
from ._names import NamedRows

FAN_IN = 32
"""Results of tasks that are added up by one task."""

GOES_ALONG = 2**16
"""Bytes up to which a look goes along with each task; a larger one is a result of its own, sent to each worker once."""

LOCALLY = 32
"""Tasks for each thread whose results are held at once without a client."""

CHECKED_ROWS = 64
"""Rows of a chunk that tell whether it is still the same."""

Sums = tuple[tuple[int, int, Any], ...]
"""(number of the first leaf, how many leaves, their sum): as few sums as the tree over all leaves allows."""


@dataclass(frozen=True, eq=False)
class Found:
    """What tasks found in their leaves, and the fingerprints of the chunks that they saw."""

    sums: Sums
    prints: frozenset[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class Plan:
    """Tasks whose results are wanted, the graph they are in, and the collections that it stands on."""

    tasks: list[Any]
    graph: dict[Any, Any]
    needed: list[Any]


@dataclass(frozen=True)
class Chunk:
    """A chunk of rows as it is expected.

    Attributes
    ----------
    number : int
        Among all chunks.
    start, stop : int
        Its rows, among all; ``stop`` is −1 where the length is not known.
    width : int
        How many columns it has.
    dtype : str
    columns : tuple of str, optional
        Names for messages.
    check : bool
        Whether to look for values that are not finite.
    """

    number: int
    start: int
    stop: int
    width: int
    dtype: str
    columns: tuple[str, ...] | None = None
    check: bool = False

    def whole_leaves(self, n: int, leaf: int) -> range:
        """The leaves, of all n rows, that lie in this chunk."""
        return range(-(-self.start // leaf), -(-n // leaf) if self.stop == n else self.stop // leaf)

    def rows(self, chunk: Any) -> Any:
        """The rows as they are looked at: a C-contiguous array, or a CSR matrix with each entry once."""
        shape: tuple[int, ...] = getattr(chunk, "shape", ())
        if len(shape) != 2 or shape[1] != self.width:
            found = f"of shape {shape}" if shape else f"a {type(chunk).__name__}"
            raise ValueError(
                f"chunk {self.number} is {found}, and should be rows of {self.width} columns, as the Dask array says. "
                "Functions that change the shape of chunks need chunks=... in map_blocks."
            )
        if self.stop >= 0 and chunk.shape[0] != self.stop - self.start:
            raise ValueError(
                f"chunk {self.number} has {chunk.shape[0]:,} rows and should have {self.stop - self.start:,}. "
                f"{_CHANGED}"
            )
        if sparse.issparse(chunk):
            rows = chunk.tocsr().astype(self.dtype, copy=False)
            if not rows.has_canonical_format:
                rows = rows.copy()
                rows.sum_duplicates()
        else:
            rows = np.ascontiguousarray(chunk, dtype=self.dtype)
        if self.check and (wrong := first_not_finite(rows)) is not None:
            row, column, value = wrong
            name = f"column {column}" if self.columns is None else repr(self.columns[column])
            raise ValueError(
                f"row {self.start + row:,} (counted from 0, in chunk {self.number}): {name} is {value}. Values must "
                "be finite: fill the cell, or leave the row out."
            )
        return rows


_CHANGED = (
    "Its values change from one reading to the next: the task graph draws random numbers without a seed, or what it "
    "reads was changed. Give it a seed, or write the rows to files first."
)


class DaskRows(NamedRows):
    """The rows of a Dask array or data frame.

    Estimators that read rows from files take Dask arrays and data frames as they are. This class is for more: to keep
    what was found in each pass in a folder, to choose columns of a frame, and to name rows by a key column.

    Parameters
    ----------
    X : dask array or dask data frame
        (n, f). Chunks are dense or CSR, of any length. Where their lengths are not known they are counted, which reads
        the rows once. Chunks that are split along the columns are put together.
    columns : list of str, optional
        The columns of a data frame to use. Default: all but ``key``.
    key : str, optional
        The column of a data frame that names rows, for hints.
    checkpoint : path, optional
        A folder for what each pass finds. A fit that is started again with the same rows, parameters and folder goes on
        after the last pass that was complete, with the same result. The rows are read once more, to see that they are
        still the same. Remove the folder when the fit is done.

    Attributes
    ----------
    shape : (n, f)
    dtype : float32 where all values are, else float64
    columns : tuple of str, or None
        Names of the columns of a data frame.
    array : dask array
        The rows, in chunks of whole rows.

    Notes
    -----
    Work goes to the current ``dask.distributed.Client``, else to Dask's local scheduler. Workers hold no state: one
    that is lost changes no bit of the result. Bits repeat on one kind of CPU; between kinds results agree to rounding.

    Examples
    --------
    >>> import dask.array as da
    >>> from likewise.chunked import DaskRows
    >>> rows = DaskRows(da.ones((70_000, 3), chunks=(20_000, 3)))
    >>> rows.shape, rows.take([1, 69_999]).rows.shape
    ((70000, 3), (2, 3))
    """

    def __init__(
        self,
        X: Any,
        *,
        columns: Sequence[str] | None = None,
        key: str | None = None,
        checkpoint: str | PathLike[str] | None = None,
    ) -> None:
        self.key, self._frame = key, X if _is_frame(X) else None
        if key is not None:
            self._column(key)
            columns = [name for name in X.columns if name != key] if columns is None else columns
        self.array, self.columns = row_array(X, columns)
        self.dtype = self.array.dtype
        self._finite = False
        self._prints: dict[int, int] = {}
        lengths = self.array.chunks[0]
        if np.isnan(lengths).any():
            lengths = self._counted()
            self.array._chunks = tuple(lengths), self.array.chunks[1]
        self._starts = [0, *np.cumsum(lengths, dtype=np.int64).tolist()]
        self.shape = self._starts[-1], self.array.shape[1]
        if not self.shape[0]:
            raise ValueError("X is a Dask collection without rows.")
        self._checkpoint = None if checkpoint is None else Checkpoint(checkpoint)
        if self._checkpoint is not None and (known := self._checkpoint.rows()) is not None:
            self._check_same_rows(known)

    def leaves(self) -> Iterator[tuple[Any, int]]:
        """Each leaf, brought here."""
        first = 0
        for rows in self.looks(_rows_themselves):
            yield rows, first
            first += rows.shape[0]

    def cells(self, column: str) -> Iterator[Any]:
        """The entries of one column of a data frame, partition by partition."""
        cells = self._column(column).astype(object).to_dask_array()
        name = f"likewise-column-{uuid4().hex}"
        graph = {(name, i): (np.asarray, (cells.name, i)) for i in range(cells.numblocks[0])}
        yield from self._streamed(Plan(list(graph), graph, [cells]))

    def _column(self, name: str) -> Any:
        if self._frame is None:
            raise ValueError(f"a Dask array has no column {name!r}. Use a Dask data frame, or row numbers in hints.")
        if name not in self._frame.columns:
            raise ValueError(f"X has no column {name!r}.{suggest(name, list(self._frame.columns))}")
        return self._frame[name]

    def looks(self, look: Look) -> Iterator[Any]:
        """What is found in each leaf, in their order; they are brought here one task after the other."""
        name = _name_of(look)
        for found in self._streamed(self._tasks(_each_leaf, look, name)):
            self._compare(found.prints)
            for _, _, value in found.sums:
                yield value
        self._finite = True
        self.passes += 1

    def fold(self, look: Look) -> Any:
        """The sum of what is found in all leaves, added up where the rows are."""
        checkpoint = self._checkpoint
        key = None if checkpoint is None else checkpoint.key(self.shape, self.dtype, look)
        if checkpoint is not None and key is not None and (kept := checkpoint.load(key)) is not None:
            return kept[0]
        name = _name_of(look)
        plan = self._tasks(_added_leaves, look, name)
        level = 0
        while len(tasks := plan.tasks) > 1:
            level += 1
            adding = f"likewise-add-{name.rpartition('-')[2]}"
            added = {(adding, level, i): (_added, *tasks[some]) for i, some in enumerate(slices(len(tasks), FAN_IN))}
            plan = Plan(list(added), {**plan.graph, **added}, plan.needed)
        (found,) = self._streamed(plan)
        self._compare(found.prints)
        self._finite = True
        self.passes += 1
        total = _total(found.sums)
        if checkpoint is not None and key is not None:
            checkpoint.store_rows(self._identity())
            checkpoint.store(key, total)
        return total

    def of_first_leaf(self, function: Callable[[Any], Any]) -> Any:
        """What a function finds in the rows of the first leaf, where they are."""
        pieces = [chunk for chunk in self._chunks() if chunk.start < _fold.LEAF and chunk.stop > chunk.start]
        name = f"likewise-first-leaf-{uuid4().hex}"
        graph: dict[Any, Any] = {
            (name, i): (_piece, self._key_of(chunk), chunk, 0, min(chunk.stop, _fold.LEAF) - chunk.start)
            for i, chunk in enumerate(pieces)
        }
        graph[name] = (_of_pieces, function, *graph)
        (found,) = self._streamed(Plan([name], graph, [self.array]))
        return found

    def _chunks(self) -> list[Chunk]:
        return [self._chunk(number, *ends) for number, ends in enumerate(pairwise(self._starts))]

    def _chunk(self, number: int = 0, start: int = 0, stop: int = -1) -> Chunk:
        return Chunk(number, start, stop, self.array.shape[1], self.dtype.str, self.columns, not self._finite)

    def _key_of(self, chunk: Chunk) -> tuple[str, int, int]:
        return self.array.name, chunk.number, 0

    def _tasks(self, work: Callable[..., Found], look: Look, name: str) -> Plan:
        """A task for the whole leaves of each chunk and one for each leaf in several chunks, by their first leaf."""
        from cloudpickle import dumps

        from dask import delayed

        leaf, n = _fold.LEAF, self.shape[0]
        sent: Any = look if len(dumps(look)) <= GOES_ALONG else delayed(look, name=f"{name}-look", traverse=False)
        blocks = self.array.map_blocks(
            work,
            n=n,
            leaf=leaf,
            look=sent,
            expected=self._chunk(),
            name=name,
            dtype=object,
            meta=np.empty((0, 0), object),
        )
        graph: dict[Any, Any] = {}
        at: dict[int, Any] = {}
        task: Any
        split: dict[int, list[Any]] = {}
        for chunk in self._chunks():
            if chunk.start == chunk.stop:
                continue
            whole = chunk.whole_leaves(n, leaf)
            if whole:
                at[whole.start] = (blocks.name, chunk.number, 0)
            for number in {chunk.start // leaf, (chunk.stop - 1) // leaf} - set(whole):
                start, stop = max(number * leaf, chunk.start), min((number + 1) * leaf, chunk.stop)
                task = (f"likewise-piece-{name.rpartition('-')[2]}", chunk.number, number)
                graph[task] = (_piece, self._key_of(chunk), chunk, start - chunk.start, stop - chunk.start)
                split.setdefault(number, []).append(task)
        for number, pieces in split.items():
            at[number] = task = (f"{name}-leaf", number)
            graph[task] = (_leaf_of_pieces, number, number * leaf, look if sent is look else sent.key, *pieces)
        needed = [blocks, *([self.array] if split else []), *([] if sent is look else [sent])]
        return Plan([at[number] for number in sorted(at)], graph, needed)

    def _streamed(self, plan: Plan) -> Iterator[Any]:
        """Results of tasks in their order."""
        from dask.base import get_scheduler
        from dask.delayed import Delayed
        from dask.highlevelgraph import HighLevelGraph

        from dask import compute

        layer = f"likewise-{uuid4().hex}"
        graph: Any = HighLevelGraph.from_collections(layer, plan.graph, dependencies=plan.needed)
        graph = self.array.__dask_optimize__(graph, plan.tasks)  # reads a chunk and looks at it in one task
        graph = HighLevelGraph.from_collections(layer, dict(graph))
        wanted = [Delayed(task, graph, layer=layer) for task in plan.tasks]
        client = getattr(get_scheduler(collections=wanted), "__self__", None)
        with single_blas_thread(), warnings.catch_warnings(), _explained_errors(client, self.array):
            # What a look needs goes along once in each pass, whatever its size.
            warnings.filterwarnings("ignore", message="Sending large graph", category=UserWarning)
            if client is None:
                for some in slices(len(wanted), LOCALLY * n_threads()):
                    yield from compute(*wanted[some])
                return
            futures = client.compute(wanted)
            for i, future in enumerate(futures):
                yield future.result()
                futures[i] = None  # lets the cluster forget it

    def _counted(self) -> list[int]:
        """The lengths of all chunks; their fingerprints are kept on the way."""
        name = f"likewise-count-rows-{uuid4().hex}"
        numbers = range(len(self.array.chunks[0]))
        graph = {(name, i): (_counted, (self.array.name, i, 0), replace(self._chunk(i), check=False)) for i in numbers}
        counts = list(self._streamed(Plan([(name, i) for i in numbers], graph, [self.array])))
        self._prints = {i: fingerprint for i, (_, fingerprint) in enumerate(counts)}
        return [count for count, _ in counts]

    def _compare(self, prints: Iterable[tuple[int, int]]) -> None:
        """Raise an error where a chunk is not what it was before."""
        for number, fingerprint in sorted(prints):
            if self._prints.setdefault(number, fingerprint) != fingerprint:
                start, stop = self._starts[number : number + 2]
                raise ValueError(f"chunk {number} (rows {start:,} to {stop - 1:,}) is not what it was. {_CHANGED}")

    def _identity(self) -> dict[str, Any]:
        prints = [self._prints.get(number, 0) for number in range(len(self._starts) - 1)]
        return {"shape": list(self.shape), "dtype": self.dtype.str, "starts": self._starts, "fingerprints": prints}

    def _check_same_rows(self, known: dict[str, Any]) -> None:
        """Read the rows, and raise an error where they are not those that a checkpoint is about."""
        own = self._identity()
        for name, words in (
            ("shape", "rows of shape"),
            ("dtype", "values of type"),
            ("starts", "chunks that start at"),
        ):
            if known[name] != own[name]:
                raise ValueError(
                    f"{self._checkpoint} is about {words} {_short(known[name])}, and X has {_short(own[name])}. Name "
                    "another folder, or remove this one."
                )
        if not self._prints:
            for _ in self.looks(_nothing):
                pass
            self.passes = 0
        if known["fingerprints"] != self._identity()["fingerprints"]:
            raise ValueError(f"{self._checkpoint} is about other rows. Name another folder, or remove this one.")


def row_array(X: Any, columns: Any = None) -> tuple[Any, tuple[str, ...] | None]:
    """A Dask array in chunks of whole rows, and the names of its columns if it comes from a frame."""
    array = extra("dask.array", "Dask collections", name="dask")
    names = None
    if _is_frame(X):
        X, names = _frame_array(X, columns)
    if not isinstance(X, array.Array):
        raise TypeError(
            f"X is a {type(X).__module__.partition('.')[0]} {type(X).__name__}, and rows come in a Dask array or data "
            "frame. dask.array.from_delayed makes one of delayed parts."
        )
    if X.ndim != 2 or X.dtype.kind not in "fiub":
        raise ValueError(f"X is a Dask array of shape {X.shape} and type {X.dtype}, not rows of numbers.")
    if np.isnan(X.shape[1]):
        raise ValueError("X is a Dask array with an unknown number of columns. Call X.compute_chunk_sizes() first.")
    if X.shape[1] == 0:
        raise ValueError("X is a Dask collection without columns of numbers.")
    if X.numblocks[1] > 1:
        if np.isnan(X.shape[0]):
            raise ValueError(
                "X is a Dask array whose chunks are split along the columns and have unknown lengths. Call "
                "X.compute_chunk_sizes() first, or X.rechunk({1: -1}) where lengths are known."
            )
        X = X.rechunk({1: -1})
    if X.dtype not in (np.float32, np.float64):
        X = X.astype(np.float64)
    return X, names


def _is_frame(X: Any) -> bool:
    return hasattr(type(X), "to_dask_array") and getattr(X, "ndim", 0) == 2  # delayed objects have every attribute


def _frame_array(X: Any, columns: Any) -> tuple[Any, tuple[str, ...]]:
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    names = tuple(X.columns) if columns is None else tuple(columns)
    if (repeated := repeated_name(X)) is not None:
        raise repeated
    for name in names:
        if name not in X.columns:
            raise ValueError(f"X has no column {name!r}.{suggest(name, list(X.columns))}")
        kind = X.dtypes[name]
        if not (is_numeric_dtype(kind) or is_bool_dtype(kind)) or getattr(kind, "kind", "f") == "c":
            raise ValueError(
                f"column {name!r} of X is {kind}, not a number. Choose columns (X[['a', 'b']]), or DaskRows(X, "
                f"key={name!r}) if it names rows."
            )
    single = all(str(X.dtypes[name]).lower().removesuffix("[pyarrow]") in ("float32", "float") for name in names)
    return X[list(names)].astype(np.float32 if single else np.float64).to_dask_array(), names


def _name_of(look: Look) -> str:
    """How tasks are called in the dashboard, after what they look for."""
    function: Any = look
    while isinstance(function, partial):
        function = function.keywords.get("look", function.func)
    words = getattr(function, "__name__", "look").strip("_<>").replace("_", "-")
    return f"likewise-{words}-{uuid4().hex}"


def _rows_themselves(rows: Any, first: int) -> Any:
    return rows


def _nothing(rows: Any, first: int) -> None:
    return None


def _fingerprint(rows: Any) -> int:
    """A checksum of some rows."""
    some = rows[evenly_spaced(rows.shape[0], CHECKED_ROWS)]
    if sparse.issparse(some):
        return crc32(some.data.tobytes(), crc32(some.indices.astype(np.int64).tobytes()))
    return crc32(some.tobytes())


def _counted(chunk: Any, expected: Chunk) -> tuple[int, int]:
    rows = expected.rows(chunk)
    return rows.shape[0], _fingerprint(rows)


def _seen(chunk: Any, expected: Chunk) -> tuple[Any, frozenset[tuple[int, int]]]:
    rows = expected.rows(chunk)
    return rows, frozenset([(expected.number, _fingerprint(rows))])


def _piece(chunk: Any, expected: Chunk, start: int, stop: int) -> tuple[Any, frozenset[tuple[int, int]]]:
    """A part of a chunk, copied: a view would keep all of the chunk."""
    rows, prints = _seen(chunk, expected)
    return rows[start:stop].copy(), prints


def _of_pieces(function: Callable[[Any], Any], *pieces: Any) -> Any:
    keep_single_blas_thread()
    return function(stacked([rows for rows, _ in pieces]))


def _leaf_of_pieces(number: int, first: int, look: Look, *pieces: Any) -> Found:
    """What is found in a leaf that lies in several chunks."""
    keep_single_blas_thread()
    value = look(stacked([rows for rows, _ in pieces]), first)
    return Found(((number, 1, value),), frozenset().union(*(prints for _, prints in pieces)))


def _each_leaf(block: Any, *, expected: Chunk, n: int, leaf: int, look: Look, block_info: Any = None) -> Found:
    """What is found in each of the whole leaves of a chunk."""
    rows, prints, leaves = _here(block, expected, n, leaf, block_info)
    return Found(tuple((number, 1, look(rows[some], number * leaf)) for number, some in leaves), prints)


def _added_leaves(block: Any, *, expected: Chunk, n: int, leaf: int, look: Look, block_info: Any = None) -> Found:
    """What is found in the whole leaves of a chunk, added as far as the tree allows."""
    rows, prints, leaves = _here(block, expected, n, leaf, block_info)
    sums: list[tuple[int, int, Any]] = []
    for number, some in leaves:
        _append(sums, (number, 1, look(rows[some], number * leaf)))
    return Found(tuple(sums), prints)


def _here(
    block: Any, expected: Chunk, n: int, leaf: int, block_info: Any
) -> tuple[Any, frozenset[tuple[int, int]], list[tuple[int, slice]]]:
    """The rows of a block, what tells whether they changed, and its whole leaves."""
    keep_single_blas_thread()
    (start, stop), number = block_info[0]["array-location"][0], block_info[0]["chunk-location"][0]
    chunk = replace(expected, number=int(number), start=int(start), stop=int(stop))
    rows, prints = _seen(block, chunk)
    leaves = [(leaf_number, leaf_number * leaf - chunk.start) for leaf_number in chunk.whole_leaves(n, leaf)]
    return rows, prints, [(leaf_number, slice(first, first + leaf)) for leaf_number, first in leaves]


def _added(*parts: Found) -> Found:
    """What neighboring tasks found, added as far as the tree allows."""
    sums: list[tuple[int, int, Any]] = []
    for part in parts:
        for one in part.sums:
            _append(sums, one)
    return Found(tuple(sums), frozenset().union(*(part.prints for part in parts)))


def _append(sums: list[tuple[int, int, Any]], new: tuple[int, int, Any]) -> None:
    """Append a sum, and add it to the one before while these two are neighbors in the tree.

    Two sums of s leaves are where the first begins at a multiple of 2 s.
    """
    first, size, value = new
    while sums and sums[-1][1] == size and sums[-1][0] == first - size and (first - size) % (2 * size) == 0:
        first, _, before = sums.pop()
        value, size = before + value, 2 * size
    sums.append((first, size, value))


def _total(sums: Sums) -> Any:
    """The sum over all leaves; what is left has falling sizes, and the last are added first."""
    *parts, total = (value for _, _, value in sums)
    while parts:
        total = parts.pop() + total
    return total


def _short(value: Any) -> str:
    """A value as text; of a long list the beginning."""
    return f"{str(value[:4])[:-1]}, ...]" if isinstance(value, list) and len(value) > 4 else str(value)


@contextmanager
def _explained_errors(client: Any, array: Any) -> Iterator[None]:
    """Errors of a cluster, in words that say what to do."""
    try:
        yield
    except MemoryError as error:
        raise MemoryError(f"a chunk of X did not fit into memory ({error}). {_smaller(array)}") from error
    except Exception as error:
        if client is None:
            raise
        from distributed import KilledWorker

        if isinstance(error, KilledWorker):
            raise RuntimeError(
                f"the Dask workers that worked on {error.task} died one after the other, most likely as they ran out "
                f"of memory; their logs tell. {_smaller(array)}"
            ) from error
        if client.status != "running":
            raise ConnectionError(
                f"the Dask scheduler went away ({type(error).__name__}). Connect to it again and start again; "
                "DaskRows(X, checkpoint=FOLDER) keeps what passes found."
            ) from error
        raise


def _smaller(array: Any) -> str:
    rows = max(array.chunks[0])
    if np.isnan(rows):
        return "Use smaller partitions (X.repartition), fewer threads per worker, or workers with more memory."
    size = rows * array.shape[1] * array.dtype.itemsize
    return (
        f"The largest chunk has {rows:,} rows ({size / 2**20:,.0f} MiB if dense). Use smaller ones "
        f"(X.rechunk({{0: {max(int(rows) // 4, 1)}}})), fewer threads per worker, or workers with more memory."
    )
