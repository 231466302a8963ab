"""Run what is missing, on several cores, so that it can be stopped and goes on where it was."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from multiprocessing import get_context, parent_process
from threading import Thread

from likewise.evaluation import Ledger, Results
from likewise.evaluation.protocols import Trial, run_method

from .outside import open_to
from .study import Study

QUICK_SEEDS = 2
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


@dataclass(frozen=True)
class Task:
    """Some methods of one trial for one seed."""

    trial: str
    seed: int
    methods: tuple[str, ...]


@dataclass(frozen=True)
class Plan:
    """What is to be run for a study; ``outside`` is where its methods are, if these are not its own."""

    study: Study
    tasks: tuple[Task, ...]
    outside: str = ""


@dataclass(frozen=True)
class Failure:
    """A trial that could not be drawn, or a method that ended in an error."""

    what: str
    seed: int
    error: str


Answer = tuple[Task, dict[str, float], list[Failure]]


def plan(study: Study, results: Results, *, cell: str | None = None, quick: bool = False) -> Plan:
    """Choose what is still missing.

    Parameters
    ----------
    study : Study
    results : Results
        What is there already.
    cell : str, optional
        A cell, the beginning of some (``table1/iris``), or a pattern with ``*``: only those.
    quick : bool
        Only the cells that the claims mark as quick, with two seeds.
    """
    wanted = study.quick_cells() if quick else None
    named = {(cell.rpartition("/")[0], seed) for cell, seeds in results.items() for seed in seeds}
    tasks = []
    # Seed by seed, so that a run that is stopped has seen every cell a few times rather than a few cells always.
    for seed in range(max((trial.seeds for trial in study.trials.values()), default=0)):
        for trial in study.trials.values():
            if seed >= (min(trial.seeds, QUICK_SEEDS) if quick else trial.seeds):
                continue
            missing = tuple(
                method
                for method in trial.methods
                if asked_for(trial, method, cell, wanted) and not _known(trial, method, seed, results, named)
            )
            if missing:
                tasks.append(Task(trial.name, seed, missing))
    if cell is not None and not any(asked_for(t, m, cell, None) for t in study.trials.values() for m in t.methods):
        raise ValueError(f"no cell of {study.name} is called {cell!r}. Look at {study.folder / 'claims.toml'}.")
    return Plan(study, tuple(tasks))


def run(
    planned: Plan,
    ledger: Ledger,
    *,
    jobs: int = 1,
    advance: Callable[[Task], None] = lambda task: None,
) -> list[Failure]:
    """Run a plan; every answer is in the ledger before `advance` is called.

    A method that fails is returned with its error, and the rest goes on.
    """
    failures: list[Failure] = []
    for task, values, failed in _answers(planned, jobs):
        ledger.append(task.seed, values.items())
        failures += failed
        advance(task)
    return failures


def _answers(planned: Plan, jobs: int) -> Iterator[Answer]:
    package, outside = planned.study.package, planned.outside
    if jobs == 1:
        yield from (_work(package, outside, task) for task in planned.tasks)
        return
    with (
        _one_thread_each(),
        ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=end_with_parent) as pool,
    ):
        waiting = [pool.submit(_work, package, outside, task) for task in planned.tasks]
        try:
            for done in as_completed(waiting):
                yield done.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _work(package: str, outside: str, task: Task) -> Answer:
    trial = _study(package, outside).trials[task.trial]
    values: dict[str, float] = {}
    failures = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            drawn = trial.draw(task.seed)
        except Exception as error:  # one broken cell must not end a run of hours; it is reported at the end
            return task, values, [Failure(task.trial, task.seed, _words(error))]
        for method in task.methods:
            try:
                values.update(run_method(trial, drawn, task.seed, method))
            except Exception as error:
                failures.append(Failure(f"{task.trial}/{method}", task.seed, _words(error)))
    return task, values, failures


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def end_with_parent() -> None:
    """End this process when the one that started it is gone, also if that was killed."""
    parent = parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    Thread(target=watch, daemon=True).start()


@lru_cache(maxsize=8)
def _study(package: str, outside: str) -> Study:
    study = Study.load(package)
    return open_to(study, outside) if outside else study


@contextmanager
def _one_thread_each() -> Iterator[None]:
    # Read by the workers when they import numpy; more threads than cores only wait for each other.
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def asked_for(trial: Trial, method: str, cell: str | None, wanted: set[str] | None) -> bool:
    """Whether a method of a trial is meant by a cell, the beginning of some, or a pattern, and is among ``wanted``."""
    own = f"{trial.name}/{method}"
    if wanted is not None and not any(name == own or name.startswith(own + "/") for name in wanted):
        return False
    if cell is None:
        return True
    names = [own, *trial.cells(method)]
    return cell.startswith(own + "/") or any(
        name == cell or name.startswith(cell.rstrip("/") + "/") or fnmatchcase(name, cell) for name in names
    )


def _known(trial: Trial, method: str, seed: int, results: Results, named: set[tuple[str, int]]) -> bool:
    # A method may name its own values; then whatever stands below its name is the answer.
    own = f"{trial.name}/{method}"
    return (
        (own, seed) in named
        if len(trial.scores) == 0
        else all(seed in results.get(cell, {}) for cell in trial.cells(method))
    )
