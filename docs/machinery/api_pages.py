"""The reference: a page for each room of the package, from one table, ``api.toml``."""

from __future__ import annotations

import tomllib
from importlib import import_module
from inspect import getdoc, isclass, isfunction
from pathlib import Path
from typing import Any

from .method_pages import documentation, heading, put
from .method_pages import read as read_methods

FOLDER = "api"
TABLE = "api.toml"


def read(docs: Path) -> list[dict[str, Any]]:
    """The rooms, each with the names that it shows."""
    rooms = tomllib.loads((docs / TABLE).read_text(encoding="utf-8"))["room"]
    for room in rooms:
        module = import_module(f"likewise.{room['module']}")
        names = room.get("objects", getattr(module, "__all__", None))
        room["objects"] = [
            name for name in names if isclass(getattr(module, name)) or isfunction(getattr(module, name))
        ]
    return rooms


def write(docs: Path) -> None:
    """Write the pages and the page that lists them."""
    rooms = read(docs)
    elsewhere = {
        name.rpartition(".")[2] for method in read_methods(docs)["method"].values() for name in method["objects"]
    }
    for room in rooms:
        put(docs / FOLDER / f"{room['module']}.rst", _page(room, elsewhere))
    lines = [f"   * - :doc:`{room['title']} <{room['module']}>`\n     - {room['intro']}" for room in rooms]
    toctree = [f"   {room['title']} <{room['module']}>" for room in rooms]
    said = [
        heading("API"),
        "All that a program may call. What most programs need is in ``likewise`` itself: ``likewise.Likewise``,\n"
        "``likewise.Constraints``, ``likewise.Costco`` and the other methods.\n",
        ".. list-table::\n   :widths: 30 70\n",
        *lines,
        "\n.. toctree::\n   :hidden:\n",
        *toctree,
    ]
    put(docs / FOLDER / "index.rst", "\n".join(said) + "\n")


def _page(room: dict[str, Any], elsewhere: set[str]) -> str:
    module = import_module(f"likewise.{room['module']}")
    lines = [
        f"   * - :py:obj:`{name} <likewise.{room['module']}.{name}>`\n     - {_first_line(getattr(module, name))}"
        for name in room["objects"]
    ]
    here = [documentation(f"{room['module']}.{name}") for name in room["objects"] if name not in elsewhere]
    head = [
        heading(room["title"]),
        f".. py:module:: likewise.{room['module']}\n",
        f"``likewise.{room['module']}``. {room['intro']}\n",
        ".. list-table::\n   :widths: 30 70\n",
    ]
    return "\n".join([*head, *lines, "", *here])


def _first_line(thing: Any) -> str:
    return (getdoc(thing) or "").split("\n\n")[0].replace("\n", " ")
