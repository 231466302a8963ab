"""The two columns beside every paper's own methods: ours, and UMAP, which uses no hints."""

from __future__ import annotations

from likewise.evaluation.protocols import Method
from likewise.studies.methods import METHODS

UNPUBLISHED: dict[str, Method] = {name: METHODS[name] for name in ("likewise", "umap")}
