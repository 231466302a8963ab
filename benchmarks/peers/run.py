"""Run methods of the peer packages on saved data; runs in the peers' own virtual environment.

python run.py METHOD DATA.npz    one run, seed 0, no limit
python run.py --serve            a request a line: {"method": …, "data": PATH, "seed": …, "limit_s": …}

The server starts with a line {"methods": […]}. An answer is one line: {"seconds": …, "labels": […]}, or, instead of
labels, "failure" with the reason, and "too_slow" if the limit was exceeded. "MMC weights" returns feature "weights".
`methods.py` describes the contents of DATA. The seconds are those of the method only, without imports and reading.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import warnings

import numpy as np
from methods import LABELING, WEIGHTING

METHODS = LABELING | WEIGHTING


class TooSlow(BaseException):
    """The limit is exceeded. It is no Exception, so that peers that catch exceptions do not continue."""


def answered(method, data, seed, limit_s=None):
    """The results of a method within the limit, as lists, or the reason of its failure."""
    rows = dict(np.load(data))
    np.random.seed(seed)  # noqa: NPY002  (the peers draw from the global state)
    start = time.perf_counter()
    try:
        found = {
            name: np.asarray(value).tolist() for name, value in limited(METHODS[method], rows, seed, limit_s).items()
        }
    except (TooSlow, Exception) as problem:  # a peer that fails is reported, not hidden
        # A bare "except" in a peer may have turned the limit into another error: the clock decides.
        too_slow = limit_s is not None and time.perf_counter() - start >= limit_s
        message = (
            f"it took more than {limit_s:g} s" if too_slow else f"{type(problem).__name__}: {problem}".rstrip(": ")
        )
        found = {"failure": message, "too_slow": too_slow}
    return {"seconds": time.perf_counter() - start, **found}


def limited(work, rows, seed, limit_s):
    """Run the work; raise TooSlow at the limit, and again every second if a peer has caught it."""
    if limit_s is None:
        return work(rows, seed)
    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, limit_s, 1.0)
    try:
        return work(rows, seed)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def ring(signal_number, frame):
    """The signal handler at the limit."""
    raise TooSlow


def main(arguments):
    """Answer one request, or those on standard input."""
    warnings.simplefilter("ignore")
    answers = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)  # what peers print goes to standard error, so that only answers come out
    if arguments != ["--serve"]:
        method, data = arguments
        print(json.dumps(answered(method, data, seed=0)), file=answers)
        return
    print(json.dumps({"methods": list(LABELING)}), file=answers)
    for line in sys.stdin:
        print(json.dumps(answered(**json.loads(line))), file=answers)


if __name__ == "__main__":
    main(sys.argv[1:])
