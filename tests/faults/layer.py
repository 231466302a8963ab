"""The file layer that fails on demand (layer.c), and how it gets into a process."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).with_name("layer.c")

KINDS = ("watch", "broken once", "full", "broken", "short", "dies", "dies halfway")
"""What happens at the n-th operation, in the order of layer.c.

broken once: it is an error of the disk. full: it and all after it that need space find none. broken: it and all after
it are errors. short: a write takes half, and there is no space for more. dies: kill −9 instead of it. dies halfway:
kill −9 after half of a write.
"""
WRITES_ONLY = ("short", "dies halfway")


def why_not() -> str:
    """Why the layer cannot be used here; empty if it can."""
    if sys.platform != "linux":
        return "files fail on demand on Linux only"
    if shutil.which("cc") is None:
        return "there is no C compiler (cc) to make files that fail on demand"
    return ""


def build(folder: Path) -> Path:
    """Compile the layer."""
    library = folder / "layer.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-Wall", "-o", library, SOURCE, "-ldl"], check=True)
    return library


def run_under(library: Path, *command: object) -> int:
    """Run a program on the layer; everything else of it is as here."""
    environment = {**os.environ, "LD_PRELOAD": str(library), "LIKEWISE_FAULTS": str(library)}
    return subprocess.run([*map(str, command)], env=environment, check=False).returncode


class Layer:
    """The layer that this process runs on."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(os.environ["LIKEWISE_FAULTS"])
        self._library.faults_trace.restype = ctypes.c_char_p
        self._library.faults_count.restype = ctypes.c_long
        self._library.faults_arm.argtypes = [ctypes.c_char_p, ctypes.c_long, ctypes.c_int]

    def arm(self, folder: Path, n: int = -1, kind: str = "watch") -> None:
        """Let the n-th operation on files in a folder fail; -1: none, they are noted."""
        self._library.faults_arm(os.fsencode(folder), n, KINDS.index(kind))

    def disarm(self) -> None:
        """Let everything pass."""
        self._library.faults_disarm()

    def trace(self) -> list[str]:
        """What was done to files of the folder: operation and path."""
        return [os.fsdecode(self._library.faults_trace(n)) for n in range(self._library.faults_count())]


def kinds_at(operation: str, kinds: tuple[str, ...]) -> list[str]:
    """The kinds of faults that make a difference for an operation."""
    is_write = operation.startswith("write ")
    return [kind for kind in kinds if is_write or kind not in WRITES_ONLY]
