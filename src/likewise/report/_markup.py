"""HTML that is escaped by construction: text becomes markup only through ``element``."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from importlib.resources import files
from typing import Any


class Html(str):
    """Markup; a plain ``str`` is text, and is escaped when it is inserted."""

    __slots__ = ()


VOID = {"br", "hr", "img", "input", "meta"}
"""Elements without content."""


def element(name: str, /, *children: Any, **attributes: Any) -> Html:
    """An element with escaped attributes and children.

    A child is :class:`Html`, text, or a number; None is left out. An attribute that is True has no value, and one that
    is None or False is left out; ``class_`` and ``aria_label`` become ``class`` and ``aria-label``.

    >>> element("p", "a < b", element("b", 7), class_="note", hidden=True)
    '<p class="note" hidden>a &lt; b<b>7</b></p>'
    """
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in VOID:
        return Html(f"<{name}{written}>")
    return Html(f"<{name}{written}>{joined(children)}</{name}>")


def joined(children: Iterable[Any]) -> Html:
    """The concatenation of several pieces, with text escaped."""
    parts = (child if isinstance(child, Html) else escape(str(child)) for child in children if child is not None)
    return Html("".join(parts))


def table(head: Iterable[Any], rows: Iterable[Iterable[Any]], kind: str = "") -> Html:
    """A table that scrolls horizontally on narrow pages; the first cell of each row is its header."""
    body = [
        element("tr", *(element("td" if column else "th", cell, scope=None if column else "row")
                        for column, cell in enumerate(row)))
        for row in rows
    ]  # fmt: skip
    head = list(head)
    top = element("thead", element("tr", *(element("th", cell, scope="col") for cell in head))) if head else None
    whole = element("table", top, element("tbody", *body))
    return element("div", whole, class_=f"scroll {kind}".rstrip())


def copied(text: str) -> Html:
    """A block of code with a button that copies it."""
    button = element("button", "Copy", type="button", class_="copy script", data_copy=True)
    return element("div", element("pre", element("code", text), tabindex="0"), button, class_="copied")


def asset(name: str) -> str:
    """A file of the page: a template, style or script."""
    return files("likewise.report").joinpath("page", name).read_text(encoding="utf-8")


def plain(text: Any, length: int) -> str:
    """Any text on one line of at most ``length`` characters, as valid UTF-8.

    >>> plain("two\\n lines and more", 12)
    'two lines a…'
    """
    words = " ".join(str(text)[: 8 * length].encode("utf-8", "replace").decode("utf-8").split())
    return words if len(words) <= length else words[: length - 1].rstrip() + "…"


def _attribute(key: str, value: Any) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(str(value))}"'
