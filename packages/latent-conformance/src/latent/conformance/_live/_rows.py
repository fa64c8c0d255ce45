"""Rows of a history, whoever wrote them, in one form that can be compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from msgspec import Struct, to_builtins

from latent.conformance._live._run import parsed

__all__ = ["SYSTEM", "Row", "plain_rows"]

SYSTEM = ("system", "developer")
"""The roles of rows that are the agent's own."""


class Row(NamedTuple):
    """What of a row has to survive."""

    role: str
    text: str
    calls: tuple[tuple[object, object, object], ...]
    """Id, name and the value of the arguments."""
    tool_call_id: object


def plain_rows(rows: Iterable[object]) -> list[Row]:
    """The rows without those of the system, which are the agent's own."""
    plain = [to_builtins(row, enc_hook=repr) if isinstance(row, Struct) else row for row in rows]
    return [_row(row) for row in plain if isinstance(row, Mapping) and row.get("role") not in SYSTEM]


def _row(row: Mapping[str, Any]) -> Row:
    calls = [call for call in row.get("tool_calls") or () if isinstance(call, Mapping)]
    functions = [(call, call.get("function") or {}) for call in calls]
    return Row(
        role=str(row.get("role")),
        text=_text(row.get("content")),
        calls=tuple((call.get("id"), each.get("name"), parsed(each.get("arguments"))) for call, each in functions),
        tool_call_id=row.get("tool_call_id"),
    )


def _text(content: object) -> str:
    match content:
        case list():
            return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
        case None:
            return ""
        case _:
            return str(content)
