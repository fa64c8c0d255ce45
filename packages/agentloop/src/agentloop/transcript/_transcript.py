"""The transcript: an ordered list of messages, and the changes a loop makes to it."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict, Field

from agentloop.transcript._errors import TranscriptError
from agentloop.transcript._invariants import find_faults
from agentloop.transcript._message import PARTS, Message, Origin
from agentloop.transcript._parts import ContentPart, TextPart, ToolCallPart, ToolResultPart
from agentloop.transcript._results import order_results

__all__ = ["Transcript"]


class Transcript(BaseModel):
    """A conversation, independent of any provider.

    `messages` is public and may be changed directly; Pydantic does not look at such changes, so
    `check_invariants` also finds what is not a message. A method that raises leaves the transcript as it was.
    """

    model_config = ConfigDict(extra="forbid")

    messages: list[Message] = Field(default_factory=list)

    def add_user_message(self, text: str) -> None:
        """Append a user message with one text part."""
        self.messages.append(Message(role="user", content=(TextPart(text=text),)))

    def add_assistant_message(self, parts: Iterable[ContentPart], origin: Origin | None = None) -> None:
        """Append an assistant message of one or more parts, with the provider's origin for exact replay."""
        self.messages.append(Message(role="assistant", content=tuple(parts), origin=origin))

    def extend_last_assistant(self, parts: Iterable[ContentPart], origin: Origin | None = None) -> None:
        """Continue the last assistant message, as after a turn the provider paused.

        Where both origins come from the same provider and API, `raw` is joined and the model is that of the new
        one. Otherwise the message has no origin, because a replay of half a message would lose the other half.
        `parts` may be empty. Raises `TranscriptError` when the last message is not an assistant's.
        """
        last = self._last()
        if last is None or last.role != "assistant":
            got = "no message" if last is None else f"role {last.role!r}"
            raise TranscriptError(
                f"Expected an assistant message at the end to extend, got {got}",
                message_index=len(self.messages) - 1 if self.messages else None,
            )
        added = PARTS.validate_python(tuple(parts))
        # What is there has been checked: validating it again makes a long series of pauses quadratic.
        self.messages[-1] = Message.model_construct(
            role="assistant", content=last.content + added, origin=_merge_origins(last.origin, origin)
        )

    def add_tool_results(self, results: Iterable[ToolResultPart]) -> None:
        """Append a user message with the results of all pending calls, in the order of the calls.

        Raises `TranscriptError` naming the calls, unless every pending call is answered exactly once and nothing
        else is.
        """
        ordered = order_results(self.pending_tool_calls(), list(results), len(self.messages) - 1)
        self.messages.append(Message(role="user", content=ordered))

    def pending_tool_calls(self) -> tuple[ToolCallPart, ...]:
        """Return the calls of the last message if an assistant wrote it, and otherwise none."""
        last = self._last()
        if last is None or last.role != "assistant":
            return ()
        return tuple(part for part in last.content if isinstance(part, ToolCallPart))

    def check_invariants(self) -> None:
        """Raise `TranscriptError` if the transcript is unsafe to send.

        Safe means: tool calls, thinking and hosted tools stand in assistant messages and results in user messages;
        call ids are unique within a message; the message after one with calls is a user's, and answers each of them
        exactly once; results stand nowhere else. A transcript that ends in unanswered calls is unsafe.
        """
        for fault in find_faults(self.messages):
            raise fault

    def _last(self) -> Message | None:
        if not self.messages:
            return None
        last: object = self.messages[-1]
        if isinstance(last, Message):
            return last
        raise TranscriptError(
            f"message {len(self.messages) - 1}: Expected a Message, got {type(last).__name__}",
            message_index=len(self.messages) - 1,
        )


def _merge_origins(old: Origin | None, new: Origin | None) -> Origin | None:
    if new is not None and not isinstance(new, Origin):
        raise TypeError(f"Expected an Origin or None, got {type(new).__name__}")
    if old is None or new is None or not new.matches(old.provider, old.api):
        return None
    return Origin.model_construct(provider=new.provider, api=new.api, model=new.model, raw=old.raw + new.raw)
