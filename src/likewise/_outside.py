"""Methods in the user's own files, ``mine.py:Class``, for the option ``--with``."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from inspect import isclass
from pathlib import Path
from types import ModuleType
from typing import Any

from ._method import Method
from ._methods import facts_of, register
from ._suggest import missing_file, suggest


def load_method(address: str) -> Method:
    """Load a class from a file, and register it; the file is executed.

    Parameters
    ----------
    address : str
        ``FILE.py:CLASS``.

    Returns
    -------
    Method
        The metadata in its ``_method``, or derived from the class.

    Examples
    --------
    >>> load_method("mine.py")
    Traceback (most recent call last):
    ValueError: 'mine.py' names a file and no class. Write FILE.py:CLASS, such as mine.py:Mine.
    """
    file, colon, name = address.rpartition(":")
    if not (colon and name.isidentifier()):
        raise ValueError(f"{address!r} names a file and no class. Write FILE.py:CLASS, such as mine.py:Mine.")
    path = Path(file)
    if not path.is_file():
        raise missing_file(path)
    module = _run(path)
    made: Any = vars(module).get(name)
    if made is None:
        own = [key for key, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
        offer = suggest(name, own) or f" It has {', '.join(own)}." if own else " It has none."
        raise ValueError(f"{path} has no class {name!r}.{offer}")
    if not (hasattr(made, "fit") if isclass(made) else callable(made)):
        raise ValueError(
            f"{name} of {path} is a {type(made).__name__}. Name a class with fit(X, constraints=...), or a function "
            "that makes an estimator."
        )
    facts = facts_of(made)
    made._method = facts  # if its class has no metadata
    register(made)
    return facts.of(made)


def _run(path: Path) -> ModuleType:
    """The module of a file; one that was run before is not run again."""
    path = path.resolve()
    name = f"likewise_outside_{path.stem}"
    known = sys.modules.get(name)
    if known is not None and getattr(known, "__file__", None) == str(path):
        return known
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path} is not a Python file. Write FILE.py:CLASS, such as mine.py:Mine.")
    module = module_from_spec(spec)
    sys.modules[name] = module  # where dataclasses and pickles look it up
    sys.path.insert(0, str(path.parent))  # modules in the same folder can be imported
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise ValueError(f"{path} could not be run: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(str(path.parent))
    return module
