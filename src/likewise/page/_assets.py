"""The files shared by the report and the studio."""

from __future__ import annotations

import re
from importlib.resources import files

IMPORT = re.compile(r"^import .*\n", re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:const|let|function|class)\b)", re.MULTILINE)


def asset(name: str) -> str:
    """A shared file: a script or the style sheet.

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
    """Convert an ES module for a single script in which all modules are concatenated.

    Parameters
    ----------
    module : str
        The module; each import and export must be at the start of a line of its own.

    Returns
    -------
    str
        The module without imports and exports.

    Examples
    --------
    >>> inlined('import { ink } from "./ink.js";\\nexport const paper = 1;\\n')
    'const paper = 1;\\n'
    """
    return EXPORT.sub("", IMPORT.sub("", module))
