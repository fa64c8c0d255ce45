"""Mends what the theme's pages leave unsaid to those who do not see them, or use no mouse."""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx

__all__ = ["mended", "setup"]

_SAID = {
    '<p class="caption" role="heading">': '<p class="caption" role="heading" aria-level="2">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="All pages">',
    '<aside class="toc-drawer">': '<aside class="toc-drawer" aria-label="This page">',
    "<pre>": '<pre tabindex="0">',  # wide ones scroll, and so do tables
    '<div class="table-wrapper ': '<div tabindex="0" class="table-wrapper ',
}
_SIGNATURE = re.compile(r'<dt class="sig .*?</dt>', re.DOTALL)


def setup(app: Sphinx) -> None:
    """Register what happens when the pages are written."""
    app.connect("build-finished", _mend)


def mended(page: str) -> str:
    """The page with its landmarks and headings named, and with lists only where something is listed."""
    for found, said in _SAID.items():
        page = page.replace(found, said)
    return _SIGNATURE.sub(_lines, page)


def _mend(app: Sphinx, failure: Exception | None) -> None:
    if failure is None and app.builder.format == "html":
        for path in Path(app.outdir).rglob("*.html"):
            path.write_text(mended(path.read_text(encoding="utf-8")), encoding="utf-8")


def _lines(signature: re.Match[str]) -> str:
    """A signature of several lines without the list of definitions that it is made as."""
    text = signature[0]
    for tag, kind in (("dl", "sig-lines"), ("dd", "sig-line")):
        text = text.replace(f"<{tag}>", f'<span class="{kind}">').replace(f"</{tag}>", "</span>")
    return text
