"""``likewise cluster``: data and hints in; clusters, a model and a report out."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from .._warnings import InterruptedWarning
from ._options import FILE, command_line, data_options, hints_option, json_option, quiet_option, seed_option

if TYPE_CHECKING:
    from .._method import Method
    from ..constraints import Constraints
    from ..prepare import Rows
    from ._messages import Messages

SHOWN_SUSPECTS = 3
SHOWN_CLUSTERS = 20


def _check_jobs(context: click.Context, parameter: click.Parameter, value: int | None) -> int | None:
    if value == 0:
        raise click.BadParameter("must be 1 or more, or -1 for all cores.")
    return value


@click.command()
@click.argument("source", metavar="DATA")
@hints_option
@click.option("--links", type=FILE, help="File of links between rows, with the columns left, right.")
@click.option("--k", type=click.IntRange(1), help="Number of clusters. Default: chosen from the data and the hints.")
@click.option("--method", help="One of `likewise methods`. Default: likewise; with --links and --k, networked.")
@click.option("--trust", type=click.Choice(["auto", "strict", "weighted"]), help="strict: every hint is certain. "
              "weighted: any hint may be broken, at a price. auto: must-links are certain unless hints look wrong. "
              "Default: auto.")  # fmt: skip
@click.option("--budget", type=click.FloatRange(0, min_open=True), help="Time limit in seconds. Default: none.")
@click.option("--jobs", type=int, callback=_check_jobs, help="Number of threads; -1 uses all cores.")
@seed_option
@click.option("--out", type=FILE, help="File for the columns id, cluster: .csv, .tsv, .jsonl or .parquet. Default: "
              "standard output.")  # fmt: skip
@click.option("--model", type=FILE, help="Save the fitted model (for `likewise assign`).")
@click.option("--report", type=FILE, help="Write an HTML report of the clusters.")
@data_options
@json_option
@quiet_option
def cluster(
    source: str,
    *,
    hints: Path | None,
    links: Path | None,
    k: int | None,
    method: str | None,
    trust: str | None,
    budget: float | None,
    jobs: int | None,
    seed: int,
    out: Path | None,
    model: Path | None,
    report: Path | None,
    as_json: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    """Cluster the rows of DATA, using hints.

    DATA is a CSV, TSV, JSON lines, Parquet, NPY, NPZ, Matrix Market or H5AD file, a folder of texts or of images, or
    the name of a data set (iris, wine, digits, ...). Columns are preprocessed automatically; the steps are printed.
    Known classes of some rows, in the column --label, are hints, too.
    """
    import numpy as np

    from .._methods import clusterer, method_named
    from ..constraints import ConstraintConflictError
    from ..constraints._format import pluralize
    from ..evaluation import constraint_accuracy
    from ._messages import Messages, print_json
    from ._outputs import check_outputs, check_result_file, write_outputs
    from ._reading import conflict_by_ids, hints_about, read_rows

    start = perf_counter()
    messages = Messages(quiet or as_json)
    # links do best with the method made for them, which cannot choose the number of clusters
    facts = method_named(method or ("networked" if links is not None and k is not None else "likewise"))
    parameters = _parameters(facts, trust=trust, budget=budget, jobs=jobs)
    _check_method(facts, k=k, links=links, model=model)
    if report is not None and report.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"--report {report} must end in .html: it is a page to be opened in a browser.")
    check_outputs({"--out": out, "--model": model, "--report": report}, [source, hints, links])
    check_result_file(out)
    with messages.progress(f"reading {source}"):
        rows = read_rows(source, **reading)
    _check_rows(rows, source, k)
    with messages.progress("reading hints"):
        constraints = hints_about(rows, hints, reading["label"])
    check_constraints(facts, constraints, n_links=int(links is not None))
    if reading["label"] is not None and rows.n_labeled == len(rows):
        warnings.warn(
            f"every row has a class in {rows.label_column!r}, so nothing is left to find. Leave some empty; `likewise "
            "compare` measures how well methods do with fewer.",
            stacklevel=2,
        )
    messages.show(f"{pluralize(len(rows), 'row')} of {source}: {rows.description}")
    estimator = clusterer(facts.name, rows.X, k, seed, data_kind=rows.kind, **parameters)
    with messages.progress(f"clustering by {facts.name}"):
        try:
            _fit(estimator, facts, rows, constraints, links)
        except ConstraintConflictError as error:
            raise conflict_by_ids(error, rows.ids) from None
    labels = np.asarray(estimator.labels_)
    sizes = np.bincount(labels).tolist()
    accuracy = None if constraints.is_empty else constraint_accuracy(labels, constraints)
    written = write_outputs(
        {"id": rows.ids, "cluster": labels},
        out,
        {
            model: lambda path: _save_model(path, estimator, facts, rows, accuracy, seed),
            report: lambda path: _write_report(path, estimator, rows, constraints, source, seed),
        },
        as_json=as_json,
        messages=messages,
    )
    if as_json:
        print_json(
            {
                "rows": len(rows),
                "clusters": len(sizes),
                "method": facts.name,
                "constraint_accuracy": accuracy,
                "files": [str(path) for path in written],
                "sizes": sizes,
                "preprocessing": rows.description,
                "must_links": constraints.n_must_link,
                "cannot_links": constraints.n_cannot_link,
                "seed": seed,
                "seconds": round(perf_counter() - start, 3),
            }
        )
    elif messages.visible:
        _summarize(messages, facts, estimator, rows, constraints, sizes, accuracy, written)


def _parameters(facts: Method, *, trust: str | None, budget: float | None, jobs: int | None) -> dict[str, Any]:
    """The parameters of the method that options set."""
    names = {"trust": ("trust", trust), "budget": ("budget_s", budget), "jobs": ("n_jobs", jobs)}
    given = {option: pair for option, pair in names.items() if pair[1] is not None}
    for option, (name, value) in given.items():
        if not facts.takes(name, value):
            raise ValueError(f"--{option} has no effect with --method {facts.name}. Leave it out, or use the method "
                             "likewise.")  # fmt: skip
    # the command line has a progress bar of its own
    silent = {"verbose": False} if facts.takes("verbose", False) else {}
    return {**dict(given.values()), **silent}


def _check_method(facts: Method, *, k: int | None, links: Path | None, model: Path | None) -> None:
    from .._method import Needs

    if k is None and not facts.chooses_n_clusters:
        raise ValueError(f"the method {facts.name} needs the number of clusters: --k. Only likewise can choose it.")
    if Needs.LINKS in facts.needs and links is None:
        raise ValueError(f"the method {facts.name} needs links between rows: --links edges.csv, with columns left, "
                         "right.")  # fmt: skip
    if model is not None and not facts.places_new_rows:
        raise ValueError(
            f"the method {facts.name} cannot assign new rows, so there is no model to save. Leave --model out, or "
            "choose another method: see `likewise methods`."
        )


def _check_rows(rows: Rows, source: str, k: int | None) -> None:
    if len(rows) < 2:
        raise ValueError(f"{source} has only one row. Clustering needs two or more.")
    if k is not None and k > len(rows):
        raise ValueError(f"--k {k} is more than the {len(rows):,} rows of {source}. Ask for fewer clusters.")


def check_constraints(facts: Method, constraints: Constraints, *, n_links: int = 0) -> None:
    """Refuse hints that the method does not use, and a method whose hints are missing."""
    if not facts.uses_constraints and not (constraints.is_empty and n_links == 0):
        raise ValueError(
            f"the method {facts.name} does not use hints. Leave them out, or choose another method: see `likewise "
            "methods`."
        )
    missing = facts.needs.missing(constraints)
    if missing:
        raise ValueError(
            f"the method {facts.name} needs {missing.words}, and there are none. Give them in a file (--hints), name a "
            "column with the classes of some rows (--label), or choose another method: see `likewise methods`."
        )


def _fit(estimator: Any, facts: Method, rows: Rows, constraints: Constraints, links: Path | None) -> None:
    from .._method import Needs
    from ..front import Likewise
    from ..sources.links import balanced, homophily, linked_pairs, local_core_pairs
    from ._reading import read_links

    given: dict[str, Any] = {}
    if links is not None:
        matrix = read_links(links, rows)
        if Needs.LINKS in facts.needs:
            given["links"] = matrix
        else:
            if not constraints.is_empty:
                homophily(matrix, constraints)
            constraints = constraints | balanced(linked_pairs(matrix)) | balanced(local_core_pairs(matrix))
    if not constraints.is_empty:
        given["constraints"] = constraints
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InterruptedWarning)
        estimator.fit(rows.X, **given)
    if isinstance(estimator, Likewise) and estimator.report_.interrupted:
        raise KeyboardInterrupt  # a partial result is not wanted: --budget asks for the best within a time


def _save_model(path: Path, estimator: Any, facts: Method, rows: Rows, accuracy: float | None, seed: int) -> Path:
    from ..front import Likewise
    from ..models import save

    # without the running time: the same command gives the same file
    lines = estimator.report_.lines() if isinstance(estimator, Likewise) else []
    meta = {
        "method": facts.name,
        "seed": seed,
        "rows": len(rows),
        "constraint_accuracy": accuracy,
        "command": command_line(),
        "report": {name: value for name, value in lines if name != "time"},
    }
    return save(path, estimator, rows.features, meta)


def _write_report(path: Path, estimator: Any, rows: Rows, constraints: Constraints, source: str, seed: int) -> Path:
    from ..report import write_report

    return write_report(
        path,
        estimator,
        rows.X,
        constraints=None if constraints.is_empty else constraints,
        ids=rows.ids,
        texts=rows.texts,
        images=rows.images,
        feature_names=list(rows.feature_names),
        title=Path(source).name,
        kind=rows.kind,
        preprocessing=rows.description,
        command=command_line(),
        seed=seed,
    )


def _summarize(
    messages: Messages,
    facts: Method,
    estimator: Any,
    rows: Rows,
    constraints: Constraints,
    sizes: Sequence[int],
    accuracy: float | None,
    written: Sequence[Path],
) -> None:
    from ..constraints._format import pluralize
    from ..front import Likewise

    explained = isinstance(estimator, Likewise)
    if accuracy is not None:
        messages.show(f"hints: {constraints.summary()}; {accuracy:.0%} kept")
    if explained:
        _summarize_hints(messages, estimator, rows)
    heading, about = _cluster_features(estimator, rows) if explained else ("", [""] * len(sizes))
    messages.show(f"{pluralize(len(sizes), 'cluster')} by {facts.name}{heading}:")
    for number, size in enumerate(sizes[:SHOWN_CLUSTERS]):
        messages.show(f"  {number}  {pluralize(size, 'row')}{about[number]}")
    if len(sizes) > SHOWN_CLUSTERS:
        messages.show(f"  … {len(sizes) - SHOWN_CLUSTERS} more")
    if written:
        messages.show("wrote " + ", ".join(map(str, written)))


def _summarize_hints(messages: Messages, estimator: Any, rows: Rows) -> None:
    from ..constraints._format import pluralize

    report = estimator.report_
    if report.contradictions:
        messages.show(
            f"{pluralize(report.contradictions, 'contradiction')} among the hints: see `likewise hints check`"
        )
    if report.fallback:
        messages.show(f"fell back to the result without hints: {report.fallback}")
    for suspect in [one for one in estimator.suspects_ if one.wrong > 0.5][:SHOWN_SUSPECTS]:
        first, second = (rows.ids[row] for row in suspect.rows)
        kind = "the same" if suspect.kind == "must-link" else "different"
        messages.show(f"this hint is probably wrong ({suspect.wrong:.0%}): {first!r} and {second!r} are {kind}")


def _cluster_features(estimator: Any, rows: Rows) -> tuple[str, list[str]]:
    """What distinguishes each cluster, and in which unit; nothing for images, whose pixels say nothing."""
    if rows.images is not None:
        return "", [""] * estimator.n_clusters_
    features = [estimator.top_features(number, 50, rows.feature_names) for number in range(estimator.n_clusters_)]
    if rows.texts is not None and rows.kind.has_words:
        words = [[name for name, difference in found if difference > 0][:6] for found in features]
        return ", with their most frequent words compared to the others", [f": {', '.join(names)}" for names in words]
    differences = [", ".join(f"{name} {difference:+.2g}" for name, difference in found[:4]) for found in features]
    unit = "" if rows.kind.has_words else " in standard deviations"
    return f", with their largest differences from the mean{unit}", [f": {text}" for text in differences]
