"""Runs every example of a hand-written page, and puts what it printed, drew and reported behind it.

Blocks of ``python`` share one namespace a page, in an empty folder. Of blocks of ``console`` the lines that begin with
``$ likewise`` are run in the same folder; others are only shown. A warning or an error in an example stops the build.
Reports that an example writes are kept, and linked behind it.

A page whose front matter has ``data: cora.npz`` needs that file in the folder that ``LIKEWISE_DATA`` names. Where it is
missing, what was stored when it last ran is shown instead (:mod:`machinery.stored`).
"""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import shutil
import subprocess
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from docutils import nodes
from sphinx.util import logging

from .figures import new_figures
from .stored import Shown, Stored, has_data

COMMAND = "$ likewise "
FIGURES = "figures"
"""Folder of pictures that examples draw."""
EXTRA, REPORTS = "extra", "reports"
"""Folder that is copied to the site as it is, and the folder of reports in it."""

logger = logging.getLogger(__name__)


class ExampleError(Exception):
    """An example that does not run; says why."""


def setup(app: Any) -> dict[str, Any]:
    """Run examples as pages are read, before their pictures are collected."""
    app.connect("doctree-read", _run_page, priority=100)
    return {"parallel_read_safe": True}


def _run_page(app: Any, doctree: nodes.document) -> None:
    name = app.env.docname
    if not str(app.env.doc2path(name)).endswith(".md"):
        return  # pages written by a script show examples that run elsewhere
    source = Path(app.srcdir)
    blocks = [block for block in doctree.findall(nodes.literal_block) if block.get("language") in ("python", "console")]
    data = app.env.metadata[name].get("data", "").split()
    stored = Stored(source, name)
    if data and not has_data(data):
        for block in blocks:
            try:
                _put_behind(block, stored.of(block.astext()).nodes())
            except LookupError as error:
                logger.warning("%s", error, location=block)
        return
    with TemporaryDirectory() as folder:
        page = Page(name, Path(folder), source, stored.folder if data else source / FIGURES)
        for block in blocks:
            run: Callable[[str], Shown] = page.python if block["language"] == "python" else page.console
            try:
                shown = run(block.astext())
            except ExampleError as error:
                logger.warning("an example does not run: %s", error, location=block)
                continue
            _put_behind(block, shown.nodes())
            if data:
                stored.add(block.astext(), shown)
    if data:
        stored.write()


def _put_behind(block: nodes.literal_block, behind: list[nodes.Node]) -> None:
    place = block.parent.index(block) + 1
    block.parent[place:place] = behind


class Page:
    """What the examples of one page share.

    Parameters
    ----------
    name : str
        The page.
    folder : Path
        Where examples run.
    source : Path
        The documentation.
    pictures : Path, optional
        Where pictures go, inside ``source``.
    """

    def __init__(self, name: str, folder: Path, source: Path, pictures: Path | None = None) -> None:
        self.name, self.folder, self.source = name, folder, source
        self.pictures = source / FIGURES if pictures is None else pictures
        self.names: dict[str, Any] = {"__name__": "example"}
        self.drawn = 0

    def python(self, code: str) -> Shown:
        """Run a block; what it printed, the figures it left in new names, and the reports it wrote."""
        before, printed, reports = dict(self.names), io.StringIO(), self._reports()
        try:
            with contextlib.chdir(self.folder), contextlib.redirect_stdout(printed), warnings.catch_warnings():
                warnings.simplefilter("error")
                exec(compile(code, f"{self.name}.md", "exec"), self.names)
        except Exception:
            raise ExampleError(traceback.format_exc(limit=-3)) from None
        figures = [self._kept(figure) for figure in new_figures(before, self.names)]
        return Shown(printed.getvalue(), figures, self._kept_reports(reports))

    def console(self, text: str) -> Shown:
        """Run the commands of a block; what they printed, and the reports they wrote."""
        commands = [line for line in text.replace("\\\n", " ").splitlines() if line.startswith(COMMAND)]
        program = str(Path(sys.executable).with_name("likewise"))
        output, reports = "", self._reports()
        for command in commands:
            done = subprocess.run(
                [program, *shlex.split(command, comments=True)[2:]],
                cwd=self.folder,
                env={**os.environ, "COLUMNS": "110", "NO_COLOR": "1"},
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                raise ExampleError(f"{command} ended with {done.returncode}: {done.stdout}{done.stderr}")
            output += done.stdout
        return Shown(output, [], self._kept_reports(reports))

    def _kept(self, figure: Any) -> str:
        self.drawn += 1
        path = self.pictures / f"{self.name.replace('/', '-')}-{self.drawn}.png"
        path.parent.mkdir(exist_ok=True)
        figure.savefig(path, dpi=130)
        return f"/{path.relative_to(self.source).as_posix()}"

    def _reports(self) -> set[Path]:
        return set(self.folder.rglob("*.html"))

    def _kept_reports(self, before: set[Path]) -> list[str]:
        """Addresses of new reports, relative to the page."""
        addresses = []
        for path in sorted(self._reports() - before):
            name = f"{self.name.replace('/', '-')}-{path.name}"
            kept = self.source / EXTRA / REPORTS / name
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, kept)
            addresses.append(f"{'../' * self.name.count('/')}{REPORTS}/{name}")
        return addresses
