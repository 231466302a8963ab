"""Packages that not every user needs."""

from __future__ import annotations

from importlib import import_module
from typing import Any

PACKAGES = {"PIL": "pillow", "umap": "umap-learn"}
"""Packages whose name is not that of their module."""


class MissingExtraError(ImportError):
    """A package of an extra cannot be imported; the message says which, and how to install it."""


def extra(module: str, what: str, *, name: str = "io", otherwise: str = "") -> Any:
    """Import a module of an extra, or raise an error that says what needs it.

    Parameters
    ----------
    module : str
    what : str
        What needs it, in the plural: "Parquet files".
    name : str
        The extra that the module is in.
    otherwise : str
        What else one can do, as a sentence.

    Examples
    --------
    >>> extra("no_such_module", "Files of this kind")
    Traceback (most recent call last):
    likewise.tables._extras.MissingExtraError: Files of this kind need no_such_module, which is not installed. ...
    """
    try:
        return import_module(module)
    except ImportError as error:
        root = module.partition(".")[0]
        package = PACKAGES.get(root, root)
        missing = isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] == root
        why = "is not installed" if missing else f"cannot be imported ({error})"
        remedy = f'Install it: pip install "likewise[{name}]"'
        message = f"{what} need {package}, which {why}. {remedy}"
        raise MissingExtraError(f"{message}. {otherwise}" if otherwise else message) from None
