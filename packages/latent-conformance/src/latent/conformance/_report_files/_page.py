"""The judgement as one page that loads nothing."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from importlib.resources import files
from xml.etree.ElementTree import Element

from latent.conformance._report_files._outcome import Outcomes
from latent.conformance._report_files._page_agent import agent_section
from latent.conformance._timeline import STYLE
from latent.conformance._timeline._markup import element, written

__all__ = ["page"]

_HERE = files(__package__)
_STYLE = STYLE + _HERE.joinpath("page.css").read_text(encoding="utf-8")
_SCRIPT = _HERE.joinpath("page.js").read_text(encoding="utf-8")


def page(outcomes: Outcomes) -> str:
    """The whole file. It is complete without its script, and a browser lets it run nothing but that."""
    names = [f"agent-{at}" for at, _ in enumerate(outcomes.agents, 1)]
    title = f"Latent conformance: {outcomes.verdict}"
    tree = element(
        "html",
        element("head", *_head(title)),
        element(
            "body",
            element("header", element("h1", "Latent conformance"), *_contents(outcomes, names)),
            element("main", *map(agent_section, outcomes.agents, names)),
            element(
                "footer",
                element("p", f"latent-conformance {outcomes.kit or ''}, version {outcomes.protocol} of the protocol"),
            ),
            element("script", _SCRIPT),
        ),
        lang="en",
    )
    return f"<!doctype html>\n{written(tree)}\n"


def _head(title: str) -> Iterator[Element]:
    sources = f"style-src {_digest(_STYLE)}; script-src {_digest(_SCRIPT)}"
    policy = f"default-src 'none'; {sources}; base-uri 'none'; form-action 'none'"
    yield element("meta", charset="utf-8")
    yield element("meta", http_equiv="Content-Security-Policy", content=policy)
    yield element("meta", name="viewport", content="width=device-width, initial-scale=1")
    yield element("meta", name="color-scheme", content="light dark")
    yield element("title", title)
    yield element("style", _STYLE)


def _contents(outcomes: Outcomes, names: list[str]) -> Iterator[Element]:
    """A line for each agent: where it is on the page, its verdict, and what it breaks."""
    lines = []
    for agent, name in zip(outcomes.agents, names, strict=True):
        broken = dict.fromkeys(found.rule for found in agent.findings)
        lines.append(
            element(
                "li",
                element("span", agent.verdict, class_=f"verdict {agent.verdict}"),
                " ",
                element("a", agent.name, href=f"#{name}"),
                *(element("a", rule, href=f"#{name}-{rule}", class_="rule") for rule in broken),
            )
        )
    yield element("nav", element("ul", *lines), aria_label="Agents")


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
