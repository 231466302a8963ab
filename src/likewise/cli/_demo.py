"""``likewise demo``: scikit-learn's handwritten digits, clustered with no hints, with a few, and with some more."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from ._options import FOLDER, SEED, IntRange

if TYPE_CHECKING:
    import numpy as np
    from rich.table import Table

    from ..constraints import Constraints
    from ..front import Likewise

DIGITS = 10
SCALE = 8
"""Each image has 8 × 8 pixels; the report shows them so many times larger."""

DRAWS = 5
"""Which pairs are hints is random, so several draws are tried."""

EXPLANATION = (
    "[b]accuracy[/b]: share of images whose digit is the most frequent one of their cluster (purity).",
    "[b]untouched images[/b]: the same over images that are in no hint, which shows what was learned.",
    "[b]NMI[/b]: normalized mutual information, 0 for random and 1 for perfect clusters.",
    f"All are means over {DRAWS} draws of hints; in brackets the lowest and the highest.",
)

NEXT = (
    ("the same from the command line, with hints in a file", "hints sample digits --amount 200 --out hints.csv"),
    ("", "cluster digits --hints hints.csv --k 10 --out clusters.csv --report digits.html"),
    ("your own table; known classes of some rows are hints, too", "cluster my.csv --label kind"),
    ("which method does best on data whose classes are known", "compare wine --amounts 20,100"),
)


@click.command()
@click.option("--out", type=FOLDER, default="demo", show_default=True, help="Folder for the report, or for the images "
              "and the session of the studio.")  # fmt: skip
@click.option("--hints", "n_hints", type=IntRange(2), default=100, show_default=True, help="Number of hints.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Random seed of the hints.")
@click.option("--studio", "in_studio", is_flag=True, help="Open the digits in the studio instead, and give the hints "
              "yourself.")  # fmt: skip
@click.option("--port", type=IntRange(1, 65535), help="Port of the studio's page. Default: a free one.")
@click.option("--open/--no-open", "browser", default=True, help="Whether to open the studio's page in a browser.")
@click.pass_context
def demo(
    context: click.Context, out: Path, n_hints: int, seed: int, in_studio: bool, port: int | None, browser: bool
) -> None:
    """Cluster handwritten digits with and without hints, and write a report."""
    if in_studio:
        _open_studio(context, out, seed, port, browser)
        return
    from rich.console import Console

    from ._messages import Messages

    with Messages().starting():
        import numpy as np
        from sklearn.cluster import KMeans
        from sklearn.datasets import load_digits

        from .._progress import track
        from .._progress_bar import progress_bar
        from ..front import Likewise

    console = Console()
    digits = load_digits()
    X = digits.data / 16.0
    y = digits.target
    console.print(
        f"{len(X):,} handwritten digits of {X.shape[1]} pixels each, to be clustered by digit.\n"
        "A hint says of two images that they show the same digit, or different ones; half of the hints say each.\n"
    )
    unsupervised = KMeans(DIGITS, n_init=10, random_state=0).fit_predict(X)
    fitted: list[dict[int, Likewise]] = []
    scores: dict[tuple[str, str], list[tuple[float, float, float]]] = {}
    with progress_bar("clustering digits"):
        for draw in track(range(DRAWS)):
            models = {}
            for amount, constraints in sample_hints(y, n_hints, [seed, draw]).items():
                models[amount] = Likewise(DIGITS, verbose=False, random_state=0).fit(X, constraints=constraints)
            fitted.append(models)
            answers = {("k-means", "none"): unsupervised, ("Likewise", "none"): models[n_hints].unsupervised_labels_}
            answers |= {("Likewise", str(amount)): model.labels_ for amount, model in models.items()}
            for name, labels in answers.items():
                scores.setdefault(name, []).append(_scores(y, labels, ~constraints.constrained_rows()))
    console.print(_table(scores))
    for line in (*EXPLANATION, *fallbacks(fitted)):
        console.print(line)

    accuracies = [accuracy for accuracy, _, _ in scores["Likewise", str(n_hints)]]
    median = int(np.argsort(accuracies, kind="stable")[DRAWS // 2])
    command = f"likewise demo --hints {n_hints} --seed {seed}"
    with progress_bar("writing the report"):
        page = _write_report(out / "report.html", fitted[median][n_hints], X, digits.images, digits.target, command)
    console.print(f"\nReport: [b]{page}[/b] opens in any browser. It shows the median draw.", soft_wrap=True)
    console.print("\nTry next:")
    for what, arguments in NEXT:
        if what:
            console.print(f"  [dim]# {what}[/dim]", soft_wrap=True)
        console.print(f"  {_program()} {arguments}", highlight=False, soft_wrap=True)


def sample_hints(y: Any, n_hints: int, seed: list[int]) -> dict[int, Constraints]:
    """A fifth of the hints, and all of them: half "same" and half "different", drawn from the classes."""
    import numpy as np

    from ..constraints import Constraints

    generator = np.random.default_rng(seed)
    constraints = Constraints(len(y))
    drawn = {}
    for amount in sorted({max(2, n_hints // 5), n_hints}):
        more = amount - constraints.n_must_link - constraints.n_cannot_link
        constraints |= Constraints.sample(y, "equal", max(1, more // 2), random_state=generator)
        drawn[amount] = constraints
    return drawn


def fallbacks(fitted: list[dict[int, Likewise]]) -> Iterator[str]:
    """How often Likewise fell back to the result without hints."""
    for amount in fitted[0]:
        times = sum(bool(models[amount].report_.fallback) for models in fitted)
        if times:
            yield (
                f"In {times} of {DRAWS} draws {amount} hints were too few to learn from: there Likewise fell back to "
                "its result without hints."
            )


def _scores(y: np.ndarray, labels: np.ndarray, untouched: np.ndarray) -> tuple[float, float, float]:
    """Purity, purity of the rows that are in no hint, and NMI."""
    from ..evaluation import normalized_mutual_information, purity

    return purity(y, labels), purity(y[untouched], labels[untouched]), normalized_mutual_information(y, labels)


def _table(scores: dict[tuple[str, str], list[tuple[float, float, float]]]) -> Table:
    import numpy as np
    from rich.table import Table

    table = Table(title="Accuracy with and without hints")
    table.add_column("method")
    for column in ("hints", "all images", "untouched images", "NMI"):
        table.add_column(column, justify="right")
    for name, values in scores.items():
        everything, untouched, nmi = np.mean(values, axis=0)
        shares = [share for _, share, _ in values]
        spread = f" ({min(shares):.0%} to {max(shares):.0%})" if max(shares) - min(shares) > 0.02 else ""
        table.add_row(*name, f"{everything:.1%}", f"{untouched:.1%}{spread}", f"{nmi:.2f}")
    return table


def _program() -> str:
    """How this program is called from here: by its name, or by its path if the shell would not find it."""
    beside = Path(sys.executable).with_name("likewise")
    if shutil.which("likewise") or not beside.exists():
        return "likewise"
    here = Path.cwd()
    return str(beside.relative_to(here) if beside.is_relative_to(here) else beside)


def _write_report(
    path: Path, model: Likewise, X: np.ndarray, images: np.ndarray, classes: np.ndarray, command: str
) -> Path:
    from ..report import write_report

    with _image_files(images) as files:
        return write_report(
            path,
            model,
            X,
            images=files,
            classes=classes,
            title="Handwritten digits",
            preprocessing=f"{len(X):,} digits that come with scikit-learn, {X.shape[1]} pixels each, divided by 16",
            command=command,
        )


@contextmanager
def _image_files(images: np.ndarray) -> Iterator[list[Path]]:
    """Images as temporary files, dark on white."""
    with TemporaryDirectory() as folder:
        yield _write_images(images, Path(folder))


def _write_images(images: np.ndarray, folder: Path) -> list[Path]:
    import numpy as np
    from PIL import Image

    paths = [folder / f"{number}.png" for number in range(len(images))]
    for path, image in zip(paths, images, strict=True):
        pixels = np.kron(255 - image * (255 / 16), np.ones((SCALE, SCALE)))
        Image.fromarray(pixels.astype(np.uint8)).save(path)
    return paths


def _open_studio(context: click.Context, out: Path, seed: int, port: int | None, browser: bool) -> None:
    """The digits as a table with a column of pictures, in the studio."""
    from sklearn.datasets import load_digits

    from .._leftovers import temporary_folder
    from ..tables import write_columns
    from ._studio import studio

    table = out / "digits.csv"
    if not table.exists():
        digits = load_digits()
        pictures = out / "digits"
        out.mkdir(parents=True, exist_ok=True)
        if not pictures.exists():
            with temporary_folder(out) as folder:
                (folder / pictures.name).mkdir()
                _write_images(digits.images, folder / pictures.name)
                (folder / pictures.name).replace(pictures)
        paths = sorted(pictures.glob("*.png"), key=lambda path: int(path.stem))
        columns: dict[str, Any] = {
            "id": [path.stem for path in paths],
            "picture": [f"{pictures.name}/{path.name}" for path in paths],
        }
        columns |= {name: digits.data[:, place].astype(int) for place, name in enumerate(digits.feature_names)}
        write_columns(table, columns)
    arguments = [str(table), "--k", str(DIGITS), "--session", str(out / "digits.studio"), "--seed", str(seed)]
    arguments += ["--open" if browser else "--no-open", *([] if port is None else ["--port", str(port)])]
    with studio.make_context("studio", arguments, parent=context) as inner:
        studio.invoke(inner)
