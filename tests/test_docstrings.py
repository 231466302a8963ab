"""Docstrings of public functions and methods describe what their signatures have: parameters, and what is returned."""

import inspect
import re
import sys
from enum import Enum
from importlib import import_module
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
sys.path.insert(0, str(DOCS))

from machinery import api_pages  # noqa: E402


def public_objects():
    """All that ``docs/api.toml`` shows, by name."""
    for package in api_pages.read(DOCS):
        module = import_module(f"likewise.{package['module']}")
        for name in package["objects"]:
            yield f"{package['module']}.{name}", getattr(module, name)


def public_functions():
    """Functions, and methods with those that they override, by name."""
    for label, thing in public_objects():
        if not inspect.isclass(thing):
            yield label, thing, [thing]
            continue
        names = {name: None for base in thing.__mro__ for name in vars(base) if not name.startswith("_")}
        for method in names:
            function = inspect.unwrap(getattr(thing, method, None))
            is_own = inspect.isfunction(function) or inspect.ismethod(function)
            if is_own and function.__module__.startswith("likewise."):
                yield f"{label}.{method}", function, [getattr(base, method, None) for base in thing.__mro__]


def public_classes():
    """Classes that are made with parameters, by name; errors are made by the library alone."""
    for label, thing in public_objects():
        if inspect.isclass(thing) and not issubclass(thing, Enum | Exception) and not is_protocol(thing):
            yield label, thing


def is_protocol(thing):
    return getattr(thing, "_is_protocol", False)


def sections(docstring):
    """The sections of a docstring by their titles."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}$", inspect.cleandoc(docstring or ""), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def described(parameters):
    """The names that a section describes; several may share a line."""
    lines = [line.partition(" : ")[0] for line in parameters.splitlines() if not line.startswith(" ")]
    return {name.strip("*` ") for line in lines for name in line.split(",")}


def undocumented(function, definitions):
    """What a signature has and no docstring of its definitions describes: names of parameters, or "return"."""
    texts = [sections(definition.__doc__) for definition in definitions if definition is not None]
    known = set().union(*(described(text.get("Parameters", "")) for text in texts))
    if any("Returns" in text or "Yields" in text for text in texts):
        known.add("return")
    signature = inspect.signature(function)
    wanted = [name for name in signature.parameters if name not in ("self", "cls")]
    if signature.return_annotation not in (None, "None", "NoReturn"):
        wanted.append("return")
    return [name for name in wanted if name not in known]


@pytest.mark.parametrize(
    ("function", "definitions"), [pytest.param(*found, id=name) for name, *found in public_functions()]
)
def test_parameters_and_what_is_returned_are_described(function, definitions):
    assert undocumented(function, definitions) == []


@pytest.mark.parametrize("made", [pytest.param(thing, id=name) for name, thing in public_classes()])
def test_parameters_of_classes_are_described(made):
    """As parameters, or as attributes where they are both, as in a dataclass."""
    text = sections(made.__doc__)
    known = described(text.get("Parameters", "")) | described(text.get("Attributes", ""))
    assert [name for name in parameters_of(made) if name not in known] == []


def parameters_of(made):
    try:
        return list(inspect.signature(made).parameters)
    except ValueError:  # made as a built-in type is, such as a list
        return []


def test_what_is_missing_is_found():
    def with_sections(left, right, **params) -> int:
        """Add.

        Parameters
        ----------
        left, right : int
        **params
            Others.

        Returns
        -------
        int
        """

    def one_more(left, right, third=0, **params) -> int:
        """Add a third."""

    assert undocumented(with_sections, [with_sections]) == []
    assert undocumented(one_more, [one_more, with_sections]) == ["third"]
    assert undocumented(one_more, [one_more]) == ["left", "right", "third", "params", "return"]
