"""Importing the package."""

from __future__ import annotations

import subprocess
import sys

from ..harness import Bar, Contest, Verdict, row

EVERYTHING = "import likewise; [getattr(likewise, name) for name in likewise.__all__]"
LIBRARIES = ("sklearn", "scipy", "numpy", "joblib", "threadpoolctl")


def seconds_to(code: str, processes: int) -> float:
    """Run code in new processes; the minimum of the seconds it reports, without starting Python.

    The minimum is used because disturbances of reading a thousand files only add to the time.
    """
    program = "import time; start = time.perf_counter()\n" + code + "\nprint(time.perf_counter() - start)"
    run = [sys.executable, "-c", program]
    return min(float(subprocess.run(run, capture_output=True, text=True, check=True).stdout) for _ in range(processes))


def modules_loaded() -> list[str]:
    """The modules of scikit-learn and its dependencies that importing every public name loads, in order."""
    code = f"import sys; {EVERYTHING}; print(*sys.modules)"
    names = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    return [name for name in names if name.split(".")[0] in LIBRARIES]


@row(
    "import",
    "import likewise and every public name, least of {processes} processes",
    "importing the modules of scikit-learn, scipy and numpy that this loads",
    Bar(slower=1.2),
    processes=1,
)
def importing(processes=5) -> Contest:
    names = modules_loaded()
    theirs = "from importlib import import_module\nfor name in " + repr(names) + ":\n    import_module(name)"

    def judge(ours, others):
        bare = seconds_to("import likewise", processes)
        return Verdict(f"{len(names)} modules; import likewise alone {1000 * bare:.0f} ms")

    return Contest(
        lambda: seconds_to(EVERYTHING, processes),
        lambda: seconds_to(theirs, processes),
        judge,
        ours_clock=lambda seconds, inside: inside,
        theirs_clock=lambda seconds, inside: inside,
    )
