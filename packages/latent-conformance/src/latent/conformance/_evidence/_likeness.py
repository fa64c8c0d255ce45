"""What two runs of one script have to have in common."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from msgspec import Struct, to_builtins

from latent.conformance._evidence._rows import SYSTEM, content_text
from latent.conformance._evidence._run import Run
from latent.conformance.harness import TOKEN, Request
from latent.protocol import InvokeResult, ReasoningDelta, TextDelta, ToolCall, ToolResult

__all__ = ["apart", "difference", "events_likeness", "requests_likeness", "result_likeness", "results_apart"]

_PASSING = frozenset({"timestamp", "input_preview", "output_preview"})
_IDS = frozenset({"run_id", "parent_run_id", "id", "tool_call_id"})


class _Names:
    """Ids by their first appearance, and the token's place instead of the token."""

    def __init__(self, token: str) -> None:
        self._token = token
        self._ids: dict[object, str] = {}

    def id(self, given: object) -> str | None:
        return None if given is None else self._ids.setdefault(str(given), f"#{len(self._ids)}")

    def plain(self, value: object, name: str = "") -> Any:
        if name in _IDS:
            return self.id(value)
        match value:
            case str():
                return value.replace(self._token, TOKEN)
            case Struct():
                fields = {each: getattr(value, each) for each in value.__struct_fields__ if each not in _PASSING}
                return {each: self.plain(item, each) for each, item in fields.items()}
            case dict():
                return {str(each): self.plain(item, str(each)) for each, item in value.items()}
            case list() | tuple():
                return [self.plain(item) for item in value]
            case None | bool() | int() | float():
                return value
            case _:
                return type(value).__name__


def events_likeness(run: Run) -> list[str]:
    """The run's events without what may differ: times, previews, ids, how text is cut, the order of results."""
    names = _Names(run.conversation.token)
    lines = []
    for kind, group in groupby(_in_order(run.events), key=type):
        events = list(group)
        if kind in (TextDelta, ReasoningDelta):
            joined = "".join(str(getattr(event, "text", "")) for event in events)
            lines.append(f"{kind.__name__} {names.plain(joined)!r}")
        else:
            lines.extend(f"{kind.__name__} {names.plain(event)!r}" for event in events)
    return lines


def requests_likeness(run: Run) -> list[str]:
    """What the model was sent; of the system's rows, which may tell the time, their number alone."""
    return [line for request in run.requests for line in _request_lines(request, run.conversation.token)]


def result_likeness(result: InvokeResult, token: str) -> list[str]:
    """A buffered view without ids."""
    names = _Names(token)
    return [f"text {names.plain(result.text)!r}", *(f"step {names.plain(step)!r}" for step in result.steps)]


def difference(one: Sequence[str], other: Sequence[str]) -> str | None:
    """The first place where two likenesses part, in words."""
    for at in range(max(len(one), len(other))):
        left = one[at] if at < len(one) else "nothing more"
        right = other[at] if at < len(other) else "nothing more"
        if left != right:
            return f"at place {at} expected {left[:200]}, got {right[:200]}"
    return None


def apart(one: Run, other: Run) -> str | None:
    """Where two runs part: in their events, or in what the model was sent."""
    return difference(events_likeness(one), events_likeness(other)) or difference(
        requests_likeness(one), requests_likeness(other)
    )


def results_apart(one: Run, other: Run) -> str | None:
    """Where two buffered results part; None too where one of the runs has none that can be read."""
    if one.buffered is None or other.buffered is None:
        return None
    wanted = result_likeness(one.buffered, one.conversation.token)
    return difference(wanted, result_likeness(other.buffered, other.conversation.token))


def _request_lines(request: Request, token: str) -> Iterator[str]:
    names = _Names(token)
    own = sum(row.get("role") in SYSTEM for row in request.messages)
    yield f"turn {request.turn}: {own} of the system's rows"
    for row in request.messages:
        if row.get("role") not in SYSTEM:
            yield f"turn {request.turn}: {json.dumps(names.plain(_row(row)), sort_keys=True, ensure_ascii=False)}"


def _row(row: Any) -> Any:
    """What of a row is compared: text in parts as one, for where it is cut may hang on the token."""
    plain = to_builtins(dict(row), enc_hook=repr)
    content = plain.get("content")
    if isinstance(content, list) and all(isinstance(part, dict) and {*part} <= {"type", "text"} for part in content):
        plain["content"] = content_text(content)
    return {name: value for name, value in plain.items() if value not in (None, [], "")}


def _in_order(events: Sequence[object]) -> list[object]:
    """Results of a stretch without other calls in the order of the calls: they come as tools finish."""
    calls = {event.id: at for at, event in enumerate(events) if isinstance(event, ToolCall)}
    ordered: list[object] = []
    for answers, group in groupby(events, key=lambda event: isinstance(event, ToolResult)):
        each = list(group)
        if answers:
            each.sort(key=lambda event: calls.get(getattr(event, "tool_call_id", ""), len(events)))
        ordered.extend(each)
    return ordered
