"""A page for each method, from one table: ``methods.toml``."""

from __future__ import annotations

import tomllib
from functools import reduce
from inspect import isclass
from pathlib import Path
from types import FunctionType, MethodType
from typing import Any

import likewise

FOLDER = "methods"
TABLE = "methods.toml"


def read(docs: Path) -> dict[str, Any]:
    """The table, each method with its page's name and its title."""
    table = tomllib.loads((docs / TABLE).read_text(encoding="utf-8"))
    for page, method in table["method"].items():
        method["page"] = page
        method.setdefault("title", method["objects"][0])
    return table


def write(docs: Path) -> None:
    """Write the pages and the page that lists them, and draw their pictures."""
    from .pictures import draw  # heavy, and tests only read the table

    table, folder = read(docs), docs / FOLDER
    (folder / "pictures").mkdir(parents=True, exist_ok=True)
    for page, method in table["method"].items():
        caption = draw({"shows": "", **method["picture"]}, folder / "pictures" / f"{page}.png")
        put(folder / f"{page}.rst", _page(method, caption))
    put(folder / "index.rst", _index(table))


def put(path: Path, text: str) -> None:
    """Write a page unless it says the same already: sphinx reads again what is newer."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def _page(method: dict[str, Any], caption: str) -> str:
    picture = (
        f".. figure:: pictures/{method['page']}.png\n   :alt: before and after {method['title']}\n\n   {caption}\n"
    )
    facts = f":Use it for: {method['use']}\n:Needs: {method['needs']}\n:Published in: {method['paper']}\n"
    documented = [documentation(name) for name in method["objects"]]
    if "inside" in method:
        documented += [heading("Inside", "-"), *(documentation(name) for name in method["inside"])]
    said = [method["when"].strip(), "", picture, method.get("mathematics", "").strip(), ""]
    return "\n".join([heading(method["title"]), facts, *said, *documented])


def _index(table: dict[str, Any]) -> str:
    said = [
        heading("Methods"),
        "Every page has the objective of the method, a picture of what it does, and its parameters. Which one? "
        ":doc:`How to choose </choose>`.\n",
    ]
    for family in table["family"]:
        rows = [table["method"][page] for page in family["methods"]]
        lines = [
            f"   * - :doc:`{method['title']} <{method['page']}>`\n     - {method['use']}\n     - {method['needs']}\n"
            f"     - {method['paper']}"
            for method in rows
        ]
        said += [
            heading(family["title"], "-"),
            ".. list-table::\n   :header-rows: 1\n   :widths: 24 34 22 20\n",
            "   * - method\n     - use it for\n     - needs\n     - published in",
            *lines,
            "\n.. toctree::\n   :hidden:\n",
            *(f"   {method['title']} <{method['page']}>" for method in rows),
            "",
        ]
    return "\n".join(said) + "\n"


def heading(text: str, line: str = "=") -> str:
    """A title, underlined."""
    return f"{text}\n{line * len(text)}\n"


def documentation(name: str) -> str:
    """The directive that shows a class with those of its methods that this package wrote, or a function."""
    thing = resolved(name)
    if not isclass(thing):
        return f".. autofunction:: likewise.{name}\n"
    own = [member for member in dir(thing) if not member.startswith("_") and _ours(getattr(thing, member))]
    if not getattr(thing, "_published", True) and "as_published" not in vars(thing):  # nothing differs from the paper
        own.remove("as_published")
    members = f"   :members: {', '.join(own)}\n" if own else ""
    return f".. autoclass:: likewise.{name}\n{members}"


def resolved(name: str) -> Any:
    """What a dotted name in likewise stands for."""
    return reduce(getattr, name.split("."), likewise)


def _ours(member: Any) -> bool:
    return isinstance(member, FunctionType | MethodType | property) and (
        isinstance(member, property) or member.__module__.startswith("likewise.")
    )
