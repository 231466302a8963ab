"""Settings of the documentation; ``make docs`` builds it with warnings as errors."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS))

from machinery import api_pages, method_pages  # noqa: E402

import likewise  # noqa: E402

project = "likewise"
author = "the authors of likewise"
version = release = likewise.__version__
root_doc = "index"
exclude_patterns = ["_build", "gallery/**/*.ipynb", "gallery/**/*.py"]

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "machinery.mathml",
    "machinery.references",
    "machinery.running",
]
myst_enable_extensions = ["dollarmath", "colon_fence", "attrs_block"]
myst_heading_anchors = 3

default_role = "code"
nitpicky = True
html_math_renderer = "mathml"
autodoc_typehints = "none"
autodoc_member_order = "bysource"
add_module_names = False
numpydoc_show_class_members = False

html_theme = "pydata_sphinx_theme"
html_title = "likewise"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
html_sidebars = {"index": [], "start": [], "choose": []}
html_theme_options: dict[str, Any] = {
    "logo": {"text": "likewise"},
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "show_prev_next": False,
    "secondary_sidebar_items": {
        page: ["page-toc"] if has_sections else []
        for pages, has_sections in (
            ("methods/* gallery/* index guide", False),
            ("api/* hints/* recipes/* start choose ideas performance command-line add-a-paper model-file", True),
        )
        for page in pages.split()
    },
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}
copyright = "the authors of likewise, BSD-3-Clause"


def _runnable() -> str:
    """Which examples are run: all but the one on Cora, where nobody has the data."""
    folder = os.environ.get("LIKEWISE_DATA")
    with_cora = folder is not None and (Path(folder) / "cora.npz").exists()
    return r"/plot_" if with_cora else r"/plot_(?!cora)"


sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": _runnable(),
    "image_scrapers": ("machinery.gallery.scraped",),
    "reset_modules": ("machinery.gallery.strictly",),
    "reset_modules_order": "both",
    "download_all_examples": False,
    "show_signature": False,
    "show_memory": False,
    "min_reported_time": 1_000_000,
    "write_computation_times": False,
    "remove_config_comments": True,
    "capture_repr": (),
    "thumbnail_size": (480, 300),
    "default_thumb_file": str(DOCS / "images" / "before-after.png"),
    "within_subsection_order": "machinery.gallery.reading_order",
    "only_warn_on_example_error": True,
}


def setup(app: Any) -> None:
    """Write the pages that come from tables before anything is read."""
    method_pages.write(DOCS)
    api_pages.write(DOCS)
