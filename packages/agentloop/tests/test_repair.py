import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentloop.transcript import (
    HostedToolPart,
    Message,
    Origin,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
    Transcript,
    repair,
)

from .strategies import messages, safe_messages

TEXT = TextPart(text="x")
THINKING = ThinkingPart(text="hm", signature="s")
HOSTED = HostedToolPart(kind="web_search", call_id="h")
ORIGIN = Origin(provider="p", api="a", model="m", raw=({"a": 1},))


def call(call_id: str) -> ToolCallPart:
    return ToolCallPart(call_id=call_id, tool_name="t")


def result(call_id: str, content: str = "") -> ToolResultPart:
    return ToolResultPart(call_id=call_id, tool_name="t", content=content)


def lost(call_id: str) -> ToolResultPart:
    return ToolResultPart(call_id=call_id, tool_name="t", content="The result of this call was lost.", is_error=True)


def user(*parts: Any) -> Message:
    return Message(role="user", content=parts or (TEXT,))


def assistant(*parts: Any, origin: Origin | None = None) -> Message:
    return Message(role="assistant", content=parts or (TEXT,), origin=origin)


@given(safe_messages())
def test_a_safe_conversation_comes_back_unchanged(conversation: list[Message]) -> None:
    assert repair(conversation) == (conversation, [])


@pytest.mark.parametrize(
    ("broken", "repaired", "report"),
    [
        (
            [user(), assistant(call("a"))],
            [user(), assistant(call("a")), user(lost("a"))],
            ["message 1: added error result for a call without one (call 'a')"],
        ),
        (
            [assistant(call("a"), call("b")), user(result("b")), assistant()],
            [assistant(call("a"), call("b")), user(lost("a"), result("b")), assistant()],
            ["message 0: added error result for a call without one (call 'a')"],
        ),
        (
            [assistant(call("a")), user(), user(result("a"))],
            [assistant(call("a")), user(result("a")), user()],
            [
                "message 2: moved result to the message after its call (call 'a')",
                "message 2: dropped message left empty",
            ],
        ),
        (
            [assistant(call("a")), user(result("a", "1"), TEXT, result("a", "2"))],
            [assistant(call("a")), user(result("a", "1"), TEXT)],
            ["message 1: dropped result for a call already answered (call 'a')"],
        ),
        (
            [user(result("a"), TEXT), assistant()],
            [user(), assistant()],
            ["message 0: dropped result that answers no call (call 'a')"],
        ),
        (
            [user(), assistant(THINKING, call("a"), TEXT, call("a"), HOSTED, origin=ORIGIN), user(result("a"))],
            [user(), assistant(call("a"), TEXT, HOSTED), user(result("a"))],
            [
                "message 1: dropped call with an id already called in the message (call 'a')",
                "message 1: dropped origin of a changed message",
                "message 1: dropped thinking of a changed message",
            ],
        ),
        (
            [assistant(call("a"), result("a"), origin=ORIGIN), assistant(THINKING, origin=ORIGIN)],
            [assistant(call("a")), user(result("a")), assistant(THINKING, origin=ORIGIN)],
            [
                "message 0: dropped origin of a changed message",
                "message 0: moved result to the message after its call (call 'a')",
            ],
        ),
        (
            [user(TEXT, call("a"), HOSTED, THINKING)],
            [user()],
            [
                "message 0: dropped tool_call part in a user message (call 'a')",
                "message 0: dropped hosted_tool part in a user message (call 'h')",
                "message 0: dropped thinking part in a user message",
            ],
        ),
        (
            [assistant(call("a")), assistant(call("a")), user(result("a", "2"))],
            [assistant(call("a")), user(lost("a")), assistant(call("a")), user(result("a", "2"))],
            ["message 0: added error result for a call without one (call 'a')"],
        ),
        ([user(THINKING)], [], None),
        ([assistant(HOSTED, call("a")), user(result("a")), assistant(HOSTED)], None, []),
    ],
)
def test_what_is_done_and_reported(
    broken: list[Message], repaired: list[Message] | None, report: list[str] | None
) -> None:
    after, done = repair(iter(broken))

    assert after == (broken if repaired is None else repaired)
    if report is not None:
        assert sorted(map(str, done)) == sorted(report)


few_ids = st.sampled_from(["a", "b"])
likely_parts = st.one_of(
    st.sampled_from([TEXT, THINKING, HOSTED]), st.builds(call, few_ids), st.builds(result, few_ids, st.text(max_size=2))
)
likely_messages = st.builds(
    Message,
    role=st.sampled_from(["user", "assistant"]),
    content=st.lists(likely_parts, min_size=1, max_size=4).map(tuple),
    origin=st.none() | st.just(ORIGIN),
)


@given(st.lists(messages | likely_messages, max_size=6))
@settings(max_examples=300)
def test_any_conversation_becomes_safe_once_and_for_all(conversation: list[Message]) -> None:
    before = copy.deepcopy(conversation)

    after, report = repair(conversation)

    assert conversation == before
    Transcript(messages=after).check_invariants()
    assert repair(after) == (after, [])
    assert repair(conversation) == (after, report)
    assert bool(report) == (after != conversation)
    assert [p.text for m in after for p in m.content if isinstance(p, TextPart)] == [
        p.text for m in before for p in m.content if isinstance(p, TextPart)
    ]


def test_what_is_no_message_is_refused() -> None:
    wrong: Any = "text"

    with pytest.raises(TypeError, match="message 1: Expected a Message, got str"):
        repair([user(), wrong])


def test_repairing_is_linear() -> None:
    conversation = [assistant(*(call(f"{n}") for n in range(20_000)))]

    after, report = repair(conversation)

    assert len(after[1].content) == len(report) == 20_000
    assert repair(after) == (after, [])
