"""``likewise-bench`` and ``likewise papers``: programs of the checkout, which the installed package does not have."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn


def find_checkout(start: Path) -> Path:
    """The nearest folder at or above ``start`` that is a checkout of likewise.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     find_checkout(Path(folder))
    Traceback (most recent call last):
    FileNotFoundError: ... is not in a checkout of likewise. Benchmarks and papers are ...
    """
    for folder in (start, *start.parents):
        if (folder / "benchmarks" / "harness.py").is_file() and (folder / "papers" / "framework").is_dir():
            return folder
    raise FileNotFoundError(
        f"{start} is not in a checkout of likewise. Benchmarks and papers are in its repository only, not in the "
        "installed package: clone it, run make setup there, and run this command inside it."
    )


def run_module(module: str, arguments: Sequence[str]) -> NoReturn:
    """Become ``python -m module`` of the checkout, in the current folder: one process, which signals reach."""
    paths = [str(find_checkout(Path.cwd())), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    # -P: modules of the checkout, not those that happen to lie in the current folder
    os.execve(sys.executable, [sys.executable, "-P", "-m", module, *arguments], environment)


def main() -> int:
    """Run ``python -m benchmarks`` with the arguments of this program."""
    try:
        run_module("benchmarks", sys.argv[1:])
    except FileNotFoundError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2
