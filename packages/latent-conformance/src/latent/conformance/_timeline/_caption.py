"""What a timeline says of one event."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from latent.conformance._observers._well_typed import WELL_TYPED
from latent.conformance._timeline._row import Described, Kind
from latent.conformance._verdict._excerpt import cut, shortened
from latent.protocol import (
    AgentEvent,
    Error,
    GuidelineMatched,
    JourneyCompleted,
    JourneyStepAdvanced,
    LLMCallEnd,
    LLMCallStart,
    Metadata,
    PhaseCompleted,
    PhaseRouted,
    PhaseStarted,
    ReasoningDelta,
    RetrieverEnd,
    RetrieverStart,
    StepBoundary,
    TextDelta,
    ToolCall,
    ToolResult,
    UnknownEvent,
    Usage,
    VerificationResult,
)

__all__ = ["LONGEST", "Caption", "caption", "short"]

LONGEST = 240
"""How many characters of a text are shown."""


@dataclass(frozen=True, slots=True)
class Caption:
    """What stands beside an event."""

    kind: Kind
    title: str
    """What it is."""
    text: str = ""
    """What it holds."""
    note: str = ""
    """What tells it from others of its kind."""
    key: str | None = None
    """What the beginning and the end of one thing have in common."""
    part: Literal["begins", "ends"] | None = None
    time: float = 0.0
    """Seconds since the epoch; 0.0 means unknown."""
    is_delta: bool = False
    """Whether it may be joined with its neighbours; `text` is whole then."""


def caption(event: object) -> Caption:
    """The caption of any object; never raises."""
    if type(event) is Described:
        return Caption(Kind.FOREIGN, short(event.kind), short(event.text))
    kind = type(event)
    if not issubclass(kind, AgentEvent):
        return Caption(Kind.FOREIGN, "no event", shortened(event, LONGEST))
    base = kind if kind in _TOLD else next((each for each in kind.__mro__ if each in _TOLD), None)
    if base is None:
        return Caption(Kind.NOTE, kind.__name__, shortened(event, LONGEST))
    about, title, tell = _TOLD[base]
    try:
        if base is UnknownEvent or WELL_TYPED[base](event):
            return tell(about, title, event)
    except Exception:  # whatever a foreign object does when it is looked at
        pass
    about = about if about is Kind.STEP else Kind.FOREIGN
    return Caption(about, title, shortened(event, LONGEST), "with a field of another type than declared")


def short(text: str) -> str:
    """As much of a text as a caption holds."""
    return cut(text, LONGEST)


def _step(kind: Kind, title: str, event: StepBoundary) -> Caption:
    return Caption(kind, f"{title} {event.step}", short(event.label or ""))


def _delta(kind: Kind, title: str, event: TextDelta | ReasoningDelta) -> Caption:
    return Caption(kind, title, event.text, is_delta=True)


def _tool_call(kind: Kind, title: str, event: ToolCall) -> Caption:
    text = f"{event.function.name}({event.function.arguments})"
    return Caption(kind, title, short(text), _id(event.id), event.id, "begins")


def _tool_result(kind: Kind, title: str, event: ToolResult) -> Caption:
    told = shortened(event.output) if event.error is None else f"error: {event.error}"
    return Caption(kind, title, short(told), _id(event.tool_call_id), event.tool_call_id, "ends")


def _call_start(kind: Kind, title: str, event: LLMCallStart) -> Caption:
    return Caption(kind, title, short(event.model_id or ""), _id(event.run_id), event.run_id, "begins", event.timestamp)


def _call_end(kind: Kind, title: str, event: LLMCallEnd) -> Caption:
    tokens = f"{event.input_tokens} tokens in, {event.output_tokens} out"
    return Caption(kind, title, tokens, _id(event.run_id), event.run_id, "ends", event.timestamp)


def _query(kind: Kind, title: str, event: RetrieverStart) -> Caption:
    text = _listed(event.name, repr(event.query))
    return Caption(kind, title, text, _id(event.run_id), event.run_id, "begins", event.timestamp)


def _found(kind: Kind, title: str, event: RetrieverEnd) -> Caption:
    documents = "1 document" if len(event.documents) == 1 else f"{len(event.documents)} documents"
    return Caption(
        kind, title, _listed(event.name, documents), _id(event.run_id), event.run_id, "ends", event.timestamp
    )


def _phase_start(kind: Kind, title: str, event: PhaseStarted) -> Caption:
    attempt = f"attempt {event.retry_count + 1}" if event.retry_count else None
    return Caption(kind, title, _listed(event.phase_name, attempt), key=event.phase_name, part="begins")


def _phase_end(kind: Kind, title: str, event: PhaseCompleted) -> Caption:
    return Caption(kind, title, _listed(event.phase_name, event.output_preview), key=event.phase_name, part="ends")


def _route(kind: Kind, title: str, event: PhaseRouted) -> Caption:
    return Caption(kind, title, _listed(f"{event.from_phase} → {event.to_phase}", event.reason))


def _usage(kind: Kind, title: str, event: Usage) -> Caption:
    return Caption(kind, title, f"{event.input_tokens} tokens in, {event.output_tokens} out")


def _error(kind: Kind, title: str, event: Error) -> Caption:
    return Caption(kind, title, short(event.message))


def _guideline(kind: Kind, title: str, event: GuidelineMatched) -> Caption:
    return Caption(kind, title, _listed(event.guideline_id, f"{event.when} → {event.then}"))


def _journey_step(kind: Kind, title: str, event: JourneyStepAdvanced) -> Caption:
    return Caption(kind, title, _listed(event.journey_name, f"{event.step_name} ({event.step_index})"))


def _journey_end(kind: Kind, title: str, event: JourneyCompleted) -> Caption:
    return Caption(kind, title, short(event.journey_name))


def _metadata(kind: Kind, title: str, event: Metadata) -> Caption:
    return Caption(kind, title, _listed(event.target, shortened(dict(event.attributes), LONGEST)))


def _verification(kind: Kind, title: str, event: VerificationResult) -> Caption:
    return Caption(kind, title, _listed("accepted" if event.accepted else "not accepted", event.feedback))


def _unknown(kind: Kind, title: str, event: UnknownEvent) -> Caption:
    return Caption(kind, title, _listed(event.event, event.data[:LONGEST].decode("utf-8", "replace")))


def _id(text: str) -> str:
    return cut(text, 60)


def _listed(*parts: str | None) -> str:
    return short("  ".join(part for part in parts if part))


_TOLD: dict[type[AgentEvent], tuple[Kind, str, Callable[[Kind, str, Any], Caption]]] = {
    StepBoundary: (Kind.STEP, "Step", _step),
    TextDelta: (Kind.TEXT, "text", _delta),
    ReasoningDelta: (Kind.REASONING, "reasoning", _delta),
    ToolCall: (Kind.TOOL, "tool call", _tool_call),
    ToolResult: (Kind.TOOL, "tool result", _tool_result),
    LLMCallStart: (Kind.MODEL, "model call", _call_start),
    LLMCallEnd: (Kind.MODEL, "model call ends", _call_end),
    RetrieverStart: (Kind.RETRIEVAL, "retrieval", _query),
    RetrieverEnd: (Kind.RETRIEVAL, "retrieval ends", _found),
    PhaseStarted: (Kind.PHASE, "phase", _phase_start),
    PhaseCompleted: (Kind.PHASE, "phase ends", _phase_end),
    PhaseRouted: (Kind.NOTE, "route", _route),
    Usage: (Kind.NOTE, "usage", _usage),
    Error: (Kind.ERROR, "error", _error),
    GuidelineMatched: (Kind.NOTE, "guideline", _guideline),
    JourneyStepAdvanced: (Kind.NOTE, "journey step", _journey_step),
    JourneyCompleted: (Kind.NOTE, "journey ends", _journey_end),
    Metadata: (Kind.NOTE, "metadata", _metadata),
    VerificationResult: (Kind.NOTE, "verification", _verification),
    UnknownEvent: (Kind.NOTE, "unknown event", _unknown),
}
"""Event class -> what it is about, what it is called, and what is said of one that is well typed."""
