"""The files of the shared part of a page."""

from __future__ import annotations

import re
from importlib.resources import files

IMPORT = re.compile(r"^import .*\n", re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:const|let|function|class)\b)", re.MULTILINE)


def asset(name: str) -> str:
    """A shared file of pages: a script or the style sheet.

    Parameters
    ----------
    name : str
        One of :func:`asset_names`.

    Returns
    -------
    str
        Its text.
    """
    return files("likewise.page").joinpath("web", name).read_text(encoding="utf-8")


def asset_names() -> list[str]:
    """The names of the shared files.

    Returns
    -------
    list of str
        Sorted.

    Examples
    --------
    >>> asset_names()
    ['base.css', 'gestures.js', 'map.js', 'pixels.js']
    """
    return sorted(entry.name for entry in files("likewise.page").joinpath("web").iterdir())


def inlined(module: str) -> str:
    """An ES module as a part of one script that has all modules one after the other.

    Parameters
    ----------
    module : str
        Each of its imports and exports is on one line and at the beginning of it.

    Returns
    -------
    str
        Without them.

    Examples
    --------
    >>> inlined('import { ink } from "./ink.js";\\nexport const paper = 1;\\n')
    'const paper = 1;\\n'
    """
    return EXPORT.sub("", IMPORT.sub("", module))
