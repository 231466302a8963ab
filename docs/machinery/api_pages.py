"""The reference: a page for each public package, from ``api.toml``."""

from __future__ import annotations

import tomllib
from importlib import import_module
from inspect import getdoc, isclass, isfunction
from pathlib import Path
from types import ModuleType
from typing import Any

from .method_pages import documentation, heading, put
from .method_pages import read as read_methods

FOLDER = "api"
TABLE = "api.toml"


def read(docs: Path) -> list[dict[str, Any]]:
    """The packages, each with the names that its page shows."""
    packages = tomllib.loads((docs / TABLE).read_text(encoding="utf-8"))["package"]
    for package in packages:
        package.setdefault("objects", public_names(import_module(f"likewise.{package['module']}")))
    return packages


def public_names(module: ModuleType) -> list[str]:
    """The classes and functions that a package's ``__init__`` lists, or that a single module defines."""
    is_package = hasattr(module, "__path__")
    return [
        name
        for name, thing in vars(module).items()
        if not name.startswith("_")
        and (isclass(thing) or isfunction(thing))
        and thing.__module__.startswith("likewise.")
        and (is_package or thing.__module__ == module.__name__)
    ]


def write(docs: Path) -> None:
    """Write the pages and the page that lists them."""
    packages = read(docs)
    elsewhere = {
        name.rpartition(".")[2] for method in read_methods(docs)["method"].values() for name in method["objects"]
    }
    for package in packages:
        put(docs / FOLDER / f"{package['module']}.rst", _page(package, elsewhere))
    links = [f"{package['title']} <{package['module']}>" for package in packages]
    rows = [f"   * - :doc:`{link}`\n     - {package['intro']}" for link, package in zip(links, packages, strict=True)]
    lines = [
        heading("API"),
        "All that a program may call. What most programs need is in ``likewise`` itself: ``likewise.Likewise``,\n"
        "``likewise.Constraints``, ``likewise.Costco`` and the other methods.\n",
        ".. list-table::\n   :widths: 30 70\n",
        *rows,
        "\n.. toctree::\n   :hidden:\n",
        *(f"   {link}" for link in links),
    ]
    put(docs / FOLDER / "index.rst", "\n".join(lines) + "\n")


def _page(package: dict[str, Any], elsewhere: set[str]) -> str:
    module = import_module(f"likewise.{package['module']}")
    rows = [
        f"   * - :py:obj:`{name} <likewise.{package['module']}.{name}>`\n     - {_first_line(getattr(module, name))}"
        for name in package["objects"]
    ]
    here = [documentation(f"{package['module']}.{name}") for name in package["objects"] if name not in elsewhere]
    head = [
        heading(package["title"]),
        f".. py:module:: likewise.{package['module']}\n",
        f"``likewise.{package['module']}``. {package['intro']}\n",
        ".. list-table::\n   :widths: 30 70\n",
    ]
    return "\n".join([*head, *rows, "", *here])


def _first_line(thing: Any) -> str:
    return (getdoc(thing) or "").split("\n\n")[0].replace("\n", " ")
