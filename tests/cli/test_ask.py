"""Questions on the command line: asked by lines of input, kept in a file, or written as a sheet."""

import csv
import fcntl
import os
import pty
import select
import shlex
import signal
import struct
import subprocess
import sys
import termios
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image
from rich.cells import cell_len

from likewise.cli import main
from likewise.constraints import Constraints


@pytest.fixture
def ask(folder):
    def run(*arguments, lines=()):
        known = {path.name: str(path) for path in folder.path.iterdir()}
        given = ["ask", *(known.get(str(argument), str(argument)) for argument in arguments)]
        return CliRunner().invoke(main, given, input="".join(f"{line}\n" for line in lines))

    return run


def cells(path):
    with Path(path).open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_questions_are_asked_and_answers_kept(folder, ask):
    answer = ask("flowers.csv", "--k", 3, "--hints", folder / "mine.csv", lines=["s", "nonsense", "d", "?", "yes"])
    assert answer.exit_code == 0, answer.output
    assert "Question 1\n" in answer.output
    assert "'nonsense' is not a valid answer. Are A and B the same?" in answer.output
    assert "4 answers in" in answer.output
    assert "Question 2 · " in answer.output
    assert " of 1 predicted\n" in answer.output
    assert [line["kind"] for line in cells(folder / "mine.csv")] == ["same", "different", "can't say", "same"]
    again = ask("flowers.csv", "--k", 3, "--hints", "mine.csv", lines=["u", "u", "d", "q"])
    assert "continuing after 4 answers" in again.output
    assert [line["kind"] for line in cells(folder / "mine.csv")] == ["same", "different", "different"]
    assert folder.run("cluster", "flowers.csv", "--hints", "mine.csv", "--k", 3, "--json").exit_code == 0


def test_rows_are_shown_side_by_side_with_what_differs_marked(folder, ask):
    answer = ask("flowers.csv", "--k", 3, "--n", 1, lines=["?"])
    lines = answer.output.splitlines()
    head = next(place for place, line in enumerate(lines) if "A f" in line)
    assert "B f" in lines[head]
    shown = [line.split() for line in lines[head + 1 : head + 5]]
    assert [line[0] for line in shown] == ["a", "b", "c", "d"]
    spread = folder.X.std(axis=0)
    for (_, left, *mark, right), each in zip(shown, spread, strict=True):
        assert mark == (["≠"] if abs(float(left) - float(right)) >= each else [])


def test_texts_are_wrapped(folder, ask):
    words = ["chip code server kernel memory compiler", "wave boat fish salt harbor storm"]
    notes = [f"n{row},{' '.join([words[row % 2], *[f'w{row}'] * 9])}" for row in range(24)]
    folder.write("notes.csv", "\n".join(["id,note", *notes]))
    answer = ask("notes.csv", "--k", 2, "--n", 1, lines=["d"])
    assert answer.exit_code == 0, answer.output
    question = answer.output[: answer.output.index("Are A and B")].splitlines()
    assert max(map(len, question)) <= 100
    assert len(question) >= 5
    assert (folder.path / "notes-answers.csv").exists()


def test_hints_of_others_are_read_and_never_written(folder, ask):
    before = Path(folder / "pairs.csv").read_bytes()
    answer = ask("flowers.csv", "--k", 3, "--hints", "pairs.csv", lines=["d", "q"])
    assert answer.exit_code == 0, answer.output
    assert Path(folder / "pairs.csv").read_bytes() == before
    assert len(cells(folder / "pairs-answers.csv")) == 1
    again = ask("flowers.csv", "--k", 3, "--hints", "pairs.csv", lines=["q"])
    assert "continuing after 1 answer" in again.output


@pytest.mark.parametrize("kind", ["pair", "choice", "piles"])
def test_a_sheet_for_a_colleague(kind, folder, ask):
    answer = ask("flowers.csv", "--k", 3, "--kind", kind, "--n", 5, "--out", folder / "sheet.csv")
    assert answer.exit_code == 0, answer.output
    lines = cells(folder / "sheet.csv")
    assert [*lines[0]] == ["left", "right", "kind", "left_row", "right_row", "chance", "question", "why"]
    assert len({line["question"] for line in lines}) == 5
    assert lines[0]["left_row"].startswith("a ")
    for place, line in enumerate(lines):
        line["kind"] = ["ja", "nein", "", "?"][place % 4]
    with Path(folder / "sheet.csv").open("w", encoding="utf-8-sig", newline="") as file:
        sheet = csv.DictWriter(file, [*lines[0]][::-1], delimiter=";")
        sheet.writeheader()
        sheet.writerows(lines)
    with pytest.warns(UserWarning, match="say neither same nor different"):
        found = Constraints.read(folder / "sheet.csv", ids=folder.ids)
    assert found.n_must_link + found.n_cannot_link == sum(line["kind"] in ("ja", "nein") for line in lines)
    clustered = folder.run("cluster", "flowers.csv", "--hints", "sheet.csv", "--k", 3, "--json")
    assert clustered.exit_code == 0, clustered.output


def test_a_sheet_with_answers_is_not_overwritten(folder, ask):
    sheet = Path(folder / "sheet.csv")
    for _ in range(2):  # nobody has filled it in
        assert ask("flowers.csv", "--k", 3, "--n", 3, "--out", sheet).exit_code == 0
    left, right, _, rest = sheet.read_text().splitlines()[1].split(",", 3)
    filled = f"{sheet.read_text()}{left},{right},same,{rest}\n"
    sheet.write_text(filled)
    answer = ask("flowers.csv", "--k", 3, "--n", 3, "--out", sheet)
    assert answer.exit_code == 2
    assert "sheet.csv exists, and is not a sheet without answers. If it holds answers, pass it" in answer.output
    assert sheet.read_text() == filled


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("left,right,kind", "left,right,same?").replace(",,", ",yes,", 1),
        lambda text: text.replace("kind", "Kind"),
        lambda text: "a,b\n1,2\n",
        lambda text: "".join(f"{line},{'Ann' if number else 'by'}\n" for number, line in enumerate(text.splitlines())),
    ],
    ids=["renamed and filled in", "renamed", "another table", "another column"],
)
def test_what_may_hold_answers_is_not_overwritten(folder, ask, change):
    sheet = Path(folder / "sheet.csv")
    assert ask("flowers.csv", "--k", 3, "--n", 3, "--out", sheet).exit_code == 0
    sheet.write_text(change(sheet.read_text()))
    before = sheet.read_bytes()
    answer = ask("flowers.csv", "--k", 3, "--n", 3, "--out", sheet)
    assert answer.exit_code == 2
    assert "sheet.csv exists, and is not a sheet without answers" in answer.output
    assert sheet.read_bytes() == before


def test_columns_of_others_are_kept_in_their_file(folder, ask):
    assert ask("flowers.csv", "--k", 3, "--hints", folder / "a.csv", lines=["s", "d", "q"]).exit_code == 0
    head, *lines = Path(folder / "a.csv").read_text().splitlines()
    folder.write("a.csv", "\n".join([f"{head},comment", *(f"{line},hm" for line in lines)]))
    before = Path(folder / "a.csv").read_bytes()
    assert ask("flowers.csv", "--k", 3, "--hints", "a.csv", lines=["s", "q"]).exit_code == 0
    assert Path(folder / "a.csv").read_bytes() == before
    assert len(cells(folder / "a-answers.csv")) == 1
    refused = ask("flowers.csv", "--k", 3, "--answers", "a.csv", lines=["s", "q"])
    assert "is not a file of answers as `likewise ask` writes it" in refused.output


def test_the_command_that_is_recommended_has_all_hints_and_options(folder, ask):
    options = ["--k", 3, "--ignore", "a", "--ignore", "b*", "--no-transpose", "--missing", "mean"]
    words = f"{shlex.join(map(str, options))}"
    told = ask("flowers.csv", "--hints", "pairs.csv", *options, "--kind", "choice", lines=["0", "q"])
    assert told.exit_code == 0, told.output
    start = f"likewise cluster {folder / 'flowers.csv'} --hints {folder / 'pairs.csv'} --hints "
    assert f"{start}{folder / 'pairs-answers.csv'} {words}" in " ".join(told.output.split("\n")[-2:])
    sheet = ask("flowers.csv", "--hints", "pairs.csv", *options, "--n", 2, "--out", folder / "my sheet.csv")
    assert f"{start}'{folder / 'my sheet.csv'}' {words}" in sheet.output
    line = sheet.output.partition("pass it on: likewise ")[2].strip()
    assert CliRunner().invoke(main, [*shlex.split(line), "--out", str(folder / "c.csv")]).exit_code == 0


def test_a_sheet_shows_texts_and_values(folder, ask):
    words = ["chip code server kernel memory compiler", "wave boat fish salt harbor storm"]
    notes = [
        f"n{row},{' '.join([words[row % 2], *[f'w{row}'] * 99 * (row < 12)]) * (row % 3 > 0)},{row % 7}"
        for row in range(24)
    ]
    folder.write("notes.csv", "\n".join(["id,note,size", *notes]))
    assert ask("notes.csv", "--k", 2, "--n", 12, "--out", folder / "sheet.csv").exit_code == 0
    for line in cells(folder / "sheet.csv"):
        for name in ("left", "right"):
            row, shown = int(line[name][1:]), line[f"{name}_row"]
            text, _, values = shown.rpartition(" · ")
            assert values == f"size {row % 7}"
            assert text.startswith(words[row % 2] if row % 3 else "")
            assert text.endswith("…") is bool(row % 3 and row < 12)


def test_choices_and_piles_by_lines(folder, ask):
    chosen = ask("flowers.csv", "--k", 3, "--hints", "pairs.csv", "--kind", "choice", "--n", 1, lines=["1"])
    assert "With which does the row belong?" in chosen.output
    piled = ask("flowers.csv", "--k", 3, "--kind", "piles", "--size", 3, "--answers", folder / "p.csv", "--n", 1,
                lines=["ab", "aab"])  # fmt: skip
    assert "'ab' is not a valid answer" in piled.output
    assert [line["kind"] for line in cells(folder / "p.csv")] == ["same", "different", "different"]


def test_answers_about_rows_that_are_gone(folder, ask):
    assert ask("flowers.csv", "--k", 3, "--answers", folder / "a.csv", "--n", 2, lines=["s", "d"]).exit_code == 0
    gone = cells(folder / "a.csv")[0]["left"]
    folder.write("flowers.csv", "\n".join(line for line in folder.lines if not line.startswith(f"{gone},")))
    answer = ask("flowers.csv", "--k", 3, "--answers", "a.csv", lines=["s"])
    assert answer.exit_code == 2
    assert f"a.csv, line 2: id {gone!r} is not among the 149 ids" in answer.output


def test_what_is_made_of_answers_says_how_well_they_were_predicted(folder):
    lines = [f"f{row};f{149 - row};different;{'0,1' if row else '0,9'}" for row in range(20)]  # as saved in Germany
    lines += [f"f{row};f{row + 1};same;0,9" for row in range(20, 25)]
    others = ["f3;f4;nearer;;f100", "f0;f149;same;;"]  # no pair, and one that contradicts
    folder.write("asked.csv", "\n".join(["left;right;kind;chance;third", *(f"{line};" for line in lines), *others]))
    answer = folder.run("cluster", "flowers.csv", "--hints", "asked.csv", "--k", 3, "--report", folder / "r.html")
    assert answer.exit_code == 0, answer.output
    words = "24 of the last 25 answers were predicted: more answers would change little."
    assert words in answer.output
    assert words in Path(folder / "r.html").read_text("utf-8")


ASK = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell makes background jobs ignore it
from likewise.cli import main
main()
"""


class Terminal:
    """A command in a terminal of its own, and a person at its keys."""

    def __init__(self, *arguments, columns=90, **environment):
        self.end, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        given = {"TERM": "xterm", "COLORTERM": "", "OMP_NUM_THREADS": "1", **environment}
        self.process = subprocess.Popen(
            [sys.executable, "-c", ASK, *map(str, arguments)],
            stdin=other, stdout=other, stderr=other, env={**os.environ, **given}, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # so that Ctrl-C reaches it
        )  # fmt: skip
        os.close(other)
        self.shown = ""

    def _read(self):
        """More of what is shown; False once it has ended."""
        ready, _, _ = select.select([self.end], [], [], 120)
        assert ready, f"nothing more after {self.shown!r}"
        try:
            part = os.read(self.end, 65536)
        except OSError:
            part = b""
        self.shown += part.decode(errors="replace")
        return bool(part)

    def wait_for(self, words):
        """What is shown up to some words."""
        while words not in self.shown:
            assert self._read(), self.shown
        before, _, self.shown = self.shown.partition(words)
        return before.replace("\r\n", "\n")

    def press(self, keys):
        os.write(self.end, keys.encode())

    def leave(self):
        """The exit status, once all is read."""
        while self._read():
            pass
        os.close(self.end)
        return self.process.wait(timeout=60)


PROMPT = "[q]uit"


def test_one_key_an_answer_and_each_on_disk_before_the_next(folder):
    path = folder / "a.csv"
    terminal = Terminal("ask", folder / "flowers.csv", "--k", 3, "--answers", path)
    terminal.wait_for(PROMPT)
    for key, kinds in (
        ("s", ["same"]),
        ("d", ["same", "different"]),
        ("u", ["same"]),
        ("?", ["same", "can't say"]),
        ("x\r", ["same", "can't say"]),  # neither says anything
    ):
        terminal.press(key)
        terminal.wait_for(PROMPT)
        assert [line["kind"] for line in cells(path)] == kinds
    terminal.press("\x04")  # Ctrl-D
    assert terminal.leave() == 0
    assert "2 answers in" in terminal.shown
    again = Terminal("ask", folder / "flowers.csv", "--k", 3, "--answers", path)
    assert "continuing after 2 answers" in again.wait_for("Question 3")
    again.wait_for(PROMPT)
    again.press("\x03")  # Ctrl-C
    assert again.leave() == 130
    assert len(cells(path)) == 2


def test_only_keys_that_are_shown_are_answers(folder):
    terminal = Terminal("ask", folder / "flowers.csv", "--k", 3, "--answers", folder / "a.csv")
    terminal.wait_for(PROMPT)
    for key in "jf1\t":
        terminal.press(key)
        assert "is not a valid answer" in terminal.wait_for(PROMPT)
    terminal.press("q")
    assert terminal.leave() == 0
    assert not Path(folder / "a.csv").exists()


def test_keys_answer_at_once_after_the_command_was_stopped(folder):
    terminal = Terminal("ask", folder / "flowers.csv", "--k", 3, "--answers", folder / "a.csv")
    terminal.wait_for(PROMPT)
    mode = termios.tcgetattr(terminal.end)
    mode[3] |= termios.ICANON | termios.ECHO  # as a shell sets it
    termios.tcsetattr(terminal.end, termios.TCSANOW, mode)
    terminal.process.send_signal(signal.SIGCONT)
    while termios.tcgetattr(terminal.end)[3] & termios.ICANON:
        assert terminal.process.poll() is None
    terminal.press("s")
    terminal.wait_for(PROMPT)
    terminal.press("q")
    assert terminal.leave() == 0
    assert [line["kind"] for line in cells(folder / "a.csv")] == ["same"]


def test_a_check_of_piles_is_answered_by_a_key(folder):
    terminal = Terminal("ask", folder / "flowers.csv", "--k", 3, "--answers", folder / "a.csv", "--kind", "piles")
    for _ in range(20):
        asked = terminal.wait_for("uit\r\n")
        if "[s]ame" in asked:
            break
        terminal.press("abca\n")  # nonsense is unexpected soon
    terminal.press("s")
    terminal.wait_for("Question")
    terminal.wait_for("uit\r\n")
    terminal.press("q\n")
    assert terminal.leave() == 0
    assert [line["kind"] for line in cells(folder / "a.csv") if line["why"] == "check"] == ["same"]


def test_pictures_on_a_terminal_that_can(folder):
    (folder.path / "faces").mkdir()
    rng = np.random.default_rng(0)
    for number in range(12):
        pixels = rng.integers(0, 80, (16, 16, 3)) + 170 * (number % 2)
        Image.fromarray(pixels.astype(np.uint8)).save(folder.path / "faces" / f"{number}.png")
    terminal = Terminal(
        "ask", folder / "faces", "--k", 2, "--answers", folder / "a.csv", columns=200, TERM="xterm-kitty"
    )
    shown = terminal.wait_for(PROMPT)
    assert shown.count("\x1b_Ga=T,f=100") == 2
    assert shown.count(".png") >= 2  # the paths, too
    terminal.press("q")
    assert terminal.leave() == 0


def test_what_a_terminal_would_obey_is_not_sent_to_it(folder, ask):
    words = ["chip code server kernel memory compiler", "wave boat fish salt harbor storm"]
    notes = [f'n{row},"{words[row % 2]}\x1b]0;title\x07 w{row} \x1b[2J{row}"' for row in range(24)]
    folder.write("notes.csv", "\n".join(["id,note", *notes]))
    answer = ask("notes.csv", "--k", 2, "--n", 1, lines=["d"])
    assert answer.exit_code == 0, answer.output
    assert "\x1b" not in answer.output
    assert "\x07" not in answer.output


def test_wide_characters_and_long_cells_are_aligned(folder, ask):
    lines = [f"r{row},{row % 7},{'東京都 ' * 3}{row},{'a long remark, never the same, ' * 3}{row}" for row in range(40)]
    folder.write("rows.csv", "\n".join(["id;size;city;remark", *(line.replace(",", ";", 3) for line in lines)]))
    answer = ask("rows.csv", "--k", 2, "--n", 1, "--ignore", "remark", lines=["d"])
    assert answer.exit_code == 0, answer.output
    question = answer.output[: answer.output.index("Are A and B")].splitlines()
    assert max(map(cell_len, question)) <= 100


@pytest.fixture
def sheet():
    """A filled-in sheet, as its lines."""
    return [
        ["left", "right", "kind", "left_row", "chance"],
        ["f0", "f1", "same", "a 5.1", "0.8"],
        ["f0", "f60", "no", "a 5.1", "0.2"],
        ["f9", "f99", "", "a 4.9", "0.5"],
    ]


@pytest.mark.parametrize(
    ("change", "delimiter", "encoding"),
    [
        (lambda lines: lines, ";", "utf-8-sig"),
        (lambda lines: lines, "\t", "utf-16"),  # "Unicode text"
        (lambda lines: [line[::-1] for line in lines], ",", "utf-8"),
        (lambda lines: [*lines, [""] * 5, [""] * 5], ",", "utf-8"),  # lines that were emptied
        (lambda lines: [line[:3] for line in lines], ",", "utf-8"),
        (lambda lines: [[*line[:2], {"same": "WAHR", "no": "FALSCH"}.get(line[2], line[2]), *line[3:4], "0,8"]
                        for line in lines], ";", "utf-8"),
    ],
    ids=["semicolons", "utf-16", "columns reversed", "empty lines", "columns removed", "German"],
)  # fmt: skip
def test_sheets_that_a_spreadsheet_saved(folder, sheet, change, delimiter, encoding):
    text = "\r\n".join(delimiter.join(line) for line in change(sheet))
    (folder.path / "sheet.csv").write_bytes(text.encode(encoding))
    found = folder.json("cluster", "flowers.csv", "--hints", "sheet.csv", "--k", 3)
    assert (found["must_links"], found["cannot_links"]) == (1, 1)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (["f1", "f2", "sam", "", ""], "line 5: kind 'sam' is not known. Write same"),
        (["01.03.2026", "f2", "same", "", ""], "line 5: id '01.03.2026' is not among the 150 ids"),
        (["1-Mar", "f2", "same", "", ""], "format the columns of ids as text before saving the file"),
        (["1.5E+11", "f2", "same", "", ""], "format the columns of ids as text before saving the file"),
        (["f1", "f1", "same", "", ""], "line 5: f1 is linked to itself"),
    ],
)
def test_sheets_are_refused_by_line(folder, sheet, line, message):
    folder.write("sheet.csv", "\n".join(",".join(each) for each in [*sheet, line]))
    for command in ("cluster", "ask"):
        answer = folder.run(command, "flowers.csv", "--hints", "sheet.csv", "--k", 3)
        assert answer.exit_code == 2
        assert message in answer.output


def test_sheets_with_other_than_ascii_have_the_mark_of_utf_8(folder, ask):
    folder.write("flowers.csv", "\n".join(line.replace("f", "ß", 1) for line in folder.lines))
    assert ask("flowers.csv", "--k", 3, "--n", 2, "--out", folder / "sheet.csv").exit_code == 0
    assert Path(folder / "sheet.csv").read_bytes().startswith("\ufeffleft".encode())
