"""Packages that not every user needs."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class MissingExtra(ImportError):
    """A package of an extra is not installed; the message says which, and how to get it."""


def extra(module: str, what: str, *, name: str = "io") -> Any:
    """Import a module of an extra, or say what needs it.

    >>> extra("no_such_module", "Files of this kind")
    Traceback (most recent call last):
    likewise.tables._extras.MissingExtra: Files of this kind need no_such_module, which is not installed. Install ...
    """
    try:
        return import_module(module)
    except ImportError:
        package = {"PIL": "pillow"}.get(module.partition(".")[0], module.partition(".")[0])
        raise MissingExtra(
            f'{what} need {package}, which is not installed. Install it: pip install "likewise[{name}]"'
        ) from None
