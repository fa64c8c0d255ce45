"""What a run has opened and not yet closed."""

from __future__ import annotations

from time import time

from latent.protocol import AgentEvent, LLMCallEnd, LLMCallStart, ToolCall, ToolResult

__all__ = ["Ledger"]


class Ledger:
    """Watches the events of a run, so that a failed one can be closed in order before its `Error`."""

    __slots__ = ("_calls", "_model_calls")

    def __init__(self) -> None:
        self._calls: dict[str, ToolCall] = {}
        self._model_calls: dict[str, LLMCallStart] = {}

    def note(self, event: AgentEvent) -> None:
        """Take one event of the run."""
        match event:
            case ToolCall():
                self._calls[event.id] = event
            case ToolResult():
                self._calls.pop(event.tool_call_id, None)
            case LLMCallStart():
                self._model_calls[event.run_id] = event
            case LLMCallEnd():
                self._model_calls.pop(event.run_id, None)

    def closing(self, reason: str) -> list[AgentEvent]:
        """The ends of all model calls and the results of all tool calls that are open."""
        ends: list[AgentEvent] = [
            LLMCallEnd(run_id, model_id=start.model_id, timestamp=max(start.timestamp, time()))
            for run_id, start in self._model_calls.items()
        ]
        results = [ToolResult(call_id, error=f"Not finished: {reason}") for call_id in self._calls]
        self._calls.clear()
        self._model_calls.clear()
        return [*ends, *results]
