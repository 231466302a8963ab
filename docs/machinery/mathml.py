"""Mathematics as MathML, which browsers draw by themselves: no script, nothing to fetch."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

SPELLED = (  # what docutils does not know, in words that it knows
    (r"\\[bB]igg?(?=[()\[\]|\\])", ""),
    (r"\\dots\b", r"\\ldots "),
    (r"\\tfrac(\d)(\d)", r"\\tfrac{\1}{\2}"),
)

logger = logging.getLogger(__name__)


def setup(app: Any) -> dict[str, Any]:
    """Make "mathml" a way to write mathematics."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True}


def _written(node: nodes.Node, block: bool) -> str:
    tex = node.astext()
    for pattern, replacement in SPELLED:
        tex = re.sub(pattern, replacement, tex)
    try:
        return tex2mathml(tex, as_block=block)
    except MathError as error:
        logger.warning("mathematics cannot be read: %s in %r", error, tex, location=node)
        return f"<code>{tex}</code>"


def _inline(translator: Any, node: nodes.math) -> None:
    translator.body.append(_written(node, block=False))
    raise nodes.SkipNode


def _block(translator: Any, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="mathematics">{_written(node, block=True)}</div>')
    raise nodes.SkipNode
