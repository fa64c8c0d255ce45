"""Ways to spoil a valid trace, and why some of them do not: the mutant is another valid trace."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from msgspec.structs import replace as changed

from latent.protocol import (
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

Trace: TypeAlias = list[Any]
DELTAS = (TextDelta, ReasoningDelta)
LOOSE = (Metadata, UnknownEvent)
MARKERS = (PhaseStarted, PhaseCompleted, PhaseRouted, GuidelineMatched, JourneyStepAdvanced, JourneyCompleted)
CONTENT = (*DELTAS, LLMCallStart, LLMCallEnd, ToolCall, ToolResult, Usage)
IDS = {
    LLMCallStart: "run_id",
    LLMCallEnd: "run_id",
    ToolCall: "id",
    ToolResult: "tool_call_id",
    RetrieverStart: "run_id",
    RetrieverEnd: "run_id",
    PhaseStarted: "phase_name",
    PhaseCompleted: "phase_name",
}


@dataclass(frozen=True)
class Mutant:
    """A trace with one change at `index`."""

    trace: Trace
    original: Trace
    index: int
    note: str = ""
    complete: bool = True

    @property
    def event(self) -> Any:
        """What was changed."""
        return self.original[self.index]


Operator: TypeAlias = Callable[[Trace], Iterator[Mutant]]


def drop(trace: Trace) -> Iterator[Mutant]:
    for at in range(len(trace)):
        yield Mutant(trace[:at] + trace[at + 1 :], trace, at)


def double(trace: Trace) -> Iterator[Mutant]:
    for at, event in enumerate(trace):
        yield Mutant([*trace[:at], event, *trace[at:]], trace, at)


def swap(trace: Trace) -> Iterator[Mutant]:
    for at in range(len(trace) - 1):
        yield Mutant([*trace[:at], trace[at + 1], trace[at], *trace[at + 2 :]], trace, at)


def move_over_a_boundary(trace: Trace) -> Iterator[Mutant]:
    """The last event of a step becomes the first of the next one, and the first one the last of the step before."""
    for at, event in enumerate(trace):
        if isinstance(event, StepBoundary) and 0 < at < len(trace) - 1:
            before, after = trace[at - 1], trace[at + 1]
            yield Mutant([*trace[: at - 1], event, before, *trace[at + 1 :]], trace, at - 1)
            yield Mutant([*trace[:at], after, event, *trace[at + 2 :]], trace, at + 1)


def rename_an_id(trace: Trace) -> Iterator[Mutant]:
    for at, event in enumerate(trace):
        if name := IDS.get(type(event)):
            renamed = changed(event, **{name: "someone else"})
            yield Mutant([*trace[:at], renamed, *trace[at + 1 :]], trace, at)


def change_a_type(trace: Trace) -> Iterator[Mutant]:
    """Each field in turn holds an object of a class of its own."""
    for at, event in enumerate(trace):
        if isinstance(event, Metadata):
            continue  # it checks its fields itself
        for name in type(event).__struct_fields__:
            spoiled = changed(event, **{name: object()})
            yield Mutant([*trace[:at], spoiled, *trace[at + 1 :]], trace, at, name)


def cut_off(trace: Trace) -> Iterator[Mutant]:
    """The run ends early, and claims to be whole."""
    for length in range(1, len(trace)):
        yield Mutant(trace[:length], trace, length)


OPERATORS: dict[str, Operator] = {
    each.__name__: each for each in (drop, double, swap, move_over_a_boundary, rename_an_id, change_a_type, cut_off)
}


# Why a mutant may survive. Each reason is a claim about the protocol, in terms of what was changed.


def excuse(operator: str, mutant: Mutant) -> str | None:
    """Why the mutant of this operator is a valid trace too, or `None` where it is not."""
    return _EXCUSES[operator](mutant)


def _dropped(mutant: Mutant) -> str | None:
    event, trace, at = mutant.event, mutant.original, mutant.index
    match event:
        case TextDelta() | ReasoningDelta():
            return "the agent might have said less"
        case Metadata() | UnknownEvent() | GuidelineMatched() | JourneyStepAdvanced() | JourneyCompleted():
            return "nothing refers to it"
        case VerificationResult() | PhaseRouted() | Usage():
            return "it may be left out"
        case StepBoundary() if not any(isinstance(each, StepBoundary) for each in trace[at + 1 :]):
            return "two iterations told as one: only a controlled model shows it"
        case Error():
            return "a run in which nothing was open ends well"
        case RetrieverStart() | RetrieverEnd() | ToolResult() if _fails(trace):
            return "what was open when the run failed is no fault" if not isinstance(event, RetrieverStart) else None
        case PhaseCompleted() if _fails(trace) or _restarts(trace, at):
            return "the attempt failed"
        case _:
            return None


def _doubled(mutant: Mutant) -> str | None:
    match mutant.event:
        case TextDelta() | ReasoningDelta():
            return "the agent may repeat a word"
        case Metadata() | UnknownEvent() | JourneyStepAdvanced() | VerificationResult():
            return "it may be said twice"
        case Usage():
            return "another call of the step reported none"
        case _:
            return None


def _fails(trace: Trace) -> bool:
    return isinstance(trace[-1], Error)


def _restarts(trace: Trace, at: int) -> bool:
    """Whether the next thing that happens to phases explains an attempt that did not end well."""
    name = trace[at].phase_name
    following = [each for each in trace[at + 1 :] if isinstance(each, (PhaseStarted, PhaseRouted))]
    return any(isinstance(each, PhaseRouted) and each.from_phase == name for each in following[:1])
