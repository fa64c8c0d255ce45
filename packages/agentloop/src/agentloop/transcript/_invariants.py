"""What makes a conversation safe to send, as one pass over its messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from agentloop.transcript._errors import TranscriptError
from agentloop.transcript._message import Message
from agentloop.transcript._parts import HostedToolPart, TextPart, ThinkingPart, ToolCallPart, ToolResultPart

__all__ = ["find_faults"]

_ASSISTANT_ONLY: dict[type[object], str] = {
    ToolCallPart: "tool call",
    ThinkingPart: "thinking",
    HostedToolPart: "hosted tool",
}


def find_faults(messages: Sequence[object]) -> Iterator[TranscriptError]:
    """Yield what makes `messages` unsafe to send, in order; nothing for a safe conversation.

    Messages are user and assistant `Message` objects. Tool calls, thinking and hosted tools stand in assistant
    messages, results in user messages. Call ids are unique within a message. A message with calls is followed by a
    user message whose results answer each of them exactly once, and results stand nowhere else.
    """
    open_calls: list[str] | None = None
    index = -1
    for index, message in enumerate(messages):
        # This loop decides what the check costs. So classes are compared (instances of subclasses do not get past
        # the construction of a message), lists are made only when needed, and fields are taken from `__dict__`:
        # an attribute of a Pydantic model takes twice as long.
        ids: list[str] | None = None
        if type(message) is not Message and not isinstance(message, Message):
            yield TranscriptError(
                f"message {index}: Expected a Message, got {type(message).__name__}", message_index=index
            )
            open_calls = None
            continue
        fields = message.__dict__
        is_user = fields["role"] == "user"
        for part in fields["content"]:
            if type(part) is TextPart:
                continue
            if (is_user and type(part) is ToolResultPart) or (not is_user and type(part) is ToolCallPart):
                if ids is None:
                    ids = [part.__dict__["call_id"]]
                else:
                    ids.append(part.__dict__["call_id"])
            elif is_user or type(part) not in _ASSISTANT_ONLY:
                yield _misplaced(index, message.role, part)
        results = ids if is_user else None
        if open_calls is not results and open_calls != results:
            yield from _compare(index, open_calls or [], results or [], "" if is_user else " in a user message")
        open_calls = None if is_user else ids
        if open_calls is not None and len(open_calls) > 1 and len(set(open_calls)) != len(open_calls):
            yield _repeated(index, "call", open_calls)
    yield from _unanswered(index, open_calls or [])


def _unanswered(index: int, calls: list[str]) -> Iterator[TranscriptError]:
    if calls:
        yield TranscriptError(
            f"message {index}: calls {_list(calls)}: Expected a user message with their results, got the end",
            message_index=index,
            call_ids=tuple(calls),
        )


def _compare(index: int, calls: list[str], results: list[str], where: str) -> Iterator[TranscriptError]:
    """Compare the results of message `index` with the calls of the message before it."""
    answered, asked = set(results), set(calls)
    missing = [call for call in dict.fromkeys(calls) if call not in answered]
    unknown = [result for result in dict.fromkeys(results) if result not in asked]
    if missing:
        yield TranscriptError(
            f"message {index}: Expected results{where} for calls {_list(missing)} of message {index - 1}, got none",
            message_index=index,
            call_ids=tuple(missing),
        )
    if unknown:
        expected = f"results for calls of message {index - 1} only" if index else "no results in the first message"
        yield TranscriptError(
            f"message {index}: Expected {expected}, got results for {_list(unknown)}",
            message_index=index,
            call_ids=tuple(unknown),
        )
    if len(answered) != len(results):
        yield _repeated(index, "result", results)


def _misplaced(index: int, role: str, part: object) -> TranscriptError:
    call_id = getattr(part, "call_id", None)
    called = f" {call_id!r}" if call_id else ""
    ids = (call_id,) if call_id else ()
    if isinstance(part, ToolResultPart):
        text = f"message {index}: Expected tool results in user messages, got result{called} in role {role!r}"
    elif type(part) in _ASSISTANT_ONLY:
        what = _ASSISTANT_ONLY[type(part)]
        text = f"message {index}: Expected {what} parts in assistant messages, got one{called} in role {role!r}"
    else:
        text = f"message {index}: Expected content parts, got {type(part).__name__}"
    return TranscriptError(text, message_index=index, call_ids=ids)


def _repeated(index: int, what: str, ids: list[str]) -> TranscriptError:
    repeated = tuple(one for one, count in Counter(ids).items() if count > 1)
    return TranscriptError(
        f"message {index}: Expected each call id once, got more than one {what} with {_list(repeated)}",
        message_index=index,
        call_ids=repeated,
    )


def _list(ids: Sequence[str]) -> str:
    return ", ".join(map(repr, ids))
