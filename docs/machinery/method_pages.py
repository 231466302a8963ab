"""A page for each method: facts from its class, text and pictures from ``methods.toml``."""

from __future__ import annotations

import tomllib
from functools import reduce
from inspect import isclass
from pathlib import Path
from pkgutil import resolve_name
from types import FunctionType, MethodType
from typing import Any

import likewise
from likewise._method import Method, MethodKind
from likewise._methods import all_methods

FOLDER = "methods"
TABLE = "methods.toml"
FACTS = ("use", "needs", "paper")


def read(docs: Path) -> dict[str, Any]:
    """The pages and their families, each page with its name, its title and the facts of its method."""
    table = tomllib.loads((docs / TABLE).read_text(encoding="utf-8"))
    methods = {method.make: method for method in all_methods() if method.make is not None}
    pages = table["method"]
    for page, entry in pages.items():
        method = methods.get(resolved(entry["objects"][0]))
        if method is not None:
            if doubled := [fact for fact in FACTS if fact in entry]:
                raise ValueError(f"{TABLE} has {doubled[0]!r} of {page}, which its class says itself. Remove it there.")
            entry |= _facts(method)
        entry["page"] = page
        entry.setdefault("title", entry["objects"][0])
    shown = {resolved(name) for entry in pages.values() for name in entry["objects"]}
    for make, method in methods.items():
        if make not in shown:
            pages[method.name] = {
                **_facts(method),
                "page": method.name,
                "title": make.__name__,
                "objects": [f"{make.__module__}:{make.__qualname__}"],
            }
            _family(table["family"], method)["methods"].append(method.name)
    return table


def _facts(method: Method) -> dict[str, str]:
    return {"use": method.prefer, "needs": method.needs_words, "paper": method.paper}


def _family(families: list[dict[str, Any]], method: Method) -> dict[str, Any]:
    """The family of pages that a method without an entry joins: that of its kind."""
    assert isinstance(method.kind, MethodKind)
    for family in families:
        if family.get("kind") == method.kind.name:
            return family
    families.append({"title": "Further methods", "kind": method.kind.name, "methods": []})
    return families[-1]


def write(docs: Path) -> None:
    """Write the pages and the page that lists them, and draw their pictures."""
    from .pictures import draw  # heavy, and tests only read the table

    table, folder = read(docs), docs / FOLDER
    (folder / "pictures").mkdir(parents=True, exist_ok=True)
    for page, entry in table["method"].items():
        caption = ""
        if "picture" in entry:
            caption = draw({"shows": "", **entry["picture"]}, folder / "pictures" / f"{page}.png")
        put(folder / f"{page}.rst", page_text(entry, caption))
    put(folder / "index.rst", index_text(table))


def put(path: Path, text: str) -> None:
    """Write a page unless it says the same already: sphinx reads again what is newer."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def page_text(entry: dict[str, Any], caption: str = "") -> str:
    """One page; the caption is that of its picture, and empty where there is none."""
    picture = (
        f".. figure:: pictures/{entry['page']}.png\n   :alt: before and after {entry['title']}\n\n   {caption}\n"
        if caption
        else ""
    )
    facts = f":Use it for: {entry['use']}\n:Needs: {entry['needs']}\n:Published in: {entry['paper']}\n"
    documented = [documentation(name) for name in entry["objects"]]
    if "inside" in entry:
        documented += [heading("Inside", "-"), *(documentation(name) for name in entry["inside"])]
    text = [entry.get("when", "").strip(), "", picture, entry.get("mathematics", "").strip(), ""]
    return "\n".join([heading(entry["title"]), facts, *text, *documented])


def index_text(table: dict[str, Any]) -> str:
    """The page that lists all methods."""
    lines = [
        heading("Methods"),
        "Every page has the objective of the method, a picture of what it does, and its parameters. Which one? "
        ":doc:`How to choose </choose>`.\n",
    ]
    for family in table["family"]:
        entries = [table["method"][page] for page in family["methods"]]
        rows = [
            f"   * - :doc:`{entry['title']} <{entry['page']}>`\n     - {entry['use']}\n     - {entry['needs']}\n"
            f"     - {entry['paper']}"
            for entry in entries
        ]
        lines += [
            heading(family["title"], "-"),
            ".. list-table::\n   :header-rows: 1\n   :widths: 24 34 22 20\n",
            "   * - method\n     - use it for\n     - needs\n     - published in",
            *rows,
            "\n.. toctree::\n   :hidden:\n",
            *(f"   {entry['title']} <{entry['page']}>" for entry in entries),
            "",
        ]
    return "\n".join(lines) + "\n"


def heading(text: str, line: str = "=") -> str:
    """A title, underlined."""
    return f"{text}\n{line * len(text)}\n"


def documentation(name: str) -> str:
    """The directive that shows a class with those of its methods that have a docstring of their own, or a function."""
    thing = resolved(name)
    path = name.replace(":", ".") if ":" in name else f"likewise.{name}"
    if not isclass(thing):
        return f".. autofunction:: {path}\n"
    package = thing.__module__.split(".")[0]
    own = [member for member in dir(thing) if not member.startswith("_") and _own(getattr(thing, member), package)]
    if not getattr(thing, "_published", True) and "as_published" not in vars(thing):  # nothing differs from the paper
        own.remove("as_published")
    members = f"   :members: {', '.join(own)}\n" if own else ""
    return f".. autoclass:: {path}\n{members}"


def resolved(name: str) -> Any:
    """What a dotted name in likewise stands for; ``module:name`` is one from elsewhere."""
    return resolve_name(name) if ":" in name else reduce(getattr, name.split("."), likewise)


def _own(member: Any, package: str) -> bool:
    return isinstance(member, FunctionType | MethodType | property) and (
        isinstance(member, property) or member.__module__.split(".")[0] in ("likewise", package)
    )
