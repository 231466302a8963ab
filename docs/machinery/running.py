"""Runs every example of a hand-written page, and puts what it printed and drew behind it.

Blocks of ``python`` share one namespace a page, in an empty folder. Of blocks of ``console`` the lines that begin with
``$ likewise`` are run in the same folder; others are only shown. A warning or an error in an example stops the build.
"""

from __future__ import annotations

import contextlib
import io
import os
import shlex
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

COMMAND = "$ likewise "
FIGURES = "figures"
"""Folder of pictures that examples draw."""

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
    with TemporaryDirectory() as folder:
        page = Page(name, Path(folder), Path(app.srcdir))
        for block in list(doctree.findall(nodes.literal_block)):
            run: Callable[[str], list[nodes.Node]] | None
            run = {"python": page.python, "console": page.console}.get(block.get("language", ""))
            if run is None:
                continue
            try:
                behind = run(block.astext())
            except ExampleError as error:
                logger.warning("an example does not run: %s", error, location=block)
                continue
            place = block.parent.index(block) + 1
            block.parent[place:place] = behind


class Page:
    """What the examples of one page share."""

    def __init__(self, name: str, folder: Path, source: Path) -> None:
        self.name, self.folder, self.source = name, folder, source
        self.names: dict[str, Any] = {"__name__": "example"}
        self.drawn = 0

    def python(self, code: str) -> list[nodes.Node]:
        """Run a block; what it printed, and the figures it left in new names."""
        before, printed = dict(self.names), io.StringIO()
        try:
            with contextlib.chdir(self.folder), contextlib.redirect_stdout(printed), warnings.catch_warnings():
                warnings.simplefilter("error")
                exec(compile(code, f"{self.name}.md", "exec"), self.names)
        except Exception:
            raise ExampleError(traceback.format_exc(limit=-3)) from None
        return [*_output(printed.getvalue()), *map(self._kept, new_figures(before, self.names))]

    def console(self, text: str) -> list[nodes.Node]:
        """Run the commands of a block; what they printed."""
        commands = [line for line in text.replace("\\\n", " ").splitlines() if line.startswith(COMMAND)]
        program = str(Path(sys.executable).with_name("likewise"))
        output = ""
        for command in commands:
            done = subprocess.run(
                [program, *shlex.split(command)[2:]],
                cwd=self.folder,
                env={**os.environ, "COLUMNS": "110", "NO_COLOR": "1"},
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                raise ExampleError(f"{command} ended with {done.returncode}: {done.stdout}{done.stderr}")
            output += done.stdout
        return _output(output)

    def _kept(self, figure: Any) -> nodes.Node:
        self.drawn += 1
        path = self.source / FIGURES / f"{self.name.replace('/', '-')}-{self.drawn}.png"
        path.parent.mkdir(exist_ok=True)
        figure.savefig(path, dpi=130)
        return nodes.image(uri=f"/{FIGURES}/{path.name}", alt=f"what the example above draws ({self.drawn})")


def _output(text: str) -> list[nodes.Node]:
    if not text.strip():
        return []
    return [nodes.literal_block(text.rstrip(), text.rstrip(), language="text", classes=["output"])]
