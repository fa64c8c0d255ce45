"""One fault for each rule that a list of events can be seen to break, as data.

`AFTER` holds what comes after a valid run, with the number of the next step; `BEFORE` what comes before
it; `WITHIN` what is done to the run itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from latent.protocol import (
    AgentEvent,
    Error,
    FunctionCall,
    GuidelineMatched,
    JourneyCompleted,
    LLMCallEnd,
    LLMCallStart,
    PhaseCompleted,
    PhaseRouted,
    PhaseStarted,
    RetrieverEnd,
    RetrieverStart,
    StepBoundary,
    TextDelta,
    ToolCall,
    ToolResult,
    Usage,
    VerificationResult,
)

__all__ = ["AFTER", "BEFORE", "WITHIN"]

_ID = "broken"
_NOTHING: Any = None
"""What a field holds that its type forbids."""
_OPEN = LLMCallStart(_ID, "in")
_DONE = LLMCallEnd(_ID, None, 3, 2)
_WORD = TextDelta("Well")
_CALL = ToolCall(_ID, FunctionCall("search", "{}"))
_RESULT = ToolResult(_ID, "found")


def _step(*content: object) -> Callable[[int], list[object]]:
    return lambda number: [StepBoundary(number), *content]


def _called(*content: object, start: LLMCallStart = _OPEN, end: LLMCallEnd = _DONE) -> Callable[[int], list[object]]:
    return _step(start, *content, end)


def _with(call: ToolCall, *results: ToolResult) -> Callable[[int], list[object]]:
    return _step(_OPEN, call, _DONE, *results)


def _arguments(text: str) -> ToolCall:
    return ToolCall(_ID, FunctionCall("search", text))


def _two_steps(*events: object) -> Callable[[int], list[object]]:
    """`events`, with the next boundary where an ellipsis stands."""
    return lambda number: [
        StepBoundary(number),
        *(StepBoundary(number + 1) if event is ... else event for event in events),
    ]


AFTER: dict[str, Callable[[int], Sequence[object]]] = {
    "PROTO-4": lambda number: [{"event": "text_delta"}],
    "PROTO-5": _called(TextDelta(_NOTHING)),
    "PROTO-9": _with(_CALL, ToolResult(_ID, {1, 2})),
    "STEP-2": lambda number: [StepBoundary(number - 1), _OPEN, _WORD, _DONE],
    "STEP-3": lambda number: [StepBoundary(number + 1), _OPEN, _WORD, _DONE],
    "STEP-4": _step(_OPEN, _CALL, _DONE, _RESULT, LLMCallStart("next", "in"), _WORD, LLMCallEnd("next")),
    "STEP-5": _step(),
    "STEP-7": _two_steps(_OPEN, _CALL, _DONE, ..., _RESULT),
    "TEXT-5": _called(TextDelta("Good "), TextDelta("morning"), TextDelta("Good morning")),
    "TEXT-8": _called(TextDelta("")),
    "TEXT-9": _called(TextDelta("\ud83d")),
    "TEXT-10": lambda number: [Error("failed"), _WORD],
    "TOOL-1": _with(ToolCall("", _CALL.function), ToolResult("", 1)),
    "TOOL-2": _step(_OPEN, _CALL, ToolCall(_ID, FunctionCall("read", "{}")), _DONE, _RESULT),
    "TOOL-3": _step(_RESULT),
    "TOOL-4": _with(_CALL),
    "TOOL-5": _step(_OPEN, _CALL, _CALL, _DONE, _RESULT),
    "TOOL-6": _with(_arguments(""), _RESULT),
    "TOOL-7": _with(_arguments('"{}"'), _RESULT),
    "TOOL-10": _with(ToolCall(_ID, FunctionCall("", "{}")), _RESULT),
    "TOOL-17": _with(_CALL, ToolResult(_ID, "found", "ValueError")),
    "CALL-1": _called(start=LLMCallStart("", "in"), end=LLMCallEnd("")),
    "CALL-2": _step(_DONE),
    "CALL-3": _step(_OPEN, _WORD),
    "CALL-4": _step(_OPEN, _DONE, _WORD),
    "CALL-5": _two_steps(_OPEN, _WORD, ..., _DONE),
    "CALL-6": _called(start=LLMCallStart(_ID, "in", None, 9e9), end=LLMCallEnd(_ID, timestamp=8e9)),
    "CALL-8": _called(end=LLMCallEnd(_ID, None, -1)),
    "CALL-9": _called(start=LLMCallStart(_ID, "in", "one"), end=LLMCallEnd(_ID, model_id="other")),
    "CALL-11": _called(start=LLMCallStart(_ID, "x" * 10_001)),
    "USAGE-1": _step(_OPEN, _DONE, Usage(3, 2, None, 2, 2)),
    "USAGE-3": _step(_OPEN, _DONE, Usage(3, 2), Usage(3, 2)),
    "USAGE-4": _step(_OPEN, _DONE, Usage(3, 3)),
    "RETR-1": lambda number: [RetrieverEnd(_ID, [])],
    "RETR-3": lambda number: [RetrieverStart(_ID, "x"), RetrieverEnd(_ID, [_NOTHING])],
    "RETR-4": lambda number: [RetrieverStart(_ID, "x", parent_run_id="nobody"), RetrieverEnd(_ID, [])],
    "RETR-5": lambda number: [RetrieverStart(_ID, "x", "one"), RetrieverEnd(_ID, [], "other")],
    "PHASE-1": lambda number: [PhaseCompleted(_ID)],
    "PHASE-2": lambda number: [PhaseStarted(_ID)],
    "PHASE-3": lambda number: [PhaseStarted(_ID, 1), PhaseCompleted(_ID)],
    "PHASE-4": lambda number: [PhaseRouted("nobody", _ID), PhaseStarted(_ID), PhaseCompleted(_ID)],
    "PHASE-5": lambda number: [PhaseStarted(_ID), PhaseStarted("in"), PhaseCompleted(_ID), PhaseCompleted("in")],
    "PHASE-7": _step(PhaseStarted(_ID), PhaseCompleted(_ID)),
    "PHASE-8": lambda number: [PhaseStarted(_ID), Error("failed"), PhaseStarted(_ID, 1)],
    "GUIDE-1": _step(_OPEN, _WORD, _DONE, GuidelineMatched(_ID, "", "")),
    "GUIDE-2": lambda number: [JourneyCompleted(_ID, ""), JourneyCompleted(_ID, "")],
    "GUIDE-4": _step(_OPEN, _DONE, VerificationResult(True)),
    "ERR-1": lambda number: [Error("failed"), Usage()],
    "ERR-2": lambda number: [Error("failed"), Error("failed")],
    "ERR-7": lambda number: [Error("")],
    "ERR-10": _step(_OPEN, _CALL, _DONE, Error("failed")),
}

BEFORE: dict[str, Sequence[AgentEvent]] = {"STEP-1": [_OPEN, _DONE]}

WITHIN: dict[str, Callable[[list[AgentEvent]], list[Any]]] = {
    "STEP-9": lambda trace: [_OPEN, _WORD, _DONE],
}
