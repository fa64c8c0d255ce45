"""JSON to events."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import DecodeError, Raw, Struct
from msgspec.json import Decoder, Encoder

from latent.events import AnyEvent, UnknownEvent, WireError
from latent.protocol._envelope import KNOWN, decode_known
from latent.protocol._line import one_line

__all__ = ["decode_any", "decode_event", "decode_events", "located", "one_line_object"]


class _AnyEnvelope(Struct, frozen=True, gc=False):
    """An envelope under whatever tag, its object not interpreted."""

    event: str
    data: Raw


decode_any = Decoder(_AnyEnvelope).decode
_decode_json = Decoder().decode
_encode_json = Encoder().encode
_FAULTS = (DecodeError, UnicodeError, RecursionError)


def decode_event(data: str | bytes) -> AnyEvent | UnknownEvent:
    """Read one line; an event that this version does not know becomes an `UnknownEvent`.

    Raises `WireError` with line 1 and the path for whatever is no event.
    """
    try:
        return decode_known(data).data
    except _FAULTS as fault:
        return _unknown(data, 1, fault)


def decode_events(data: str | bytes | Iterable[str | bytes]) -> list[AnyEvent | UnknownEvent]:
    """Read JSON Lines, from one text or from an iterable of lines; blank lines are skipped.

    Raises `WireError` with the number of the line, counted from 1, and the path, `TypeError` for what
    is neither text nor made of lines.
    """
    lines = _lines(data)
    try:
        return [decode_known(line).data for line in lines if line or not isinstance(line, (str, bytes))]
    except (*_FAULTS, TypeError):  # a blank line, an unknown tag or a fault: look at each line by itself
        _check_lines(lines)
        return [_decoded(line, number) for number, line in enumerate(lines, 1) if line and not line.isspace()]


def located(fault: Exception, *, root: str = "$", line: int | None = None) -> WireError:
    """The error as a `WireError`; msgspec appends the path to its message, counted from the `root`."""
    match fault:
        case UnicodeEncodeError():
            reason = f"Expected Unicode text, got a lone surrogate at character {fault.start} of the line"
            return WireError(reason, path=root, line=line)
        case UnicodeError():
            return WireError("Invalid UTF-8 encoded string", path=root, line=line)
        case RecursionError():
            return WireError("Expected fewer nested containers, got more than the stack carries", path=root, line=line)
    reason, path = str(fault), ""
    if " - at `$" in reason:
        reason, _, path = reason.rpartition(" - at `$")
    return WireError(reason, path=root + path.rstrip("`"), line=line)


def one_line_object(data: bytes, *, line: int | None = None) -> bytes:
    """`data` as the object of an event that goes on a line; raises `WireError` where it is no JSON object."""
    try:
        value = _decode_json(data)
    except _FAULTS as fault:
        raise located(fault, root="$.data", line=line) from None
    if not isinstance(value, dict):
        raise WireError(f"Expected `object`, got `{type(value).__name__}`", path="$.data", line=line)
    # JSON allows line breaks between tokens, a line does not.
    return one_line(_encode_json(value) if b"\n" in data or b"\r" in data else data)


def _lines(data: str | bytes | Iterable[str | bytes]) -> list[str] | list[bytes] | list[str | bytes]:
    match data:
        case str():
            return data.split("\n")
        case bytes():
            return data.split(b"\n")
        case Iterable() if not isinstance(data, (bytearray, memoryview)):
            return list(data)
    raise TypeError(f"Expected str, bytes or an iterable of lines, got `{type(data).__name__}`")


def _check_lines(lines: Iterable[object]) -> None:
    for number, line in enumerate(lines, 1):
        if not isinstance(line, (str, bytes, bytearray)):
            raise TypeError(f"Expected lines as str or bytes, got `{type(line).__name__}` (line {number})")


def _decoded(line: str | bytes, number: int) -> AnyEvent | UnknownEvent:
    try:
        return decode_known(line).data
    except _FAULTS as fault:
        return _unknown(line, number, fault)


def _unknown(line: str | bytes, number: int, fault: Exception) -> UnknownEvent:
    """The event, where only its tag is unknown; else the fault, as an error that says where it is."""
    try:
        envelope = decode_any(line)
    except _FAULTS as cause:
        raise located(cause, line=number) from None
    if envelope.event in KNOWN:
        raise located(fault, line=number) from None
    return UnknownEvent(envelope.event, one_line_object(bytes(envelope.data), line=number))
