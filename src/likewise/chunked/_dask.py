"""Rows of a Dask array or data frame, processed by the workers that hold them.

A chunk may contain many leaves of 2¹⁶ rows, and a leaf may span several chunks. A task processes the complete leaves of
its chunk and adds the results of 2, 4, 8, ... neighboring leaves that are also added in the binary tree over all
leaves (see `_fold`). A leaf that spans several chunks is concatenated from pieces first. The result therefore has the
same bits as for rows in memory, for any chunks and any number of workers. Tasks are stateless, so that Dask can repeat
those of a lost worker.
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
"""Maximum number of results that are added by one task."""

INLINE_BYTES = 2**16
"""Largest function, in bytes, that is part of each task; a larger one is sent to each worker once."""

TASKS_PER_THREAD = 32
"""Number of tasks per thread whose results are in memory at once, if there is no client."""

CHECKED_ROWS = 64
"""Number of rows of a chunk in its fingerprint."""

Sums = tuple[tuple[int, int, Any], ...]
"""(number of the first leaf, number of leaves, sum of their results), added as far as the tree allows."""


@dataclass(frozen=True, eq=False)
class LeafResults:
    """The results of the leaves of a task, and the fingerprints of its chunks."""

    sums: Sums
    prints: frozenset[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class Plan:
    """The keys of the tasks to compute, their graph, and the collections that it depends on."""

    tasks: list[Any]
    graph: dict[Any, Any]
    needed: list[Any]


@dataclass(frozen=True)
class Chunk:
    """The expected shape and type of a chunk of rows.

    Attributes
    ----------
    number : int
        The position of the chunk.
    start, stop : int
        The range of its rows; ``stop`` is −1 if the length is unknown.
    width : int
        Number of columns.
    dtype : str
    columns : tuple of str, optional
        Column names for error messages.
    check : bool
        Whether to check that values are finite.
    """

    number: int
    start: int
    stop: int
    width: int
    dtype: str
    columns: tuple[str, ...] | None = None
    check: bool = False

    def whole_leaves(self, n: int, leaf: int) -> range:
        """The leaves that are completely in this chunk, of ``n`` rows in total."""
        return range(-(-self.start // leaf), -(-n // leaf) if self.stop == n else self.stop // leaf)

    def rows(self, chunk: Any) -> Any:
        """Check and convert a chunk to a C-contiguous array, or to a CSR matrix without duplicate entries."""
        shape: tuple[int, ...] = getattr(chunk, "shape", ())
        if len(shape) != 2 or shape[1] != self.width:
            found = f"of shape {shape}" if shape else f"a {type(chunk).__name__}"
            raise ValueError(
                f"chunk {self.number} is {found}, but the Dask array declares rows of {self.width} columns. If a "
                "function changes the shape of chunks, pass chunks=... to map_blocks."
            )
        if self.stop >= 0 and chunk.shape[0] != self.stop - self.start:
            raise ValueError(
                f"chunk {self.number} has {chunk.shape[0]:,} rows, but {self.stop - self.start:,} are expected. "
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
                "be finite: impute the value, or remove the row."
            )
        return rows


_CHANGED = (
    "Its values change each time it is computed: the task graph uses random numbers without a seed, or its input was "
    "changed. Set a seed, or write the rows to files first."
)


class DaskRows(NamedRows):
    """The rows of a Dask array or data frame.

    Estimators that support rows in files also accept Dask arrays and data frames directly. Use this class to store
    checkpoints, to choose columns of a data frame, or to refer to rows by the ids in a key column.

    Parameters
    ----------
    X : dask array or dask data frame
        (n, f). Chunks are dense or CSR, of any length. If their lengths are unknown, the rows are read once to count
        them. Chunks that are split along the columns are merged.
    columns : list of str, optional
        The columns of a data frame to use. By default all except ``key``.
    key : str, optional
        The column of a data frame with the ids of rows, which hints refer to.
    checkpoint : path, optional
        A folder for the results of passes. A fit that is repeated with the same rows, parameters and folder resumes
        after the last complete pass, with the same result. The rows are then read once, to check that they have not
        changed. Remove the folder after the fit.

    Attributes
    ----------
    shape : (n, f)
    dtype : float32 if all columns are, otherwise float64
    columns : tuple of str, or None
        Names of the columns of a data frame.
    array : dask array
        The rows, in chunks of whole rows.

    Notes
    -----
    Tasks run on the current ``dask.distributed.Client``, or on Dask's local scheduler if there is none. Workers are
    stateless, so that the loss of a worker does not change the result. Results are bitwise reproducible on the same
    type of CPU, and agree up to rounding errors between different types.

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
            lengths = self._count_rows()
            self.array._chunks = tuple(lengths), self.array.chunks[1]
        self._starts = [0, *np.cumsum(lengths, dtype=np.int64).tolist()]
        self.shape = self._starts[-1], self.array.shape[1]
        if not self.shape[0]:
            raise ValueError("X is a Dask collection without rows.")
        self._checkpoint = None if checkpoint is None else Checkpoint(checkpoint)
        if self._checkpoint is not None and (known := self._checkpoint.rows()) is not None:
            self._check_same_rows(known)

    def leaves(self) -> Iterator[tuple[Any, int]]:
        """The rows of each leaf, and the number of its first row, in the memory of this process."""
        first = 0
        for rows in self.looks(_return_rows):
            yield rows, first
            first += rows.shape[0]

    def cells(self, column: str) -> Iterator[Any]:
        """The values of a column of a data frame, partition by partition."""
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
        """Apply a function to each leaf, on the workers; results arrive in the order of the leaves."""
        name = _task_name(look)
        for found in self._streamed(self._tasks(_each_leaf, look, name)):
            self._check_fingerprints(found.prints)
            for _, _, value in found.sums:
                yield value
        self._finite = True
        self.passes += 1

    def fold(self, look: Look) -> Any:
        """The sum of the results of a function over all leaves, computed by the workers."""
        checkpoint = self._checkpoint
        key = None if checkpoint is None else checkpoint.key(self.shape, self.dtype, look)
        if checkpoint is not None and key is not None and (kept := checkpoint.load(key)) is not None:
            return kept[0]
        name = _task_name(look)
        plan = self._tasks(_added_leaves, look, name)
        level = 0
        while len(tasks := plan.tasks) > 1:
            level += 1
            adding = f"likewise-add-{name.rpartition('-')[2]}"
            added = {(adding, level, i): (_added, *tasks[some]) for i, some in enumerate(slices(len(tasks), FAN_IN))}
            plan = Plan(list(added), {**plan.graph, **added}, plan.needed)
        (found,) = self._streamed(plan)
        self._check_fingerprints(found.prints)
        self._finite = True
        self.passes += 1
        total = _total(found.sums)
        if checkpoint is not None and key is not None:
            checkpoint.store_rows(self._identity())
            checkpoint.store(key, total)
        return total

    def of_first_leaf(self, function: Callable[[Any], Any]) -> Any:
        """Apply a function to the rows of the first leaf, on a worker."""
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

    def _tasks(self, work: Callable[..., LeafResults], look: Look, name: str) -> Plan:
        """A task for the complete leaves of each chunk and for each leaf that spans several, ordered by first leaf."""
        from cloudpickle import dumps

        from dask import delayed

        leaf, n = _fold.LEAF, self.shape[0]
        sent: Any = look if len(dumps(look)) <= INLINE_BYTES else delayed(look, name=f"{name}-look", traverse=False)
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
        """Compute tasks, and yield their results in order."""
        from dask.base import get_scheduler
        from dask.delayed import Delayed
        from dask.highlevelgraph import HighLevelGraph

        from dask import compute

        layer = f"likewise-{uuid4().hex}"
        graph: Any = HighLevelGraph.from_collections(layer, plan.graph, dependencies=plan.needed)
        graph = self.array.__dask_optimize__(graph, plan.tasks)  # fuses reading and processing a chunk into one task
        graph = HighLevelGraph.from_collections(layer, dict(graph))
        wanted = [Delayed(task, graph, layer=layer) for task in plan.tasks]
        client = getattr(get_scheduler(collections=wanted), "__self__", None)
        with single_blas_thread(), warnings.catch_warnings(), _explained_errors(client, self.array):
            # The function and its arguments are sent once in each pass, whatever their size.
            warnings.filterwarnings("ignore", message="Sending large graph", category=UserWarning)
            if client is None:
                for some in slices(len(wanted), TASKS_PER_THREAD * n_threads()):
                    yield from compute(*wanted[some])
                return
            futures = client.compute(wanted)
            for i, future in enumerate(futures):
                yield future.result()
                futures[i] = None  # releases its memory on the cluster

    def _count_rows(self) -> list[int]:
        """Count the rows of all chunks, and store their fingerprints."""
        name = f"likewise-count-rows-{uuid4().hex}"
        numbers = range(len(self.array.chunks[0]))
        graph = {
            (name, i): (_length_and_fingerprint, (self.array.name, i, 0), replace(self._chunk(i), check=False))
            for i in numbers
        }
        counts = list(self._streamed(Plan([(name, i) for i in numbers], graph, [self.array])))
        self._prints = {i: fingerprint for i, (_, fingerprint) in enumerate(counts)}
        return [count for count, _ in counts]

    def _check_fingerprints(self, prints: Iterable[tuple[int, int]]) -> None:
        """Raise an error if a chunk has changed since an earlier pass."""
        for number, fingerprint in sorted(prints):
            if self._prints.setdefault(number, fingerprint) != fingerprint:
                start, stop = self._starts[number : number + 2]
                raise ValueError(f"chunk {number} (rows {start:,} to {stop - 1:,}) has changed. {_CHANGED}")

    def _identity(self) -> dict[str, Any]:
        prints = [self._prints.get(number, 0) for number in range(len(self._starts) - 1)]
        return {"shape": list(self.shape), "dtype": self.dtype.str, "starts": self._starts, "fingerprints": prints}

    def _check_same_rows(self, known: dict[str, Any]) -> None:
        """Read the rows, and raise an error if they are not those of the checkpoint."""
        own = self._identity()
        for name, words in (
            ("shape", "rows of shape"),
            ("dtype", "values of type"),
            ("starts", "chunks that start at"),
        ):
            if known[name] != own[name]:
                raise ValueError(
                    f"{self._checkpoint} was made for {words} {_short(known[name])}, and X has {_short(own[name])}. "
                    "Use another folder, or remove this one."
                )
        if not self._prints:
            for _ in self.looks(_nothing):
                pass
            self.passes = 0
        if known["fingerprints"] != self._identity()["fingerprints"]:
            raise ValueError(f"{self._checkpoint} was made for other rows. Use another folder, or remove this one.")


def row_array(X: Any, columns: Any = None) -> tuple[Any, tuple[str, ...] | None]:
    """A Dask array in chunks of complete rows, and the names of its columns if X is a data frame."""
    array = extra("dask.array", "Dask collections", name="dask")
    names = None
    if _is_frame(X):
        X, names = _frame_array(X, columns)
    if not isinstance(X, array.Array):
        raise TypeError(
            f"X is a {type(X).__module__.partition('.')[0]} {type(X).__name__}, but must be a Dask array or data "
            "frame. To create an array from delayed objects, use dask.array.from_delayed."
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
                "X.compute_chunk_sizes() first, or X.rechunk({1: -1}) before the lengths become unknown."
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
                f"key={name!r}) if it contains the ids of rows."
            )
    single = all(str(X.dtypes[name]).lower().removesuffix("[pyarrow]") in ("float32", "float") for name in names)
    return X[list(names)].astype(np.float32 if single else np.float64).to_dask_array(), names


def _task_name(look: Look) -> str:
    """The name of tasks in the Dask dashboard, after the function of a leaf."""
    function: Any = look
    while isinstance(function, partial):
        function = function.keywords.get("look", function.func)
    words = getattr(function, "__name__", "look").strip("_<>").replace("_", "-")
    return f"likewise-{words}-{uuid4().hex}"


def _return_rows(rows: Any, first: int) -> Any:
    return rows


def _nothing(rows: Any, first: int) -> None:
    return None


def _fingerprint(rows: Any) -> int:
    """A checksum of a few rows."""
    some = rows[evenly_spaced(rows.shape[0], CHECKED_ROWS)]
    if sparse.issparse(some):
        return crc32(some.data.tobytes(), crc32(some.indices.astype(np.int64).tobytes()))
    return crc32(some.tobytes())


def _length_and_fingerprint(chunk: Any, expected: Chunk) -> tuple[int, int]:
    rows = expected.rows(chunk)
    return rows.shape[0], _fingerprint(rows)


def _rows_and_fingerprint(chunk: Any, expected: Chunk) -> tuple[Any, frozenset[tuple[int, int]]]:
    rows = expected.rows(chunk)
    return rows, frozenset([(expected.number, _fingerprint(rows))])


def _piece(chunk: Any, expected: Chunk, start: int, stop: int) -> tuple[Any, frozenset[tuple[int, int]]]:
    """A copy of a part of a chunk; a view would keep all of the chunk in memory."""
    rows, prints = _rows_and_fingerprint(chunk, expected)
    return rows[start:stop].copy(), prints


def _of_pieces(function: Callable[[Any], Any], *pieces: Any) -> Any:
    keep_single_blas_thread()
    return function(stacked([rows for rows, _ in pieces]))


def _leaf_of_pieces(number: int, first: int, look: Look, *pieces: Any) -> LeafResults:
    """The result of a leaf that spans several chunks."""
    keep_single_blas_thread()
    value = look(stacked([rows for rows, _ in pieces]), first)
    return LeafResults(((number, 1, value),), frozenset().union(*(prints for _, prints in pieces)))


def _each_leaf(block: Any, *, expected: Chunk, n: int, leaf: int, look: Look, block_info: Any = None) -> LeafResults:
    """The result of each complete leaf of a chunk."""
    rows, prints, leaves = _leaves_of_block(block, expected, n, leaf, block_info)
    return LeafResults(tuple((number, 1, look(rows[some], number * leaf)) for number, some in leaves), prints)


def _added_leaves(block: Any, *, expected: Chunk, n: int, leaf: int, look: Look, block_info: Any = None) -> LeafResults:
    """The results of the complete leaves of a chunk, added as far as the tree allows."""
    rows, prints, leaves = _leaves_of_block(block, expected, n, leaf, block_info)
    sums: list[tuple[int, int, Any]] = []
    for number, some in leaves:
        _append(sums, (number, 1, look(rows[some], number * leaf)))
    return LeafResults(tuple(sums), prints)


def _leaves_of_block(
    block: Any, expected: Chunk, n: int, leaf: int, block_info: Any
) -> tuple[Any, frozenset[tuple[int, int]], list[tuple[int, slice]]]:
    """The rows of a block, its fingerprint, and the numbers and slices of its complete leaves."""
    keep_single_blas_thread()
    (start, stop), number = block_info[0]["array-location"][0], block_info[0]["chunk-location"][0]
    chunk = replace(expected, number=int(number), start=int(start), stop=int(stop))
    rows, prints = _rows_and_fingerprint(block, chunk)
    leaves = [(leaf_number, leaf_number * leaf - chunk.start) for leaf_number in chunk.whole_leaves(n, leaf)]
    return rows, prints, [(leaf_number, slice(first, first + leaf)) for leaf_number, first in leaves]


def _added(*parts: LeafResults) -> LeafResults:
    """The results of neighboring tasks, added as far as the tree allows."""
    sums: list[tuple[int, int, Any]] = []
    for part in parts:
        for one in part.sums:
            _append(sums, one)
    return LeafResults(tuple(sums), frozenset().union(*(part.prints for part in parts)))


def _append(sums: list[tuple[int, int, Any]], new: tuple[int, int, Any]) -> None:
    """Append a sum, and add it to the previous one while these two are siblings in the tree.

    Two consecutive sums of s leaves are siblings if the first one starts at a multiple of 2 s.
    """
    first, size, value = new
    while sums and sums[-1][1] == size and sums[-1][0] == first - size and (first - size) % (2 * size) == 0:
        first, _, before = sums.pop()
        value, size = before + value, 2 * size
    sums.append((first, size, value))


def _total(sums: Sums) -> Any:
    """The sum over all leaves; the remaining sums have decreasing sizes, and are added from the last to the first."""
    *parts, total = (value for _, _, value in sums)
    while parts:
        total = parts.pop() + total
    return total


def _short(value: Any) -> str:
    """A value as text; long lists are abbreviated."""
    return f"{str(value[:4])[:-1]}, ...]" if isinstance(value, list) and len(value) > 4 else str(value)


@contextmanager
def _explained_errors(client: Any, array: Any) -> Iterator[None]:
    """Convert errors of a cluster to errors with advice."""
    try:
        yield
    except MemoryError as error:
        raise MemoryError(f"a chunk of X did not fit into memory ({error}). {_memory_advice(array)}") from error
    except Exception as error:
        if client is None:
            raise
        from distributed import KilledWorker

        if isinstance(error, KilledWorker):
            raise RuntimeError(
                f"the Dask workers that computed {error.task} were killed one after another, probably because they ran "
                f"out of memory; see their logs. {_memory_advice(array)}"
            ) from error
        if client.status != "running":
            raise ConnectionError(
                f"the connection to the Dask scheduler was lost ({type(error).__name__}). Connect and run again; with "
                "DaskRows(X, checkpoint=FOLDER) a fit resumes after its last complete pass."
            ) from error
        raise


def _memory_advice(array: Any) -> str:
    rows = max(array.chunks[0])
    if np.isnan(rows):
        return "Use smaller partitions (X.repartition), fewer threads per worker, or workers with more memory."
    size = rows * array.shape[1] * array.dtype.itemsize
    return (
        f"The largest chunk has {rows:,} rows ({size / 2**20:,.0f} MiB if dense). Use smaller ones "
        f"(X.rechunk({{0: {max(int(rows) // 4, 1)}}})), fewer threads per worker, or workers with more memory."
    )
