"""A page for each method: facts from its class, text and pictures from ``methods.toml``."""

from __future__ import annotations

import re
import tomllib
from functools import reduce
from inspect import isclass
from pathlib import Path
from pkgutil import resolve_name
from types import FunctionType, MethodType
from typing import Any

import likewise
from likewise._method import Cost, Method, MethodKind
from likewise._methods import all_methods

from .accuracy import accuracy

FOLDER = "methods"
TABLE = "methods.toml"
FACTS = ("use", "needs", "paper")
SHOWN = (("Time", "cost"), ("Accuracy", "accuracy"))
"""Facts that not every page has."""
POWERS = {1.0: "", 2.0: "²", 3.0: "³"}


def read(docs: Path) -> dict[str, Any]:
    """The pages and their families, each page with its name, its title and the facts of its method."""
    table = tomllib.loads((docs / TABLE).read_text(encoding="utf-8"))
    methods = {method.make: method for method in all_methods() if method.make is not None}
    pages = table["method"]
    measured = accuracy(docs.parent)
    for page, entry in pages.items():
        method = methods.get(resolved(entry["objects"][0]))
        if method is not None:
            if doubled := [fact for fact in FACTS if fact in entry]:
                raise ValueError(f"{TABLE} has {doubled[0]!r} of {page}, which its class says itself. Remove it there.")
            entry |= _facts(method)
            entry["accuracy"] = measured.get(method.name, "")
        entry["page"] = page
        entry.setdefault("title", entry["objects"][0])
        entry["examples"] = _examples(docs.parent / "examples", [name.rpartition(".")[2] for name in entry["objects"]])
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
    facts = {"use": method.prefer, "needs": method.needs_words, "paper": method.paper}
    return facts if method.cost is None else {**facts, "cost": _cost_words(method, method.cost)}


def _cost_words(method: Method, cost: Cost) -> str:
    """What the time grows with, and why."""
    width = "clusters" if method.kind is MethodKind.CLUSTERER else "directions"
    powers = [("rows", cost.rows), ("columns", cost.columns), ("hints", cost.constraints), (width, cost.width)]
    if not method.uses_constraints:
        del powers[2]
    *first, last = [f"{axis}{POWERS[power]}" for axis, power in powers]
    return f"grows with {', '.join(first)} and {last}: {cost.reason}"


def _examples(folder: Path, names: list[str]) -> list[tuple[str, str]]:
    """Gallery examples that use any of these names: their pages, and their titles."""
    found = []
    for path in sorted(folder.glob("plot_*.py")):
        text = path.read_text(encoding="utf-8")
        if any(re.search(rf"\b{re.escape(name)}\(", text) for name in names):
            found.append((path.stem, text.split("\n")[1].strip()))
    return found


def cited(paper: str) -> str:
    """The works that a method is from, each a link to its line in the bibliography."""
    return "; ".join(
        f":ref:`{work} <{citation_label(work)}>`" if re.search(r"\d{4}", work) else work for work in paper.split("; ")
    )


def citation_label(work: str) -> str:
    """The label of a work in the bibliography: "Shi, Malik 2000" is ``shi-malik-2000``.

    >>> citation_label("Yan 2010, chapter 4")
    'yan-2010'
    """
    known = re.match(r".*?\d{4}", work)
    assert known is not None, work
    return re.sub(r"\W+", "-", known.group().lower().replace("ö", "o").replace("ü", "u"))


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
    facts = f":Use it for: {entry['use']}\n:Needs: {entry['needs']}\n:Published in: {cited(entry['paper'])}\n"
    facts += "".join(f":{title}: {entry[key]}\n" for title, key in SHOWN if entry.get(key))
    documented = [documentation(name) for name in entry["objects"]]
    if "inside" in entry:
        documented += [heading("Inside", "-"), *(documentation(name) for name in entry["inside"])]
    text = [entry.get("when", "").strip(), "", picture, _fails(entry), _see_also(entry)]
    mathematics = [heading("Reference", "-"), entry.get("mathematics", "").strip(), ""]
    return "\n".join([heading(entry["title"]), facts, *text, *mathematics, *documented])


def _fails(entry: dict[str, Any]) -> str:
    return f"{heading('When it fails', '-')}\n{entry['fails'].strip()}\n" if "fails" in entry else ""


def _see_also(entry: dict[str, Any]) -> str:
    pages = [f":doc:`{page}`" for page in entry.get("see", ())]
    examples = [f":doc:`{title} </gallery/{name}>`" for name, title in entry.get("examples", ())]
    lines = [f"- {kind}: {', '.join(links)}" for kind, links in (("Methods", pages), ("Examples", examples)) if links]
    return "\n".join([heading("See also", "-"), *lines, ""]) if lines else ""


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
