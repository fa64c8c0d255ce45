"""From a stream of events to steps."""

from __future__ import annotations

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

_ACCOUNTING = (LLMCallStart, LLMCallEnd, Usage)
_STEP_EVENTS = (TextDelta, ReasoningDelta, ToolCall, ToolResult, *_ACCOUNTING)


class Segmenter:
    """Builds the buffered view of a run: `feed` every event, then `finish`.

    It does no I/O and never guesses: `ProtocolError` is raised for one of the seven step events before
    any `StepBoundary` (specification, clause 2.1), for what is no event (1.4), and for a text that is no
    str (1.5). The text of a run is that of its last step, even where that is empty.
    """

    # Dispatch is on the exact type, text first, because nearly every event is text and this runs for
    # each: `match` on Structs takes three times as long. Subclasses take the slow road. Texts are joined
    # at the end, since adding to an attribute is quadratic.

    __slots__ = ("_calls", "_error", "_reasoning", "_rows", "_step", "_steps", "_text")

    def __init__(self) -> None:
        self._steps: list[Step] = []
        self._error: str | None = None
        self._step: int | None = None
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._calls: list[ToolCall] = []
        self._rows: list[Message] = []

    def feed(self, event: AgentEvent) -> None:
        """Take the next event of the stream."""
        if type(event) is TextDelta and self._step is not None:
            self._text.append(event.text)
        elif type(event) is ReasoningDelta and self._step is not None:
            self._reasoning.append(event.text)
        elif type(event) is StepBoundary:
            self._open(event)
        elif type(event) not in _ACCOUNTING or self._step is None:
            self._take(event)

    def finish(self) -> InvokeResult:
        """The run as it was fed until here."""
        steps = list(self._steps)
        if self._step is not None:
            steps.append(self._closed(self._step))
        return InvokeResult(text=steps[-1].text if steps else "", steps=steps, error=self._error)

    def _open(self, boundary: StepBoundary) -> None:
        if self._step is not None:
            self._steps.append(self._closed(self._step))
            self._text, self._reasoning, self._calls, self._rows = [], [], [], []
        self._step = boundary.step

    def _take(self, event: AgentEvent) -> None:
        if not isinstance(event, AgentEvent):
            raise ProtocolError("PROTO-4", f"Expected an AgentEvent, got `{type(event).__name__}`")
        if self._step is None and isinstance(event, _STEP_EVENTS):
            kind = type(event).__name__
            raise ProtocolError("STEP-1", f"Expected a StepBoundary before the first step event, got {kind}")
        match event:
            case ToolCall():
                self._calls.append(event)
            case ToolResult():
                self._rows.append(_row(event))
            case Error():
                self._error = event.message if self._error is None else self._error
            case StepBoundary():
                self._open(event)
            case TextDelta():
                self._text.append(event.text)
            case ReasoningDelta():
                self._reasoning.append(event.text)
            case _:
                pass  # markers, model calls and their usage have no place in the buffered view

    def _closed(self, number: int) -> Step:
        try:
            reasoning, text = "".join(self._reasoning), "".join(self._text)
        except TypeError as error:
            raise ProtocolError("PROTO-5", f"Expected texts of step {number} as str: {error}") from None
        return Step(
            step=number,
            reasoning=reasoning,
            text=text,
            tool_calls=list(self._calls),
            tool_messages=_in_call_order(self._rows, self._calls),
        )


def _row(result: ToolResult) -> Message:
    content = str(result.error if result.error is not None else result.output)
    return Message(role="tool", content=content, tool_call_id=result.tool_call_id)


def _in_call_order(rows: list[Message], calls: list[ToolCall]) -> list[Message]:
    """Rows by the position of their call; those that answer none come last, as they came."""
    if len(rows) < 2:
        return list(rows)
    position = {call.id: at for at, call in reversed(list(enumerate(calls)))}
    return sorted(rows, key=lambda row: position.get(row.tool_call_id or "", len(calls)))
