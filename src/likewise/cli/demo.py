"""The demonstration: scikit-learn's handwritten digits, sorted with no hints, with a few, and with some more."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits

from .._progress import track
from .._progress_bar import progress_bar
from ..constraints import Constraints
from ..evaluation import normalized_mutual_information, purity
from ..front import Likewise
from ..report import write_report

DIGITS = 10
SCALE = 8
"""Each image has 8 × 8 pixels; a page shows them so many times larger."""

DRAWS = 5
"""Which pairs are asked about is a matter of luck, so several draws of hints are tried."""

EXPLAINED = (
    "[b]right pile[/b]: name each pile after the digit that most of its images show; this share of all shows it.",
    "[b]untouched images[/b]: the same over images that no hint speaks of. It is what was learned, not what was told.",
    "[b]NMI[/b]: the experts' score, 0 by chance and 1 for perfect.",
    f"All are means over {DRAWS} draws of hints, in brackets the lowest and the highest.",
)

NEXT = (
    ("the same from the command line, with hints in a file", "hints sample digits --amount 200 --out hints.csv"),
    ("", "cluster digits --hints hints.csv --k 10 --out piles.csv --report digits.html"),
    ("your own table; known classes in a few rows of a column are hints, too", "cluster my.csv --label kind"),
    ("which method does best on data whose classes are known", "compare wine --amounts 20,100"),
)


def run(out: Path, n_hints: int, seed: int) -> None:
    """Print the table and write the report."""
    console = Console()
    digits = load_digits()
    X, y = digits.data / 16.0, digits.target
    console.print(
        f"{len(X):,} handwritten digits of {X.shape[1]} pixels each, to be sorted into {DIGITS} piles.\n"
        "A hint says of two images that they show the same digit, or different ones; half of the hints say each.\n"
    )
    plain = KMeans(DIGITS, n_init=10, random_state=0).fit_predict(X)
    tried: list[dict[int, Likewise]] = []
    scores: dict[str, list[tuple[float, float, float]]] = {}
    with progress_bar("sorting digits"):
        for draw in track(range(DRAWS)):
            models = {}
            drawn_so_far = hints_drawn(y, n_hints, [seed, draw])
            for amount, hints in drawn_so_far.items():
                models[amount] = Likewise(DIGITS, verbose=False, random_state=0).fit(X, constraints=hints)
            tried.append(models)
            answers = {"k-means|none": plain, "Likewise|none": models[n_hints].baseline_labels_}
            answers |= {f"Likewise|{amount}": model.labels_ for amount, model in models.items()}
            for name, labels in answers.items():
                scores.setdefault(name, []).append(scored(y, labels, ~hints.touched()))
    console.print(tabled(scores))
    for line in (*EXPLAINED, *guarded(tried)):
        console.print(line)

    found = scores[f"Likewise|{n_hints}"]
    middle = int(np.argsort([right for right, _, _ in found], kind="stable")[DRAWS // 2])
    command = f"likewise demo --hints {n_hints} --seed {seed}"
    with progress_bar("writing the report"):
        page = written(out / "report.html", tried[middle][n_hints], X, digits.images, command)
    console.print(f"\nThe piles, and what the hints did: [b]{page}[/b] opens in any browser.", soft_wrap=True)
    console.print("It shows the draw in the middle, neither the luckiest nor the unluckiest.\n\nTry next:")
    for what, step in NEXT:
        if what:
            console.print(f"  [dim]# {what}[/dim]", soft_wrap=True)
        console.print(f"  {called()} {step}", highlight=False, soft_wrap=True)


def scored(y: np.ndarray, labels: np.ndarray, untouched: np.ndarray) -> tuple[float, float, float]:
    """The share in the right pile, the same among rows that no hint touches, and NMI."""
    return purity(y, labels), purity(y[untouched], labels[untouched]), normalized_mutual_information(y, labels)


def tabled(scores: dict[str, list[tuple[float, float, float]]]) -> Table:
    """A line for each way to sort."""
    table = Table(title="How many images land in the right pile?")
    table.add_column("who sorts")
    for column in ("hints", "all images", "untouched images", "NMI"):
        table.add_column(column, justify="right")
    for name, values in scores.items():
        everything, untouched, nmi = np.mean(values, axis=0)
        shares = [value for _, value, _ in values]
        spread = f" ({min(shares):.0%} to {max(shares):.0%})" if max(shares) - min(shares) > 0.02 else ""
        table.add_row(*name.split("|"), f"{everything:.1%}", f"{untouched:.1%}{spread}", f"{nmi:.2f}")
    return table


def guarded(tried: list[dict[int, Likewise]]) -> Iterator[str]:
    """How often hints said too little to be followed."""
    for amount in tried[0]:
        times = sum(bool(models[amount].report_.guard) for models in tried)
        if times:
            yield (
                f"In {times} of {DRAWS} draws {amount} hints said too little to be followed: there Likewise stays "
                "next to its answer without hints."
            )


def called() -> str:
    """How this program is called from here: by its name, or by its path if the shell would not find it."""
    beside = Path(sys.executable).with_name("likewise")
    if shutil.which("likewise") or not beside.exists():
        return "likewise"
    here = Path.cwd()
    return str(beside.relative_to(here) if beside.is_relative_to(here) else beside)


def hints_drawn(y: np.ndarray, n_hints: int, seed: list[int]) -> dict[int, Constraints]:
    """A fifth of the hints, and all of them: half "same" and half "different", drawn from the truth."""
    generator = np.random.default_rng(seed)
    all_of_them = Constraints(len(y))
    drawn_so_far = {}
    for amount in sorted({max(2, n_hints // 5), n_hints}):
        more = amount - all_of_them.n_must_link - all_of_them.n_cannot_link
        all_of_them |= Constraints.sample(y, "equal", max(1, more // 2), random_state=generator)
        drawn_so_far[amount] = all_of_them
    return drawn_so_far


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
