"""The two columns beside every paper's own methods: ours, and UMAP, which uses no hints."""

from __future__ import annotations

from likewise._methods import protocol_method
from likewise.evaluation.protocols import Method

UNPUBLISHED: dict[str, Method] = {name: protocol_method(name) for name in ("likewise", "umap")}
