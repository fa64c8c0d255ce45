"""Rows of a history, whoever wrote them, in one form that can be compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct, to_builtins

from latent.conformance._evidence._run import parsed

__all__ = ["SYSTEM", "Row", "content_text", "fault_of_history", "fault_of_instructions", "plain_rows", "without_ids"]

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
    return [row for row in _all_rows(rows) if row.role not in SYSTEM]


def without_ids(rows: Iterable[Row]) -> list[Row]:
    """The rows without the ids of calls; a result has the call that it answers in the place of its id."""
    made: dict[object, object] = {}
    plain = []
    for row in rows:
        made |= {called: (name, arguments) for called, name, arguments in row.calls}
        calls = tuple((None, name, arguments) for _, name, arguments in row.calls)
        plain.append(row._replace(calls=calls, tool_call_id=made.get(row.tool_call_id)))
    return plain


def content_text(content: object) -> str:
    """The text of a row's content: a string, or a list of parts, which the vendors take as well."""
    match content:
        case list():
            return "".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
        case None:
            return ""
        case _:
            return str(content)


def fault_of_history(given: Sequence[Row], sent: Sequence[Row]) -> str | None:
    """What keeps `sent` from being `given` in its order, each row once; an agent may put rows of its own between.

    Such rows are its instructions: examples, a reminder at the end, the prompt of a phase. What it adds to the
    user's words is one too: documents to answer from, the date.
    """
    at = 0
    for number, wanted in enumerate(given):
        found = next((place for place in range(at, len(sent)) if _carries(sent[place], wanted)), None)
        if found is None:
            return f"row {number}, {_told(wanted)}, in its place"
        at = found + 1
    own = [row for row in sent if row.role == "assistant" and not row.calls]  # an agent may say again what it said
    again = next((row for row in sent if row in given and row not in own and sent.count(row) > given.count(row)), None)
    return None if again is None else f"{_told(again)} as often as it was given, {given.count(again)} times"


def fault_of_instructions(given: Iterable[object], sent: Iterable[object]) -> str | None:
    """What keeps the system's rows of a history, which `sent` has in order otherwise, from their places in it.

    The text of one may be a part of another row, also of the neighbour's: what an agent adds to the user's words.
    """
    wanted, got = _all_rows(given), _all_rows(sent)
    low = 0
    for at, row in enumerate(wanted):
        if row.role not in SYSTEM:
            low = next((place for place in range(low, len(got)) if _carries(got[place], row)), low)
            continue
        after = next((each for each in wanted[at + 1 :] if each.role not in SYSTEM), None)
        places = range(low, len(got))
        high = next((place for place in places if after is not None and _carries(got[place], after)), len(got) - 1)
        if not any(row.text in each.text for each in got[low : high + 1]):
            return f"row {at}, {_told(row)}, in its place"
    return None


def _carries(row: Row, wanted: Row) -> bool:
    return row == wanted or (row.role == wanted.role == "user" and wanted.text in row.text)


def _told(row: Row) -> str:
    return f"{row.role}: {row.text!r}" + "".join(f" with {call!r}" for call in row.calls)


def _all_rows(rows: Iterable[object]) -> list[Row]:
    plain = [to_builtins(row, enc_hook=repr) if isinstance(row, Struct) else row for row in rows]
    return [_row(row) for row in plain if isinstance(row, Mapping)]


def _row(row: Mapping[str, Any]) -> Row:
    calls = [call for call in row.get("tool_calls") or () if isinstance(call, Mapping)]
    functions = [(call, call.get("function") or {}) for call in calls]
    return Row(
        role=str(row.get("role")),
        text=content_text(row.get("content")),
        calls=tuple((call.get("id"), each.get("name"), parsed(each.get("arguments"))) for call, each in functions),
        tool_call_id=row.get("tool_call_id"),
    )
