"""Limits on the size of data in a file, compared with the size of the file and the available memory."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

SMALL = 64 * 2**20
"""Size up to which data in any file are accepted."""

RATIO = 200
"""Maximum ratio of the size of the data to that of the file beyond that."""


def check_size(path: Path, needed: int, *, cost: float = 1.0) -> None:
    """Raise an error if the data are much larger than the file, or than the available memory.

    Parameters
    ----------
    path : Path
    needed : int
        The size of the data in bytes, as declared by the file.
    cost : float
        Bytes of memory needed to read each byte.

    Examples
    --------
    >>> from tempfile import NamedTemporaryFile
    >>> with NamedTemporaryFile() as file:
    ...     check_size(Path(file.name), 10**12)
    Traceback (most recent call last):
    ValueError: /... says that it holds 931 GiB, far more than its 0 bytes can. It is damaged, or made to fill ...
    """
    size = path.stat().st_size
    if needed > max(SMALL, RATIO * size):
        raise ValueError(
            f"{path} says that it holds {in_words(needed)}, far more than its {in_words(size)} can. It is damaged, or "
            "made to fill the memory. If it is neither, save it without compression."
        )
    left = memory_left() if needed * cost > SMALL else None
    if left is not None and needed * cost > left:
        raise MemoryError(
            f"{path} needs about {in_words(int(needed * cost))}, and there are {in_words(left)}. Use fewer rows or "
            "columns"
        )


def memory_left() -> int | None:
    """Available memory in bytes; None if unknown."""
    found = []
    with suppress(OSError, ValueError, IndexError):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        found.append(1024 * int(next(line.split()[1] for line in lines if line.startswith("MemAvailable:"))))
    with suppress(OSError, ValueError):  # a container has a limit of its own
        most, taken = (Path("/sys/fs/cgroup", name).read_text().strip() for name in ("memory.max", "memory.current"))
        found.append(int(most) - int(taken))
    with suppress(ImportError, OSError, ValueError, IndexError):
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit != resource.RLIM_INFINITY:
            taken = Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
            found.append(limit - int(taken) * resource.getpagesize())
    return max(0, min(found)) if found else None


def in_words(size: int) -> str:
    """A number of bytes, in words.

    >>> in_words(900), in_words(3 * 2**20), in_words(5 * 2**29)
    ('900 bytes', '3.0 MiB', '2.5 GiB')
    """
    for unit, name in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if size >= unit:
            return f"{size / unit:.1f} {name}" if size < 100 * unit else f"{size / unit:,.0f} {name}"
    return f"{size} bytes"
