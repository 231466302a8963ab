"""What examples showed when they last ran, for pages whose data not everybody has: text and pictures, never rows."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from html import escape
from pathlib import Path

from docutils import nodes

FOLDER = "stored"


@dataclass(frozen=True)
class Shown:
    """What stands behind an example.

    Attributes
    ----------
    text : str
        What it printed.
    figures : list of str
        Pictures that it drew, as addresses from the root of the documentation.
    reports : list of str
        Reports that it wrote, as addresses from the page.
    """

    text: str = ""
    figures: list[str] = field(default_factory=list)
    reports: list[str] = field(default_factory=list)

    def nodes(self) -> list[nodes.Node]:
        """The same, to be put into a page."""
        text = self.text.rstrip()
        shown: list[nodes.Node] = []
        if text.strip():
            shown.append(nodes.literal_block(text, text, language="text", classes=["output"]))
        shown += [nodes.image(uri=uri, alt="what the example above draws") for uri in self.figures]
        shown += [
            nodes.raw(
                "",
                f'<p class="report-link"><a href="{escape(address)}">Open the report that this wrote</a></p>',
                format="html",
            )
            for address in self.reports
        ]
        return shown


def has_data(names: Iterable[str]) -> bool:
    """Whether the folder that ``LIKEWISE_DATA`` names has all of these files."""
    folder = os.environ.get("LIKEWISE_DATA")
    return folder is not None and all((Path(folder) / name).exists() for name in names)


class Stored:
    """The examples of one page, each with what it showed.

    Parameters
    ----------
    docs : Path
        The documentation.
    page : str
        Name of the page.
    """

    def __init__(self, docs: Path, page: str) -> None:
        self.page = page
        self.folder = docs / FOLDER
        self.path = self.folder / f"{page.replace('/', '-')}.json"
        kept = json.loads(self.path.read_text(encoding="utf-8")) if self.path.exists() else []
        self._before = {example["code"]: Shown(**example["shown"]) for example in kept}
        self._now: list[dict[str, object]] = []

    def of(self, code: str) -> Shown:
        """What this example showed; an error if it was another one."""
        code = code.strip()
        if code not in self._before:
            raise LookupError(
                f"{self.path.name} has no output of this example of {self.page}. Build the page where LIKEWISE_DATA "
                "names a folder with its data, and commit what that stores."
            )
        return self._before[code]

    def add(self, code: str, shown: Shown) -> None:
        """Remember what an example showed just now."""
        self._now.append({"code": code.strip(), "shown": asdict(shown)})

    def write(self) -> None:
        """Store what the examples showed in place of what was stored."""
        self.folder.mkdir(exist_ok=True)
        self.path.write_text(json.dumps(self._now, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
