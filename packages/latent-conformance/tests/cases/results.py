"""What one `invoke` shows: its result against the events that the wrapper handed on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cases._passive import PLAIN, answer, asked, call, said, step

from latent.conformance import Level
from latent.protocol import (
    AgentEvent,
    InvokeResult,
    Message,
    PhaseCompleted,
    PhaseStarted,
    ReasoningDelta,
    Segmenter,
    Step,
    StepBoundary,
    TextDelta,
)


@dataclass(frozen=True, kw_only=True)
class ResultCase:
    """A sound run that puts `rule` to the test, and a result of it that breaks that rule and nothing else."""

    rule: str
    name: str = ""
    events: Sequence[AgentEvent]
    exercised: int
    broken: InvokeResult
    broken_events: Sequence[AgentEvent] | None = None
    """What the wrapper handed on, where the broken result comes of other events."""
    received: Sequence[AgentEvent] | None = None
    """What the wrapper was given, where it hands on something else."""
    level: Level = Level.MUST
    declared: Mapping[str, Any] = field(default_factory=dict)

    @property
    def broken_run(self) -> Sequence[AgentEvent]:
        """The events that the broken result comes with."""
        return self.events if self.broken_events is None else self.broken_events


class _Mute(Step):
    """A step that loses its text on the way into the history."""

    def to_messages(self) -> list[Message]:
        return [Message("assistant", "", tool_calls=self.tool_calls or None), *self.tool_messages]


def buffered(events: Sequence[AgentEvent]) -> InvokeResult:
    segmenter = Segmenter()
    for event in events:
        segmenter.feed(event)
    return segmenter.finish()


def _changed(events: Sequence[AgentEvent], at: int = -1, **changes: Any) -> InvokeResult:
    """The sound result with one step changed, and the text that follows from it."""
    result = buffered(events)
    for name, value in changes.items():
        setattr(result.steps[at], name, value)
    return result


def _row(id: str, content: Any) -> Message:
    return Message("tool", content, tool_call_id=id)


_TALK = [StepBoundary(0), ReasoningDelta("Hm"), *said("Let me see"), *asked(call(), run="s"), answer()]
_RUN = [*_TALK, *step(1, *said("It is ", "raining", run="t"))]
_PAIR = [
    *step(0, *asked(call("a"), call("b"), run="s"), answer("b", None), answer("a", output="A", error=None)),
    *step(1),
]
_ROWS = [_row("a", "A"), _row("b", "None")]
_SILENT = [*_TALK, *step(1, *asked(run="t"))]
_PHASES: list[AgentEvent] = [
    *[PhaseStarted("a"), *step(0, *said("Draft")), PhaseCompleted("a")],
    *[PhaseStarted("b"), *step(1, *said("Final", run="s")), PhaseCompleted("b")],
]
_LABELLED = [*step(0), *step(1, TextDelta("canned"), label="fast_response"), *step(2)]

CASES = [
    ResultCase(
        rule="STEP-6",
        events=_RUN,
        exercised=2,
        broken=InvokeResult("It is raining", [_changed(_RUN, 1, step=2).steps[1]]),
    ),
    ResultCase(rule="STEP-6", name="renumbered", events=step(5), exercised=1, broken=_changed(step(5), step=0)),
    ResultCase(
        rule="STEP-8",
        events=_LABELLED,
        exercised=1,
        broken=InvokeResult("Hello", [step for step in buffered(_LABELLED).steps if step.step != 1]),
    ),
    ResultCase(rule="TEXT-1", events=_RUN, exercised=1, broken=InvokeResult("raining", buffered(_RUN).steps)),
    ResultCase(rule="TEXT-2", events=_RUN, exercised=3, broken=_changed(_RUN, 1, text="It is")),
    ResultCase(rule="TEXT-2", name="reasoning", events=_RUN, exercised=3, broken=_changed(_RUN, 0, reasoning="")),
    ResultCase(
        rule="TEXT-3",
        events=_RUN,
        exercised=1,
        broken=InvokeResult("Let me seeIt is raining", buffered(_RUN).steps),
    ),
    ResultCase(rule="TEXT-3", name="lost", events=_RUN, exercised=1, broken=_changed(_RUN, 0, text="")),
    ResultCase(rule="TEXT-4", events=_SILENT, exercised=1, broken=InvokeResult("Let me see", buffered(_SILENT).steps)),
    ResultCase(
        rule="TOOL-11",
        events=_PAIR,
        exercised=2,
        broken=_changed(_PAIR, 0, tool_calls=[call("a"), call("b", arguments='{"x":1}')]),
    ),
    ResultCase(
        rule="TOOL-11",
        name="over the whole run",
        events=_PAIR,
        exercised=2,
        broken=InvokeResult("Hello", [Step(0, tool_calls=[call("b"), call("a")], tool_messages=_ROWS)]),
        declared={"own_segmentation": True},
    ),
    ResultCase(
        rule="TOOL-12",
        events=_PAIR,
        exercised=2,
        broken=_changed(_PAIR, 0, tool_messages=[_row("a", "A"), _row("b", "")]),
    ),
    ResultCase(
        rule="TOOL-12",
        name="one is missing",
        events=_PAIR,
        exercised=2,
        broken=_changed(_PAIR, 0, tool_messages=[_row("a", "A")]),
    ),
    ResultCase(
        rule="TOOL-13",
        events=_PAIR,
        exercised=1,
        broken=_changed(_PAIR, 0, tool_messages=[_row("b", "None"), _row("a", "A")]),
        level=Level.SHOULD,
    ),
    ResultCase(rule="PHASE-6", events=_PHASES, exercised=1, broken=InvokeResult("DraftFinal", buffered(_PHASES).steps)),
    ResultCase(
        rule="MSG-1",
        events=_PAIR,
        exercised=1,
        broken=_changed(_PAIR, 0, tool_messages=[_row("a", "A"), Message("system", "one more"), _row("b", "None")]),
    ),
    ResultCase(
        rule="MSG-2",
        events=_RUN,
        exercised=1,
        broken=_changed(_RUN, 0, tool_messages=[_row("c", ["found"])]),
    ),
    ResultCase(
        rule="MSG-3",
        events=_RUN,
        exercised=1,
        broken=_changed(_RUN, 0, tool_calls=(call(),)),
    ),
    ResultCase(
        rule="MSG-7",
        events=PLAIN,
        exercised=1,
        broken=InvokeResult("Hello", [_Mute(0, text="Hello")]),
        level=Level.SHOULD,
    ),
    ResultCase(rule="WRAP-1", events=PLAIN, exercised=1, broken=buffered(PLAIN), broken_events=[]),
    ResultCase(
        rule="WRAP-3",
        events=[event for event in _RUN if not isinstance(event, TextDelta)],
        exercised=1,
        broken=buffered(_RUN),
        received=_RUN,
    ),
]
