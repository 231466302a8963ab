"""``likewise-bench``: the benchmarks of the checkout one stands in."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def checkout(start: Path) -> Path | None:
    """The nearest folder at or above ``start`` that holds this project's benchmarks; None if there is none.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     print(checkout(Path(folder)))
    None
    """
    found = (folder for folder in (start, *start.parents) if (folder / "benchmarks" / "harness.py").is_file())
    return next(found, None)


def main() -> int:
    """Run ``python -m benchmarks`` in the checkout, with the words given; return its exit code."""
    home = checkout(Path.cwd())
    if home is None:
        print(
            f"likewise-bench: there are no benchmarks at or above {Path.cwd()}. They are in the repository of likewise "
            "alone, not in the installed package: clone it, run make setup there, and call this inside it.",
            file=sys.stderr,
        )
        return 2
    return subprocess.call([sys.executable, "-m", "benchmarks", *sys.argv[1:]], cwd=home)
