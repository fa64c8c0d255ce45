import copy
import enum
import pickle
from collections import OrderedDict
from typing import Any

import pytest
from hypothesis import given
from pydantic import ValidationError

from agentloop.transcript import (
    Citation,
    HostedToolPart,
    Message,
    Origin,
    Part,
    Source,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
)

from .strategies import content_parts, messages

PARTS = (TextPart, ToolCallPart, ToolResultPart, ThinkingPart, HostedToolPart)


class _Level(enum.IntEnum):
    LOW = 1


def _call(**fields: Any) -> ToolCallPart:
    return ToolCallPart(**{"call_id": "c", "tool_name": "t", **fields})


def _nested(depth: int, wrap: str = "dict") -> dict[str, Any]:
    value: Any = {}
    for _ in range(depth - 2):
        value = {"a": value} if wrap == "dict" else [value]
    return {"a": value}


@pytest.mark.parametrize("part", PARTS)
def test_parts_are_parts_and_the_base_has_no_fields(part: type[Part]) -> None:
    assert issubclass(part, Part)
    assert Part.model_fields == {}


@pytest.mark.parametrize(
    ("model", "required", "optional"),
    [
        (TextPart, {"text"}, {"type": "text", "citations": ()}),
        (
            ToolCallPart,
            {"call_id", "tool_name"},
            {"type": "tool_call", "arguments": {}, "raw_arguments": None, "parse_error": None},
        ),
        (ToolResultPart, {"call_id", "tool_name", "content"}, {"type": "tool_result", "is_error": False}),
        (
            ThinkingPart,
            {"text"},
            {"type": "thinking", "signature": None, "provider": None, "model": None, "raw": None},
        ),
        (
            HostedToolPart,
            {"kind"},
            {"type": "hosted_tool", "call_id": None, "query": None, "error": None, "sources": ()},
        ),
        (Source, {"url"}, {"title": None}),
        (Citation, {"url"}, {"title": None, "cited_text": None, "start": None, "end": None}),
        (Origin, {"provider", "api", "model"}, {"raw": ()}),
        (Message, {"role", "content"}, {"origin": None}),
    ],
)
def test_fields_and_defaults(model: Any, required: set[str], optional: dict[str, Any]) -> None:
    fields = model.model_fields

    assert {name for name, field in fields.items() if field.is_required()} == required
    assert {n: f.get_default(call_default_factory=True) for n, f in fields.items() if not f.is_required()} == optional


@given(content_parts)
def test_attributes_cannot_be_set_or_deleted(part: Any) -> None:
    with pytest.raises(ValidationError):
        part.type = "text"
    with pytest.raises(ValidationError):
        del part.type


@pytest.mark.parametrize("model", [*PARTS, Source, Citation, Origin, Message])
def test_unknown_fields_are_refused(model: Any) -> None:
    with pytest.raises(ValidationError, match="surprise\n"):
        model(surprise=1)


@pytest.mark.parametrize(
    ("model", "fields"),
    [
        (ToolCallPart, {"call_id": "", "tool_name": "t"}),
        (ToolCallPart, {"call_id": "c", "tool_name": ""}),
        (ToolResultPart, {"call_id": "", "tool_name": "t", "content": ""}),
        (ToolResultPart, {"call_id": "c", "tool_name": "", "content": ""}),
        (HostedToolPart, {"kind": ""}),
    ],
)
def test_names_and_ids_are_not_empty(model: Any, fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="at least 1 character"):
        model(**fields)


@pytest.mark.parametrize(
    ("model", "fields"),
    [
        (TextPart, {"text": b"bytes"}),
        (TextPart, {"text": 3}),
        (TextPart, {"text": None}),
        (ToolResultPart, {"call_id": "c", "tool_name": "t", "content": "", "is_error": "yes"}),
        (ToolResultPart, {"call_id": "c", "tool_name": "t", "content": "", "is_error": 1}),
        (Citation, {"url": "u", "start": "5"}),
        (Citation, {"url": "u", "start": True}),
        (Citation, {"url": "u", "end": 5.0}),
        (Citation, {"url": "u", "end": 2**63}),
        (Message, {"role": "system", "content": [TextPart(text="x")]}),
        (Message, {"role": "user", "content": "text"}),
        (Message, {"role": "user", "content": [{"type": "image", "url": "u"}]}),
    ],
)
def test_values_of_another_type_are_refused_rather_than_converted(model: Any, fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        model(**fields)


def test_id_and_name_are_accepted_and_readable() -> None:
    call = ToolCallPart.model_validate({"id": "c", "name": "t"})

    assert call == _call()
    assert (call.id, call.name) == ("c", "t")
    with pytest.raises(ValidationError, match="Extra inputs"):
        ToolCallPart.model_validate({"id": "c", "call_id": "c", "name": "t"})


def test_parse_error_needs_the_text_it_is_about() -> None:
    with pytest.raises(ValidationError, match="Expected raw_arguments beside parse_error"):
        _call(parse_error="line 1")
    assert _call(raw_arguments="{", parse_error="line 1").arguments == {}
    assert _call(raw_arguments="{}").parse_error is None


@pytest.mark.parametrize(
    ("value", "where"),
    [
        ({"a": float("nan")}, r"finite number, got nan at \$\.a"),
        ({"a": [1, {"b c": float("inf")}]}, r"finite number, got inf at \$\.a\[1\]\['b c'\]"),
        ({"a": 10**4300}, r"at most 4300 digits and sign, got a longer one at \$\.a"),
        ({"a": -(10**4299)}, r"at most 4300 digits"),
        ({"a": (1, 2)}, r"JSON value, got tuple at \$\.a"),
        ({"a": {1, 2}}, r"JSON value, got set"),
        ({"a": b"x"}, r"JSON value, got bytes"),
        ({"a": object()}, r"JSON value, got object"),
        ({"a": _Level.LOW}, r"JSON value, got _Level"),
        ({"a": TextPart(text="x")}, r"JSON value, got TextPart"),
        ({1: "a"}, r"str keys, got int 1"),
        ({"a": {None: 1}}, r"str keys, got NoneType None at \$\.a"),
        ({"a": "\ud800"}, r"UTF-8 can carry, got a lone surrogate at \$\.a"),
        ({"\udfff": 1}, r"keys that UTF-8 can carry"),
        ([], r"Expected a JSON object, got list"),
        (None, r"Expected a JSON object, got NoneType"),
    ],
)
def test_what_json_cannot_give_back_is_refused_with_its_path(value: Any, where: str) -> None:
    with pytest.raises(ValidationError, match=where):
        _call(arguments=value)
    if value is not None:
        with pytest.raises(ValidationError, match=where):
            ThinkingPart(text="", raw=value)
    with pytest.raises(ValidationError, match=where):
        Origin(provider="p", api="a", model="m", raw=(value,))


@pytest.mark.parametrize("wrap", ["dict", "list"])
def test_a_hundred_containers_may_nest_and_no_more(wrap: str) -> None:
    call = _call(arguments=_nested(100, wrap))

    assert ToolCallPart.model_validate_json(call.model_dump_json()) == call
    with pytest.raises(ValidationError, match="at most 100 containers"):
        _call(arguments=_nested(101, wrap))
    with pytest.raises(ValidationError, match="at most 100 containers"):
        ToolCallPart.model_validate_json(f'{{"id": "c", "name": "t", "arguments": {{"a": {"[" * 100}{"]" * 100}}}}}')


def test_a_value_inside_itself_is_refused() -> None:
    loop: dict[str, Any] = {}
    loop["again"] = [loop]

    with pytest.raises(ValidationError, match="at most 100 containers"):
        _call(arguments=loop)


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\ud83d\ude00"])
@pytest.mark.parametrize(
    "build",
    [
        lambda text: TextPart(text=text),
        lambda text: ToolCallPart(call_id=text, tool_name="t"),
        lambda text: ToolResultPart(call_id="c", tool_name="t", content=text),
        lambda text: ThinkingPart(text="", signature=text),
        lambda text: HostedToolPart(kind=text),
        lambda text: Source(url=text),
        lambda text: Citation(url="u", cited_text=text),
        lambda text: Origin(provider=text, api="a", model="m"),
    ],
)
def test_lone_surrogates_are_refused_in_every_text_field(build: Any, text: str) -> None:
    with pytest.raises(ValidationError, match="lone surrogate"):
        build(text)


def test_nothing_the_caller_holds_is_shared() -> None:
    arguments: dict[str, Any] = {"a": {"b": [1]}}
    call = _call(arguments=arguments)
    thinking = ThinkingPart(text="", raw=arguments)
    origin = Origin(provider="p", api="a", model="m", raw=(arguments,))

    arguments["a"]["b"].append(2)
    arguments["c"] = 3

    assert call.arguments == thinking.raw == origin.raw[0] == {"a": {"b": [1]}}


def test_dict_and_list_subclasses_become_plain() -> None:
    class Names(list[str]):
        pass

    call = _call(arguments=OrderedDict(a=OrderedDict(b=Names(["x"]))))

    assert type(call.arguments["a"]) is dict
    assert type(call.arguments["a"]["b"]) is list


def test_a_text_subclass_becomes_plain() -> None:
    class Colour(enum.StrEnum):
        RED = "red"

    assert type(TextPart(text=Colour.RED).text) is str
    assert TextPart(text=Colour.RED).text == "red"


def test_what_a_subclass_adds_is_refused_in_a_message() -> None:
    class Loud(TextPart):
        volume: int = 3

    with pytest.raises(ValidationError, match="volume"):
        Message(role="user", content=(Loud(text="x"),))


def test_a_failing_part_gives_one_error_and_empty_content_another() -> None:
    with pytest.raises(ValidationError, match="1 validation error") as one:
        Message.model_validate({"role": "user", "content": [{"type": "text", "text": 5}]})
    with pytest.raises(ValidationError, match="at least one content part"):
        Message(role="user", content=())

    assert one.value.errors()[0]["loc"] == ("content", 0, "text", "text")


@given(messages)
def test_equal_values_hash_alike_however_they_were_copied(message: Message) -> None:
    copies = [
        copy.deepcopy(message),
        pickle.loads(pickle.dumps(message)),
        message.model_copy(deep=True),
        Message.model_validate(message.model_dump()),
        Message.model_validate_json(message.model_dump_json()),
    ]

    for one in copies:
        assert one == message
        assert hash(one) == hash(message)


def test_model_copy_checks_what_it_changes() -> None:
    part = TextPart(text="a")
    arguments: dict[str, Any] = {"b": []}

    assert part.model_copy(update={"text": "b"}) == TextPart(text="b")
    with pytest.raises(ValidationError):
        part.model_copy(update={"text": 4})
    changed = _call().model_copy(update={"arguments": arguments})
    arguments["b"].append(1)
    assert changed.arguments == {"b": []}


def test_origin_matches_provider_and_api_only() -> None:
    origin = Origin(provider="openai", api="chat", model="m")

    assert origin.matches("openai", "chat")
    assert not origin.matches("OpenAI", "chat")
    assert not origin.matches("openai", "responses")
    assert not origin.matches(None, "chat")
