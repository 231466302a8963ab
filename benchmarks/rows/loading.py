"""Loading the package itself."""

from __future__ import annotations

import subprocess
import sys

from ..harness import Bar, Contest, Verdict, row

EVERYTHING = "import likewise; [getattr(likewise, name) for name in likewise.__all__]"
LIBRARIES = ("sklearn", "scipy", "numpy", "joblib", "threadpoolctl")


def seconds_to(code: str) -> float:
    """Run the code in a new process; the seconds that it says it took there, without those of starting Python."""
    said = "import time; start = time.perf_counter()\n" + code + "\nprint(time.perf_counter() - start)"
    return float(subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True).stdout)


def modules_loaded() -> list[str]:
    """The modules of scikit-learn and below it that loading every public name brings in, in their order."""
    code = f"import sys; {EVERYTHING}; print(*sys.modules)"
    names = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    return [name for name in names if name.split(".")[0] in LIBRARIES]


@row(
    "import",
    "import likewise and every public name",
    "importing the modules of scikit-learn, scipy and numpy that this loads",
    Bar(slower=1.2),
)
def importing() -> Contest:
    names = modules_loaded()
    theirs = "from importlib import import_module\nfor name in " + repr(names) + ":\n    import_module(name)"

    def judge(ours, others):
        bare = seconds_to("import likewise")
        return Verdict(f"{len(names)} modules; import likewise alone {1000 * bare:.0f} ms")

    return Contest(
        lambda: seconds_to(EVERYTHING),
        lambda: seconds_to(theirs),
        judge,
        ours_clock=lambda seconds, inside: inside,
        theirs_clock=lambda seconds, inside: inside,
    )
