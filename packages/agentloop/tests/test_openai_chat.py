import json
from typing import Any

import pytest

from agentloop.adapters import OpenAIChatAdapter
from agentloop.transcript import Citation, ContentPart, Origin, TextPart, ThinkingPart, ToolCallPart, Transcript

from . import samples
from .sdk_types import accept
from .test_adapters import answered


def _read(message: dict[str, Any], **choice: Any) -> tuple[tuple[ContentPart, ...], Origin]:
    response = {"model": "m", "choices": [{"message": {"role": "assistant", **message}, **choice}]}
    return OpenAIChatAdapter(provider="vendor").from_response(response)


def _sent(parts: tuple[ContentPart, ...], origin: Origin, **options: Any) -> list[dict[str, Any]]:
    transcript = Transcript()
    transcript.add_assistant_message(parts, origin)
    if transcript.pending_tool_calls():
        transcript = answered(parts, origin)
    return OpenAIChatAdapter(**{"provider": "vendor", **options}).to_wire(transcript)


def _stream(*fragments: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    assembler = OpenAIChatAdapter().assembler()
    for fragment in fragments:
        assembler.feed({"choices": [{"index": 0, "delta": {"tool_calls": [fragment]}}]})
    return [(part.tool_name, part.arguments) for part in assembler.finish()[0] if isinstance(part, ToolCallPart)]


def _fragment(arguments: str = "", name: str | None = None, **fields: Any) -> dict[str, Any]:
    return {**fields, "function": {"arguments": arguments, **({"name": name} if name else {})}}


def test_sdk_objects_and_dicts_read_the_same() -> None:
    types = pytest.importorskip("openai.types.chat")
    adapter = OpenAIChatAdapter()
    assembler, from_objects = adapter.assembler(), adapter.assembler()

    for chunk in samples.chat_chunks(5):
        assembler.feed(chunk)
        from_objects.feed(types.ChatCompletionChunk.model_validate(chunk))

    assert adapter.from_response(types.ChatCompletion.model_validate(samples.CHAT)) == adapter.from_response(
        samples.CHAT
    )
    assert from_objects.finish() == assembler.finish()


def test_a_refusal_is_text_and_goes_back_as_a_refusal() -> None:
    parts, origin = _read({"content": None, "refusal": "I cannot."})

    assert parts == (TextPart(text="I cannot."),)
    wire = _sent(parts, origin)
    accept("chat", wire)
    assert wire == [{"role": "assistant", "refusal": "I cannot.", "content": None}]
    assert _sent(parts, origin, provider="another") == [{"role": "assistant", "content": "I cannot."}]


@pytest.mark.parametrize("message", [{}, {"content": None}, {"content": ""}, {"content": [], "tool_calls": []}])
def test_nothing_said_gives_no_parts(message: dict[str, Any]) -> None:
    assert _read(message)[0] == ()


def test_custom_calls_are_replayed_and_rebuilt_as_functions() -> None:
    call = {"id": "c1", "type": "custom", "custom": {"name": "sql", "input": "select 1"}}
    parts, origin = _read({"tool_calls": [call]})

    assert parts == (ToolCallPart(call_id="c1", tool_name="sql", arguments={"input": "select 1"}),)
    assert _sent(parts, origin)[1] == {"role": "assistant", "tool_calls": [call]}
    rebuilt = _sent(parts, origin, provider="another")
    accept("chat", rebuilt)
    assert rebuilt[1]["tool_calls"][0]["function"] == {"name": "sql", "arguments": '{"input":"select 1"}'}


def test_a_spoken_answer_is_text_and_goes_back_as_audio() -> None:
    audio = {"id": "audio_1", "data": "UklGRg==", "expires_at": 1, "transcript": "Hello"}

    parts, origin = _read({"content": None, "audio": audio})

    assert parts == (TextPart(text="Hello"),)
    assert _sent(parts, origin) == [{"role": "assistant", "content": None, "audio": {"id": "audio_1"}}]
    assert _sent(parts, origin, provider="other") == [{"role": "assistant", "content": "Hello"}]


@pytest.mark.parametrize(("arguments", "sent"), [(" ", "{}"), ({"a": 1}, '{"a":1}'), (None, "{}")])
def test_arguments_that_are_no_json_text_go_back_as_json(arguments: Any, sent: str) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "t", "arguments": arguments}}

    wire = _sent(*_read({"tool_calls": [call]}))

    assert wire[1]["tool_calls"][0]["function"]["arguments"] == sent


def test_broken_arguments_never_go_back() -> None:
    calls = [{"id": "c1", "type": "function", "function": {"name": "t", "arguments": '{"a": '}}]
    parts, origin = _read({"tool_calls": calls}, finish_reason="length")

    (call,) = parts
    assert isinstance(call, ToolCallPart)
    assert call.raw_arguments == '{"a": '
    assert (call.parse_error or "").endswith("the turn was cut off at its token limit")
    for provider in ("vendor", "another"):
        wire = _sent(parts, origin, provider=provider)
        assert wire[1]["tool_calls"][0]["function"]["arguments"] == "{}"


def test_vendor_reasoning_goes_back_to_its_model_only() -> None:
    parts, origin = _read({"content": "Hi", "reasoning_content": "Think."})

    assert parts[0] == ThinkingPart(text="Think.", provider="vendor", model="m", raw={"reasoning_content": "Think."})
    assert _sent(parts, origin, model="m") == [{"role": "assistant", "content": "Hi", "reasoning_content": "Think."}]
    assert _sent(parts, origin, model="n") == [{"role": "assistant", "content": "Hi"}]
    assert _sent(parts, origin, provider="another") == [{"role": "assistant", "content": "Hi"}]


def test_fields_the_api_only_sends_are_not_sent_back() -> None:
    parts, origin = _read(
        {"content": "Hi", "annotations": [], "audio": {"id": "a1", "data": "…", "expires_at": 1}, "function_call": None}
    )

    assert _sent(parts, origin) == [{"role": "assistant", "content": "Hi", "audio": {"id": "a1"}}]


def test_a_deprecated_function_call_becomes_a_tool_call() -> None:
    parts, origin = _read({"content": None, "function_call": {"name": "t", "arguments": "{}"}})

    wire = _sent(parts, origin)

    accept("chat", wire)
    assert [row["role"] for row in wire] == ["user", "assistant", "tool"]


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [(0, 5, (0, 5)), (3, 3, (None, None)), (4, 2, (None, None)), (0, 99, (None, None)), (-1, 2, (None, None))],
)
def test_offsets_that_do_not_fit_are_left_out_and_the_page_is_kept(start: int, end: int, expected: Any) -> None:
    annotation = {"type": "url_citation", "url_citation": {"url": "u", "start_index": start, "end_index": end}}

    parts, _ = _read({"content": "Hello world", "annotations": [annotation]})

    citation = Citation(url="u", start=expected[0], end=expected[1])
    assert parts == (TextPart(text="Hello world", citations=(citation,)),)


A, B = ("a", {"x": 1}), ("b", {"y": 2})


@pytest.mark.parametrize(
    "fragments",
    [
        [_fragment("", "a", index=0, id="1"), _fragment('{"x":', index=0), _fragment("1}", index=0)],
        [_fragment('{"x":', "a", index=0, id="1"), _fragment("1}", "a", index=0, id="1")],
        [_fragment('{"x":', "a", id="1"), _fragment("1}")],
    ],
)
def test_fragments_of_one_call_are_joined(fragments: list[dict[str, Any]]) -> None:
    assert _stream(*fragments) == [A]


@pytest.mark.parametrize(
    "fragments",
    [
        # interleaved
        [
            _fragment('{"x":', "a", index=0, id="1"),
            _fragment('{"y":', "b", index=1, id="2"),
            _fragment("1}", index=0),
            _fragment("2}", index=1),
        ],
        # sparse indexes
        [_fragment('{"x":1}', "a", index=3, id="1"), _fragment('{"y":2}', "b", index=7, id="2")],
        # every index zero
        [
            _fragment('{"x":', "a", index=0, id="1"),
            _fragment("1}", index=0),
            _fragment('{"y":', "b", index=0, id="2"),
            _fragment("2}", index=0),
        ],
        # no index
        [_fragment('{"x":1}', "a", id="1"), _fragment('{"y":', "b", id="2"), _fragment("2}")],
        # no index, the id repeated
        [_fragment('{"x":', "a", id="1"), _fragment('{"y":2}', "b", id="2"), _fragment("1}", id="1")],
        # every index zero, the ids repeated
        [
            _fragment('{"x":', "a", index=0, id="1"),
            _fragment('{"y":', "b", index=0, id="2"),
            _fragment("1}", index=0, id="1"),
            _fragment("2}", index=0, id="2"),
        ],
        # two calls with one id
        [_fragment('{"x":1}', "a", index=0, id="1"), _fragment('{"y":2}', "b", index=1, id="1")],
    ],
)
def test_fragments_of_two_calls_are_told_apart(fragments: list[dict[str, Any]]) -> None:
    assert _stream(*fragments) == [A, B]


def test_only_the_first_choice_is_read() -> None:
    assembler = OpenAIChatAdapter().assembler()
    assembler.feed({"choices": [{"index": 1, "delta": {"content": "no"}}, {"index": 0, "delta": {"content": "yes"}}]})

    assert assembler.finish()[0] == (TextPart(text="yes"),)


@pytest.mark.parametrize(
    ("pieces", "raw"),
    [
        (["", [{"type": "thinking"}], "Hel", "lo"], [{"type": "thinking"}, {"type": "text", "text": "Hello"}]),
        (["Hel", [{"type": "text", "text": "lo"}]], [{"type": "text", "text": "Hello"}]),
        ([[{"type": "text", "text": "Hel"}], [{"type": "text", "text": "lo"}]], [{"type": "text", "text": "Hello"}]),
    ],
)
def test_content_streamed_as_texts_and_as_lists_loses_nothing(pieces: list[Any], raw: list[Any]) -> None:
    assembler = OpenAIChatAdapter().assembler()
    for piece in pieces:
        assembler.feed({"choices": [{"index": 0, "delta": {"content": piece}}]})

    parts, origin = assembler.finish()

    assert parts == (TextPart(text="Hello"),)
    assert origin.raw == ({"role": "assistant", "content": raw},)


def test_joining_a_long_stream_is_linear() -> None:
    assembler = OpenAIChatAdapter().assembler()
    for _ in range(50_000):
        assembler.feed({"choices": [{"index": 0, "delta": {"content": "a"}}]})

    assert assembler.finish()[0] == (TextPart(text="a" * 50_000),)


def test_two_replies_merged_into_one_message_are_rebuilt() -> None:
    transcript = Transcript()
    transcript.add_assistant_message(*_read({"content": "One."}))
    transcript.extend_last_assistant(*_read({"content": "Two."}))

    assert OpenAIChatAdapter(provider="vendor").to_wire(transcript) == [{"role": "assistant", "content": "One. Two."}]


def test_several_texts_of_a_user_stay_apart() -> None:
    transcript = Transcript.model_validate(
        {"messages": [{"role": "user", "content": [{"type": "text", "text": one} for one in ("a", " ", "b")]}]}
    )

    (row,) = OpenAIChatAdapter().to_wire(transcript)

    accept("chat", [row])
    assert json.loads(json.dumps(row["content"])) == [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
