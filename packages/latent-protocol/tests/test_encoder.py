from __future__ import annotations

import json
import re
from collections import OrderedDict
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum, StrEnum
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import fields, force_setattr

from latent.protocol import (
    AgentEvent,
    AnyEvent,
    FunctionCall,
    LLMCallStart,
    Message,
    Metadata,
    RetrieverEnd,
    TextDelta,
    ToolCall,
    ToolResult,
    UnknownEvent,
    Usage,
    VerificationResult,
    WireError,
    decode_event,
    decode_events,
    encode_event,
    encode_events,
    encode_sse,
)

EVENTS = st.from_type(AgentEvent)


class Colour(Enum):
    RED = "red"


class Mood(StrEnum):
    GLAD = "is glad"


class Shout(str):
    """A plain subclass, which msgspec by itself does not write."""


class Opaque:
    def __repr__(self) -> str:
        raise AssertionError("nobody may print it")


class Point(Struct):
    x: int


class Spotted(AgentEvent):
    at: Any
    where: Point | None = None


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth - 1):
        value = [value]
    return value


def cycle() -> list[Any]:
    value: list[Any] = ["x" * 1000]
    value += [value, {"again": value}]
    return value


@given(EVENTS)
def test_event_survives_its_json_form(event: AgentEvent) -> None:
    line = encode_event(event)

    assert decode_event(line) == event
    assert json.loads(line).keys() == {"event", "data"}


@given(st.lists(EVENTS))
def test_events_in_bulk_are_the_lines_of_each(events: list[AgentEvent]) -> None:
    lines = b"".join(encode_event(event) + b"\n" for event in events)

    assert encode_events(events) == lines
    assert encode_events(iter(events)) == lines
    assert decode_events(lines) == events


@given(EVENTS)
def test_written_event_is_one_line_for_every_reader(event: AgentEvent) -> None:
    line = encode_event(event)

    assert len(line.splitlines()) == 1
    assert len(line.decode().splitlines()) == 1


@pytest.mark.parametrize("text", ["\x85", "\u2028", "\u2029", "a\x85b\u2028c\u2029d é"])
def test_unicode_line_breaks_are_escaped(text: str) -> None:
    event = TextDelta(text)

    escaped = text.replace("\x85", "\\u0085").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    assert encode_event(event) == f'{{"event":"text_delta","data":{{"text":"{escaped}"}}}}'.encode()
    assert encode_events([event]) == encode_event(event) + b"\n"


BEYOND_JSON = [
    (float("nan"), "nan"),
    (float("-inf"), "-inf"),
    ({1}, "`set`"),
    (frozenset(), "`frozenset`"),
    ((1, 2), "`tuple`"),
    (b"x", "`bytes`"),
    (datetime(2026, 1, 1, tzinfo=UTC), "`datetime`"),
    (Decimal(1), "`Decimal`"),
    (Colour.RED, "`Colour`"),
    (Opaque(), "`Opaque`"),
    (Point(1), "`Point`"),
    (Message(role="user"), "`Message`"),
    (TextDelta("x"), "`TextDelta`"),
    (10**5000, "an int of at most"),
    ({1: "x"}, "`str` keys, got `int`"),
    ({None: "x"}, "`str` keys, got `NoneType`"),
    ("\ud800", "a lone surrogate at character 0"),
    ({"\ud800": 1}, "a lone surrogate at character 0"),
    (nested(201), "at most 200 nested containers"),
    (cycle(), "at most 200 nested containers"),
]


@pytest.mark.parametrize(("value", "reason"), BEYOND_JSON, ids=[reason for _, reason in BEYOND_JSON])
def test_value_beyond_json_raises_with_its_path(value: object, reason: str) -> None:
    bare = ToolResult("c1", value)
    inside = ToolResult("c1", {"a": [0, {"b": value}]})

    for event, path in [(bare, "$.data.output"), (inside, "$.data.output.a[1].b")]:
        with pytest.raises(WireError) as one:
            encode_event(event)
        with pytest.raises(WireError) as bulk:
            encode_events([TextDelta("fine"), event])

        assert reason in one.value.reason
        assert (one.value.path or "").startswith(path)
        assert str(bulk.value) == str(one.value)


@pytest.mark.parametrize("depth", [1, 2, 199, 200])
def test_nesting_up_to_the_limit_survives(depth: int) -> None:
    event = ToolResult("c1", nested(depth))

    assert decode_event(encode_event(event)) == event


RIGHT: dict[object, object] = {str: "x", int: 1, bool: True, list[str]: [], FunctionCall: FunctionCall("f", "{}")}
WRONG: dict[str, list[object]] = {
    "str": [b"x", {"x"}, float("nan"), 5.0, "\ud800", ["x"]],
    "int": [b"1", float("nan"), 1.5, True, "1", None],
    "float": [float("inf"), "1", None, True],
    "bool": [1, "yes", None],
    "list": [(), [b"x"], [1], "x", {}],
}


def wrong_fields() -> list[tuple[AgentEvent, str]]:
    """Every field of every event with every wrong value, all other fields as they should be."""
    spoilt = []
    for kind in get_args(AnyEvent):
        required = {field.name: RIGHT[field.type] for field in fields(kind) if field.required and kind is not Metadata}
        for field in fields(kind):
            name = re.match("[a-z]*", str(field.type).removeprefix("<class '"))[0]
            spoilt += [(kind(**required | {field.name: value}), field.name) for value in WRONG.get(name, [])]
    return spoilt


@pytest.mark.parametrize(("event", "name"), wrong_fields(), ids=str)
def test_wrong_value_in_a_typed_field_raises_with_its_path(event: AgentEvent, name: str) -> None:
    with pytest.raises(WireError) as one:
        encode_event(event)
    with pytest.raises(WireError) as bulk:
        encode_events([TextDelta("fine"), event])

    assert (one.value.path or "").startswith(f"$.data.{name}")
    assert str(bulk.value) == str(one.value)


def test_function_that_is_no_function_call_raises() -> None:
    with pytest.raises(WireError, match=r"data\.function"):
        encode_event(ToolCall("c1", "add"))
    with pytest.raises(WireError, match=r"data\.function\.arguments"):
        encode_event(ToolCall("c1", FunctionCall("add", {"x": 1})))


@pytest.mark.parametrize(
    ("value", "native"),
    [(Mood.GLAD, "is glad"), (OrderedDict(a=1), {"a": 1}), ({Mood.GLAD: [Mood.GLAD]}, {"is glad": ["is glad"]})],
)
def test_subclass_of_a_native_type_counts_as_the_value_it_holds(value: object, native: object) -> None:
    assert encode_event(ToolResult("c1", value)) == encode_event(ToolResult("c1", native))
    assert encode_event(ToolResult(Mood.GLAD)) == encode_event(ToolResult("is glad"))


def test_int_in_a_float_field_is_written() -> None:
    assert decode_event(encode_event(LLMCallStart("r1", "", timestamp=5))) == LLMCallStart("r1", "", timestamp=5.0)


def test_surrogate_in_an_attribute_raises_with_its_path() -> None:
    with pytest.raises(WireError, match=r"surrogate.*\$\.data\.attributes\.k"):
        encode_event(Metadata({"k": "\udcff"}))


def test_enc_hook_is_asked_about_values_beyond_json_and_nothing_else() -> None:
    asked: list[object] = []

    def hook(value: object) -> object:
        asked.append(value)
        if isinstance(value, set):
            return sorted(value)
        raise NotImplementedError

    event = ToolResult("c1", {"ids": {2, 1}, "n": [1, "x", None]})
    wanted = ToolResult("c1", {"ids": [1, 2], "n": [1, "x", None]})

    assert decode_event(encode_event(event, enc_hook=hook)) == wanted
    assert decode_events(encode_events([event], enc_hook=hook)) == [wanted]
    assert encode_sse(event, enc_hook=hook).startswith(b"event: tool_result\ndata: {")
    assert asked == [{1, 2}] * 3
    with pytest.raises(WireError, match=r"one that enc_hook takes, got `bytes` - at `\$\.data\.output`"):
        encode_event(ToolResult("c1", b""), enc_hook=hook)


def test_enc_hook_that_never_gets_anywhere_raises() -> None:
    with pytest.raises(WireError, match="Expected fewer nested containers"):
        encode_event(ToolResult("c1", {1}), enc_hook=lambda value: value)
    with pytest.raises(WireError, match="nested"):
        encode_event(ToolResult("c1", {1}), enc_hook=lambda value: [value, value])


def test_error_of_an_enc_hook_propagates_and_the_hook_ran_once() -> None:
    ran: list[object] = []

    def hook(value: object) -> object:
        ran.append(value)
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        encode_events([ToolResult("c1", {1})], enc_hook=hook)
    assert len(ran) == 1


def test_users_event_is_written_under_its_tag() -> None:
    event = Spotted(at=[1, {"x": "y"}], where=Point(3))

    line = encode_event(event)

    assert line == b'{"event":"spotted","data":{"at":[1,{"x":"y"}],"where":{"x":3}}}'
    assert encode_events([event, TextDelta("x")]) == line + b"\n" + encode_event(TextDelta("x")) + b"\n"
    assert decode_event(line) == UnknownEvent("spotted", b'{"at":[1,{"x":"y"}],"where":{"x":3}}')
    assert encode_event(decode_event(line)) == line


def test_users_event_with_a_value_beyond_json_raises() -> None:
    with pytest.raises(WireError, match=r"`Point` - at `\$\.data\.at`"):
        encode_event(Spotted(at=Point(1)))
    with pytest.raises(WireError, match=r"`bytes` - at `\$\.data\.where\.x`"):
        encode_event(Spotted(at=1, where=Point(b"")))


def test_subclass_of_an_event_of_the_protocol_has_a_tag_of_its_own() -> None:
    class LoudDelta(TextDelta):
        volume: int = 11

    assert encode_event(LoudDelta("hi")) == b'{"event":"loud_delta","data":{"text":"hi","volume":11}}'


@pytest.mark.parametrize("name", ["TextDelta", "AgentEvent", "UnknownEvent", "text_delta"])
def test_foreign_class_with_a_taken_tag_raises(name: str) -> None:
    foreign = type(AgentEvent)(name, (AgentEvent,), {"__module__": "elsewhere"})

    with pytest.raises(WireError, match=r"elsewhere.*which is that of `latent\.events"):
        encode_event(foreign())


def test_base_event_is_written() -> None:
    assert encode_event(AgentEvent()) == b'{"event":"agent_event","data":{}}'


@pytest.mark.parametrize("stranger", [None, "text", {"event": "text_delta"}, 5, Message("user"), TextDelta])
def test_what_is_no_event_raises_type_error(stranger: Any) -> None:
    with pytest.raises(TypeError, match="Expected an AgentEvent, got"):
        encode_event(stranger)
    with pytest.raises(TypeError, match="Expected an AgentEvent, got"):
        encode_events([stranger])


@pytest.mark.parametrize(
    ("event", "path"),
    [
        (UnknownEvent("new", b"{"), "$.data"),
        (UnknownEvent("new", b"[]"), "$.data"),
        (UnknownEvent("new", b"{} {}"), "$.data"),
        (UnknownEvent("new", b'{"a":"\xff"}'), "$.data"),
        (UnknownEvent("new", "{}"), "$.data"),
        (UnknownEvent("text_delta", b"{}"), "$.event"),
        (UnknownEvent("\ud800", b"{}"), "$.event"),
        (UnknownEvent(5, b"{}"), "$.event"),
    ],
)
def test_unknown_event_that_is_no_event_raises(event: UnknownEvent, path: str) -> None:
    with pytest.raises(WireError) as caught:
        encode_event(event)

    assert caught.value.path == path


@pytest.mark.parametrize("data", [b'{\n"a":1}', b'{"a":\r1}', b'{"a":\r\n1\n}'])
def test_line_breaks_between_the_tokens_of_an_unknown_event_are_not_written(data: bytes) -> None:
    assert encode_event(UnknownEvent("new", data)) == b'{"event":"new","data":{"a":1}}'


def test_server_sent_event_has_two_lines_and_a_blank_one() -> None:
    assert encode_sse(TextDelta("a\nb\u2028")) == b'event: text_delta\ndata: {"text":"a\\nb\\u2028"}\n\n'
    assert encode_sse(UnknownEvent("new", b"{}")) == b"event: new\ndata: {}\n\n"


@pytest.mark.parametrize("tag", ["new\ndata: {}", "new\r", "\x85new", "new\u2028er"])
def test_server_sent_event_refuses_a_tag_of_more_than_one_line(tag: str) -> None:
    with pytest.raises(WireError, match="tag of one line"):
        encode_sse(UnknownEvent(tag, b"{}"))


def test_event_changed_by_force_is_judged_as_it_is() -> None:
    event = Usage(1)
    force_setattr(event, "input_tokens", {1})

    with pytest.raises(WireError, match="input_tokens"):
        encode_event(event)


def test_lists_of_texts_are_looked_into() -> None:
    for event in (RetrieverEnd("q", ["x", None]), VerificationResult(True, None, [b"x"])):
        with pytest.raises(WireError):
            encode_event(event)
