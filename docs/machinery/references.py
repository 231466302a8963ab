"""Finds what a docstring refers to by any of its names."""

from __future__ import annotations

from typing import Any

from docutils import nodes

ELSEWHERE = ("numpy", "scipy", "sklearn", "matplotlib", "joblib")
"""Packages whose pages are not linked: the site is built without a network."""


def setup(app: Any) -> dict[str, Any]:
    """Look again for references to Python names that were not found."""
    app.connect("missing-reference", _found_elsewhere)
    return {"parallel_read_safe": True}


def _found_elsewhere(app: Any, env: Any, node: Any, contnode: nodes.Node) -> nodes.Node | None:
    """``likewise.clustering.PCKMeans`` is ``likewise.PCKMeans``, and ``RCA`` the only thing of that name."""
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"]
    if target.split(".")[0] in ELSEWHERE:
        return contnode
    domain = env.get_domain("py")
    last = target.rpartition(".")[2]
    known = {entry.docname + "#" + entry.node_id: name for name, entry in domain.objects.items()
             if name == last or name.endswith(f".{last}")}  # fmt: skip
    if len(known) != 1:
        return None
    (name,) = known.values()
    resolved = dict(node.attributes)
    return domain.resolve_xref(env, node["refdoc"], app.builder, resolved["reftype"], name, node, contnode)
