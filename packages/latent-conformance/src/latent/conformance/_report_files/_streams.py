"""Streams of any objects as plain data, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from json import dumps
from operator import is_

from msgspec import MsgspecError, Struct, to_builtins
from msgspec.json import decode, encode

from latent.conformance._passive._reading import LONE_SURROGATE, TAGS, read_events
from latent.conformance._report_files._outcome import Stream, StreamEvent
from latent.conformance._timeline import Described
from latent.conformance._verdict._excerpt import class_name, shortened
from latent.conformance._verdict._violation import Violation
from latent.conformance.harness import told
from latent.protocol import AgentEvent, WireError, encode_event

__all__ = ["restored", "streams_of", "writable"]

_LONGEST = 500
"""How many characters are told of an item that has no envelope."""


def streams_of(violations: Iterable[Violation]) -> tuple[tuple[Stream, ...], list[int | None]]:
    """The streams of all findings, each run once and as far as any of them saw it; and for each finding which."""
    runs: list[Violation] = []
    places: list[int | None] = []
    for each in violations:
        if not each.stream:
            places.append(None)
            continue
        at = next((at for at, run in enumerate(runs) if _same_run(run, each)), len(runs))
        if at == len(runs):
            runs.append(each)
        elif len(each.stream) > len(runs[at].stream):
            runs[at] = each
        places.append(at)
    return tuple(_stream(run) for run in runs), places


def restored(stream: Stream) -> list[object]:
    """The items again, as far as their data can say what they were."""
    return [_restored(event) for event in stream.events]


def writable(text: str) -> str:
    """The text with an escape sequence for each lone surrogate, which no encoding writes."""
    return text.encode("utf-8", "backslashreplace").decode()


def _same_run(one: Violation, other: Violation) -> bool:
    """Whether the two saw the same run: what one of them saw begins what the other saw."""
    if one.stream is other.stream:
        return True
    return one.script is other.script and all(map(is_, one.stream, other.stream))


def _stream(run: Violation) -> Stream:
    script = None if run.script is None else writable("\n".join(told(run.script)))
    return Stream(scenario=run.scenario, script=script, events=tuple(map(_told, run.stream)))


def _told(item: object) -> StreamEvent:
    kind = type(item)
    if issubclass(kind, AgentEvent):
        assert isinstance(item, AgentEvent)
        try:
            return _envelope(encode_event(item), exact=True)
        except Exception:  # whatever a foreign object does when it is read
            pass
        try:
            envelope = {"event": TAGS[kind], "data": to_builtins(_fields(item), enc_hook=shortened)}
            line = LONE_SURROGATE.sub(lambda lone: rf"\\u{ord(lone[0]):x}", dumps(envelope, ensure_ascii=False))
            return _envelope(line, exact=False)
        except Exception:
            pass
    return StreamEvent(kind=writable(class_name(kind)), shown=writable(shortened(item, _LONGEST)))


def _envelope(line: bytes | str, *, exact: bool) -> StreamEvent:
    envelope = decode(line)
    return StreamEvent(event=envelope["event"], data=envelope["data"], exact=exact)


def _fields(item: Struct) -> Mapping[str, object]:
    return {name: getattr(item, name) for name in item.__struct_fields__}


def _restored(item: StreamEvent) -> object:
    if item.event is not None:
        try:
            (event,) = read_events([encode({"event": item.event, "data": item.data})])
        except (WireError, MsgspecError):
            return Described(item.event, shortened(item.data, _LONGEST))
        return event
    return Described(item.kind or "no event", item.shown or "")
