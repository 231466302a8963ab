"""``likewise ask``: informative questions, in the terminal or as a sheet for a colleague."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from ._keys import single_keys
from ._options import FILE, IntRange, data_options, hints_option, quiet_option, seed_option

if TYPE_CHECKING:
    from ..prepare import Rows
    from ..questions import Dialogue, Question
    from ._messages import Messages
    from ._show_rows import RowTexts

N_OUT = 20
"""Default number of questions in a sheet."""

KEYS = {"s": "same", "y": "same", "d": "different", "n": "different", "c": "?", "?": "?", " ": "?"}
"""Keys that answer whether two rows are the same."""

UNDO = ("u", "z", "undo")
QUIT = ("q", "quit", "exit", "\x03", "\x04", "\x1b")

LETTERS = "ABCDEF"

MAX_WIDTH = 140
"""Characters of a line."""


@click.command()
@click.argument("source", metavar="DATA")
@hints_option
@click.option("--answers", type=FILE, help="Hints file to which every answer is saved at once. If it exists, "
              "continue from it. Default: the file of --hints, if it does not exist yet or has answers; else "
              "NAME-answers.csv next to it or to DATA.")  # fmt: skip
@click.option("--k", type=IntRange(1), help="Number of clusters. Default: chosen from the data and the hints.")
@click.option("--kind", type=click.Choice(["pair", "choice", "piles"]), default="pair", show_default=True,
              help="Type of question: whether two rows are the same, with which of several rows one belongs, or "
              "sorting rows into piles.")  # fmt: skip
@click.option(
    "--size", type=IntRange(3, 6), default=4, show_default=True, help="Number of rows to sort, with --kind piles."
)
@click.option("--n", type=IntRange(1), help=f"Number of questions. Default: until you quit; with --out, {N_OUT}.")
@click.option("--out", type=FILE, help="Write the questions to a .csv or .tsv file instead of asking. After its column "
              "kind is filled in, use it with --hints.")  # fmt: skip
@seed_option
@data_options
@quiet_option
def ask(
    source: str,
    *,
    hints: tuple[Path, ...],
    answers: Path | None,
    k: int | None,
    kind: str,
    size: int,
    n: int | None,
    out: Path | None,
    seed: int,
    quiet: bool,
    **reading: Any,
) -> None:
    """Ask the most informative questions about which rows of DATA belong together.

    Rows are shown side by side. Answer with one key: s same, d different, ? can't say, u undo, q quit. Without a
    terminal, answers are read from standard input, one per line. Use the file of answers with `likewise cluster DATA
    --hints`.
    """
    from ._messages import Messages

    messages = Messages(quiet)
    with messages.starting():
        from ..constraints._format import pluralize
        from ..questions import Dialogue
        from ..questions._files import holds_answers, may_replace
        from ._outputs import check_outputs
        from ._reading import hints_about, prepare_data, read_raw_data
        from ._show_rows import RowTexts

    if out is not None and answers is not None:
        raise ValueError(
            "--answers has no effect with --out, since answers are filled in there. Leave one of them out."
        )
    others = hints
    if out is None:
        new = [path for path in hints if not path.exists()]
        kept = [path for path in hints if path.exists() and path.suffix.lower() != ".json" and holds_answers(path)]
        if answers is None:
            answers = (new + kept + [_beside(hints, source)])[0]
        others = tuple(path for path in hints if path != answers)
    check_outputs({"--out": out, "--answers": answers}, [source, *others, reading["beside"]])
    if out is not None and out.suffix.lower() not in (".csv", ".tsv"):
        raise ValueError(f"--out {out} must end in .csv or .tsv: it is a table to fill in.")
    if out is not None and not may_replace(out):
        raise ValueError(
            f"--out {out} exists, and is not a sheet without answers. If it holds answers, pass it as --hints. Name "
            "another file."
        )
    if answers is not None and answers.suffix.lower() not in (".csv", ".tsv", ".jsonl"):
        raise ValueError(f"--answers {answers} must end in .csv, .tsv or .jsonl.")
    if answers is not None and answers.exists() and not holds_answers(answers):
        raise ValueError(
            f"--answers {answers} exists, but is not a file of answers as `likewise ask` writes it, and what else it "
            "holds would be lost. Pass it as --hints, and choose another file."
        )
    with messages.progress(f"reading {source}"):
        raw = read_raw_data(source, reading["encoding"], reading.pop("folder"))
        rows, _ = prepare_data(raw, **reading)
    constraints = hints_about(rows, others, reading["label"])
    if len(rows) < 2:
        raise ValueError(f"{source} has only one row. There is nothing to compare it with.")
    if k is not None and k > len(rows):
        raise ValueError(f"--k {k} is more than the {len(rows):,} rows of {source}. Ask for fewer clusters.")
    shown = RowTexts(rows)
    with messages.progress("clustering"):
        dialogue = Dialogue(
            rows.X,
            k,
            constraints=constraints,
            questions=kind,
            size=size,
            path=answers,
            ids=rows.ids,
            background=_on_terminal(),  # so that nobody waits for a fit
            random_state=seed,
            kind=str(rows.kind),
        )
    if out is not None:
        _write_sheet(out, dialogue, N_OUT if n is None else n, rows, shown, kind, size)
        messages.show(
            f"wrote {out}. Fill in its column kind with same or different, leave it empty where you can't say, and "
            f"pass it on: {_cluster_command(source, [*others, out])}"
        )
        return
    assert answers is not None
    if dialogue.answers:
        messages.show(f"continuing after {pluralize(dialogue.answers.n_screens, 'answer')} in {answers}")
    try:
        _converse(dialogue, shown, messages, n)
    except KeyboardInterrupt:
        messages.show("")
        _finish(messages, dialogue, source, others, answers)
        raise click.exceptions.Exit(130) from None
    _finish(messages, dialogue, source, others, answers)


def _beside(hints: tuple[Path, ...], source: str) -> Path:
    """The default file of answers: next to the hints or the data, or in the current folder for named data sets."""
    near = hints[0] if hints else Path(source)
    return near.with_name(f"{near.name.split('.')[0]}-answers.csv")


def _write_sheet(out: Path, dialogue: Dialogue, n: int, rows: Rows, shown: RowTexts, kind: str, size: int) -> None:
    from .._atomic import atomic_write_text
    from ..tables._writing import write_delimited

    asked = dialogue.model.ask(n, kind=kind, size=size, random_state=dialogue.random_state)
    columns = asked.columns(ids=rows.ids, shown=shown.line)
    with atomic_write_text(out) as file:
        if not all(str(cell).isascii() for cells in columns.values() for cell in cells):
            file.write("\ufeff")  # byte order mark, by which spreadsheet programs recognize UTF-8
        write_delimited(file, columns, "\t" if out.suffix.lower() == ".tsv" else ",")


def _cluster_command(source: str, hints: Sequence[Path]) -> str:
    """The command that clusters DATA with some hints, and with those options of this command that it has, too."""
    from ._cluster import cluster

    context = click.get_current_context()
    theirs = {parameter.name for parameter in cluster.params} - {"source", "hints", "out", "quiet"}
    words = ["likewise", "cluster", source]
    for path in hints:
        words += ["--hints", str(path)]
    for parameter in context.command.params:
        name = str(parameter.name)
        if name in theirs and context.get_parameter_source(name) == ParameterSource.COMMANDLINE:
            value = context.params[name]
            if isinstance(value, bool):
                words.append((parameter.opts if value else parameter.secondary_opts)[0])
                continue
            for one in value if parameter.multiple else [value]:
                words += [parameter.opts[0], ",".join(one) if isinstance(one, tuple) else str(one)]
    return shlex.join(words)


def _finish(messages: Messages, dialogue: Dialogue, source: str, hints: Sequence[Path], answers: Path) -> None:
    """Show the number of answers, the expected gain of more, and how to use them with other hints."""
    from ..constraints._format import pluralize

    count = dialogue.answers.n_screens
    if not count:
        messages.show("no answers")
        return
    messages.show(f"{pluralize(count, 'answer')} in {answers}. {dialogue.answers.outlook}".rstrip())
    messages.show(_cluster_command(source, [*hints, answers]))


def _on_terminal() -> bool:
    """Whether both input and output are a terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def _converse(dialogue: Dialogue, shown: RowTexts, messages: Messages, n: int | None) -> None:
    """Ask until no question is left or the user quits; by single keys in a terminal, else by lines of input."""
    from ._pictures import picture_protocol

    on_terminal = _on_terminal()
    pairs_only = dialogue.questions == "pair"
    last = None if n is None else dialogue.answers.n_screens + n
    told_enough = False
    # between questions, too, so that keys that come early are not shown
    with single_keys() if on_terminal and pairs_only else nullcontext():
        while last is None or dialogue.answers.n_screens < last:
            with messages.progress("choosing a question"):
                question = dialogue.question
            if question is None:
                known = "your answers" if dialogue.answers else "the hints"
                click.echo(f"There are no more questions: the rest follows from {known}.")
                return
            _show(question, dialogue, shown, last, pictures=picture_protocol() if on_terminal else "")
            by_key = on_terminal and question.kind == "pair"  # a check of any question is about a pair
            with single_keys() if by_key else nullcontext(_next_line) as read:
                quits = not _answer(question, dialogue, read, by_key=by_key)
            if quits:
                return
            if dialogue.answers.enough and not told_enough:
                told_enough = True
                click.echo(f"\n{dialogue.answers.outlook} This is a good point to stop: q quits.")


def _answer(question: Question, dialogue: Dialogue, read: Callable[[], str], *, by_key: bool) -> bool:
    """Read replies until one is an answer or an undo; returns False if the user quits."""
    while True:
        reply = read()
        if by_key:
            click.echo(reply if reply.isprintable() else "")
        if reply.lower() in QUIT:
            return False
        if reply in ("", "\r", "\n"):
            continue
        if reply.lower() in UNDO:
            if not dialogue.answers:
                click.echo("There is no answer to undo.")
                continue
            dialogue.undo()
            click.echo("The last answer was undone.")
            return True
        said = KEYS.get(reply.lower(), "" if by_key else reply) if question.kind == "pair" else reply
        try:
            if by_key and not said:  # other keys would be words: "j" would say the same, "f" different
                raise ValueError
            dialogue.answer(said)
        except ValueError:
            click.echo(f"{reply!r} is not a valid answer. {_keys(question)}")
            continue
        return True


def _next_line() -> str:
    """The next line of input; "q" at its end."""
    line = sys.stdin.readline()
    return line.strip() if line else "q"


def _show(question: Question, dialogue: Dialogue, shown: RowTexts, last: int | None, *, pictures: str) -> None:
    from shutil import get_terminal_size

    width = min(get_terminal_size((100, 24)).columns, MAX_WIDTH)
    click.echo(f"\n{_progress(dialogue, last)}")
    if question.kind == "pair":
        titles = ["A", "B"]
    elif question.kind == "choice":
        titles = ["row", *(str(number) for number in range(1, len(question.rows)))]
    else:
        titles = list(LETTERS[: len(question.rows)])
    if question.why == "check":
        click.echo(f"{question.reason}:")
    for line in shown.side_by_side(question.rows, titles, width, pictures=pictures):
        click.echo(line)
    click.echo(_keys(question))


def _progress(dialogue: Dialogue, last: int | None) -> str:
    """The number of the question, the share of earlier answers that were predicted, and the expected gain of more."""
    from ..questions._answers import LITTLE, WINDOW

    words = f"Question {dialogue.answers.n_screens + 1}" + ("" if last is None else f" of {last}")
    predicted = dialogue.answers.last_predictions
    if predicted:
        which = f"the last {len(predicted)}" if len(predicted) == WINDOW else f"{len(predicted)}"
        words += f" · {sum(predicted)} of {which} predicted"
    gain = dialogue.answers.expected_gain
    if gain is not None:
        words += f" · more would gain about {gain:.2f} (NMI)" if gain > LITTLE else " · more would change little"
    return words


def _keys(question: Question) -> str:
    if question.kind == "pair":
        return "Are A and B the same? [s]ame  [d]ifferent  [?] can't say  [u]ndo  [q]uit"
    if question.kind == "choice":
        count = len(question.rows) - 1
        return f"With which does the row belong? 1-{count}, several as 1,2, 0 none, ? can't say, u undo, q quit"
    example = "aabbcc"[: len(question.rows)]
    return f"Sort into piles: a letter for each, such as {example}, ? where you can't say; u undo, q quit"
