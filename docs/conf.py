"""How the pages are built."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # for `sitegen`

from sitegen.fresh import write_rules

project = "latent"
author = "The latent authors"
copyright = "2026, The latent authors"
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sitegen.accessible",
    "sitegen.api",
    "sitegen.generated",
    "sitegen.outputs",
]
exclude_patterns = ["_build", "_generated", "tests", "**/_*.md"]
html_theme = "furo"
html_title = "latent"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/favicon.svg"
html_copy_source = False
html_theme_options = {"top_of_page_buttons": []}
html_extra_path = ["event.schema.json"]  # at an address that does not change
myst_enable_extensions = ["attrs_inline"]
myst_heading_anchors = 3
smartquotes_action = "qe"  # options begin with two hyphens

default_role = "py:obj"
add_module_names = False
python_maximum_signature_line_length = 60
autodoc_default_options = {"members": True, "undoc-members": True}
autodoc_member_order = "bysource"

write_rules(Path(__file__).parent)
