"""Every type stands in for a dataclass and for a pydantic field, and keeps what a value type has."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import pprint
import sys
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from latent.protocol import (
    AgentEvent,
    AnyEvent,
    FunctionCall,
    InvokeResult,
    LLMCallEnd,
    Message,
    Metadata,
    ReasoningDelta,
    Step,
    StepBoundary,
    TextDelta,
    ToolCall,
    ToolResult,
    UnknownEvent,
    Usage,
)

EVENT_TYPES = get_args(AnyEvent)
MUTABLE_TYPES = [Message, Step, InvokeResult]
ALL_TYPES = [*EVENT_TYPES, UnknownEvent, FunctionCall, *MUTABLE_TYPES]
VALUES = st.sampled_from([*EVENT_TYPES, UnknownEvent, *MUTABLE_TYPES]).flatmap(st.from_type)
CALL = ToolCall("c1", FunctionCall("add", '{"x":1}'))


class Mine(AgentEvent):
    """An event of the user's own."""

    name: str
    tags: list[str] | None = None


class Model(BaseModel):
    text: TextDelta
    any_event: AgentEvent
    event: AgentEvent
    history: list[Message]
    result: InvokeResult | None = None


@pytest.mark.parametrize("kind", [*ALL_TYPES, Mine])
def test_every_type_answers_as_a_dataclass(kind: type[Any]) -> None:
    described = {field.name: field.type for field in dataclasses.fields(kind)}

    assert dataclasses.is_dataclass(kind)
    assert list(described) == list(kind.__struct_fields__) == list(inspect.signature(kind).parameters)
    assert described == {field.name: field.type for field in msgspec.structs.fields(kind)}


@given(VALUES)
def test_dataclass_functions_work_on_every_value(value: Any) -> None:
    assert dataclasses.replace(value) == value
    assert list(dataclasses.asdict(value)) == [field.name for field in dataclasses.fields(value)]
    assert len(dataclasses.astuple(value)) == len(dataclasses.fields(value))


def test_asdict_goes_all_the_way_down() -> None:
    result = InvokeResult("a", [Step(0, text="a", tool_calls=[CALL])])

    step = dataclasses.asdict(result)["steps"][0]
    assert step["tool_calls"] == [{"id": "c1", "function": {"name": "add", "arguments": '{"x":1}'}, "type": "function"}]


def test_defaults_are_seen() -> None:
    by_name = {field.name: field for field in dataclasses.fields(Message)}

    assert by_name["content"].default_factory() == ""
    assert by_name["tool_calls"].default is None
    assert by_name["role"].default is dataclasses.MISSING


def test_replace_changes_frozen_events() -> None:
    assert dataclasses.replace(LLMCallEnd("r1"), input_tokens=3) == LLMCallEnd("r1", None, 3)
    if sys.version_info >= (3, 13):
        assert copy.replace(CALL, id="c2") == ToolCall("c2", CALL.function)
    with pytest.raises(TypeError):
        dataclasses.replace(TextDelta("x"), colour="red")


@given(VALUES)
def test_values_survive_pickle_copy_and_deepcopy(value: Any) -> None:
    for twin in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):
        assert type(twin) is type(value)
        assert twin == value
        assert type(getattr(twin, "attributes", None)) is type(getattr(value, "attributes", None))


def test_deepcopy_shares_no_inner_list() -> None:
    step = Step(0, tool_calls=[CALL])
    copy.deepcopy(step).tool_calls.clear()

    assert step.tool_calls == [CALL]


def test_positional_match_follows_the_documented_order() -> None:
    match CALL:
        case ToolCall(id, FunctionCall(name, arguments), kind):
            assert (id, name, arguments, kind) == ("c1", "add", '{"x":1}', "function")


def test_events_are_frozen_and_records_are_not() -> None:
    for event in (TextDelta("x"), CALL, CALL.function, UnknownEvent("x", b"{}"), Mine("x")):
        with pytest.raises(AttributeError, match="immutable"):
            event.text = "y"
    message, step, result = Message("user"), Step(0), InvokeResult("", [])
    message.content, step.text, result.error = "a", "b", "c"
    assert (message.content, step.text, result.error) == ("a", "b", "c")


def test_values_are_hashable_where_their_fields_are() -> None:
    assert len({TextDelta("x"), TextDelta("x"), ReasoningDelta("x"), CALL, ToolResult("c1", "out"), Mine("x")}) == 5
    for value in (ToolResult("c1", {}), Message("user"), Step(0)):
        with pytest.raises(TypeError, match="unhashable"):
            hash(value)


def test_equality_is_by_type_and_value() -> None:
    assert TextDelta("x") == TextDelta("x")
    assert TextDelta("x") != ReasoningDelta("x")
    assert TextDelta("x") != {"text": "x"}


def test_values_print_their_fields() -> None:
    assert repr(CALL) == "ToolCall(id='c1', function=FunctionCall(name='add', arguments='{\"x\":1}'), type='function')"
    assert "tool_calls" in pprint.pformat(Step(0, text="long " * 40, tool_calls=[CALL]), width=40)


@pytest.mark.parametrize("options", [{}, {"frozen": True}, {"slots": True}])
def test_dataclass_decorator_on_a_users_event_raises(options: dict[str, bool]) -> None:
    with pytest.raises(TypeError, match="takes no @dataclass"):

        @dataclasses.dataclass(**options)
        class Wrong(AgentEvent):
            name: str


def test_init_on_a_users_event_raises() -> None:
    with pytest.raises(TypeError, match="cannot define __init__"):

        class Wrong(AgentEvent):
            name: str

            def __init__(self, name: str) -> None: ...


def test_required_field_after_a_default_needs_keywords() -> None:
    with pytest.raises(TypeError, match="kw_only"):

        class Wrong(StepBoundary):
            name: str

    class Right(StepBoundary, kw_only=True):
        name: str

    assert (Right(1, name="x").step, Right(1, name="x").name) == (1, "x")


@given(VALUES)
def test_pydantic_takes_and_gives_every_value(value: Any) -> None:
    adapter = TypeAdapter(type(value))

    assert adapter.validate_python(value) is value
    if not isinstance(value, UnknownEvent):  # its bytes are written anew
        assert adapter.validate_json(adapter.dump_json(value)) == value
        assert adapter.validate_python(adapter.dump_python(value)) == value


@given(st.from_type(AgentEvent))
def test_pydantic_gives_and_takes_an_envelope_for_any_event(event: AgentEvent) -> None:
    adapter = TypeAdapter(AgentEvent)
    text = adapter.dump_json(event)

    assert adapter.validate_json(text) == event
    assert type(adapter.validate_python(adapter.dump_python(event))) is type(event)


def test_pydantic_model_of_all_kinds_of_fields_round_trips() -> None:
    model = Model(
        text={"text": "hi"},
        any_event=ReasoningDelta("hm"),
        event=UnknownEvent("new", b'{"a":[1]}'),
        history=[{"role": "user", "content": "hi"}, Message("assistant", tool_calls=[CALL])],
        result=InvokeResult("a", [Step(0, text="a")]),
    )

    assert model.text == TextDelta("hi")
    assert Model.model_validate_json(model.model_dump_json()) == model
    assert Model.model_validate(model.model_dump()) == model
    assert model.model_dump()["any_event"] == {"event": "reasoning_delta", "data": {"text": "hm"}}
    assert model.model_dump()["history"][0] == {"role": "user", "content": "hi"}


def test_pydantic_reads_a_users_event_from_its_envelope() -> None:
    envelope = {"event": "mine", "data": {"name": "x", "tags": None}}

    assert TypeAdapter(AgentEvent).validate_python(envelope) == Mine("x")
    assert TypeAdapter(AgentEvent).dump_python(Mine("x")) == envelope


def test_pydantic_keeps_an_unknown_event_apart() -> None:
    envelope = {"event": "unknown_event", "data": {"x": 1}}

    assert TypeAdapter(AgentEvent).validate_python(envelope) == UnknownEvent("unknown_event", b'{"x":1}')


def test_pydantic_gives_and_takes_the_envelope_of_an_unknown_event() -> None:
    adapter = TypeAdapter(UnknownEvent)
    event, envelope = UnknownEvent("new", b'{"x":1}'), {"event": "new", "data": {"x": 1}}

    assert adapter.dump_python(event) == adapter.dump_python(event, mode="json") == envelope
    assert adapter.validate_python(envelope) == adapter.validate_json(adapter.dump_json(event)) == event
    assert adapter.json_schema()["properties"]["data"] == {"type": "object"}


@pytest.mark.parametrize(
    ("kind", "value", "reason"),
    [
        (TextDelta, {"text": 5}, r"Expected `str`, got `int` - at `\$\.text`"),
        (TextDelta, {}, "missing required field `text`"),
        (TextDelta, None, "Expected `object`, got `null`"),
        (Message, {"role": "user", "tool_calls": [{}]}, "missing required field `id`"),
        (Metadata, {"attributes": {"k": None}}, "leave absent values out"),
        (AgentEvent, {"event": "text_delta", "data": {}}, "missing required field `text`"),
        (AgentEvent, {"text": "hi"}, "missing required field `event`"),
        (AgentEvent, {"event": "new", "data": {"a": {1}}}, "Expected a JSON value, got `set`"),
    ],
)
def test_pydantic_reports_what_does_not_fit(kind: type[Any], value: object, reason: str) -> None:
    with pytest.raises(ValidationError, match=reason):
        TypeAdapter(kind).validate_python(value)


def test_pydantic_writes_no_value_beyond_json() -> None:
    with pytest.raises(PydanticSerializationError, match=r"Expected a JSON value, got nan - at `\$\.output`"):
        TypeAdapter(ToolResult).dump_json(ToolResult("c1", float("nan")))


@pytest.mark.parametrize("kind", [*ALL_TYPES, AgentEvent])
def test_pydantic_describes_every_type_as_a_json_schema(kind: type[Any]) -> None:
    schema = TypeAdapter(list[kind]).json_schema()

    assert schema["items"]["title"] == kind.__name__
    assert schema["items"]["type"] == "object"
    assert "$ref" not in str(schema)


def test_usage_property_is_no_field() -> None:
    assert "uncached_input_tokens" not in dataclasses.asdict(Usage(3))
