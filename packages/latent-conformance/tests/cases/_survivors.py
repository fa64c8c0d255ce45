"""Why a mutant may survive: each reason is a claim about the protocol, made without the kit's help."""

from __future__ import annotations

from collections.abc import Callable

from cases._mutations import IDS, Mutant, Trace

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

DELTAS = (TextDelta, ReasoningDelta)
LOOSE = (Metadata, UnknownEvent)
MARKERS = (PhaseStarted, PhaseCompleted, PhaseRouted, GuidelineMatched, JourneyStepAdvanced, JourneyCompleted)
HAPPENINGS = (UnknownEvent, RetrieverStart, RetrieverEnd, VerificationResult)
"""What is no content, but fills a step too."""
CONTENT = (*DELTAS, LLMCallStart, LLMCallEnd, ToolCall, ToolResult, Usage)

FREE = (*LOOSE, *MARKERS, RetrieverStart, RetrieverEnd, VerificationResult)
"""What may stand anywhere in a run, as far as its neighbours are concerned."""


def excuse(operator: str, mutant: Mutant) -> str | None:
    """Why the mutant of this operator is a valid trace too, or `None` where it is not."""
    return _EXCUSES[operator](mutant)


def _dropped(mutant: Mutant) -> str | None:
    event, trace, at = mutant.event, mutant.original, mutant.index
    match event:
        case TextDelta() | ReasoningDelta():
            return "the agent may say less"
        case Metadata() | UnknownEvent() | GuidelineMatched() | JourneyStepAdvanced() | JourneyCompleted():
            return "nothing refers to it"
        case VerificationResult() | PhaseRouted() | Usage():
            return "it may be left out"
        case StepBoundary() if not any(isinstance(each, CONTENT) for each in trace):
            return "there is nothing to tell apart"
        case StepBoundary() if not _tells_of_a_step(trace, at):
            return "its step held nothing that belongs to one"
        case StepBoundary() if at and not any(isinstance(each, StepBoundary) for each in trace[at + 1 :]):
            return "two iterations told as one: only a controlled model shows it"
        case PhaseStarted() if event.retry_count or _was_tried_before(trace, at):
            return "two attempts told as one"
        case PhaseCompleted() if _has_failed(trace, at):
            return "the attempt failed, and the pipeline went another way or tried again"
        case Error():
            return _ends_well(mutant.trace)
        case _:
            return _in_a_failed_run(mutant)


def _doubled(mutant: Mutant) -> str | None:
    match mutant.event:
        case TextDelta() | ReasoningDelta():
            return "the agent may repeat a word"
        case Metadata() | UnknownEvent() | JourneyStepAdvanced() | VerificationResult():
            return "it may be said twice"
        case Usage():
            return "it stands for a call of the step that had none"
        case _:
            return None


def _swapped(mutant: Mutant) -> str | None:
    first, second = mutant.original[mutant.index], mutant.original[mutant.index + 1]
    if isinstance(first, PhaseStarted) and isinstance(second, PhaseCompleted) and first.retry_count:
        return "the attempt before it succeeded"
    if isinstance(second, Error) or _refer_to_each_other(first, second):
        return None
    if isinstance(first, StepBoundary):
        return _beyond_the_boundary(second)
    if isinstance(second, StepBoundary):
        return _beyond_the_boundary(first)
    if any(isinstance(each, DELTAS) for each in (first, second)) and any(
        isinstance(each, (LLMCallStart, LLMCallEnd)) for each in (first, second)
    ):
        own = {getattr(first, "run_id", ""), getattr(second, "run_id", "")}
        inside = _open_calls(mutant.original[: mutant.index]) - own
        return "the delta is within another call" if inside else _in_a_failed_run(mutant)
    return "neither refers to the other"


def _moved(mutant: Mutant) -> str | None:
    return _beyond_the_boundary(mutant.event)


def _renamed(mutant: Mutant) -> str | None:
    return _in_a_failed_run(mutant)


def _revalued(mutant: Mutant) -> str | None:
    event, name = mutant.event, mutant.note
    if name in _FREE_FIELDS.get(type(event), ()):
        return "any value is in order"
    later = mutant.trace[mutant.index + 1 :]
    match event, name:
        case (LLMCallStart() | LLMCallEnd(), "model_id") | (Usage(), "model_id"):
            return "an empty name is none"
        case (LLMCallStart() | LLMCallEnd(), "timestamp"):
            calls = (each for each in later if isinstance(each, (LLMCallStart, LLMCallEnd)))
            return None if any(each.timestamp for each in calls) else "no time is known of what comes later"
        case (RetrieverStart(), "timestamp"):
            ends = (each for each in later if isinstance(each, RetrieverEnd) and each.run_id == event.run_id)
            return None if any(each.timestamp for each in ends) else "no time is known of its end"
        case (RetrieverEnd(), "timestamp"):
            return "queries side by side may end in any order"
        case (Metadata(), "target"):
            return "the attributes may be those of the run or of a step"
        case (StepBoundary(), "step") if sum(isinstance(each, StepBoundary) for each in mutant.trace) == 1:
            return "a run may count from any number"
        case (VerificationResult(), "accepted"):
            goes_on = any(isinstance(each, (StepBoundary, Error)) for each in later)
            return "the verifier may think otherwise" if goes_on or not event.accepted else None
        case (PhaseStarted(), "phase_name"):
            return _in_a_failed_run(mutant)
        case _:
            return None


_FREE_FIELDS: dict[type, tuple[str, ...]] = {
    LLMCallStart: ("input_preview",),
    LLMCallEnd: ("output_preview",),
    ToolResult: ("output",),
    RetrieverStart: ("query",),
    RetrieverEnd: ("documents",),
    StepBoundary: ("label",),
    PhaseCompleted: ("output_preview",),
    GuidelineMatched: ("guideline_id", "when", "then"),
    JourneyStepAdvanced: ("journey_name", "step_name", "conversation_id"),
    JourneyCompleted: ("journey_name", "conversation_id"),
    VerificationResult: ("feedback",),
    UnknownEvent: ("event",),
}
"""What may hold anything, as far as the rest of the stream goes."""


def _cut(mutant: Mutant) -> str | None:
    return _ends_well(mutant.trace)


def _never(mutant: Mutant) -> str | None:
    return None


_EXCUSES: dict[str, Callable[[Mutant], str | None]] = {
    "drop": _dropped,
    "double": _doubled,
    "swap": _swapped,
    "move_over_a_boundary": _moved,
    "rename_an_id": _renamed,
    "change_a_type": _never,
    "change_a_value": _revalued,
    "cut_off": _cut,
}


def _beyond_the_boundary(event: object) -> str | None:
    if isinstance(event, FREE):
        return "it may stand in either step"
    if isinstance(event, DELTAS):
        return "it may be said in either step"
    if isinstance(event, Usage):
        return "a call of the other step had these tokens, or the step announces no calls"
    return None


def _in_a_failed_run(mutant: Mutant) -> str | None:
    """What was open when the run failed is no fault: a start without its end, in the last step."""
    trace, at = mutant.original, mutant.index
    starts = (RetrieverStart, PhaseStarted, RetrieverEnd, PhaseCompleted, *DELTAS)
    if isinstance(trace[-1], Error) and isinstance(mutant.event, (*starts, LLMCallStart, LLMCallEnd)):
        steps_after = any(isinstance(each, StepBoundary) for each in trace[at + 1 :])
        if not steps_after or isinstance(mutant.event, (RetrieverStart, RetrieverEnd, PhaseStarted, PhaseCompleted)):
            return "it was open when the run failed"
    return None


def _has_failed(trace: Trace, at: int) -> bool:
    """Whether a phase that does not tell its end is routed away from, or is started again."""
    following = [each for each in trace[at + 1 :] if isinstance(each, (PhaseStarted, PhaseCompleted, PhaseRouted))]
    match following[:1]:
        case [PhaseRouted(from_phase=name)] | [PhaseStarted(phase_name=name)]:
            return bool(name == trace[at].phase_name)
        case _:
            return False


def _tells_of_a_step(trace: Trace, at: int) -> bool:
    """Whether the events before the first boundary would be those of a step, if this one were not there."""
    if any(isinstance(each, StepBoundary) for each in trace[:at]):
        return True
    boundaries = (after for after in range(at + 1, len(trace)) if isinstance(trace[after], StepBoundary))
    return any(isinstance(each, (*CONTENT, VerificationResult)) for each in trace[at : next(boundaries, len(trace))])


def _was_tried_before(trace: Trace, at: int) -> bool:
    return any(isinstance(each, PhaseStarted) and each.phase_name == trace[at].phase_name for each in trace[:at])


def _refer_to_each_other(first: object, second: object) -> bool:
    names = [getattr(each, IDS[type(each)]) for each in (first, second) if type(each) in IDS]
    return len(names) == 2 and names[0] == names[1]


def _open_calls(events: Trace) -> set[str]:
    started = {each.run_id for each in events if isinstance(each, LLMCallStart)}
    return started - {each.run_id for each in events if isinstance(each, LLMCallEnd)}


def _ends_well(trace: Trace) -> str | None:
    """Whether nothing is open: no call, no query, no phase, no empty step, no rejected answer, no match unused."""
    open_ids: set[str] = set()
    for event in trace:
        match event:
            case LLMCallStart() | RetrieverStart():
                open_ids.add(event.run_id)
            case LLMCallEnd() | RetrieverEnd():
                open_ids.discard(event.run_id)
            case ToolCall():
                open_ids.add(event.id)
            case ToolResult():
                open_ids.discard(event.tool_call_id)
            case PhaseStarted():
                open_ids.add(event.phase_name)
            case PhaseCompleted():
                open_ids.discard(event.phase_name)
            case PhaseRouted():
                open_ids.discard(event.from_phase)
    boundary = max((at for at, each in enumerate(trace) if isinstance(each, StepBoundary)), default=0)
    empty = bool(trace) and not any(isinstance(each, (*CONTENT, *HAPPENINGS)) for each in trace[boundary:])
    opened = any(isinstance(each, StepBoundary) for each in trace)
    return None if open_ids or (opened and empty) else "what is left ends well"
