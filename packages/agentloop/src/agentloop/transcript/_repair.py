"""Repair of a conversation that was stored broken, with an account of every change."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from agentloop.transcript._message import Message
from agentloop.transcript._parts import (
    ContentPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
)

__all__ = ["Repair", "repair"]

LOST_RESULT = "The result of this call was lost."


@dataclass(frozen=True, slots=True)
class Repair:
    """One change that `repair` made."""

    action: Literal["added", "moved", "dropped"]
    """What was done."""
    what: str
    """What was changed and why, as in `"result that answers no call"`."""
    message_index: int
    """Place of the message in the conversation passed in, counted from 0."""
    call_id: str | None = None
    """The call that it is about."""

    def __str__(self) -> str:
        called = "" if self.call_id is None else f" (call {self.call_id!r})"
        return f"message {self.message_index}: {self.action} {self.what}{called}"


def repair(messages: Iterable[Message]) -> tuple[list[Message], list[Repair]]:
    """Return the messages in a form that is safe to send, and what was changed; the input is left as it is.

    Every call is answered once, in the next message: by the first later result with its id, or by an error result
    saying that the result was lost. Results that answer no call, repeated calls in one message, and parts that the
    role of a message rules out are dropped, and so are messages that end up empty. An assistant message that is
    changed loses its origin and its thinking parts, which only hold for the message as it was. Hosted tools in
    assistant messages are never touched. A safe conversation comes back unchanged, and so does a repaired one.
    """
    before = list(messages)
    for index, message in enumerate(before):
        if not isinstance(message, Message):
            raise TypeError(f"message {index}: Expected a Message, got {type(message).__name__}")
    work = _Work(before)
    _pair(work)
    repaired: list[Message] = []
    for index, message in enumerate(before):
        kept = _trimmed(work, index, message)
        if kept is not None:
            repaired.append(kept)
        answer = _new_answer(work, index)
        if answer is not None:
            repaired.append(answer)
    return repaired, sorted(work.report, key=lambda one: one.message_index)


@dataclass(slots=True)
class _Work:
    messages: list[Message]
    report: list[Repair] = field(default_factory=list)
    calls: dict[int, dict[str, ToolCallPart]] = field(default_factory=dict)
    """For each message with calls, the calls it keeps."""
    answers: dict[int, dict[str, tuple[int, ToolResultPart]]] = field(default_factory=dict)
    """For each message with calls, the result of each call and the message it was found in."""

    def note(
        self, action: Literal["added", "moved", "dropped"], what: str, index: int, call_id: str | None = None
    ) -> None:
        self.report.append(Repair(action, what, index, call_id))

    def in_place(self, index: int) -> bool:
        """Whether the message after `index` is the one that answers it."""
        return any(place == index + 1 for place, _ in self.answers.get(index, {}).values()) and (
            self.messages[index + 1].role == "user"
        )


def _pair(work: _Work) -> None:
    """Find the first result of every call, and note the results that are not used."""
    latest: dict[str, int] = {}
    for index, message in enumerate(work.messages):
        for part in message.content:
            if isinstance(part, ToolCallPart) and message.role == "assistant":
                calls = work.calls.setdefault(index, {})
                if part.call_id in calls:
                    work.note("dropped", "call with an id already called in the message", index, part.call_id)
                    continue
                calls[part.call_id] = part
                latest[part.call_id] = index
            elif isinstance(part, ToolResultPart):
                asked = latest.get(part.call_id)
                if asked is None:
                    work.note("dropped", "result that answers no call", index, part.call_id)
                elif part.call_id in work.answers.get(asked, {}):
                    work.note("dropped", "result for a call already answered", index, part.call_id)
                else:
                    work.answers.setdefault(asked, {})[part.call_id] = (index, part)


def _trimmed(work: _Work, index: int, message: Message) -> Message | None:
    """Return message `index` without what does not belong into it, and with the results that do."""
    content: tuple[ContentPart, ...]
    if message.role == "user":
        content = _user_content(work, index, message)
    else:
        content = _assistant_content(work, index, message)
    if content == message.content:
        return message
    if not content:
        work.note("dropped", "message left empty", index)
        return None
    return Message(role=message.role, content=content)


def _user_content(work: _Work, index: int, message: Message) -> tuple[ContentPart, ...]:
    answers = work.answers.get(index - 1, {}) if work.in_place(index - 1) else {}
    rest: list[ContentPart] = []
    kept: set[str] = set()
    for part in message.content:
        if isinstance(part, TextPart):
            rest.append(part)
        elif isinstance(part, ToolResultPart):
            if answers.get(part.call_id, (-1, None))[0] == index and part.call_id not in kept:
                kept.add(part.call_id)
        else:
            work.note("dropped", f"{part.type} part in a user message", index, getattr(part, "call_id", None))
    if not work.in_place(index - 1):
        return tuple(rest)
    complete = len(kept) == len(work.calls[index - 1])
    unchanged = complete and len(rest) + len(kept) == len(message.content)
    return message.content if unchanged else (*_results(work, index - 1), *rest)


def _assistant_content(work: _Work, index: int, message: Message) -> tuple[ContentPart, ...]:
    content: list[ContentPart] = []
    called: set[str] = set()
    for part in message.content:
        if isinstance(part, ToolResultPart):
            continue
        if isinstance(part, ToolCallPart):
            if part.call_id in called:
                continue
            called.add(part.call_id)
        content.append(part)
    if len(content) == len(message.content):
        return message.content
    if message.origin is not None:
        work.note("dropped", "origin of a changed message", index)
    kept = [part for part in content if not isinstance(part, ThinkingPart)]
    if len(kept) != len(content):
        work.note("dropped", "thinking of a changed message", index)
    return tuple(kept)


def _new_answer(work: _Work, index: int) -> Message | None:
    """Return the message that answers the calls of message `index`, where no message after it does."""
    if index not in work.calls or work.in_place(index):
        return None
    return Message(role="user", content=_results(work, index))


def _results(work: _Work, index: int) -> tuple[ToolResultPart, ...]:
    """Return the results for the calls of message `index`, in the order of the calls."""
    results: list[ToolResultPart] = []
    for call in work.calls[index].values():
        place, found = work.answers.get(index, {}).get(call.call_id, (index, None))
        if found is None:
            work.note("added", "error result for a call without one", index, call.call_id)
            found = ToolResultPart(call_id=call.call_id, tool_name=call.tool_name, content=LOST_RESULT, is_error=True)
        elif place != index + 1 or work.messages[place].role != "user":
            work.note("moved", "result to the message after its call", place, call.call_id)
        results.append(found)
    return tuple(results)
