"""Finds what a docstring refers to by any of its names, and lets its types be plain text."""

from __future__ import annotations

import re
from importlib import import_module
from pkgutil import resolve_name
from typing import Any

from docutils import nodes

ELSEWHERE = ("numpy", "scipy", "sklearn", "matplotlib", "joblib")
"""Packages whose pages are not linked: the site is built without a network."""


def setup(app: Any) -> dict[str, Any]:
    """Look again for references to Python names that were not found."""
    app.connect("missing-reference", _found_elsewhere)
    app.connect("autodoc-process-docstring", _plain_types, priority=100)  # before numpydoc reads it
    return {"parallel_read_safe": True}


def _found_elsewhere(app: Any, env: Any, node: Any, contnode: nodes.Node) -> nodes.Node | None:
    """``likewise.clustering.PCKMeans`` is ``likewise.PCKMeans``, and ``RCA`` the only thing of that name."""
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"]
    last = target.rpartition(".")[2]
    if target.split(".")[0] in ELSEWHERE or last.startswith("_") or _undocumented(target):
        return contnode
    domain = env.get_domain("py")
    known = {
        (entry.docname, entry.node_id): name
        for name, entry in domain.objects.items()
        if name == last or name.endswith(f".{last}")
    }
    names = list(known.values())
    if len(names) > 1:  # as ``compare`` in two packages: the one that is meant
        names = [name for name in names if _resolved(name) is (_resolved(target) or _resolved(f"likewise.{target}"))]
    if len(names) != 1:
        return None
    (name,) = names
    return domain.resolve_xref(env, node["refdoc"], app.builder, node["reftype"], name, node, contnode)


def _resolved(name: str) -> Any:
    """What a dotted name stands for; None if nothing."""
    try:
        return resolve_name(name)
    except (ImportError, AttributeError, ValueError):
        return None


def _undocumented(target: str) -> bool:
    """Whether it is there, but inside: in a module that has no page."""
    module, _, name = target.rpartition(".")
    if not module.startswith("likewise.") or module.count(".") < 2:
        return False
    try:
        return hasattr(import_module(module), name)
    except ImportError:
        return False


def _plain_types(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """In "(n, n_clusters_) array" the underscore is no mark of a link, and "S. Yan" is not the 19th of a list."""
    for number, line in enumerate(lines):
        line = lines[number] = re.sub(r"^(\s*)([A-Za-z])\.(?=\s|$)", r"\1\\\2.", line)  # "S. Yan" begins no list
        if typed := re.match(r"\s*[\w, ]+ : ", line):
            lines[number] = typed.group() + re.sub(r"(?<=\w)_(?=\W|$)", r"\_", line[typed.end() :])
