"""Events to JSON.

A value may be written when reading gives an equal one back (specification, clauses 18.4 and 18.5).
Nearly every event is plain, which is told at a glance; the rest is copied with care, which either finds
a form for each value or says where there is none.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Raw, ValidationError, convert
from msgspec.json import Encoder

from latent.events import AgentEvent, TextDelta, UnknownEvent, WireError
from latent.events._base import tag_of
from latent.events._native import EncHook, native_fields
from latent.protocol._decoder import decode_any, located, one_line_object
from latent.protocol._envelope import ENVELOPES, KNOWN, OWNERS
from latent.protocol._line import one_line
from latent.protocol._plain import IS_PLAIN

__all__ = ["encode_event", "encode_events", "encode_sse"]

_encode = Encoder().encode
_encode_lines = Encoder().encode_lines

_LINES = {kind: b'{"event":"%b","data":%%b}' % tag.encode() for tag, kind in KNOWN.items()}
_FORMS = {kind: (is_plain, _LINES[kind]) for kind, is_plain in IS_PLAIN.items()}
_TEXT_LINE = _LINES[TextDelta] % b'{"text":%b}'
_TEXT_ENVELOPE = ENVELOPES[TextDelta]

# A class without a glance; a lone surrogate or an integer of too many digits; a stack that is used up.
_REFUSALS = (KeyError, ValueError, RecursionError)


def encode_event(event: AgentEvent, *, enc_hook: EncHook | None = None) -> bytes:
    """Write one event as one line of JSON, without the newline.

    Takes every `AgentEvent`, users' own too. `enc_hook` is asked about each value that JSON cannot
    carry. Raises `WireError` with the path of such a value, and where another class has taken the tag;
    `TypeError` for what is no event.
    """
    try:
        if type(event) is TextDelta and type(text := event.text) is str and text.isascii():
            return _TEXT_LINE % _encode(text)  # the shortest way for what nearly every event is
        is_plain, form = _FORMS[type(event)]
        line = form % _encode(event) if is_plain(event) else b""
    except _REFUSALS:
        line = b""
    if not line:
        line = _careful_line(event, enc_hook)
    return line if line.isascii() else one_line(line)


def encode_events(events: Iterable[AgentEvent], *, enc_hook: EncHook | None = None) -> bytes:
    """Write events as JSON Lines, each line ended; raises as `encode_event` does."""
    events = events if isinstance(events, list) else list(events)
    rows = [
        _TEXT_ENVELOPE(event)
        if type(event) is TextDelta and type(event.text) is str
        else ENVELOPES[type(event)](event)
        if type(event) in IS_PLAIN and IS_PLAIN[type(event)](event)
        else Raw(encode_event(event, enc_hook=enc_hook))
        for event in events
    ]
    try:
        lines = _encode_lines(rows)
    except _REFUSALS:
        lines = b"".join([encode_event(event, enc_hook=enc_hook) + b"\n" for event in events])
    return one_line(lines)


def encode_sse(event: AgentEvent, *, enc_hook: EncHook | None = None) -> bytes:
    """Write one event as a server-sent event: its `event:` and `data:` lines and the blank line.

    Raises as `encode_event` does, and for a tag that is more than one line.
    """
    envelope = decode_any(encode_event(event, enc_hook=enc_hook))
    if "".join(envelope.event.splitlines()) != envelope.event:
        raise WireError(f"Expected a tag of one line, got {envelope.event!r}", path="$.event")
    return b"event: %b\ndata: %b\n\n" % (envelope.event.encode(), envelope.data)


def _careful_line(event: AgentEvent, enc_hook: EncHook | None) -> bytes:
    """The line of any event, or an error that says which value cannot be in it."""
    if isinstance(event, UnknownEvent):
        return _unknown_line(event)
    if not isinstance(event, AgentEvent):
        raise TypeError(f"Expected an AgentEvent, got `{type(event).__name__}`")
    tag = _own_tag(type(event))
    try:
        data = native_fields(event, "$.data", enc_hook)
        if tag in KNOWN:
            convert(data, KNOWN[tag])
        return _line(tag, _encode(data))
    except ValidationError as error:
        raise located(error, root="$.data") from None
    except RecursionError:
        raise WireError("Expected fewer nested containers, got more than the stack carries", path="$.data") from None


def _unknown_line(event: UnknownEvent) -> bytes:
    if not isinstance(event.event, str):
        raise WireError(f"Expected `str`, got `{type(event.event).__name__}`", path="$.event")
    if event.event in KNOWN:
        raise WireError(f"Expected a tag that the protocol does not have, got {event.event!r}", path="$.event")
    if not isinstance(event.data, bytes):
        raise WireError(f"Expected `bytes`, got `{type(event.data).__name__}`", path="$.data")
    try:
        return _line(event.event, one_line_object(event.data))
    except UnicodeEncodeError:
        raise WireError("Expected Unicode text, got a lone surrogate", path="$.event") from None


def _own_tag(kind: type[AgentEvent]) -> str:
    tag = tag_of(kind)
    owner = OWNERS.get(tag, kind)
    if owner is not kind:
        own, other = (f"{each.__module__}.{each.__qualname__}" for each in (kind, owner))
        raise WireError(f"Expected a tag of its own for `{own}`, got {tag!r}, which is that of `{other}`")
    return tag


def _line(tag: str, data: bytes) -> bytes:
    return b'{"event":%b,"data":%b}' % (_encode(tag), data)
