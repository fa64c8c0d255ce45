"""What people read, in a real browser: light and dark, narrow and wide."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MISSING = "no Chromium was found: run `apt install chromium`, or `playwright install chromium`"
WIDTHS = {"narrow": 360, "wide": 1280}


class Look:
    """A page as one reader sees it."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.requests: list[str] = []
        self.complaints: list[str] = []
        """What the browser wrote on its console."""
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(address)
        self._address = address

    def faults(self, *, within: str | None = None) -> list[str]:
        """What is wrong with the page as it stands, empty where nothing is.

        It is wider than the window, complains, is hard to read or to reach by other means than eyes and
        a mouse, or loads something from outside `within`, by default anything but itself.
        """
        near = self._address if within is None else within
        return [
            *(f"asks for {url}" for url in self.requests if not url.startswith(near)),
            *(f"complains: {line}" for line in self.complaints),
            *self._overflow(),
            *self._barriers(),
        ]

    def shows(self, selector: str) -> bool:
        """Whether the first element that `selector` names is inside the window and not hidden."""
        found = self.page.locator(selector).first
        box, window = found.bounding_box(), self.page.viewport_size
        assert window is not None
        return (
            found.is_visible()
            and box is not None
            and 0 <= box["x"] < window["width"]
            and 0 <= box["y"] < window["height"]
        )

    def _overflow(self) -> list[str]:
        width, shown = self.page.evaluate(
            "[document.scrollingElement.scrollWidth, document.scrollingElement.clientWidth]"
        )
        return [f"is {width} pixels wide in a window of {shown}"] if width > shown else []

    def _barriers(self) -> list[str]:
        told = Axe().run(self.page).response
        found = [(each["id"], node) for each in told["violations"] for node in each["nodes"]]
        found += [
            (each["id"], node)
            for each in told["incomplete"]
            if each["id"] == "color-contrast"
            for node in each["nodes"]
            if not _cannot_be_judged(node)
        ]
        return [f"{rule}: {node['html']}: {node['failureSummary']}" for rule, node in found]


def _cannot_be_judged(node: dict[str, Any]) -> bool:
    """Whether axe has no opinion because of how it looks at a text, and not because of its colours.

    Its lines, as one box, reach over a neighbour's; a part of it is scrolled away; it is a sign like an
    arrow; or it stands in a picture.
    """
    excused = {"elmPartiallyObscuring", "elmPartiallyObscured", "nonBmp"}
    drawn = node["html"].startswith("<text")
    return drawn or all(check["data"].get("messageKey") in excused for check in node["any"])


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The Chromium of the system, or else the one that playwright has downloaded."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    with sync_playwright() as playwright:
        if found is None and not Path(playwright.chromium.executable_path).exists():
            pytest.exit(MISSING, returncode=pytest.ExitCode.USAGE_ERROR)
        with playwright.chromium.launch(executable_path=found) as started:
            yield started


@pytest.fixture(params=WIDTHS)
def width(request: pytest.FixtureRequest) -> int:
    """The width of the window; a test that uses it runs for each."""
    return WIDTHS[request.param]


@pytest.fixture(params=["light", "dark"])
def scheme(request: pytest.FixtureRequest) -> Literal["light", "dark"]:
    """What the reader's system prefers; a test that uses it runs for both."""
    return request.param


@pytest.fixture
def look(browser: Browser, width: int, scheme: Literal["light", "dark"]) -> Iterator[Callable[..., Look]]:
    """Opens a page: `look(address)`, or `look(address, scripts=False)` as a browser that runs none."""
    opened = []

    def open_(address: str, *, scripts: bool = True) -> Look:
        window = {"width": width, "height": 800}
        opened.append(browser.new_page(viewport=window, color_scheme=scheme, java_script_enabled=scripts))
        return Look(opened[-1], address)

    yield open_
    for page in opened:
        page.close()
