"""The directive `{generated}`: a part of a page that is worked out from the code.

Its argument names what to put there. Each maker gives MyST text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from latent.conformance._timeline import STYLE
from sitegen import commands
from sitegen.architecture import PICTURE
from sitegen.diagram import framed
from sitegen.lives import LIFECYCLES
from sitegen.machines import lifecycle_section
from sitegen.rules import link
from sitegen.wire import wire_lines

__all__ = ["setup"]

MAKERS: dict[str, Callable[[], str]] = {
    "architecture": lambda: framed(PICTURE.read_text(encoding="utf-8")),
    "command agentloop": commands.agentloop_commands,
    "command latent-conformance": commands.conformance_commands,
    "lifecycles": lambda: "\n".join(lifecycle_section(each, link) for each in LIFECYCLES),
    "timeline style": lambda: f"```{{raw}} html\n<style>{STYLE}</style>\n```",
    "wire lines": wire_lines,
    "pytest options": commands.pytest_options,
    "pytest fixtures": commands.pytest_fixtures,
}


class Generated(SphinxDirective):
    """Puts in place what its maker makes."""

    required_arguments = 1
    final_argument_whitespace: ClassVar[bool] = True

    def run(self) -> list[nodes.Node]:
        text = MAKERS[self.arguments[0]]()
        return self.parse_text_to_nodes(text, allow_section_headings=True)


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("generated", Generated)
