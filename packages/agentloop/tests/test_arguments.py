import json
import re
from typing import Any

import pytest
from hypothesis import given

from agentloop.adapters._arguments import call_part, dump_arguments
from agentloop.transcript import ToolCallPart

from .strategies import json_objects


def _call(arguments: object, **options: Any) -> ToolCallPart:
    return call_part("c", "t", arguments, **options)


@given(json_objects)
def test_what_is_dumped_is_read_back_without_loss(arguments: dict[str, Any]) -> None:
    assert _call(dump_arguments(arguments)) == ToolCallPart(call_id="c", tool_name="t", arguments=arguments)
    assert _call(arguments).arguments == arguments


@pytest.mark.parametrize("empty", [None, "", " \n", "{}", {}])
def test_nothing_means_no_arguments(empty: object) -> None:
    assert _call(empty) == ToolCallPart(call_id="c", tool_name="t")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"path": "a', r"Expected JSON, got 'Unterminated string.*' at line 1 column 10"),
        ('{"a": 1', "Expected JSON"),
        ('{"a": 1} extra', "Extra data"),
        ("[1]", "Expected a JSON object, got list"),
        ("null", "Expected a JSON object, got NoneType"),
        ('"{}"', "Expected a JSON object, got str"),
        ('{"a": NaN}', "Expected a finite number, got NaN"),
        ('{"a": -Infinity}', "got -Infinity"),
        ('{"a": 1e999}', r"finite number, got inf at \$.a"),
        ('{"a": ' + "9" * 4301 + "}", "4300"),
        ('{"a": ' * 101 + "1" + "}" * 101, "at most 100 containers"),
        ("[" * 100_000, "at most 100 containers"),
        ('{"a": "\\ud800"}', "lone surrogate"),
    ],
)
def test_what_is_no_json_object_is_kept_and_explained(text: str, problem: str) -> None:
    call = _call(text)

    assert call.arguments == {}
    assert call.raw_arguments == text
    assert re.search(problem, call.parse_error or "")


def test_a_cut_turn_is_named_as_the_cause() -> None:
    assert _call('{"a', truncated=True).parse_error == (
        "Expected JSON, got 'Unterminated string starting at' at line 1 column 2; "
        "the turn was cut off at its token limit"
    )
    assert _call('{"a": 1}', truncated=True).parse_error is None


def test_raw_line_breaks_inside_strings_are_read_and_the_text_kept() -> None:
    call = _call('{"code": "a\nb\tc"}')

    assert call.arguments == {"code": "a\nb\tc"}
    assert (call.raw_arguments, call.parse_error) == ('{"code": "a\nb\tc"}', None)


def test_large_integers_keep_every_digit() -> None:
    assert _call('{"id": 9007199254740993}').arguments == {"id": 9007199254740993}


@pytest.mark.parametrize("value", [[1], 5, {"a": float("nan")}, {"a": b"x"}, {1: 2}])
def test_values_that_are_no_json_object_are_explained_too(value: object) -> None:
    call = _call(value)

    assert (call.arguments, call.parse_error is None) == ({}, False)
    assert call.raw_arguments is not None


@pytest.mark.parametrize("name", [None, "", 5])
def test_a_call_without_a_name_is_called_unknown(name: object) -> None:
    assert call_part("c", name, "{}").tool_name == "unknown"


def test_equal_arguments_have_equal_text() -> None:
    assert dump_arguments({"ä": [1, None, True]}) == '{"ä":[1,null,true]}'
    assert json.loads(dump_arguments({"a": "\u2028"})) == {"a": "\u2028"}
