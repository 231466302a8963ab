"""Whether a table has its samples in columns, as tables of genes often do."""

from __future__ import annotations

import re

from ..tables import RawTable, as_numbers, as_texts

MIN_ROWS = 200
MIN_SAMPLES = 5
TIMES = 8
"""So many times more rows than columns of numbers make one look twice."""

MOST_TEXTS = 4
"""Columns of annotations beside the samples, at most."""

GENES = re.compile(
    r"(genes?|probes?|probe_?set|symbol|hgnc|ensembl|entrez|transcript|protein|uniprot|id_ref|locus|orf|clone)"
    r"([ _.-]?(id|name|symbol|set)s?)?",
    re.IGNORECASE,
)
"""Names of a column of genes."""

GENE = re.compile(r"(ENS[A-Z]*[GTP][0-9]{6,}(\.[0-9]+)?|[0-9]+(_[a-z])?_at|gene[ _-]?[0-9]+|g[0-9]{2,})", re.IGNORECASE)
"""Names of genes themselves."""

SAMPLE = re.compile(
    r"(gsm|tcga|srr|err|sample|samp|s|pat|patient|subject|donor|tumou?r|cancer|normal|case|ctrl|control|treated|cell|"
    r"wt|ko|mouse|rep)[ _.-]?[a-z0-9_.-]*[0-9][a-z0-9_.-]*",
    re.IGNORECASE,
)
"""Names of samples."""


def columns_look_like_samples(raw: RawTable) -> bool:
    """Whether rows are many and columns few, and their names are those of genes and samples."""
    if raw.images is not None or raw.text is not None or raw.n < MIN_ROWS:
        return False
    if raw.matrix is not None:
        rows, columns = raw.matrix.shape
        names = list(raw.matrix_names or ())
        genes = [] if raw.id is None else [str(cell) for cell in raw.columns[raw.id]]
        return rows >= TIMES * columns and columns >= MIN_SAMPLES and (_mostly(GENE, genes) or _mostly(SAMPLE, names))
    if not raw.n >= TIMES * MIN_SAMPLES or len(raw.columns) > raw.n / TIMES + MOST_TEXTS:
        return False
    texts = {name: cells for name, cells in raw.columns.items() if as_numbers(cells).wrong}
    samples = [name for name in raw.columns if name not in texts]
    if len(samples) < MIN_SAMPLES or not 0 < len(texts) <= MOST_TEXTS:
        return False
    name, cells = next(iter(texts.items()))
    genes = [text for text in as_texts(cells) if text is not None]
    return bool(GENES.fullmatch(name)) or _mostly(GENE, genes) or _mostly(SAMPLE, samples)


def _mostly(pattern: re.Pattern[str], names: list[str]) -> bool:
    return bool(names) and sum(pattern.fullmatch(name) is not None for name in names) >= 0.8 * len(names)
