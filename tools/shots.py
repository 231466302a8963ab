"""Screenshots of the report for eight data sets of six kinds, at the widths of a desktop and of a phone.

    python tools/shots.py [FOLDER] [NAME ...]      (make shots)

Each report is written to FOLDER, "shots" by default, as NAME.html, with NAME-1280.png and NAME-390.png (the first
screen) and NAME-1280-full.png and NAME-390-full.png (all of it). The data is generated or comes with scikit-learn;
texts and genes are real ones where LIKEWISE_DATA names a folder with the data sets of the papers. A page that reports
an error, fetches something, or is wider than its window fails the run. docs/images/report.png is one of them.
"""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, sync_playwright
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_wine, make_blobs

from likewise import Constraints, Likewise, NetworkedDocuments, TextFeatures, datasets
from likewise.cli import main
from likewise.prepare import read_table
from likewise.report import write_report

WIDTHS = {1280: {"viewport": {"width": 1280, "height": 860}},
          390: {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}}  # fmt: skip


def wine(path: Path) -> None:
    """A table of numbers and 60 hints, by the command line: the picture of the README."""
    hints = path.with_name("wine-hints.csv")
    for command in (
        ["hints", "sample", "wine", "--amount", "60", "--out", str(hints)],
        ["cluster", "wine", "--hints", str(hints), "--k", "3", "--report", str(path), "--quiet"],
    ):
        with redirect_stdout(io.StringIO()):  # the clusters
            main(command, standalone_mode=False)


def cancer(path: Path) -> None:
    """A table of numbers, two clusters, known classes."""
    data = load_breast_cancer(as_frame=True)
    hints = Constraints.sample(data.target, "random_pairs", 40, random_state=0)
    classes = data.target_names[data.target]
    write_report(path, _fitted(data.data, hints, 2), data.data, title="Breast tumors", classes=classes)


def mixed(path: Path) -> None:
    """A messy file: numbers with gaps, a category, dates, a text, an id; a few hints."""
    rng = np.random.default_rng(0)
    X, y = load_wine(return_X_y=True, as_frame=True)
    words = (
        ("firm", "tannic", "dark", "cherry"),
        ("light", "floral", "pale", "citrus"),
        ("sharp", "spicy", "plum", "oak"),
    )
    frame = X[["alcohol", "malic_acid", "hue", "proline", "flavanoids"]].copy()
    frame.insert(0, "wine_id", [f"W-{row:04d}" for row in range(len(X))])
    frame["region"] = rng.choice(["Asti", "Alba", "Cuneo", "Langhe"], len(X))
    frame["bottled"] = [f"20{rng.integers(10, 20)}-{rng.integers(1, 13):02d}-{rng.integers(1, 29):02d}" for _ in y]
    frame["note"] = [" ".join(rng.choice(words[kind], 3)) + " wine of this house" for kind in y]
    frame.loc[rng.choice(len(X), 12, replace=False), "proline"] = np.nan
    file = path.with_suffix(".csv")
    frame.to_csv(file, index=False)
    rows = read_table(file)
    hints = Constraints.sample(y, "random_pairs", 30, error_rate=0.07, random_state=3)
    model = Likewise(3, kind=str(rows.kind), random_state=0, verbose=False).fit(rows.X, constraints=hints)
    about = {"ids": rows.ids, "texts": rows.texts, "feature_names": rows.feature_names, "kind": rows.kind}
    write_report(path, model, rows.X, title=file.name, table=rows.table, preprocessing=rows.description, **about)


def text(path: Path) -> None:
    """Two thousand texts, no hints, no number of clusters."""
    texts = _texts(2000)
    features = TextFeatures()
    X = features.fit_transform(texts)
    names = features.get_feature_names_out()
    write_report(path, _fitted(X, None, None), X, title="Two thousand texts", texts=texts, feature_names=names)


def images(path: Path) -> None:
    """Handwritten digits as pictures, 100 hints of which a few are wrong."""
    digits = load_digits()
    rows = np.arange(600)
    folder = path.with_suffix("")
    folder.mkdir(exist_ok=True)
    files = [folder / f"{row}.png" for row in rows]
    for file, image in zip(files, digits.images[rows], strict=True):
        pixels = np.kron(255 - image * (255 / 16), np.ones((6, 6)))
        Image.fromarray(pixels.astype(np.uint8)).save(file)
    X = digits.data[rows] / 16
    hints = Constraints.sample(digits.target[rows], "random_pairs", 100, error_rate=0.05, random_state=0)
    write_report(path, _fitted(X, hints, 10), X, title="Handwritten digits", images=files, kind="images")


def genes(path: Path) -> None:
    """Samples with thousands of genes, two known samples of each type."""
    X, y, names = _genes()
    known = np.full(len(y), None, dtype=object)
    for kind in np.unique(y):
        rows = np.flatnonzero(y == kind)[:2]
        known[rows] = names[kind]
    columns = [f"GENE{column:04d}" for column in range(X.shape[1])]
    hints = Constraints.from_labels(known)
    ids = [f"S{row:03d}" for row in range(len(y))]
    model = _fitted(X, hints, None)
    write_report(path, model, X, title="Samples", ids=ids, feature_names=columns, classes=[names[kind] for kind in y])


def links(path: Path) -> None:
    """Texts that cite each other."""
    rng = np.random.default_rng(1)
    texts, topics = _generated(600, 6, rng)
    places = rng.integers(len(texts), size=(6000, 2))
    kept = (topics[places[:, 0]] == topics[places[:, 1]]) | (rng.random(len(places)) < 0.04)
    left, right = places[kept & (places[:, 0] != places[:, 1])].T
    matrix = sparse.coo_array((np.ones(len(left)), (left, right)), shape=(len(texts), len(texts))).tocsr()
    features = TextFeatures()
    X = features.fit_transform(texts)
    model = NetworkedDocuments(6, random_state=0).fit(X, links=matrix)
    about = {"texts": texts, "feature_names": features.get_feature_names_out(), "links": matrix}
    write_report(
        path, model, X, title="Papers and citations", ids=[f"paper {row}" for row in range(len(texts))], **about
    )


def sixty(path: Path) -> None:
    """Sixty clusters, asked for."""
    X, _ = make_blobs(3000, 12, centers=60, cluster_std=1.6, random_state=0)
    columns = [
        "price",
        "weight",
        "length",
        "width",
        "height",
        "power",
        "speed",
        "range",
        "age",
        "noise",
        "load",
        "wear",
    ]
    write_report(path, _fitted(X, None, 60), X, title="Sixty kinds of parts", feature_names=columns)


REPORTS: dict[str, Callable[[Path], None]] = {
    function.__name__: function for function in (wine, cancer, mixed, text, images, genes, links, sixty)
}


def shoot(browser: Browser, page: Path) -> list[str]:
    """Take the pictures of one page, and say what is wrong with it."""
    wrong: list[str] = []
    for width, device in WIDTHS.items():
        context = browser.new_context(**device, color_scheme="light", reduced_motion="reduce")
        seen = context.new_page()
        seen.on("pageerror", lambda error: wrong.append(f"{page.name}: {error}"))
        seen.on("console", lambda said: wrong.append(f"{page.name}: {said.text}") if said.type == "error" else None)
        seen.on("request", lambda asked: None if asked.url.startswith(("file:", "data:")) else wrong.append(asked.url))
        seen.goto(page.resolve().as_uri())
        seen.wait_for_function("() => !likewise.map.moving")
        seen.wait_for_timeout(100)
        seen.screenshot(path=page.with_name(f"{page.stem}-{width}.png"))
        seen.screenshot(path=page.with_name(f"{page.stem}-{width}-full.png"), full_page=True)
        if seen.evaluate("document.documentElement.scrollWidth > innerWidth"):
            wrong.append(f"{page.name} is wider than {width} pixels")
        context.close()
    return wrong


def _fitted(X: Any, hints: Constraints | None, n_clusters: int | None) -> Likewise:
    return Likewise(n_clusters, random_state=0, verbose=False).fit(X, constraints=hints)


def _texts(count: int) -> list[str]:
    """Messages of eight newsgroups where they are at hand, else generated ones."""
    with suppress(ValueError, FileNotFoundError, KeyError):
        news = datasets.load("newsgroups")
        rng = np.random.default_rng(2)
        chosen = np.isin(news.y, rng.permutation(len(news.target_names))[:8])
        return [news.text[row] for row in rng.permutation(np.flatnonzero(chosen))[:count]]
    return _generated(count, 8, np.random.default_rng(0))[0]


def _generated(count: int, n_topics: int, rng: np.random.Generator) -> tuple[list[str], np.ndarray]:
    """Texts of some topics: half of their words are of the topic, the others of all."""
    syllables = ["ba", "ko", "ri", "nu", "te", "sa", "lo", "mi", "ver", "dan", "pol", "gar"]
    words = np.unique(["".join(rng.choice(syllables, 3)) for _ in range(900)])
    owners = rng.integers(n_topics, size=len(words))
    topics = rng.integers(n_topics, size=count)
    texts = []
    for topic in topics:
        own = rng.choice(words[owners == topic], 14)
        texts.append(" ".join(rng.permutation(np.concatenate([own, rng.choice(words, 18)]))))
    return texts, topics


def _genes() -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Lymphomas where they are at hand, else generated samples."""
    with suppress(ValueError, FileNotFoundError, KeyError):
        data = datasets.load("lymphoma")
        known = data.y >= 0
        return np.asarray(data.X)[known], data.y[known], [str(name) for name in data.target_names]
    X, y = make_blobs(72, 2000, centers=6, cluster_std=4.0, random_state=0)
    return X, y, [f"type {letter}" for letter in "ABCDEF"]


def run(arguments: list[str]) -> int:
    """Write the reports that are named, or all, and take their pictures."""
    folder = Path(arguments[0] if arguments else "shots")
    folder.mkdir(parents=True, exist_ok=True)
    wrong: list[str] = []
    with sync_playwright() as playwright:
        flags = ["--no-sandbox"] if os.geteuid() == 0 else []  # Chromium has no sandbox for root
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        for name in arguments[1:] or REPORTS:
            page = folder / f"{name}.html"
            REPORTS[name](page)
            wrong += shoot(browser, page)
            print(page, flush=True)
        browser.close()
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
