"""Adapters to protocols of frames, in which a text is opened, continued and closed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Literal, TypeAlias

from latent.conformance._library._trial import Trial
from latent.conformance._verdict._report import Report
from latent.protocol import (
    AgentEvent,
    Error,
    LLMCallEnd,
    LLMCallStart,
    ReasoningDelta,
    StepBoundary,
    TextDelta,
    ToolCall,
    ToolResult,
)

__all__ = ["Frame", "check_framing"]

Frame: TypeAlias = tuple[Literal["open", "close", "tool", "step end", "error", "run end"], str]
"""What a frame does, and its id: `open` and `close` are those of text and reasoning; elsewhere the id is ignored."""

_ASKED: tuple[AgentEvent, ...] = (
    *(StepBoundary(0), LLMCallStart("r0", ""), ReasoningDelta("Hm"), TextDelta("Let me "), TextDelta("look.")),
    *(ToolCall.from_arguments("c", "search", {"q": "rain"}), LLMCallEnd("r0"), ToolResult("c", "found")),
)
_RUNS: dict[str, tuple[AgentEvent, ...]] = {
    "text before a tool": (*_ASKED, StepBoundary(1), TextDelta("It "), TextDelta("rains.")),
    "text, a tool and text in one step": (*_ASKED, TextDelta("It rains.")),
    "text in two steps": (StepBoundary(0), TextDelta("One."), StepBoundary(1), TextDelta("Two.")),
    "reasoning alone": (StepBoundary(0), ReasoningDelta("Hm"), StepBoundary(1), TextDelta("Two.")),
    "text before a failure": (StepBoundary(0), TextDelta("It "), Error("failed")),
    "reasoning before a failure": (StepBoundary(0), ReasoningDelta("Hm"), Error("failed")),
}


def check_framing(adapt: Callable[[Sequence[AgentEvent]], Iterable[Frame]]) -> Report:
    """Judge an adapter to a protocol of frames: ADAPT-1.

    `adapt(events)` gives the frames of one whole run, each as what it does and its id; frames that add
    to an open one or that do something else are left out.
    """
    trial = Trial("ADAPT-1")
    for what, events in _RUNS.items():
        frames = trial.call("ADAPT-1", f"the frames of {what}", partial(_framed, adapt, events))
        if frames is not None:
            fault = _fault(frames)
            trial.hold("ADAPT-1", fault is None, f"In the frames of {what}: {fault}")
    return trial.report()


def _framed(adapt: Callable[[Sequence[AgentEvent]], Iterable[Frame]], events: Sequence[AgentEvent]) -> list[Frame]:
    return list(adapt(events))


def _fault(frames: Sequence[Frame]) -> str | None:
    seen: set[str] = set()
    open_frames: list[str] = []
    for does, name in frames:
        if does == "open":
            if name in seen:
                return f"expected an id of its own for each frame, got {name!r} again"
            seen.add(name)
            open_frames.append(name)
        elif does == "close":
            if name not in open_frames:
                return f"expected the end of an open frame, got one of {name!r}, which is none"
            open_frames.remove(name)
        elif open_frames:
            return f"expected the frame {open_frames[-1]!r} to be closed before the frame of {does!r}"
    if open_frames:
        return f"expected every frame to be closed, got {open_frames[-1]!r} open at the end"
    return None if seen else "expected a frame for its text or reasoning, got none"
