"""How the pages are built."""

from __future__ import annotations

import sys
from pathlib import Path

from latent.conformance import RULES, Rule

sys.path.insert(0, str(Path(__file__).parent))  # for the extensions that stand beside this file

project = "latent"
author = "The latent authors"
copyright = "2026, The latent authors"
extensions = ["myst_parser", "outputs"]
exclude_patterns = ["_build", "_generated", "tests", "**/_*.md"]
html_theme = "furo"
html_title = "latent"
html_static_path = ["_static"]
html_css_files = ["site.css"]
myst_enable_extensions = ["attrs_inline"]
myst_heading_anchors = 3
smartquotes_action = "qe"  # options begin with two hyphens

extensions += ["sphinx.ext.autodoc", "sitegen.api", "sitegen.generated"]
default_role = "py:obj"
add_module_names = False
python_maximum_signature_line_length = 60
autodoc_default_options = {"members": True, "undoc-members": True}
autodoc_member_order = "bysource"

FAMILY_TITLES = {
    "PROTO": "Agents", "STEP": "Steps", "TEXT": "Text", "TOOL": "Tools", "CALL": "Model calls", "USAGE": "Usage",
    "RETR": "Retrieval", "PHASE": "Pipelines", "GUIDE": "Guided agents", "META": "Metadata", "ERR": "Failure",
    "STATE": "State", "LIFE": "Lifecycle", "MSG": "Messages", "WRAP": "Stream wrappers", "SINK": "Sinks",
    "ADAPT": "Adapters",
}  # fmt: skip


TABLE_HEAD = ["| rule | level | promise | how to mend it | clause | seen by |", "|---|---|---|---|---|---|"]


def rule_page(rules: list[Rule]) -> str:
    """The catalogue that the kit ships, as a page."""
    lines = ["# The rules", "", "What the kit judges, from its own catalogue.", ""]
    family = ""
    for rule in rules:
        if (own := rule.id.partition("-")[0]) != family:
            family = own
            lines += [
                "",
                f"## {FAMILY_TITLES[family]}",
                "",
                "| rule | level | promise | how to mend it | clause | seen by |",
            ]
            lines += ["|---|---|---|---|---|---|"]
        name = rule.id.replace("-", "\N{NON-BREAKING HYPHEN}")
        clause = f'<a href="specification.html#{rule.clause}">{rule.clause}</a>'
        lines.append(f"| {name} | {rule.level} | {rule.sentence} | {rule.remedy} | {clause} | {rule.how} |")
    return "\n".join(lines) + "\n"


Path(__file__).with_name("rules.md").write_text(rule_page(list(RULES.values())), encoding="utf-8")
