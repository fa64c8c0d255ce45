from __future__ import annotations

from latent.conformance._live._rows import plain_rows
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
