"""The verdict as a badge: an SVG that needs no service."""

from __future__ import annotations

from xml.etree.ElementTree import Element, tostring

from latent.conformance._report_files._outcome import Outcomes
from latent.conformance._timeline._markup import element

__all__ = ["badge"]

_LABEL = "latent conformance"
_COLOURS = {"pass": "#1a7f37", "fail": "#b62324", "incomplete": "#8a6100"}
"""White text is easy to read on each."""
_LETTER = 6.6
"""The width that a letter of 11 pixels is given; `textLength` makes any font keep to it."""
_HEIGHT = 20


def badge(outcomes: Outcomes) -> str:
    """An SVG of one line: the label, and what was found."""
    message = _message(outcomes)
    left, right = (round(len(text) * _LETTER) + 12 for text in (_LABEL, message))
    title = f"{_LABEL}: {message}"
    svg = element(
        "svg",
        element("title", title),
        element("rect", width=str(left + right), height=str(_HEIGHT), rx="3", fill="#3d444d"),
        element("path", d=_right_side(left, right), fill=_COLOURS[outcomes.verdict]),
        _text(_LABEL, 0, left),
        _text(message, left, right),
        xmlns="http://www.w3.org/2000/svg",
        width=str(left + right),
        height=str(_HEIGHT),
        role="img",
        aria_label=title,
    )
    return tostring(svg, encoding="unicode") + "\n"


def _message(outcomes: Outcomes) -> str:
    agents = outcomes.agents
    if len(agents) > 1:
        passed = sum(agent.verdict == "pass" for agent in agents)
        return f"{outcomes.verdict}, {passed} of {len(agents)} agents pass"
    counts = [(rule.status, rule.level) for agent in agents for rule in agent.rules]
    match outcomes.verdict:
        case "pass":
            return f"pass, {sum(status == 'pass' for status, _ in counts)} rules"
        case "fail" if broken := sum(each == ("fail", "MUST") for each in counts):
            return f"fail, {broken} {'rule' if broken == 1 else 'rules'} broken"
        case verdict:
            return verdict


def _right_side(left: int, right: int) -> str:
    end = left + right
    return f"M{left} 0H{end - 3}a3 3 0 0 1 3 3V{_HEIGHT - 3}a3 3 0 0 1-3 3H{left}z"


def _text(text: str, start: int, width: int) -> Element:
    return element(
        "text",
        text,
        x=str(start + 6),
        y="14",
        textLength=str(width - 12),
        lengthAdjust="spacingAndGlyphs",
        fill="#fff",
        font_family="Verdana,DejaVu Sans,sans-serif",
        font_size="11",
    )
