"""Recordings: JSON Lines, one envelope each, read so that a wrong field is a finding and not the end of the reading."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import NODEFAULT, DecodeError, Struct
from msgspec.json import decode
from msgspec.structs import fields, force_setattr

from latent.conformance._observers._fields import FIELDS
from latent.conformance._verdict._excerpt import shortened
from latent.protocol import (
    AgentEvent,
    FunctionCall,
    Metadata,
    MetadataAttributes,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    WireError,
    decode_event,
    event_schema,
)

__all__ = ["LONE_SURROGATE", "TAGS", "read_events"]

_NAMES = {kind.__name__: kind for kind in FIELDS}
_KNOWN: dict[str, type[AgentEvent]] = {
    known["properties"]["event"]["const"]: _NAMES[known["properties"]["data"]["$ref"].rpartition("/")[2]]
    for known in event_schema()["oneOf"]
    if "const" in known["properties"]["event"]
}
"""Tag -> class, as the schema says."""
TAGS: dict[type, str] = {kind: tag for tag, kind in _KNOWN.items()}
LONE_SURROGATE = re.compile("[\ud800-\udfff]")
"""Half a character, which UTF-8 has no form for."""
_BEGINNING = b'{"event"'
"""How a line begins that `encode_event` writes."""
_ENCODINGS = (
    (b"\xef\xbb\xbf", "a byte order mark before it"),
    (b"\xff\xfe", "a file in UTF-16"),
    (b"\xfe\xff", "a file in UTF-16"),
)
"""What a file begins with that editors and shells write."""


def read_events(lines: Iterable[bytes], *, complete: bool = True) -> Iterator[object]:
    """The events of a recording, in order; blank lines are skipped.

    An event whose fields do not fit is given as it stands, for the checker to name the rule. Raises
    `WireError` with the number of the line for what is no envelope; with `complete=False` a last line
    that was cut off is left out.
    """
    broken: WireError | None = None
    begun = False
    for number, line in enumerate(lines, 1):
        if broken is not None:
            raise broken
        if line.isspace():
            continue
        if number == 1:
            _check_encoding(line)
        try:
            yield _event(line)
        except WireError as error:
            broken = WireError(_reason(error, line, begun=begun), path=error.path, line=number)
        begun = True
    if broken is not None and complete:
        raise broken


def _reason(error: WireError, line: bytes, *, begun: bool) -> str:
    """What is wrong with the line, and with the file where nothing of a recording is in it."""
    if not begun and not line.startswith(_BEGINNING):
        got = shortened(line.decode("utf-8", "replace").rstrip())
        return f"Expected a recording, one event a line as `record` writes them, got {got}: {error.reason}"
    if not line.endswith(b"\n"):
        return f"{error.reason}: where the recording was cut off, --partial leaves its last line out"
    return error.reason


def _check_encoding(line: bytes) -> None:
    got = next((what for mark, what in _ENCODINGS if line.startswith(mark)), None)
    if got is None and b"\0" in line:
        got = "zero bytes in it, as UTF-16 without a mark has them"
    if got is not None:
        raise WireError(f"Expected UTF-8 without a byte order mark, got {got}: save it as plain UTF-8", line=1)


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
        return _torn(line)
    match envelope:
        case {"event": str(tag), "data": dict(data)} if tag in _KNOWN:
            return _built(_KNOWN[tag], data)
        case _:
            return None


def _torn(line: bytes) -> object:
    """The delta in a line that msgspec does not read because half a character stands in it.

    `None` where something else is wrong with the line; raises `WireError` for half a character in another event,
    which no rule is about.
    """
    try:
        envelope = json.loads(line)
        half = LONE_SURROGATE.search(json.dumps(envelope, ensure_ascii=False))
    except (ValueError, RecursionError):
        return None
    if half is None:
        return None
    match envelope:
        case {"event": str(tag), "data": {"text": str(text)} as data} if LONE_SURROGATE.search(text):
            if (kind := _KNOWN.get(tag)) in (TextDelta, ReasoningDelta):
                return _built(kind, data)
    raise WireError(f"Expected text with whole characters, got the lone surrogate {half[0]!a}")


def _built(kind: type[Struct], data: dict[str, Any]) -> Struct:
    """An object of `kind` that nothing has checked; a required field that is missing has no value in it."""
    struct = kind.__new__(kind)
    for info in fields(kind):
        if info.name in data:
            force_setattr(struct, info.name, _value(kind, info.name, data[info.name]))
        elif info.default is not NODEFAULT:
            force_setattr(struct, info.name, info.default)
    return struct


def _value(kind: type[Struct], name: str, given: Any) -> object:
    if kind is ToolCall and name == "function" and isinstance(given, dict):
        return _built(FunctionCall, given)
    if kind is Metadata and name == "attributes":
        try:
            return MetadataAttributes(given)
        except (TypeError, ValueError):
            pass
    return given
