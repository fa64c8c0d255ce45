"""From a stream of events to steps."""

from __future__ import annotations

from typing import NoReturn

from latent.events import (
    AgentEvent,
    Error,
    LLMCallEnd,
    LLMCallStart,
    Message,
    ReasoningDelta,
    StepBoundary,
    TextDelta,
    ToolCall,
    ToolResult,
    Usage,
)
from latent.protocol._errors import ProtocolError
from latent.protocol._invoke import InvokeResult, Step

__all__ = ["Segmenter"]

_STEP_EVENTS = (TextDelta, ReasoningDelta, LLMCallStart, LLMCallEnd, ToolCall, ToolResult, Usage)


class Segmenter:
    """Builds the buffered view of a run: `feed` every event, then `finish` once.

    It does no I/O and never guesses: one of the seven step events before any `StepBoundary` raises
    `ProtocolError` (specification, clause 2.1). The text of a run is that of its last step, even
    where that is empty.
    """

    # Dispatch is on the exact type, text deltas first, because nearly every event is one and this runs
    # for each: `match` on Structs takes three times as long. Subclasses take the slow road. Texts are
    # joined at the end, since adding to an attribute is quadratic.

    __slots__ = ("_calls", "_error", "_reasoning", "_results", "_step", "_steps", "_text")

    def __init__(self) -> None:
        self._steps: list[Step] = []
        self._step: int | None = None
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._calls: list[ToolCall] = []
        self._results: list[ToolResult] = []
        self._error: str | None = None

    def feed(self, event: AgentEvent) -> None:
        """Take the next event of the stream."""
        if type(event) is TextDelta and self._step is not None:
            self._text.append(event.text)
        else:
            self._take(event)

    def finish(self) -> InvokeResult:
        """The run as it was fed."""
        self._close_step()
        text = self._steps[-1].text if self._steps else ""
        return InvokeResult(text=text, steps=self._steps, error=self._error)

    def _take(self, event: AgentEvent) -> None:
        if isinstance(event, StepBoundary):
            self._close_step()
            self._step = event.step
        elif isinstance(event, Error):
            self._error = event.message if self._error is None else self._error
        elif isinstance(event, _STEP_EVENTS):
            if self._step is None:
                self._refuse(event)
            self._record(event)

    def _record(self, event: AgentEvent) -> None:
        match event:
            case TextDelta():
                self._text.append(event.text)
            case ReasoningDelta():
                self._reasoning.append(event.text)
            case ToolCall():
                self._calls.append(event)
            case ToolResult():
                self._results.append(event)
            case _:
                pass  # model calls and their usage have no place in the buffered view

    def _close_step(self) -> None:
        if self._step is None:
            return
        self._steps.append(
            Step(
                step=self._step,
                reasoning="".join(self._reasoning),
                text="".join(self._text),
                tool_calls=self._calls,
                tool_messages=[_row(result) for result in _in_call_order(self._calls, self._results)],
            )
        )
        self._text, self._reasoning, self._calls, self._results = [], [], [], []

    def _refuse(self, event: AgentEvent) -> NoReturn:
        kind = type(event).__name__
        raise ProtocolError("STEP-1", f"Expected a StepBoundary before the first step event, got {kind}")


def _in_call_order(calls: list[ToolCall], results: list[ToolResult]) -> list[ToolResult]:
    """Results by the position of their call; those that answer none come last, as they came."""
    position = {call.id: at for at, call in reversed(list(enumerate(calls)))}
    return sorted(results, key=lambda result: position.get(result.tool_call_id, len(calls)))


def _row(result: ToolResult) -> Message:
    content = str(result.error if result.error is not None else result.output)
    return Message(role="tool", content=content, tool_call_id=result.tool_call_id)
