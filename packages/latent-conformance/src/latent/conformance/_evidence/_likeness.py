"""What two runs of one script have to have in common."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple, TypeAlias, get_args

from msgspec import Struct, to_builtins

from latent.conformance._evidence._rows import SYSTEM, content_text
from latent.conformance._evidence._run import Run
from latent.conformance.harness import TOKEN, Request
from latent.protocol import (
    AgentEvent,
    AnyEvent,
    InvokeResult,
    Metadata,
    ReasoningDelta,
    StepBoundary,
    TextDelta,
    ToolCall,
    ToolResult,
)

__all__ = [
    "Likeness",
    "Line",
    "apart",
    "apart_by_nature",
    "difference",
    "events_likeness",
    "requests_likeness",
    "result_likeness",
    "results_apart",
]

_PASSING = frozenset({"timestamp", "input_preview", "output_preview"})
_IDS = frozenset({"run_id", "parent_run_id", "id", "tool_call_id"})
_OF_THE_PROTOCOL = frozenset(get_args(AnyEvent)) - {Metadata}
_WORDS = re.compile(r"[\w+/=.:-]+|\s+|[^\w\s+/=.:-]")
"""A time and an id are one word each, whatever signs they are written with."""


class Line(NamedTuple):
    """An event or a row, as it is compared."""

    shown: str
    """It, for a message."""
    fixed: str
    """What of it is the same in every run of a script."""
    loose: tuple[str, ...] = ()
    """What may be a time, a measure or an id, piece by piece."""


Likeness: TypeAlias = Callable[[Run], list[Line]]
"""What of a run is compared."""
_Places: TypeAlias = frozenset[tuple[int, int]]
"""Numbers of lines, and of loose pieces in them."""


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


def events_likeness(run: Run) -> list[Line]:
    """The run's events without what may differ: times, previews, ids, how text is cut, the order of results."""
    names = _Names(run.conversation.token)
    lines = []
    for kind, group in groupby(_in_order(run.events), key=type):
        events = list(group)
        if kind in (TextDelta, ReasoningDelta):
            joined = "".join(str(getattr(event, "text", "")) for event in events)
            lines.append(_line(f"{kind.__name__} {names.plain(joined)!r}"))
        else:
            lines.extend(_event_line(kind, names.plain(event)) for event in events)
    return lines


def requests_likeness(run: Run) -> list[Line]:
    """What the model was sent; of the system's rows, which may tell the time, their number alone.

    The tools that it was offered may stand in any order.
    """
    return [line for request in run.requests for line in _request_lines(request, run.conversation.token)]


def result_likeness(result: InvokeResult, token: str) -> list[Line]:
    """A buffered view without ids."""
    names = _Names(token)
    lines = [f"text {names.plain(result.text)!r}", *(f"step {names.plain(step)!r}" for step in result.steps)]
    return [*map(_line, lines)]


def difference(one: Sequence[Line], other: Sequence[Line], passing: _Places = frozenset()) -> str | None:
    """The first place where two likenesses part, in words, but for those that are `passing`."""
    at = _first_apart(one, other, passing)
    if at is None:
        return None
    left, right = (lines[at].shown if at < len(lines) else "nothing more" for lines in (one, other))
    return f"expected {left[:200]}, got {right[:200]}"


def apart(one: Run, other: Run, *likenesses: Likeness) -> str | None:
    """Where two runs part: in their events, in what the model was sent, or in what `likenesses` look at.

    What differs between `one` and the same run on other fresh instances is passing: no instance has kept it.
    """
    for likeness in likenesses or (events_likeness, requests_likeness):
        left = likeness(one)
        if found := difference(left, likeness(other), _passing(left, map(likeness, one.others))):
            return found
    return None


def apart_by_nature(one: Run, other: Run, *likenesses: Likeness) -> bool:
    """Whether the first place where they part may be one that differs in every two runs."""
    for likeness in likenesses or (events_likeness, requests_likeness):
        left, right = likeness(one), likeness(other)
        at = _first_apart(left, right, _passing(left, map(likeness, one.others)))
        if at is not None:
            return at < min(len(left), len(right)) and _alike(left[at], right[at])
    return False


def results_apart(one: Run, other: Run) -> str | None:
    """Where two buffered results part; None too where one of the runs has none that can be read."""
    if one.buffered is None or other.buffered is None:
        return None
    wanted = result_likeness(one.buffered, one.conversation.token)
    return difference(wanted, result_likeness(other.buffered, other.conversation.token))


def _line(text: str) -> Line:
    return Line(text, text)


def _event_line(kind: type[object], plain: Any) -> Line:
    """Of the events of the protocol all is fixed, but for what an author may write into them: labels, attributes."""
    shown = f"{kind.__name__} {plain!r}"
    if (kind in _OF_THE_PROTOCOL and kind is not StepBoundary) or not issubclass(kind, AgentEvent):
        return _line(shown)
    own = {"label": plain.pop("label", None)} if kind is StepBoundary else plain
    form, loose = _taken_apart(own)
    return Line(shown, f"{kind.__name__} {form}" + (f" {plain!r}" if kind is StepBoundary else ""), tuple(loose))


def _taken_apart(value: Any) -> tuple[str, list[str]]:
    """The form of a plain value, and what stands in it: texts word by word."""
    match value:
        case dict():
            inside = {name: _taken_apart(item) for name, item in value.items()}
            form = ", ".join(f"{name}: {each}" for name, (each, _) in inside.items())
            return f"{{{form}}}", [piece for _, loose in inside.values() for piece in loose]
        case list():
            parts = [_taken_apart(item) for item in value]
            return f"[{', '.join(form for form, _ in parts)}]", [piece for _, loose in parts for piece in loose]
        case str():
            return "a text", _WORDS.findall(value)
        case _:
            return "a value", [repr(value)]


def _alike(one: Line, other: Line) -> bool:
    """Whether two lines differ in loose pieces at most."""
    return one.fixed == other.fixed and len(one.loose) == len(other.loose)


def _first_apart(one: Sequence[Line], other: Sequence[Line], passing: _Places) -> int | None:
    for at, (left, right) in enumerate(zip(one, other, strict=False)):
        pairs = enumerate(zip(left.loose, right.loose, strict=False))
        if not _alike(left, right) or any(a != b and (at, piece) not in passing for piece, (a, b) in pairs):
            return at
    return None if len(one) == len(other) else min(len(one), len(other))


def _passing(one: Sequence[Line], others: Iterable[Sequence[Line]]) -> _Places:
    """Where `one` differs from the same on other instances; none behind a line that differs in more."""
    return frozenset(place for other in others for place in _places_apart(one, other))


def _places_apart(one: Sequence[Line], other: Sequence[Line]) -> Iterator[tuple[int, int]]:
    for at, (left, right) in enumerate(zip(one, other, strict=False)):
        if not _alike(left, right):
            return
        yield from ((at, piece) for piece, (a, b) in enumerate(zip(left.loose, right.loose, strict=True)) if a != b)


def _request_lines(request: Request, token: str) -> Iterator[Line]:
    names = _Names(token)
    own = sum(row.get("role") in SYSTEM for row in request.messages)
    yield _line(f"{_request(request.turn)}: {own} of the system's rows")
    tools = (json.dumps(to_builtins(dict(tool), enc_hook=repr), ensure_ascii=False) for tool in request.tools)
    yield from sorted(_tool_line(request.turn, tool) for tool in tools)
    for row in request.messages:
        if row.get("role") not in SYSTEM:
            yield _row_line(request.turn, names.plain(_row(row)))


def _row_line(turn: int, row: Any) -> Line:
    """Of a row its text is loose: an agent may put the time into it, or marks around what a tool gave."""
    text = row.get("content")
    loose = _WORDS.findall(text) if isinstance(text, str) else []
    fixed = {**row, "content": None} if isinstance(text, str) else row
    shown, form = (json.dumps(each, sort_keys=True, ensure_ascii=False) for each in (row, fixed))
    return Line(f"{_request(turn)}: {shown}", f"{_request(turn)}: {form}", tuple(loose))


def _request(turn: int) -> str:
    """The request that the turn answered, for people, who count from 1."""
    return f"request {turn + 1} to the model"


@lru_cache(maxsize=256)  # most requests offer what the one before did
def _tool_line(turn: int, tool: str) -> Line:
    """Of a definition its texts are loose: a description may tell the time."""
    plain = json.loads(tool)
    function = plain.get("function")
    name = function.get("name") if isinstance(function, dict) else plain.get("name")
    form, loose = _taken_apart(plain)
    offered = f"{_request(turn)}: the tool {name!r}"
    return Line(f"{offered}, {tool}", f"{offered}, {form}", tuple(loose))


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
