"""``python -m fuzz``: read damaged and hostile files, and show what did not end in an answer or a clear error."""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .children import Outcome, inputs, judged, keep, place_for, run
from .kinds import KINDS

REGRESSIONS = Path(__file__).parent.parent / "regressions"


def main() -> int:
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=15.0, help="for each kind")
    parser.add_argument("--inputs", type=int, help="of each kind, instead of a time")
    parser.add_argument("--kinds", default=",".join(KINDS), help="separated by commas")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", type=int, help="write this one input to the current folder, and read it")
    parser.add_argument("--keep", type=Path, default=REGRESSIONS, help="folder for inputs that fail")
    given = parser.parse_args()
    kinds = given.kinds.split(",")
    if given.only is not None:
        return _only(kinds[0], given.seed, given.only)
    seconds = given.seconds if given.inputs is None else 10.0**9
    print(f"seed {given.seed}")
    print(
        f"{'kind':14} {'tried':>9} {'answered':>9} {'refused':>9} {'failed':>7} {'a second':>9} {'peak MiB':>9}",
        flush=True,
    )

    def one(name: str) -> tuple[str, Outcome, float]:
        start = time.monotonic()
        return name, run(KINDS[name], given.seed, seconds, given.inputs, given.first), time.monotonic() - start

    tried = failed = 0
    with ThreadPoolExecutor(given.jobs) as pool:
        for name, outcome, took in pool.map(one, kinds):
            tried, failed = tried + outcome.tried, failed + outcome.failed
            print(f"{name:14} {outcome.tried:9,} {outcome.answered:9,} {outcome.refused:9,} {outcome.failed:7,} "
                  f"{outcome.tried / took:9,.0f} {outcome.peak / 2**20:9,.0f}", flush=True)  # fmt: skip
            for failure in outcome.examples.values():
                path = keep(failure, given.keep)
                print(
                    f"    {failure.what} at input {failure.number}: {failure.detail[:400]}\n      kept as {path}",
                    flush=True,
                )
    print(f"{tried:,} tried, {failed:,} failed")
    return 1 if failed else 0


def _only(name: str, seed: int, number: int) -> int:
    kind = KINDS[name]
    data = next(data for at, data in inputs(kind, seed, number) if at == number)
    file, path = place_for(kind, Path.cwd())
    file.write_bytes(data)
    print(f"wrote {file}")
    what, detail = judged(kind, path)
    print(f"{what}: {detail}")
    return 0 if what in ("answered", "refused") else 1


if __name__ == "__main__":
    sys.exit(main())
