"""``likewise-bench mixed``: Likewise on ten tables, with and without columns unrelated to the classes."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path

import click
import numpy as np
from rich.console import Console

from likewise import Constraints, Likewise
from likewise.evaluation import normalized_mutual_information

from ..writing import machine, markdown, write_page
from .tables import TABLES

RESULTS = Path(__file__).with_name("RESULTS.md")
PAIRS = (0, 30, 100)
BAR = -0.03

INTRODUCTION = """\
# Columns that do not matter

Written by `likewise-bench mixed`. Ten tables are made from scikit-learn's data (`tables.py`; at most 400 rows), and one
to five random columns are added to each: categories, numbers on other scales, ordinals, dates, texts. The table below
has the NMI of `Likewise` without these columns, and the difference that they make, by the number of pairs given as
hints. Both use the same pairs, and pairs and columns are drawn anew in each of {draws} draws. The requirement is that
the mean is at most .03 lower with the added columns.

The weighting of columns was chosen on other data, drawn in another way: glass, vehicle, breast_w, ionosphere, pima,
yeast, pendigits, `make_blobs` and `make_classification`. There is one exception: the rule that numbers in one unit keep
their proportions beside other columns came from looking at iris, so the three tables of iris are no independent test of
it.
"""


def scores(name: str, draw: int) -> list[tuple[float, float]]:
    """For each number of pairs, the NMI without and with the added columns."""
    rng = np.random.default_rng([draw, *name.encode()])
    table = TABLES[name](rng)
    n_clusters = len(np.unique(table.y))
    found = []
    for pairs in PAIRS:
        hints = Constraints.sample(table.y, "random_pairs", pairs, random_state=draw) if pairs else None
        both = []
        for columns in (table.columns, {**table.columns, **table.added}):
            model = Likewise(n_clusters, random_state=draw, verbose=False).fit(columns, constraints=hints)
            both.append(normalized_mutual_information(table.y, model.labels_))
        found.append((both[0], both[1]))
    return found


def results_page(values: dict[str, np.ndarray]) -> list[str]:
    """The parts of the page; ``values`` has draws × numbers of pairs × (without, with) for each table."""
    means = {(TABLES[name].__doc__ or name).strip(): one.mean(axis=0) for name, one in values.items()}
    mean = np.mean(list(means.values()), axis=0)
    lines = [[label, *cells(one)] for label, one in [*means.items(), ("**mean**", mean)]]
    head = ["table; what is added", *(cell for pairs in PAIRS for cell in (f"{pairs} pairs", ""))]
    draws = len(next(iter(values.values())))
    return [INTRODUCTION.format(draws=draws), machine(), markdown(head, lines), verdict(mean)]


def cells(values: np.ndarray) -> list[str]:
    """NMI without the added columns and the difference with them, for each number of pairs."""
    return [cell for without, added in values for cell in (f"{without:.3f}", f"{added - without:+.3f}")]


def verdict(mean: np.ndarray) -> str:
    """Whether the mean loss is within the requirement."""
    lost = (mean[:, 1] - mean[:, 0]).round(3)
    found = (f"{change:+.3f} with {pairs} pairs ({'met' if change >= BAR else 'not met'})"
             for pairs, change in zip(PAIRS, lost, strict=True))  # fmt: skip
    return f"On average {', '.join(found)}."


@click.command()
@click.argument("names", nargs=-1)
@click.option("--draws", type=click.IntRange(1), default=5, show_default=True, help="Draws of columns and hints.")
@click.option("--jobs", type=click.IntRange(1), default=2, show_default=True, help="Number of processes.")
def mixed(names: tuple[str, ...], draws: int, jobs: int) -> None:
    """Run the tables called NAMES, or all; all are written to mixed/RESULTS.md."""
    if unknown := [name for name in names if name not in TABLES]:
        raise click.UsageError(f"no table called {unknown[0]!r}. There are: {', '.join(TABLES)}.")
    console = Console()
    chosen = names or tuple(TABLES)
    todo = list(product(chosen, range(draws)))
    values: dict[str, list[list[tuple[float, float]]]] = {name: [] for name in chosen}
    with ProcessPoolExecutor(jobs) as pool:
        done = pool.map(_scores_of, todo)
        for (name, draw), found in zip(todo, done, strict=True):
            values[name].append(found)
            if draw == draws - 1:
                console.print(name, *cells(np.mean(values[name], axis=0)), soft_wrap=True, highlight=False)
    page = results_page({name: np.array(found) for name, found in values.items()})
    console.print(page[-1], soft_wrap=True)
    if not names:
        console.print(f"results: {write_page(RESULTS, page)}", soft_wrap=True)


def _scores_of(task: tuple[str, int]) -> list[tuple[float, float]]:
    return scores(*task)
