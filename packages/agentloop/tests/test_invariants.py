from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentloop.transcript import (
    HostedToolPart,
    Message,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
    Transcript,
    TranscriptError,
)

from .strategies import messages, safe_messages

TEXT = TextPart(text="x")


def call(call_id: str = "c1") -> ToolCallPart:
    return ToolCallPart(call_id=call_id, tool_name="t")


def result(call_id: str = "c1", tool_name: str = "t") -> ToolResultPart:
    return ToolResultPart(call_id=call_id, tool_name=tool_name, content="")


def user(*parts: Any) -> Message:
    return Message(role="user", content=parts or (TEXT,))


def assistant(*parts: Any) -> Message:
    return Message(role="assistant", content=parts or (TEXT,))


def _transcript(items: list[Any]) -> Transcript:
    transcript = Transcript()
    transcript.messages.extend(items)
    return transcript


@given(safe_messages())
def test_a_safe_conversation_passes(conversation: list[Message]) -> None:
    Transcript(messages=conversation).check_invariants()


@pytest.mark.parametrize(
    "conversation",
    [
        [],
        [assistant()],
        [user(), user(), assistant(), assistant()],
        [assistant(call("a"), call("b")), user(result("b"), result("a"))],
        [assistant(call()), user(result(), TEXT), user(), assistant()],
        [assistant(call()), user(TEXT, result())],
        [assistant(call()), user(result()), assistant(call()), user(result())],
        [assistant(call()), user(result(tool_name="other"))],
        [assistant(HostedToolPart(kind="web_search", call_id="h"), call()), user(result())],
        [assistant(HostedToolPart(kind="web_search", call_id="c1"), call()), user(result())],
        [user(TextPart(text=" "))],
    ],
)
def test_what_may_look_odd_and_is_safe(conversation: list[Message]) -> None:
    Transcript(messages=conversation).check_invariants()


@pytest.mark.parametrize(
    ("conversation", "index", "ids", "text"),
    [
        ([user(), "text"], 1, (), "message 1: Expected a Message, got str"),
        ([user(), None, user()], 1, (), "Expected a Message, got NoneType"),
        ([{"role": "user"}], 0, (), "Expected a Message, got dict"),
        ([assistant(result())], 0, ("c1",), "Expected tool results in user messages, got result 'c1'"),
        ([user(call())], 0, ("c1",), "Expected tool call parts in assistant messages, got one 'c1'"),
        ([user(), user(ThinkingPart(text=""))], 1, (), "Expected thinking parts in assistant messages"),
        ([user(HostedToolPart(kind="k"))], 0, (), "Expected hosted tool parts in assistant messages"),
        ([assistant(call(), call("c2"), call()), user(result(), result("c2"))], 0, ("c1",), "more than one call"),
        ([user(), assistant(call())], 1, ("c1",), "message 1: calls 'c1': Expected a user message .* got the end"),
        ([assistant(call()), assistant()], 1, ("c1",), "message 1: Expected results in a user message for calls 'c1'"),
        ([assistant(call()), assistant(call("c2"))], 1, ("c1",), "calls 'c1' of message 0"),
        ([assistant(call()), user()], 1, ("c1",), "Expected results for calls 'c1' of message 0, got none"),
        ([assistant(call()), user(), user(result())], 1, ("c1",), "Expected results for calls 'c1'"),
        ([assistant(call("a"), call("b")), user(result("b"))], 1, ("a",), "Expected results for calls 'a'"),
        (
            [assistant(call()), user(result(), result("x"))],
            1,
            ("x",),
            "results for calls of message 0 only, got .* 'x'",
        ),
        ([assistant(call()), user(result(), result())], 1, ("c1",), "more than one result with 'c1'"),
        ([user(result())], 0, ("c1",), "Expected no results in the first message, got results for 'c1'"),
        ([assistant(), user(result())], 1, ("c1",), "got results for 'c1'"),
        ([assistant(call()), user(result()), user(result())], 2, ("c1",), "got results for 'c1'"),
        ([assistant(call()), "x", user(result())], 1, (), "Expected a Message"),
    ],
)
def test_what_is_unsafe_is_named_with_message_and_call(
    conversation: list[Any], index: int, ids: tuple[str, ...], text: str
) -> None:
    with pytest.raises(TranscriptError, match=text) as caught:
        _transcript(conversation).check_invariants()

    assert (caught.value.message_index, caught.value.call_ids) == (index, ids)


def _is_safe(conversation: list[Message]) -> bool:
    """The invariants said once more, slowly: the model the check is compared with."""
    for place, message in enumerate(conversation):
        before = conversation[place - 1].content if place else ()
        asked = [part.call_id for part in before if isinstance(part, ToolCallPart)]
        answers = [part.call_id for part in message.content if isinstance(part, ToolResultPart)]
        calls = [part.call_id for part in message.content if isinstance(part, ToolCallPart)]
        if message.role == "user":
            if any(not isinstance(part, TextPart | ToolResultPart) for part in message.content):
                return False
        elif answers:
            return False
        if sorted(asked) != sorted(answers) or len(set(calls)) != len(calls):
            return False
    return not any(isinstance(part, ToolCallPart) for message in conversation[-1:] for part in message.content)


few_ids = st.sampled_from(["a", "b"])
likely_parts = st.one_of(st.just(TEXT), st.builds(call, few_ids), st.builds(result, few_ids))
likely_messages = st.builds(
    Message,
    role=st.sampled_from(["user", "assistant"]),
    content=st.lists(likely_parts, min_size=1, max_size=3).map(tuple),
)


@given(st.lists(messages | likely_messages, max_size=4))
def test_the_check_agrees_with_the_rules_said_slowly(conversation: list[Message]) -> None:
    try:
        Transcript(messages=conversation).check_invariants()
        passed = True
    except TranscriptError:
        passed = False

    assert passed == _is_safe(conversation)
