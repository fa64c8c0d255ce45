"""HTML as a tree, so that nothing can be written without being escaped."""

from __future__ import annotations

import re
from typing import TypeAlias
from xml.etree.ElementTree import Element, tostring

__all__ = ["Child", "element", "visible", "written"]

Child: TypeAlias = Element | str

_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # marks that turn the direction of the text around them
    "\u2028\u2029\ufeff\ufff9-\ufffb\ufffe\uffff"
    "\ud800-\udfff]"  # halves of a pair, which no encoding writes
)


def element(tag: str, *children: Child, **attributes: str | None) -> Element:
    """An element with texts and elements in it.

    An attribute's `_` stands for `-`, and one at its end for nothing (`class_`); `None` leaves the attribute out.
    """
    given = {
        name.rstrip("_").replace("_", "-"): visible(value) for name, value in attributes.items() if value is not None
    }
    made = Element(tag, given)
    last: Element | None = None
    for child in children:
        if isinstance(child, Element):
            made.append(child)
            last = child
        elif last is None:
            made.text = (made.text or "") + visible(child)
        else:
            last.tail = (last.tail or "") + visible(child)
    return made


def visible(text: str) -> str:
    """The text with an escape sequence in place of each character that is not seen, misleads or cannot be written."""
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def written(tree: Element) -> str:
    """The tree as HTML."""
    return tostring(tree, encoding="unicode", method="html")
