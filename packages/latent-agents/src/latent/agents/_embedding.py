"""The events of a child, made to fit into the stream of its parent."""

from __future__ import annotations

from collections.abc import Iterator
from secrets import token_hex

from msgspec.structs import replace

from latent.protocol import (
    AgentEvent,
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
    Usage,
)

__all__ = ["Embedding", "StepCount"]

_IN_STEP = (TextDelta, ReasoningDelta, LLMCallStart, LLMCallEnd, ToolCall, ToolResult, Usage)
_MARKERS = (
    *(Metadata, GuidelineMatched, JourneyStepAdvanced, JourneyCompleted),
    *(PhaseStarted, PhaseCompleted, PhaseRouted),
)
"""What fills no step."""


class StepCount:
    """The steps and the ids of the parent's run so far."""

    def __init__(self) -> None:
        self.next = 0
        self.taken: set[str] = set()


class Embedding:
    """Renumbers the steps of one child's run, opens one where the child forgot to, and keeps ids unique.

    A boundary is held back, and the markers after it, until something happens in the step, so that no
    child leaves an empty one, which would make an empty text of the whole; the markers then come
    without it. `text` is the text of the child's last step.
    """

    def __init__(self, count: StepCount) -> None:
        self._count = count
        self._boundary: StepBoundary | None = None
        self._held: list[AgentEvent] = []
        self._is_open = False
        self._ids: dict[str, str] = {}
        self._text: list[str] = []

    @property
    def text(self) -> str:
        """The text of the child's last step so far."""
        return "".join(self._text)

    def fit(self, event: AgentEvent) -> Iterator[AgentEvent]:
        """What the parent gives out for an event of the child."""
        if isinstance(event, StepBoundary):
            yield from self.finish()
            self._boundary = event
            return
        if self._boundary is not None:
            if isinstance(event, _MARKERS):
                self._held.append(event)
                return
            yield self._open(self._boundary)
            yield from self.finish()
        elif not self._is_open and isinstance(event, _IN_STEP):
            yield self._open(StepBoundary(0))
        if type(event) is TextDelta:
            self._text.append(event.text)
            yield event
        elif type(event) is ReasoningDelta:
            yield event
        else:
            yield self._renamed(event)

    def finish(self) -> list[AgentEvent]:
        """The markers that are held, of a step in which nothing happened."""
        held, self._held, self._boundary = self._held, [], None
        return held

    def _open(self, boundary: StepBoundary) -> StepBoundary:
        self._boundary, self._is_open = None, True
        self._text.clear()
        self._count.next += 1
        return StepBoundary(self._count.next - 1, boundary.label)

    def _renamed(self, event: AgentEvent) -> AgentEvent:
        match event:
            case ToolCall():
                return replace(event, id=self._new(event.id))
            case ToolResult():
                return replace(event, tool_call_id=self._known(event.tool_call_id))
            case LLMCallStart():
                return replace(event, run_id=self._new(event.run_id))
            case LLMCallEnd():
                return replace(event, run_id=self._known(event.run_id))
            case RetrieverStart() | RetrieverEnd():
                naming = self._new if isinstance(event, RetrieverStart) else self._known
                parent = event.parent_run_id
                return replace(
                    event, run_id=naming(event.run_id), parent_run_id=None if parent is None else self._known(parent)
                )
            case _:
                return event

    def _new(self, name: str) -> str:
        """The name of something that begins; another one where an earlier child had it."""
        given = name
        while not given or given in self._count.taken:
            given = f"{name}_{token_hex(4)}" if name else token_hex(8)
        self._count.taken.add(given)
        self._ids[name] = given
        return given

    def _known(self, name: str) -> str:
        return self._ids.get(name, name)
