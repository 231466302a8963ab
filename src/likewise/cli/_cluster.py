"""``likewise cluster``: cluster data using hints; writes the clusters, a model and a report."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from functools import reduce
from glob import has_magic
from operator import add
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from .._warnings import InterruptedWarning
from ._options import (
    FILE,
    FloatRange,
    IntRange,
    command_line,
    data_options,
    hints_option,
    json_option,
    printable,
    quiet_option,
    seed_option,
)

if TYPE_CHECKING:
    from .._method import Method
    from ..constraints import Constraints
    from ..prepare import Rows
    from ..questions import Answers
    from ..tables import RawTable
    from ._messages import Messages

SHOWN_SUSPECTS = 3
SHOWN_CLUSTERS = 20
SHOWN_DOUBTFUL = 5
SHOWN_WORDS = 6
MOST_FREQUENT = ", with their most frequent words compared to the others"


def _check_jobs(context: click.Context, parameter: click.Parameter, value: int | None) -> int | None:
    if value == 0:
        raise click.BadParameter("must be 1 or more, or -1 for all cores.")
    return value


@click.command()
@click.argument("source", metavar="DATA")
@hints_option
@click.option("--links", type=FILE, help="File of links between rows: two columns, from which row and to which.")
@click.option("--from", "earlier_model", type=FILE, metavar="MODEL", help="Continue from a model saved by --model: use "
              "its method, settings and hints, plus the hints given now. The summary shows what changed.")  # fmt: skip
@click.option("--truth", metavar="NAME", help="Column of known classes to compare the clusters with. It is not used as "
              "a feature or as hints.")  # fmt: skip
@click.option("--k", type=IntRange(1), help="Number of clusters. Default: chosen from the data and the hints.")
@click.option("--method", help="One of `likewise methods`. Default: likewise; with --links and --k, networked.")
@click.option("--trust", type=click.Choice(["auto", "strict", "weighted"]), help="strict: every hint must hold. "
              "weighted: a hint may be violated if the data disagrees. auto: must-links hold unless hints look wrong. "
              "Default: auto.")  # fmt: skip
@click.option("--budget", type=FloatRange(0, min_open=True), help="Time limit in seconds. Default: none.")
@click.option("--jobs", type=int, callback=_check_jobs, help="Number of threads; -1 uses all cores.")
@seed_option
@click.option("--out", type=FILE, help="File for the columns id, cluster; with the method likewise also name (if there "
              "are labels), second (the next cluster) and certainty: .csv, .tsv, .jsonl or .parquet. Default: standard "
              "output.")  # fmt: skip
@click.option("--model", type=FILE, help="Save the fitted model, for `likewise assign` and --from.")
@click.option("--report", type=FILE, help="Write an HTML report of the clusters.")
@data_options
@json_option
@quiet_option
def cluster(
    source: str,
    *,
    hints: tuple[Path, ...],
    links: Path | None,
    earlier_model: Path | None,
    truth: str | None,
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

    DATA is a CSV, TSV, Excel, JSON lines, Parquet, NPY, NPZ, Matrix Market or H5AD file, a folder of texts or of
    images, or the name of a data set (iris, wine, digits, ...). Columns are preprocessed automatically; the steps are
    printed. Known classes of some rows, in the column --label, are hints as well. A quoted pattern, such as
    'parts/*.parquet', stands for many Parquet, Arrow or NPY files with the same columns, of any total size; their
    numeric columns are used without preprocessing, by the methods likewise, project, pck, mpck, cop or spherical.
    """
    from ._messages import Messages, print_json

    if has_magic(source) and not Path(source).exists():
        from .._methods import method_named
        from ._row_files import cluster_row_files

        refused = {"links": links, "from": earlier_model, "truth": truth, "text": reading["text"]}
        refused |= {"beside": reading["beside"], "transpose": reading["transpose"]}
        facts = method_named(method or "likewise")
        cluster_row_files(
            source,
            hints=hints,
            k=k,
            method=method,
            parameters=_parameters(facts, trust=trust, budget=budget, jobs=jobs),
            seed=seed,
            out=out,
            model=model,
            report=report,
            as_json=as_json,
            quiet=quiet,
            refused=refused,
            reading=reading,
        )
        return
    start = perf_counter()
    messages = Messages(quiet or as_json)
    with messages.starting():
        import numpy as np

        from .._method import Needs
        from .._methods import clusterer, method_named
        from ..constraints import ConstraintConflictError
        from ..constraints._format import pluralize
        from ..evaluation import constraint_accuracy
        from ._earlier import Earlier
        from ._outputs import check_outputs, check_result_file, cluster_columns, write_outputs
        from ._python import python_code
        from ._reading import (
            conflict_by_ids,
            hints_about,
            prepare_data,
            read_answers,
            read_links,
            read_raw_data,
            uses_labels,
        )

    earlier = None if earlier_model is None else Earlier.read(earlier_model)
    if earlier is not None:
        _refuse_with_from("text", "columns", "ignore", "missing", "language")
        method = earlier.method if method is None else method
        k = earlier.parameter("n_clusters") if k is None else k
        trust = earlier.parameter("trust") if trust is None else trust
        seed = earlier.seed if _is_default("seed") else seed
    # Links are best used by the method for them, which cannot choose the number of clusters.
    facts = method_named(method or ("networked" if links is not None and k is not None else "likewise"))
    parameters = _parameters(facts, trust=trust, budget=budget, jobs=jobs)
    _check_method(facts, k=k, links=links, model=model)
    if report is not None and report.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"--report {report} must end in .html: it is a web page.")
    read = [source, *hints, links, reading["beside"], earlier_model if model != earlier_model else None]
    check_outputs({"--out": out, "--model": model, "--report": report}, read)
    check_result_file(out)
    with messages.progress(f"reading {source}"):
        raw = read_raw_data(source, reading["encoding"], reading.pop("folder"))
    if reading["transpose"] is None:
        reading["transpose"] = _ask_about_columns(raw, messages)
    with messages.progress(f"preparing {source}"):
        features = None if earlier is None else earlier.saved.features
        rows, known = prepare_data(raw, truth=truth, features=features, **reading)
    _check_rows(rows, source, k)
    with messages.progress("reading hints"):
        constraints = hints_about(rows, hints, reading["label"])
        asked = read_answers(hints, rows)
        answers = reduce(add, asked.values()) if asked else None
        if earlier is not None:
            before = earlier.hints(rows, source)
            constraints = before | constraints
        matrix = None if links is None else read_links(links, rows)
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
            _fit(estimator, facts, rows, constraints, matrix, answers)
        except ConstraintConflictError as error:
            raise conflict_by_ids(error, rows.ids) from None
    labels = np.asarray(estimator.labels_)

    def code() -> str:
        """Equivalent Python code, without the hints of an earlier model."""
        if earlier is not None:
            return ""
        return python_code(
            source,
            rows,
            estimator,
            hints=hints,
            answers=list(asked) if facts.name == "likewise" else [],
            labels=uses_labels(rows, reading["label"]),
            links=links,
            learns_from_links=Needs.LINKS in facts.needs,
            reading={**reading, "truth": truth},
        )

    sizes = np.bincount(labels).tolist()
    accuracy = None if constraints.is_empty else constraint_accuracy(labels, constraints)
    changes = None if earlier is None else earlier.changes(rows, labels, before, constraints)
    written = write_outputs(
        cluster_columns(rows.ids, estimator, _assigned(estimator, labels), out),
        out,
        {
            model: lambda path: _save_model(path, estimator, facts, rows, constraints, accuracy, seed),
            report: lambda path: _write_report(
                path,
                estimator,
                rows,
                constraints,
                answers=answers,
                title=printable(Path(source).name),
                classes=None if known is None else known.classes,
                links=matrix,
                code=code(),
                seed=seed,
            ),
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
                "names": np.asarray(getattr(estimator, "cluster_names_", range(len(sizes)))).astype(str).tolist(),
                "preprocessing": rows.description,
                "must_links": constraints.n_must_link,
                "cannot_links": constraints.n_cannot_link,
                "comparisons": len(constraints.comparisons),
                "preferences": len(constraints.preferences),
                **({} if known is None else {"truth": {"column": known.column, **known.scores(labels)}}),
                **({} if changes is None else {"moved": [rows.ids[row] for row in changes.moved]}),
                "seed": seed,
                "seconds": round(perf_counter() - start, 3),
            }
        )
    elif messages.visible:
        if matrix is not None:
            from ..report._verdict import links_in_words

            messages.show(links_in_words(matrix, labels))
        _summarize(messages, facts, estimator, rows, constraints, sizes, accuracy)
        if answers is not None and answers.outlook:
            messages.show(answers.outlook)
        if known is not None:
            alone = None if constraints.is_empty else getattr(estimator, "unsupervised_labels_", None)
            messages.show(known.sentence(labels, alone))
        if changes is not None:
            for line in changes.lines(rows.ids):
                messages.show(line)
        if written:
            messages.show("wrote " + ", ".join(map(str, written)))


def _is_default(name: str) -> bool:
    """Whether an option was not given."""
    source = click.get_current_context().get_parameter_source(name)
    return source in (ParameterSource.DEFAULT, ParameterSource.DEFAULT_MAP)


def _refuse_with_from(*names: str) -> None:
    """Raise an error for preprocessing options, which are determined by the earlier model."""
    for name in names:
        if not _is_default(name):
            raise ValueError(f"--{name} has no effect with --from: DATA is prepared as for that model. Leave it out.")


def _ask_about_columns(raw: RawTable, messages: Messages) -> bool | None:
    """Whether to cluster columns: asked in a terminal if they look like samples; None if nobody can answer."""
    from ._genes import columns_look_like_samples

    if not (messages.on_terminal and sys.stdin.isatty() and columns_look_like_samples(raw)):
        return None
    names = [name for name in raw.columns if name != raw.id][-3:] or list(raw.matrix_names or ())[-3:]
    return click.confirm(
        f"{raw.source} has {raw.n:,} rows, and columns such as {', '.join(names)}. Are the columns the samples to be "
        "clustered, and the rows genes? (--transpose or --no-transpose answers beforehand)",
        err=True,
    )


def _parameters(facts: Method, *, trust: str | None, budget: float | None, jobs: int | None) -> dict[str, Any]:
    """The parameters of the method that options set."""
    names = {"trust": ("trust", trust), "budget": ("budget_s", budget), "jobs": ("n_jobs", jobs)}
    given = {option: pair for option, pair in names.items() if pair[1] is not None}
    for option, (name, value) in given.items():
        if not facts.takes(name, value):
            raise ValueError(f"--{option} has no effect with --method {facts.name}. Leave it out, or use the method "
                             "likewise.")  # fmt: skip
    # The command line has its own progress bar.
    silent = {"verbose": False} if facts.takes("verbose", False) else {}
    return {**dict(given.values()), **silent}


def _check_method(facts: Method, *, k: int | None, links: Path | None, model: Path | None) -> None:
    from .._method import Needs

    if k is None and not facts.chooses_n_clusters:
        raise ValueError(f"the method {facts.name} needs the number of clusters: --k. Only likewise can choose it.")
    if Needs.LINKS in facts.needs and links is None:
        raise ValueError(f"the method {facts.name} needs links between rows: --links edges.csv, a file of two "
                         "columns.")  # fmt: skip
    if model is not None and not facts.places_new_rows:
        raise ValueError(
            f"the method {facts.name} cannot assign new rows, so there is no model to save. Leave --model out, or "
            "choose another method: see `likewise methods`."
        )


def _check_rows(rows: Rows, source: str, k: int | None) -> None:
    if len(rows) < 2:
        raise ValueError(f"{source} has only one row. Clustering needs two or more.")
    if k is not None and k > len(rows):
        raise ValueError(f"--k {k} is more than the {len(rows):,} rows of {source}. Use fewer clusters.")


def check_constraints(facts: Method, constraints: Constraints, *, n_links: int = 0) -> None:
    """Raise an error if the method does not use hints, or requires hints that are missing."""
    if not facts.uses_constraints and not (constraints.is_empty and n_links == 0):
        raise ValueError(
            f"the method {facts.name} does not use hints. Leave them out, or choose another method: see `likewise "
            "methods`."
        )
    missing = facts.needs.missing(constraints)
    if missing:
        raise ValueError(
            f"the method {facts.name} needs {missing.words}, but there are none. Give them in a file (--hints), name a "
            "column with the classes of some rows (--label), or choose another method: see `likewise methods`."
        )


def _fit(
    estimator: Any, facts: Method, rows: Rows, constraints: Constraints, links: Any, answers: Answers | None
) -> None:
    from .._method import Needs
    from ..front import Likewise
    from ..sources.links import balanced, homophily, linked_pairs, local_core_pairs

    given: dict[str, Any] = {}
    if links is not None:
        if Needs.LINKS in facts.needs:
            given["links"] = links
        else:
            if not constraints.is_empty:
                homophily(links, constraints)
            constraints = constraints | balanced(linked_pairs(links)) | balanced(local_core_pairs(links))
    if answers is not None and isinstance(estimator, Likewise):
        given["constraints"] = answers.with_constraints(constraints)
    elif not constraints.is_empty:
        given["constraints"] = constraints
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InterruptedWarning)
        estimator.fit(rows.X, **given)
    if isinstance(estimator, Likewise) and estimator.report_.interrupted:
        raise KeyboardInterrupt  # a partial result is not wanted; --budget sets a time limit


def _assigned(estimator: Any, labels: Any) -> Any:
    """The clusters of the rows, with their certainty if the method computes it."""
    from ..front import Assignment, Likewise

    if not isinstance(estimator, Likewise):
        return labels
    return Assignment(estimator.labels_, estimator.second_labels_, estimator.certainty_)


def _save_model(
    path: Path, estimator: Any, facts: Method, rows: Rows, constraints: Constraints, accuracy: float | None, seed: int
) -> Path:
    from ..front import Likewise
    from ..models import save
    from ._earlier import HINTS, stored_hints

    # Without the running time, so that the same command writes the same file.
    lines = estimator.report_.lines() if isinstance(estimator, Likewise) else []
    meta = {
        "method": facts.name,
        "seed": seed,
        "rows": len(rows),
        "constraint_accuracy": accuracy,
        "command": command_line(),
        HINTS: stored_hints(constraints, rows),
        "report": {name: value for name, value in lines if name != "time"},
    }
    return save(path, estimator, rows.features, meta)


def _write_report(path: Path, estimator: Any, rows: Rows, constraints: Constraints, **about: Any) -> Path:
    from ..report import write_report

    return write_report(
        path,
        estimator,
        rows.X,
        constraints=constraints,
        ids=rows.ids,
        texts=rows.texts,
        images=rows.images,
        feature_names=list(rows.feature_names),
        table=rows.table,
        kind=rows.kind,
        preprocessing=rows.description,
        command=command_line(),
        **about,
    )


def _summarize(
    messages: Messages,
    facts: Method,
    estimator: Any,
    rows: Rows,
    constraints: Constraints,
    sizes: Sequence[int],
    accuracy: float | None,
) -> None:
    from ..constraints._format import pluralize
    from ..front import Likewise

    explained = isinstance(estimator, Likewise)
    if accuracy is not None:
        messages.show(f"hints: {constraints.summary()}; {accuracy:.0%} kept")
    if explained:
        _summarize_hints(messages, estimator, rows)
    words = _words_of(rows)
    if explained and (words is None or rows.kind.has_words):
        heading, about = _cluster_features(estimator, rows)
    else:
        heading, about = _cluster_words(estimator, words, len(sizes))
    messages.show(f"{pluralize(len(sizes), 'cluster')} by {facts.name}{heading}:")
    if explained:
        shown = [(cluster.name, cluster.size) for cluster in estimator.report_.clusters]
    else:
        shown = [(str(number), pluralize(size, "row")) for number, size in enumerate(sizes)]
    width = max(len(name) for name, _ in shown[:SHOWN_CLUSTERS])
    for (name, size), what in list(zip(shown, about, strict=True))[:SHOWN_CLUSTERS]:
        messages.show(f"  {name:<{width}}  {size}{what}")
    if len(sizes) > SHOWN_CLUSTERS:
        messages.show(f"  … {len(sizes) - SHOWN_CLUSTERS} more")
    if explained and estimator.report_.doubtful:
        messages.show(
            f"{pluralize(estimator.report_.doubtful, 'row')} in doubt, where hints would help most: "
            f"{', '.join(repr(rows.ids[row]) for row in estimator.doubtful(None)[:SHOWN_DOUBTFUL])}"
        )


def _summarize_hints(messages: Messages, estimator: Any, rows: Rows) -> None:
    from ..constraints._format import pluralize

    report = estimator.report_
    n_clusters = len(report.clusters)
    n_classes = len({cluster.label for cluster in report.clusters} - {None})
    new = sum(cluster.new for cluster in report.clusters)
    if new:
        why = f"--k {estimator.n_clusters}" if estimator.n_clusters else f"no --k was given, and {n_clusters} fit best"
        classes = f"{n_classes} labeled {'class' if n_classes == 1 else 'classes'}"
        messages.show(f"{n_clusters} clusters for {classes} ({why}): {new} without a labeled row")
    if report.contradictions:
        messages.show(
            f"{pluralize(report.contradictions, 'contradiction')} among the hints: see `likewise hints check`"
        )
    if report.trust != "none":
        messages.show(f"learned from hints: {report.weight_in_words}")
    if report.advice:
        messages.show(f"what to do next: {report.advice}")
    for suspect in [one for one in estimator.suspects_ if one.wrong > 0.5][:SHOWN_SUSPECTS]:
        messages.show(f"this hint is probably wrong ({suspect.wrong:.0%}): {_stated(suspect, rows)}")


def _stated(suspect: Any, rows: Rows) -> str:
    """A hint in words, in terms of labels if it comes from labels."""
    first, second = (repr(rows.ids[row]) for row in suspect.rows)
    if suspect.than is not None:
        third, fourth = (repr(rows.ids[row]) for row in suspect.than)
        return f"{first} and {second} are more alike than {third} and {fourth}"
    one, other = (None if rows.labels is None else rows.labels[row] for row in suspect.rows)
    same = suspect.kind == "must-link"
    if one is None or other is None or (one == other) is not same:
        return f"{first} and {second} are {'the same' if same else 'different'}"
    return f"{first} and {second} are both {one}" if same else f"{first} is {one}, and {second} is {other}"


def _words_of(rows: Rows) -> tuple[Any, Any] | None:
    """Weights of words, and the words, if rows are texts or have texts."""
    from ..prepare import TextFeatures
    from ..prepare._text_column import Text

    if rows.texts is None:
        return None
    if rows.kind.has_words:
        return rows.X, rows.feature_names
    if any(isinstance(block, Text) for block in rows.features.blocks_):
        return None  # in mixed tables words are reported as features
    beside = TextFeatures(stem=False)
    try:
        return beside.fit_transform(rows.texts), beside.get_feature_names_out()
    except ValueError:  # no word occurs in two rows
        return None


def _cluster_words(estimator: Any, words: tuple[Any, Any] | None, n_clusters: int) -> tuple[str, list[str]]:
    """The words that are more frequent in each cluster than in all other rows."""
    import numpy as np

    from ..linalg._row_matrix import indicator

    if words is None:
        return "", [""] * n_clusters
    X, names = words
    inside = indicator(estimator.labels_, n_clusters)
    sizes = np.asarray(inside.sum(axis=0)).reshape(-1, 1)
    sums = np.asarray((inside.T @ X).todense())
    differences = sums / np.maximum(sizes, 1) - (sums.sum(axis=0) - sums) / np.maximum(X.shape[0] - sizes, 1)
    best = [[word for word in np.argsort(-own, kind="stable")[:SHOWN_WORDS] if own[word] > 0] for own in differences]
    return MOST_FREQUENT, [f": {', '.join(names[word] for word in found)}" for found in best]


def _cluster_features(estimator: Any, rows: Rows) -> tuple[str, list[str]]:
    """The features that distinguish each cluster, and their unit; nothing for images, where pixels mean little."""
    if rows.images is not None:
        return "", [""] * estimator.n_clusters_
    features = [estimator.top_features(number, 50, rows.feature_names) for number in range(estimator.n_clusters_)]
    if rows.texts is not None and rows.kind.has_words:
        words = [[name for name, difference in found if difference > 0][:SHOWN_WORDS] for found in features]
        return MOST_FREQUENT, [f": {', '.join(names)}" for names in words]
    differences = [", ".join(f"{name} {difference:+.2g}" for name, difference in found[:4]) for found in features]
    unit = "" if rows.kind.has_words else " in standard deviations"
    return f", with their largest differences from the mean{unit}", [f": {text}" for text in differences]
