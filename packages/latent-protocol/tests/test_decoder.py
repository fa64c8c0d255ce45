from __future__ import annotations

import json
from collections.abc import Callable
from io import BytesIO, StringIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latent.protocol import (
    AgentEvent,
    Error,
    TextDelta,
    ToolCall,
    ToolResult,
    UnknownEvent,
    WireError,
    decode_event,
    decode_events,
    encode_event,
    encode_events,
)

TEXT = b'{"event":"text_delta","data":{"text":"hi"}}'

MALFORMED = [
    (b"", "Input data was truncated", "$"),
    (b"   ", "Input data was truncated", "$"),
    (b"{", "Input data was truncated", "$"),
    (b"nonsense", "malformed", "$"),
    (b"\xef\xbb\xbf" + TEXT, "malformed", "$"),
    (TEXT + TEXT, "trailing characters", "$"),
    (TEXT + b"\n" + TEXT, "trailing characters", "$"),
    (b"[]", "Expected `object`, got `array`", "$"),
    (b"null", "Expected `object`, got `null`", "$"),
    (b"{}", "missing required field `event`", "$"),
    (b'{"data":{"text":"hi"}}', "missing required field `event`", "$"),
    (b'{"event":"text_delta"}', "missing required field `data`", "$"),
    (b'{"event":5,"data":{}}', "Expected `str`", "$.event"),
    (b'{"event":"text_delta","data":{}}', "missing required field `text`", "$.data"),
    (b'{"event":"text_delta","data":null}', "Expected `object`, got `null`", "$.data"),
    (b'{"event":"text_delta","data":{"text":null}}', "Expected `str`, got `null`", "$.data.text"),
    (b'{"event":"text_delta","data":{"text":5.0}}', "Expected `str`, got `float`", "$.data.text"),
    (b'{"event":"text_delta","data":{"text":"\xff"}}', "Invalid UTF-8", "$"),
    (b'{"event":"text_delta","data":{"text":"\xed\xa0\x80"}}', "Invalid UTF-8", "$"),
    (b'{"event":"text_delta","data":{"text":"\\ud800"}}', "truncated", "$"),
    (b'{"event":"text_delta","data":{"text":"\\ud800\\ud800"}}', "surrogate", "$"),
    (b'{"event":"step_boundary","data":{"step":true}}', "Expected `int`, got `bool`", "$.data.step"),
    (b'{"event":"step_boundary","data":{"step":1.5}}', "Expected `int`, got `float`", "$.data.step"),
    (b'{"event":"tool_result","data":{"tool_call_id":"c","output":NaN}}', "malformed", "$"),
    (b'{"event":"tool_result","data":{"tool_call_id":"c","output":[1e999]}}', "out of range", "$.data.output[0]"),
    (b'{"event":"tool_result","data":{"tool_call_id":"c","output":' + b"9" * 5000 + b"}}", "range", "$.data.output"),
    (b'{"event":"tool_call","data":{"id":"c","function":{"name":"f"}}}', "field `arguments`", "$.data.function"),
    (b'{"event":"metadata","data":{"attributes":{"k":null}}}', "leave absent values out", "$.data"),
    (b'{"event":"metadata","data":{"attributes":{"k":[1]}}}', "'k'", "$.data"),
    (b'{"event":"metadata","data":{"attributes":{},"target":"run"}}', "Invalid enum value 'run'", "$.data.target"),
    (b'{"event":"new_event"}', "missing required field `data`", "$"),
    (b'{"event":"new_event","data":[1]}', "Expected `object`, got `list`", "$.data"),
    (b'{"event":"new_event","data":{"a":"\xff"}}', "Invalid UTF-8", "$.data"),
    (b'{"event":"new_event","data":{"a":1e999}}', "out of range", "$.data[...]"),
]


@pytest.mark.parametrize(("line", "reason", "path"), MALFORMED)
def test_malformed_line_raises_with_reason_line_and_path(line: bytes, reason: str, path: str) -> None:
    with pytest.raises(WireError) as one:
        decode_event(line)

    assert reason in one.value.reason
    assert (one.value.path, one.value.line) == (path, 1)
    assert isinstance(one.value, ValueError)


@pytest.mark.parametrize("line", [line for line, _, _ in MALFORMED if line.strip() and b"\n" not in line])
def test_malformed_line_of_many_is_told_by_its_number(line: bytes) -> None:
    for data in (b"\n\n" + TEXT + b"\n" + line + b"\n" + TEXT, [b"", b" \n", TEXT, line, TEXT]):
        with pytest.raises(WireError) as many:
            decode_events(data)

        with pytest.raises(WireError) as one:
            decode_event(line)
        assert many.value.line == 4
        assert (many.value.reason, many.value.path) == (one.value.reason, one.value.path)


def test_malformed_text_is_told_like_malformed_bytes() -> None:
    with pytest.raises(WireError, match=r"lone surrogate at character 40 of the line - at `\$` \(line 1\)"):
        decode_event('{"event":"text_delta","data":{"text":"hi\ud800"}}')
    with pytest.raises(WireError, match=r"Expected `str`, got `null` - at `\$\.data\.text` \(line 2\)"):
        decode_events('\n{"event":"text_delta","data":{"text":null}}')


def test_text_in_a_value_is_not_taken_for_the_path() -> None:
    with pytest.raises(WireError) as caught:
        decode_event(b'{"event":"metadata","data":{"attributes":{},"target":"x - at `$.y`"}}')

    assert caught.value.path == "$.data.target"


def fault_of(data: bytes | str, read: Callable[[bytes | str], object] = decode_event) -> WireError | None:
    """The fault that reading finds; anything but a `WireError` is let through, and fails the test."""
    try:
        read(data)
    except WireError as error:
        return error
    return None


@given(st.binary() | st.text())
def test_whatever_comes_gives_an_event_or_a_wire_error(data: bytes | str) -> None:
    for fault in (fault_of(data), fault_of(data, decode_events)):
        assert fault is None or (fault.line, (fault.path or "")[0]) >= (1, "$")


@given(st.from_type(AgentEvent), st.data())
def test_damaged_line_gives_an_event_or_a_wire_error(event: AgentEvent, data: st.DataObject) -> None:
    line = encode_event(event)
    for _ in range(data.draw(st.integers(1, 3))):
        at, gap = data.draw(st.integers(0, len(line))), data.draw(st.integers(0, 2))
        line = line[:at] + data.draw(st.sampled_from([b"", b'"', b"{", b"\xff", b"0", b"\\u"])) + line[at + gap :]

    fault = fault_of(line)

    assert fault is None or fault.line == 1


@pytest.mark.parametrize("depth", [1_000, 100_000])
@pytest.mark.parametrize("tag", ["tool_result", "new_event"])
def test_nesting_beyond_the_stack_raises_wire_error_or_is_read(tag: str, depth: int) -> None:
    value = b"[" * depth + b"]" * depth

    fault = fault_of(b'{"event":"%b","data":{"tool_call_id":"c","output":%b}}' % (tag.encode(), value))

    assert fault is None or "nested" in fault.reason


def test_order_space_and_unknown_names_do_not_matter() -> None:
    line = b' { "v" : 2, "data" : { "tone": "kind", "text" : "hi" } , "event" : "text_delta" }\r\n'

    assert decode_event(line) == TextDelta("hi")


def test_last_of_equal_names_counts() -> None:
    assert decode_event(b'{"event":"text_delta","data":{"text":"a","text":"b"}}') == TextDelta("b")


def test_absent_fields_take_their_defaults() -> None:
    assert decode_event('{"event":"tool_result","data":{"tool_call_id":"c"}}') == ToolResult("c")
    assert decode_event(
        '{"event":"tool_call","data":{"id":"c","function":{"name":"f","arguments":"{}"}}}'
    ) == ToolCall.from_arguments("c", "f", None)


UNKNOWN = [
    b'{"event":"new_event","data":{"a":[1,2.50,{"b":null}],"c":"\\u0085\xc3\xa9"}}',
    b'{"event":"new_event","data":{}}',
    b'{"event":"new_event","data":{"big":123456789012345678901234567890,"exp":1E5}}',
    b'{"event":"unknown_event","data":{"x":1}}',
    b'{"event":"","data":{}}',
    '{"event":"événement","data":{"é":"日本"}}'.encode(),
]


@pytest.mark.parametrize("line", UNKNOWN)
def test_unknown_event_encodes_back_to_the_same_bytes(line: bytes) -> None:
    event = decode_event(line)

    assert isinstance(event, UnknownEvent)
    assert (event.event, json.loads(event.data)) == tuple(json.loads(line).values())
    assert encode_event(event) == line
    assert encode_events(decode_events(line + b"\n" + TEXT)) == line + b"\n" + TEXT + b"\n"
    assert decode_event(line.decode()) == event


def test_unknown_event_over_several_lines_becomes_one_line() -> None:
    event = decode_event(b'{"event":"new_event",\n"data":{\n"a": 1\r\n}}')

    assert event == UnknownEvent("new_event", b'{"a":1}')


def test_unicode_line_breaks_in_an_unknown_event_are_escaped_when_it_is_read() -> None:
    event = decode_event('{"event":"new_event","data":{"a":"x\u2028y"}}')

    assert event == UnknownEvent("new_event", b'{"a":"x\\u2028y"}')
    assert decode_event(encode_event(event)) == event


def test_blank_lines_and_carriage_returns_are_skipped() -> None:
    data = b"\n" + TEXT + b"\r\n  \t\n\r\n" + TEXT + b"\n\n"

    assert decode_events(data) == [TextDelta("hi")] * 2
    assert decode_events(data.decode()) == [TextDelta("hi")] * 2
    assert decode_events(b"") == decode_events("") == decode_events([]) == decode_events(b"\n \n") == []


def test_lines_may_come_from_any_iterable() -> None:
    data = encode_events([TextDelta("é"), Error("x")])

    for lines in (data.splitlines(), iter(data.splitlines(keepends=True)), BytesIO(data), StringIO(data.decode())):
        assert decode_events(lines) == [TextDelta("é"), Error("x")]


def test_text_is_not_split_on_unicode_line_breaks() -> None:
    line = '{"event":"text_delta","data":{"text":"a\u2028b\x85c\u2029d"}}'

    assert decode_events(line) == decode_events(line.encode()) == [TextDelta("a\u2028b\x85c\u2029d")]


@pytest.mark.parametrize("data", [None, 5, b"{}"[0], object()])
def test_what_is_no_text_raises_type_error(data: Any) -> None:
    with pytest.raises(TypeError):
        decode_event(data)
    with pytest.raises(TypeError, match="Expected str, bytes or an iterable of lines, got"):
        decode_events(data)
    with pytest.raises(TypeError, match=r"Expected lines as str or bytes, got `\w+` \(line 2\)"):
        decode_events([TEXT, data])


@pytest.mark.parametrize("nothing", [None, 0, ()])
def test_what_is_no_line_is_never_skipped(nothing: Any) -> None:
    with pytest.raises(TypeError, match=r"Expected lines as str or bytes, got `\w+` \(line 1\)"):
        decode_events([nothing])


@pytest.mark.parametrize("kind", [bytearray, memoryview])
def test_buffer_is_not_taken_for_lines(kind: Any) -> None:
    with pytest.raises(TypeError, match=f"Expected str, bytes or an iterable of lines, got `{kind.__name__}`"):
        decode_events(kind(TEXT))
