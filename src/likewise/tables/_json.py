"""JSON, as files have it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def parse_json(text: str, path: Path, line: int = 1) -> Any:
    """What a text says, or an error that names the file and the line.

    Parameters
    ----------
    text : str
    path : Path
    line : int
        Of the file, where the text begins.

    Examples
    --------
    >>> parse_json('{"a": 1, "a": 2}', Path("t.json"))
    Traceback (most recent call last):
    ValueError: t.json, line 1: 'a' is there twice in one object. Keep one of them.
    """
    try:
        return json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}, line {line + error.lineno - 1}: not JSON: {error.msg}.") from None
    except _TwiceError as error:
        raise ValueError(f"{path}, line {line}: {error} is there twice in one object. Keep one of them.") from None
    except RecursionError:
        raise ValueError(f"{path}, line {line}: its lists and objects are nested too deeply.") from None
    except ValueError:  # Python reads no whole numbers of more than 4,300 digits
        raise ValueError(f"{path}, line {line} has a whole number of thousands of digits. Correct it.") from None


class _TwiceError(ValueError):
    """A name that an object has twice."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise _TwiceError(repr(next(name for name in names if names.count(name) > 1)))
    return found
