"""The demonstration: scikit-learn's handwritten digits, sorted with no hints, with a few, and with some more."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits

from ..constraints import Constraints
from ..evaluation import normalized_mutual_information, purity
from ..front import Likewise
from ..report import write_report

DIGITS = 10
SCALE = 8
"""Each image has 8 × 8 pixels; a page shows them so many times larger."""

EXPLAINED = """
[b]right pile[/b]   Name every pile after the digit that most of its images show. So many images show that digit.
[b]no hint touches[/b]   The same, counted only over images that nobody said anything about: what was learned, not told.
[b]NMI[/b]   The experts' score: 0 is chance, 1 is perfect.
"""

NEXT = (
    ("the same from the command line, with hints in a file", "likewise hints sample digits hints.csv --amount 200"),
    ("", "likewise cluster digits --hints hints.csv --k 10 --out piles.csv --report digits.html"),
    ("your own table; known classes in a few rows of a column are hints too", "likewise cluster my.csv --label kind"),
    ("who does best on data whose classes are known", "likewise compare wine --amounts 20,100"),
)


def run(out: Path, n_hints: int, seed: int) -> None:
    """Print the table and write the report."""
    console = Console()
    digits = load_digits()
    X, y = digits.data / 16.0, digits.target
    few, many = hints_drawn(y, n_hints, seed)
    fresh = ~many.touched()
    console.print(
        f"{len(X):,} handwritten digits of {X.shape[1]} pixels each, to be sorted into {DIGITS} piles. A hint says of two "
        f"images that they show the same digit, or different ones; half of the hints say each.\n"
    )

    table = Table(title="How many images land in the right pile?")
    table.add_column("who sorts")
    for column in ("hints", "all images", "images no hint touches", "NMI"):
        table.add_column(column, justify="right")

    def add(name: str, hints: Constraints | None, labels: np.ndarray) -> None:
        said = 0 if hints is None else hints.n_must_link + hints.n_cannot_link
        right = (purity(y, labels), purity(y[fresh], labels[fresh]))
        score = normalized_mutual_information(y, labels)
        table.add_row(name, f"{said}" if said else "none", *(f"{share:.1%}" for share in right), f"{score:.2f}")

    add("k-means", None, KMeans(DIGITS, n_init=10, random_state=0).fit_predict(X))
    with console.status("sorting digits"):
        for hints in (few, many):
            model = Likewise(DIGITS, verbose=False, random_state=0).fit(X, constraints=hints)
            if hints is few:
                add("Likewise", None, model.baseline_labels_)
            add("Likewise", hints, model.labels_)
        console.print(table)
        console.print(EXPLAINED)
        if model.report_.guard:
            console.print(f"Likewise stays next to its answer without hints: {model.report_.guard}\n")
        page = written(out / "report.html", model, X, digits.images, f"likewise demo --hints {n_hints} --seed {seed}")

    console.print(f"Look at the piles, and at what each hint did: [b]{page}[/b] (open it in a browser)\n")
    console.print("Try next:")
    for what, command in NEXT:
        if what:
            console.print(f"  [dim]# {what}[/dim]")
        console.print(f"  {command}", highlight=False)


def hints_drawn(y: np.ndarray, n_hints: int, seed: int) -> tuple[Constraints, Constraints]:
    """A fifth of the hints, and all of them: half "same" and half "different", drawn from the truth."""
    few = max(1, n_hints // 10)
    first = Constraints.sample(y, "equal", few, random_state=seed)
    rest = n_hints // 2 - few
    if rest < 1:
        return first, first
    generator = np.random.default_rng([seed, 1])
    return first, first | Constraints.sample(y, "equal", rest, random_state=generator)


def written(path: Path, model: Likewise, X: np.ndarray, images: np.ndarray, command: str) -> Path:
    """The report, with small pictures of the digits in it."""
    with drawn(images) as pictures:
        return write_report(
            path,
            model,
            X,
            images=pictures,
            title="Handwritten digits",
            recipe=f"{len(X):,} digits that come with scikit-learn, {X.shape[1]} pixels each, divided by 16",
            command=command,
        )


@contextmanager
def drawn(images: np.ndarray) -> Iterator[list[Path]]:
    """Images as files, dark on white, for as long as they are needed."""
    from PIL import Image

    with TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number}.png" for number in range(len(images))]
        for path, image in zip(paths, images, strict=True):
            pixels = np.kron(255 - image * (255 / 16), np.ones((SCALE, SCALE)))
            Image.fromarray(pixels.astype(np.uint8)).save(path)
        yield paths
