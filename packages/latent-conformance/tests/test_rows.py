from __future__ import annotations

import pytest

from latent.conformance._evidence._rows import Row, fault_of_history, fault_of_instructions, plain_rows
from latent.protocol import Message, ToolCall


def test_messages_and_dicts_of_one_history_are_equal() -> None:
    call = ToolCall.from_arguments("c1", "lookup", {"a": 1})
    messages = [
        Message("user", "Hi"),
        Message("assistant", tool_calls=[call]),
        Message("tool", "found", tool_call_id="c1"),
    ]
    dicts = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": [{"type": "text", "text": "H"}, {"type": "text", "text": "i"}]},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "lookup", "arguments": '{ "a" : 1 }'}},
            ],
        },
        {"role": "tool", "content": "found", "tool_call_id": "c1"},
    ]

    assert plain_rows(messages) == plain_rows(dicts)


def test_another_id_another_text_or_another_argument_makes_another_row() -> None:
    def rows(id: str, text: str, value: int) -> object:
        return plain_rows([Message("assistant", text, tool_calls=[ToolCall.from_arguments(id, "f", {"a": value})])])

    assert (
        len({repr(each) for each in (rows("a", "t", 1), rows("b", "t", 1), rows("a", "u", 1), rows("a", "t", 2))}) == 4
    )


def rows(*texts: str) -> list[Row]:
    """User and assistant in turn."""
    return plain_rows([Message("user" if at % 2 == 0 else "assistant", text) for at, text in enumerate(texts)])


@pytest.mark.parametrize(
    "sent",
    [
        rows("a", "b", "c"),
        rows("2 + 2?", "4", "a", "b", "c", "Well", "Be brief."),
        rows("a", "b", "c", "b"),
        rows("It is Monday. a", "b", "Documents: c d. Question: c"),
    ],
)
def test_an_agents_own_rows_leave_a_history_in_order(sent: list[Row]) -> None:
    assert fault_of_history(rows("a", "b", "c"), sent) is None


@pytest.mark.parametrize(
    ("sent", "fault"),
    [
        ([], "row 0, user: 'a', in its place"),
        (rows("a", "c"), "row 1, assistant: 'b', in its place"),
        (rows("a", "b, they said", "c"), "row 1, assistant: 'b', in its place"),
        (rows("c", "b", "a"), "row 1, assistant: 'b', in its place"),
        (rows("a", "b", "c", "", "c"), "user: 'c' as often as it was given, 1 times"),
    ],
)
def test_rows_that_are_lost_changed_moved_or_repeated_are_faults(sent: list[Row], fault: str) -> None:
    assert fault_of_history(rows("a", "b", "c"), sent) == fault


def told(*rows: str) -> list[Message]:
    """Rows from `role: text`."""
    return [Message(*row.split(": ")) for row in rows]


NOTED = told("system: be kind", "user: a", "assistant: b", "system: be brief", "user: c")


@pytest.mark.parametrize(
    "sent",
    [
        NOTED,
        [Message("system", "be good; be kind"), *NOTED[1:]],
        [*told("user: 2 + 2?", "assistant: 4"), *NOTED, *told("user: think")],
        [*NOTED[:3], *told("user: be brief! c")],
        [*told("developer: be kind"), *NOTED[1:3], *told("user: be brief", "user: c")],
    ],
)
def test_what_the_system_says_may_be_said_in_another_row_at_its_place(sent: list[Message]) -> None:
    assert fault_of_instructions(NOTED, sent) is None


@pytest.mark.parametrize(
    ("sent", "lost"),
    [
        (NOTED[1:], 0),
        ([*NOTED[1:], NOTED[0]], 0),
        ([*NOTED[:3], NOTED[4]], 3),
        ([NOTED[0], NOTED[3], *NOTED[1:3], NOTED[4]], 3),
        ([*NOTED[:3], NOTED[4], NOTED[3]], 3),
    ],
)
def test_what_the_system_says_elsewhere_or_nowhere_is_a_fault(sent: list[Message], lost: int) -> None:
    row = NOTED[lost]

    assert fault_of_instructions(NOTED, sent) == f"row {lost}, system: {row.content!r}, in its place"
