"""The buffered view of a run."""

from __future__ import annotations

from msgspec import Struct

from latent.events import Message, ToolCall
from latent.events._facade import DataclassFacade

__all__ = ["InvokeResult", "Step"]


class Step(DataclassFacade, Struct):
    """One iteration of the agent's loop."""

    step: int
    """The number that the agent gave it."""
    reasoning: str = ""
    """All reasoning of the step."""
    text: str = ""
    """All text of the step."""
    tool_calls: list[ToolCall] = []
    """The tools that the model invoked, in order."""
    tool_messages: list[Message] = []
    """One `role="tool"` row for each result, in the order of the calls."""

    def to_messages(self) -> list[Message]:
        """The rows that this step adds to a history, its text kept; none where it said and did nothing."""
        if not self.text and not self.tool_calls:
            return list(self.tool_messages)
        assistant = Message(role="assistant", content=self.text, tool_calls=list(self.tool_calls) or None)
        return [assistant, *self.tool_messages]


class InvokeResult(DataclassFacade, Struct):
    """A whole run."""

    text: str
    """The text of the last step: the answer."""
    steps: list[Step]
    """Every iteration, in order."""
    error: str | None = None
    """The message of the run's `Error`; `None` where it did not fail."""

    def to_messages(self) -> list[Message]:
        """The rows that this run adds to a history, in order."""
        return [row for step in self.steps for row in step.to_messages()]
