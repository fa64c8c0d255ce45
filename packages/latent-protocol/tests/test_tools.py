from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latent.protocol import FunctionCall, ToolCall, ToolResult, WireError

arguments = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs"])), st.none() | st.integers() | st.booleans()
)


@given(arguments)
def test_dict_is_encoded_once(values: dict[str, Any]) -> None:
    call = ToolCall.from_arguments("c1", "add", values)

    assert (call.id, call.type, call.function.name) == ("c1", "function", "add")
    assert json.loads(call.function.arguments) == values


@given(arguments)
def test_text_is_passed_on_as_it_is(values: dict[str, Any]) -> None:
    text = json.dumps(values)

    assert ToolCall.from_arguments(id="c1", name="add", arguments=text) == ToolCall("c1", FunctionCall("add", text))


@pytest.mark.parametrize("nothing", [None, "", {}])
def test_no_arguments_are_an_empty_object(nothing: Any) -> None:
    assert ToolCall.from_arguments("c1", "now", nothing) == ToolCall("c1", FunctionCall("now", "{}"))


def test_both_names_are_one_method() -> None:
    assert ToolCall.with_arguments("c1", "add", {"x": 1}) == ToolCall.from_arguments("c1", "add", {"x": 1})


def test_subclass_builds_its_own_kind() -> None:
    class LoudCall(ToolCall):
        """A user's subclass."""

    assert type(LoudCall.from_arguments("c1", "add", None)) is LoudCall


@pytest.mark.parametrize(
    ("values", "path"),
    [
        ({"x": {1}}, r"\$\.x"),
        ({"x": [1, float("nan")]}, r"\$\.x\[1\]"),
        ({"x": {2: 1}}, r"\$\.x"),
        ({1: 1}, r"\$"),
        ({"x": "\ud800"}, r"\$\.x"),
        ({"x": b""}, r"\$\.x"),
    ],
)
def test_value_that_json_cannot_carry_raises_with_the_path(values: dict[Any, Any], path: str) -> None:
    with pytest.raises(WireError, match=f"- at `{path}`$"):
        ToolCall.from_arguments("c1", "add", values)


def test_arguments_within_themselves_raise() -> None:
    values: dict[str, Any] = {}
    values["again"] = values

    with pytest.raises(WireError, match="nested"):
        ToolCall.from_arguments("c1", "add", values)


@pytest.mark.parametrize("wrong", [5, [1], b"{}", ("x", 1)])
def test_arguments_of_another_type_raise(wrong: Any) -> None:
    with pytest.raises(TypeError, match="Expected `arguments` as dict, str or None, got"):
        ToolCall.from_arguments("c1", "add", wrong)


def test_result_keeps_the_native_output() -> None:
    output = {"at": object()}

    assert ToolResult("c1", output).output is output
    assert (ToolResult("c1").output, ToolResult("c1").error) == (None, None)
