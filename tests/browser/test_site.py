"""The built pages, as their readers see them. `nox -s browser` builds them first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

SITE = Path(__file__).parents[2] / "docs" / "_build" / "html"
PAGES = sorted(str(path.relative_to(SITE)) for path in SITE.rglob("*.html"))
KINDS = [
    "index.html",
    "tutorials/first-agent.html",
    "specification.html",
    "rules.html",
    "rules/text.html",
    "rules/msg.html",
    "lifecycles.html",
    "architecture.html",
    "reference/transcript.html",
    "reference/command-line.html",
]
"""One page of each kind."""


class Anatomy(HTMLParser):
    """What a page holds that others may point at, and what it points at itself."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.mute: list[str] = []
        """Pictures that say nothing to those who do not see them."""
        self.feed((SITE / page).read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.ids.update(value for name, value in attrs if name == "id" and value)
        self.links += [value for name, value in attrs if name in ("href", "src") and value]
        hidden = found.get("aria-hidden") == "true" or found.get("role") == "presentation"
        if (tag == "img" and "alt" not in found) or (tag == "svg" and found.get("role") == "img" and not hidden):
            self.mute += [] if found.get("aria-label") else [self.get_starttag_text() or tag]


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def root() -> Iterator[str]:
    """Where the site is served, on loopback."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(SITE))) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def site() -> dict[str, Anatomy]:
    assert PAGES, f"the site is not built: {SITE} has no pages"
    return {page: Anatomy(page) for page in PAGES}


def test_no_link_leads_nowhere(site: dict[str, Anatomy]) -> None:
    broken = []
    for page, anatomy in site.items():
        for link in anatomy.links:
            url = urlsplit(link)
            if url.scheme or url.netloc:
                continue
            target = (SITE / page).parent / unquote(url.path) if url.path else SITE / page
            place = str(target.resolve().relative_to(SITE.resolve()))
            if not target.exists() or (url.fragment and place in site and unquote(url.fragment) not in site[place].ids):
                broken.append(f"{page}: {link}")

    assert broken == []


def test_every_picture_has_words(site: dict[str, Anatomy]) -> None:
    assert {page: anatomy.mute for page, anatomy in site.items() if anatomy.mute} == {}


@pytest.mark.parametrize("page", KINDS)
def test_a_page_is_easy_to_read_and_asks_nobody_else(look: Callable[..., Any], root: str, page: str) -> None:
    assert look(root + page).faults(within=root) == []


def test_no_page_is_wider_than_a_phone(browser: Any, root: str) -> None:
    wide = {}
    phone = browser.new_page(viewport={"width": 360, "height": 800})
    for page in PAGES:
        phone.goto(root + page)
        if (width := phone.evaluate("document.scrollingElement.scrollWidth")) > 360:
            wide[page] = width
    phone.close()

    assert wide == {}


def test_the_search_finds_a_rule_without_asking_anybody(browser: Any, root: str) -> None:
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{root}search.html?q=TOOL-4")
    page.wait_for_selector("#search-results a:has-text('TOOL-4')")  # results come one after the other
    page.close()

    assert [url for url in asked if not url.startswith(root)] == []
