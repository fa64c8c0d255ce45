from __future__ import annotations

from types import MappingProxyType
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from latent.protocol import FunctionCall, Message, ToolCall, WireError, message_from_dict

CALL = ToolCall("c1", FunctionCall("add", '{"x":1}'))
CALL_LAYOUT = {"id": "c1", "function": {"name": "add", "arguments": '{"x":1}'}, "type": "function"}

LAYOUTS = [
    (Message("user", "hi"), {"role": "user", "content": "hi"}),
    (Message("system", ""), {"role": "system", "content": ""}),
    (Message("assistant", tool_calls=[CALL]), {"role": "assistant", "content": "", "tool_calls": [CALL_LAYOUT]}),
    (Message("tool", "2", tool_call_id="c1"), {"role": "tool", "content": "2", "tool_call_id": "c1"}),
    (Message("user", "hi", "m1"), {"role": "user", "content": "hi", "id": "m1"}),
    (
        Message("user", [{"type": "text", "text": "hi"}]),
        {"role": "user", "content": [{"type": "text", "text": "hi"}]},
    ),
]


@pytest.mark.parametrize(("message", "layout"), LAYOUTS)
def test_message_has_the_layout_of_litellm_to_the_letter(message: Message, layout: dict[str, Any]) -> None:
    assert msgspec.to_builtins(message) == layout
    assert list(msgspec.to_builtins(message)) == list(layout)
    assert msgspec.json.decode(msgspec.json.encode(message)) == layout
    assert message_from_dict(layout) == message


@given(st.from_type(Message))
def test_message_survives_its_layout(message: Message) -> None:
    assert message_from_dict(msgspec.to_builtins(message)) == message
    assert msgspec.json.decode(msgspec.json.encode(message), type=Message) == message


def test_row_of_a_provider_is_read() -> None:
    row = {
        "role": "assistant",
        "content": None,
        "refusal": None,
        "audio": {"id": "a"},
        "function_call": None,
        "tool_calls": [
            CALL_LAYOUT | {"index": 0},
            {"id": "c2", "function": {"name": "now", "arguments": None, "x": 1}},
        ],
    }

    assert message_from_dict(row) == Message(
        "assistant", "", tool_calls=[CALL, ToolCall("c2", FunctionCall("now", "{}"))]
    )
    assert message_from_dict(MappingProxyType(row)) == message_from_dict(row)


def test_arguments_given_as_an_object_are_encoded_once() -> None:
    row = {"role": "assistant", "tool_calls": ({"id": "c1", "function": {"name": "add", "arguments": {"x": 1}}},)}

    assert message_from_dict(row) == Message("assistant", tool_calls=[CALL])


def test_row_is_not_changed() -> None:
    row: dict[str, Any] = {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": {}}}]}
    message_from_dict(row)

    assert row == {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": {}}}]}


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({}, "missing required field `role`"),
        ({"role": None}, "missing required field `role`"),
        ({"role": 5}, r"Expected `str`, got `int` - at `\$\.role`"),
        ({"role": "user", "content": 5}, r"got `int` - at `\$\.content`"),
        ({"role": "user", "content": ["x"]}, r"Expected `object`, got `str` - at `\$\.content\[0\]`"),
        ({"role": "assistant", "tool_calls": {"id": "c"}}, r"Expected `array`, got `dict` - at `\$\.tool_calls`"),
        ({"role": "assistant", "tool_calls": ["x"]}, r"Expected `object`, got `str` - at `\$\.tool_calls\[0\]`"),
        ({"role": "assistant", "tool_calls": [{"id": None, "function": {"name": "f", "arguments": ""}}]}, r"\[0\]\.id"),
        ({"role": "assistant", "tool_calls": [{"id": "c"}]}, "missing required field `function`"),
    ],
)
def test_row_that_does_not_fit_raises_with_the_path(row: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        message_from_dict(row)


def test_arguments_that_json_cannot_carry_raise_with_the_path() -> None:
    row = {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": {"x": {1}}}}]}

    with pytest.raises(WireError, match=r"`set` - at `\$\.tool_calls\[0\]\.function\.arguments\.x`"):
        message_from_dict(row)


@pytest.mark.parametrize("row", [None, "text", [("role", "user")]])
def test_what_is_no_mapping_raises_type_error(row: Any) -> None:
    with pytest.raises(TypeError, match="Expected a mapping, got"):
        message_from_dict(row)
