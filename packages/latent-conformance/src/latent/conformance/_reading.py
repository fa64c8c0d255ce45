"""Recordings: JSON Lines, one envelope each, read so that a wrong field is a finding and not the end of the reading."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import DecodeError, Struct
from msgspec.json import decode
from msgspec.structs import fields

from latent.conformance._fields import FIELDS
from latent.protocol import AgentEvent, FunctionCall, Metadata, ToolCall, WireError, decode_event, event_schema

__all__ = ["TAGS", "read_events"]

_NAMES = {kind.__name__: kind for kind in FIELDS}
_KNOWN: dict[str, type[AgentEvent]] = {
    known["properties"]["event"]["const"]: _NAMES[known["properties"]["data"]["$ref"].rpartition("/")[2]]
    for known in event_schema()["oneOf"]
    if "const" in known["properties"]["event"]
}
"""Tag -> class, as the schema says."""
TAGS: dict[type, str] = {kind: tag for tag, kind in _KNOWN.items()}


def read_events(lines: Iterable[bytes], *, complete: bool = True) -> Iterator[object]:
    """The events of a recording, in order; blank lines are skipped.

    An event whose fields do not fit is given as it stands, for the checker to name the rule. Raises
    `WireError` with the number of the line for what is no envelope; with `complete=False` a last line
    that was cut off is left out.
    """
    broken: WireError | None = None
    for number, line in enumerate(lines, 1):
        if broken is not None:
            raise broken
        if line.isspace():
            continue
        try:
            yield _event(line)
        except WireError as error:
            broken = WireError(error.reason, path=error.path, line=number)
    if broken is not None and complete:
        raise broken


def _event(line: bytes) -> object:
    try:
        return decode_event(line)
    except WireError:
        event = _as_it_stands(line)
        if event is None:
            raise
        return event


def _as_it_stands(line: bytes) -> object:
    """A known event with fields of whatever types, or `None` where the line is no envelope of one."""
    try:
        envelope = decode(line)
    except (DecodeError, UnicodeDecodeError, RecursionError):
        return None
    match envelope:
        case {"event": str(tag), "data": dict(data)} if tag in _KNOWN:
            kind = _KNOWN[tag]
            return data if kind is Metadata else _built(kind, data)
        case _:
            return None


def _built(kind: type[Struct], data: dict[str, Any]) -> Struct:
    """An object of `kind`, which does not check what it is given; what is missing is `None`."""
    values: dict[str, Any] = {
        info.name: data.get(info.name) for info in fields(kind) if info.name in data or info.required
    }
    if kind is ToolCall and isinstance(function := values.get("function"), dict):
        values["function"] = _built(FunctionCall, function)
    return kind(**values)
