"""Events as JSON: one envelope `{"event": tag, "data": {...}}` for each event.

The tag lives in the envelope and never in the type, because a tag inside a `ToolCall` would travel
into `Message.tool_calls` and from there to a provider.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from operator import or_
from typing import Any, get_args

from msgspec import DecodeError, Raw, Struct, defstruct
from msgspec.json import Decoder, Encoder

from latent.events import AgentEvent, AnyEvent, TextDelta, UnknownEvent, WireError
from latent.events._base import tag_of
from latent.events._native import EncHook, native_fields
from latent.protocol._plain import IS_PLAIN

__all__ = ["KNOWN", "decode_event", "decode_events", "encode_event", "encode_events", "encode_sse"]


class _Envelope(Struct, frozen=True, gc=False):
    """The base of the private envelopes: one for each known event, so that their union decodes in one pass."""


class _AnyEnvelope(Struct, frozen=True, gc=False):
    """An envelope whose tag may be anything."""

    event: str
    data: Raw


KNOWN: dict[str, type[AgentEvent]] = {tag_of(kind): kind for kind in get_args(AnyEvent)}
"""The protocol's events by their tag."""

_ENVELOPES: dict[type[AgentEvent], Callable[[AgentEvent], _Envelope]] = {
    kind: defstruct(kind.__name__, [("data", kind)], bases=(_Envelope,), tag_field="event", tag=tag, frozen=True)
    for tag, kind in KNOWN.items()
}
_TAKEN = {"agent_event": AgentEvent, "unknown_event": UnknownEvent, **KNOWN}
_PREFIXES = {kind: b'{"event":"%b","data":' % tag.encode() for tag, kind in KNOWN.items()}
_TEXT_ENVELOPE, _TEXT_PREFIX = _ENVELOPES[TextDelta], _PREFIXES[TextDelta]

_encode = Encoder().encode
_encode_lines = Encoder().encode_lines
_decode_known = Decoder[Any](reduce(or_, _ENVELOPES.values())).decode
_decode_any = Decoder(_AnyEnvelope).decode
_decode_json = Decoder().decode

# What `str.splitlines` takes for the end of a line, although JSON does not (U+0085, U+2028, U+2029).
_BREAKS = {text.encode(): b"\\u%04x" % ord(text) for text in "\x85\u2028\u2029"}


def encode_event(event: AgentEvent, *, enc_hook: EncHook | None = None) -> bytes:
    """Write one event as one line of JSON, without the newline.

    Takes every `AgentEvent`, users' own too. `enc_hook` is asked about each value that JSON cannot
    carry. Raises `WireError` with the path of such a value, and where another class has taken the tag;
    `TypeError` for what is no event.
    """
    try:
        if type(event) is TextDelta and type(event.text) is str:  # nearly every event is one
            line = _TEXT_PREFIX + _encode(event) + b"}"
        elif IS_PLAIN[type(event)](event):
            line = _PREFIXES[type(event)] + _encode(event) + b"}"
        else:
            line = _careful(event, enc_hook)
    except (KeyError, UnicodeEncodeError, RecursionError):
        line = _careful(event, enc_hook)
    return line if line.isascii() else _one_line(line)


def encode_events(events: Iterable[AgentEvent], *, enc_hook: EncHook | None = None) -> bytes:
    """Write events as JSON Lines, each line ended; raises as `encode_event` does."""
    events = events if isinstance(events, list) else list(events)
    try:
        lines = _encode_lines(
            [
                _TEXT_ENVELOPE(event) if type(event) is TextDelta and type(event.text) is str else _enveloped(event)
                for event in events
            ]
        )
    except (KeyError, UnicodeEncodeError, RecursionError):
        lines = b"".join([encode_event(event, enc_hook=enc_hook) + b"\n" for event in events])
    return lines if lines.isascii() else _one_line(lines)


def encode_sse(event: AgentEvent, *, enc_hook: EncHook | None = None) -> bytes:
    """Write one event as a server-sent event: its `event:` and `data:` lines and the blank line."""
    envelope = _decode_any(encode_event(event, enc_hook=enc_hook))
    return b"event: %b\ndata: %b\n\n" % (envelope.event.encode(), envelope.data)


def decode_event(data: str | bytes) -> AnyEvent | UnknownEvent:
    """Read one line; an event that this version does not know becomes an `UnknownEvent`.

    Raises `WireError` with line 1 and the path for whatever is no event.
    """
    return _decoded(data, 1)


def decode_events(data: str | bytes | Iterable[str | bytes]) -> list[AnyEvent | UnknownEvent]:
    """Read JSON Lines, from one text or from an iterable of lines; blank lines are skipped.

    Raises `WireError` with the number of the line, counted from 1, and the path.
    """
    lines: Iterable[str | bytes]
    match data:
        case str():
            lines = data.split("\n")
        case bytes():
            lines = data.split(b"\n")
        case _:
            lines = data
    return [_decoded(line, number) for number, line in enumerate(lines, 1) if line and not line.isspace()]


def _enveloped(event: AgentEvent) -> _Envelope:
    """The envelope of a known and plain event; raises `KeyError` for another."""
    kind = type(event)
    if not IS_PLAIN[kind](event):
        raise KeyError(kind)
    return _ENVELOPES[kind](event)


def _careful(event: AgentEvent, enc_hook: EncHook | None) -> bytes:
    """The line of any event, or an error that says which value cannot be in it."""
    if isinstance(event, UnknownEvent):
        return _line(event.event, event.data)
    kind = type(event)
    if not isinstance(event, AgentEvent):
        raise TypeError(f"Expected an AgentEvent, got `{kind.__name__}`")
    tag = tag_of(kind)
    owner = _TAKEN.get(tag)
    if owner is not None and owner is not kind:
        own, theirs = (f"{each.__module__}.{each.__qualname__}" for each in (type(event), owner))
        raise WireError(f"Expected a tag of its own for `{own}`, got {tag!r}, which is that of `{theirs}`")
    try:
        return _line(tag, _encode(native_fields(event, "$.data", enc_hook)))
    except RecursionError:
        raise WireError("Expected fewer nested containers, got more than can be written", path="$.data") from None


def _line(tag: str, data: bytes) -> bytes:
    return b'{"event":%b,"data":%b}' % (_encode(tag), data)


def _one_line(text: bytes) -> bytes:
    for character, escaped in _BREAKS.items():
        text = text.replace(character, escaped)
    return text


def _decoded(line: str | bytes, number: int) -> AnyEvent | UnknownEvent:
    try:
        return _decode_known(line).data
    except (DecodeError, UnicodeEncodeError, RecursionError) as error:
        return _unknown(line, number, error)


def _unknown(line: str | bytes, number: int, error: Exception) -> UnknownEvent:
    """The event, where only its tag is unknown; else what is wrong with the line."""
    try:
        envelope = _decode_any(line)
        if envelope.event in KNOWN:
            raise error
        if not isinstance(_decode_json(envelope.data), dict):
            raise WireError("Expected `object`", path="$.data", line=number)
        return UnknownEvent(envelope.event, _without_newlines(bytes(envelope.data)))
    except UnicodeEncodeError as cause:
        raise WireError(f"Expected Unicode text, got a lone surrogate at {cause.start}", line=number) from None
    except RecursionError:
        raise WireError("Expected fewer nested containers, got more than can be read", line=number) from None
    except DecodeError as cause:
        reason, _, path = str(cause).partition(" - at `")
        raise WireError(reason, path=path.rstrip("`") or "$", line=number) from None


def _without_newlines(data: bytes) -> bytes:
    """JSON allows a newline between tokens; a line of JSON Lines does not."""
    return _encode(_decode_json(data)) if b"\n" in data or b"\r" in data else data
