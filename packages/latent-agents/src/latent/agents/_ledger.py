"""What a run has opened and not yet closed, and how it failed."""

from __future__ import annotations

from time import time

from latent.protocol import AgentEvent, Error, LLMCallEnd, LLMCallStart, ToolCall, ToolResult

__all__ = ["Ledger"]


class Ledger:
    """Watches the events of a run, so that a failed one can be closed in order before its `Error`."""

    __slots__ = ("_calls", "_model_calls", "failure")

    def __init__(self) -> None:
        self.failure: str | None = None
        """Why the run failed; set it for a failure that is no event."""
        self._calls: dict[str, ToolCall] = {}
        self._model_calls: dict[str, LLMCallStart] = {}

    def note(self, event: AgentEvent) -> None:
        """Take one event of the run. Raises `TypeError` for what is none."""
        match event:
            case ToolCall():
                self._calls[event.id] = event
            case ToolResult():
                self._calls.pop(event.tool_call_id, None)
            case LLMCallStart():
                self._model_calls[event.run_id] = event
            case LLMCallEnd():
                self._model_calls.pop(event.run_id, None)
            case Error():
                self.failure = event.message or "The run failed without saying why"
            case AgentEvent():
                pass
            case _:
                raise TypeError(f"Expected an AgentEvent, got `{type(event).__name__}`")

    def closing(self) -> list[AgentEvent]:
        """What ends a failed run: the ends of all calls that are open, and the `Error`; nothing for others."""
        if self.failure is None:
            return []
        ends: list[AgentEvent] = [
            LLMCallEnd(run_id, model_id=start.model_id, timestamp=max(start.timestamp, time()))
            for run_id, start in self._model_calls.items()
        ]
        results = [ToolResult(call_id, error=f"Not finished: {self.failure}") for call_id in self._calls]
        return [*ends, *results, Error(self.failure)]
