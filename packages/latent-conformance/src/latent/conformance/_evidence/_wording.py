"""Whether a row for the model tells what a tool gave, in whatever words."""

from __future__ import annotations

import re

__all__ = ["tells"]

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?", re.IGNORECASE)


def tells(row: str, value: object) -> bool:
    """Whether the row says that the output is `value`; JSON, `str` and `repr` do, and so does a sentence.

    `None`, an empty text and an empty list may be an empty row, as frameworks send them. What a text says is not
    looked for: it may be quoted in many ways.
    """
    match value:
        case None | "" | []:
            return True
        case bool():
            return str(value).lower() in row.lower()
        case int() | float():
            return any(float(number) == value for number in _NUMBER.findall(row))
        case dict():
            return bool(row.strip()) and all(tells(row, each) for each in value.values())
        case list():
            return all(tells(row, each) for each in value)
        case _:
            return bool(row.strip()) or not str(value).strip()
