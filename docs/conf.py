"""Settings of the documentation; ``make docs`` builds it with warnings as errors."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS))

from machinery import api_pages, method_pages  # noqa: E402
from machinery.running import EXTRA  # noqa: E402

import likewise  # noqa: E402

project = "likewise"
author = "the likewise developers"
version = release = likewise.__version__
root_doc = "index"
exclude_patterns = ["_build", "extra", "stored", "gallery/**/*.ipynb", "gallery/**/*.py"]

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.viewcode",
    "numpydoc",
    "sphinx_copybutton",
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
viewcode_line_numbers = True

copybutton_selector = (
    "div.highlight-python pre, div.highlight-console pre, div.highlight-default pre, div.highlight-py pre"
)
copybutton_exclude = ".linenos, .gp, .go"  # prompts and output

html_theme = "pydata_sphinx_theme"
html_title = "likewise"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_extra_path = [EXTRA]
html_favicon = "static/logo.svg"
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
html_sidebars = {page: [] for page in ("index", "start", "choose", "faq", "glossary", "bibliography", "cite")}
html_theme_options: dict[str, Any] = {
    "logo": {"text": "likewise", "image_light": "static/logo.svg", "image_dark": "static/logo.svg"},
    "navbar_align": "left",
    "navbar_end": ["version-switcher", "theme-switcher"],
    "header_links_before_dropdown": 7,
    "switcher": {"json_url": "_static/switcher.json", "version_match": version},
    "check_switcher": False,  # it looks beside the sources; tests/test_docs.py reads static/switcher.json
    "show_prev_next": True,
    "secondary_sidebar_items": {
        page: ["page-toc"] if has_sections else []
        for pages, has_sections in (
            ("gallery/* index guide", False),
            (
                "methods/* api/* hints/* recipes/* cases/* start choose ideas performance gpu command-line add-a-paper "
                "model-file notebooks evaluate coming-from faq glossary bibliography cite",
                True,
            ),
        )
        for page in pages.split()
    },
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}
copyright = "the likewise developers, BSD-3-Clause"


sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
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
    "within_subsection_order": "machinery.gallery.reading_order",
    "only_warn_on_example_error": True,
}


def setup(app: Any) -> None:
    """Write the pages that come from tables before anything is read."""
    (DOCS / EXTRA).mkdir(exist_ok=True)
    method_pages.write(DOCS)
    api_pages.write(DOCS)
