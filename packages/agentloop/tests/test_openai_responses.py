import copy
from typing import Any

import pytest
from pydantic import TypeAdapter

from agentloop.adapters import OpenAIResponsesAdapter
from agentloop.transcript import (
    ContentPart,
    HostedToolPart,
    Origin,
    Source,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    Transcript,
)

from . import samples
from .sdk_types import accept
from .test_adapters import answered


def _read(*items: dict[str, Any], **fields: Any) -> tuple[tuple[ContentPart, ...], Origin]:
    return OpenAIResponsesAdapter().from_response({"model": "m", "output": list(items), **fields})


def _sent(parts: tuple[ContentPart, ...], origin: Origin, **options: Any) -> list[dict[str, Any]]:
    transcript = Transcript()
    transcript.add_assistant_message(parts, origin)
    if transcript.pending_tool_calls():
        transcript = answered(parts, origin)
    return OpenAIResponsesAdapter(**options).to_wire(transcript)


def _assemble(events: Any) -> tuple[tuple[ContentPart, ...], Origin]:
    assembler = OpenAIResponsesAdapter().assembler()
    for event in events:
        assembler.feed(event)
    return assembler.finish()


def test_sdk_objects_and_dicts_read_the_same() -> None:
    types = pytest.importorskip("openai.types.responses")
    adapter = OpenAIResponsesAdapter()

    assert adapter.from_response(types.Response.model_validate(samples.RESPONSES)) == adapter.from_response(
        samples.RESPONSES
    )


def test_sdk_events_read_the_same() -> None:
    types = pytest.importorskip("openai.types.responses")
    event_type: Any = TypeAdapter(types.ResponseStreamEvent)
    events = [
        {**event, "sequence_number": number, "logprobs": []} for number, event in enumerate(samples.responses_events(5))
    ]

    assert _assemble(event_type.validate_python(event) for event in events) == _assemble(events)


def test_another_model_gets_no_reasoning_and_no_item_ids() -> None:
    parts, origin = OpenAIResponsesAdapter().from_response(samples.RESPONSES)

    wire = _sent(parts, origin, model="another")

    accept("responses", wire)
    assert [item.get("type", item.get("role")) for item in wire[1:]] == [
        "assistant",
        "function_call",
        "function_call",
        "function_call_output",
        "function_call_output",
    ]
    assert not any("id" in item for item in wire)


def test_items_without_reasoning_are_replayed_to_any_model() -> None:
    item = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "phase": "final_answer",
        "content": [{"type": "output_text", "text": "Hi", "annotations": [], "parsed": {"a": 1}}],
    }
    parts, origin = _read(item)

    (sent,) = _sent(parts, origin, model="another")

    accept("responses", [sent])
    assert sent["phase"] == "final_answer"
    assert sent["content"] == [{"type": "output_text", "text": "Hi", "annotations": []}]
    assert origin.raw == (item,)


def test_nulls_the_api_does_not_accept_are_left_out() -> None:
    reasoning: dict[str, Any] = {
        "id": "rs",
        "type": "reasoning",
        "summary": [],
        "encrypted_content": None,
        "status": None,
    }
    message = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": []}
    text = {"type": "output_text", "text": "Hi", "annotations": []}
    parts, origin = _read(reasoning, {**message, "content": [text]})

    assert parts[0] == ThinkingPart(text="", provider="openai", model="m", raw=reasoning)
    assert _sent(parts, origin)[0] == {"id": "rs", "type": "reasoning", "summary": []}


@pytest.mark.parametrize(("arguments", "sent"), [(" ", "{}"), ({"a": 1}, '{"a":1}'), (None, "{}")])
def test_arguments_that_are_no_json_text_go_back_as_json(arguments: Any, sent: str) -> None:
    call = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "t", "arguments": arguments}

    wire = _sent(*_read(call))

    assert wire[1] == {**call, "arguments": sent}


@pytest.mark.parametrize("summary", [{}, {"summary": None}, {"summary": []}])
def test_reasoning_goes_back_with_a_summary(summary: dict[str, Any]) -> None:
    reasoning = {"type": "reasoning", "id": "rs_1", "encrypted_content": "e"}

    assert _sent(*_read({**reasoning, **summary})) == [{**reasoning, "summary": []}]


def test_a_custom_call_is_answered_in_kind() -> None:
    call = {"type": "custom_tool_call", "id": "ct", "call_id": "c1", "name": "sql", "input": "select 1"}
    parts, origin = _read(call)

    replayed, rebuilt = _sent(parts, origin), _sent(parts, origin, provider="another")

    accept("responses", replayed)
    accept("responses", rebuilt)
    assert replayed[1:] == [call, {"type": "custom_tool_call_output", "call_id": "c1", "output": "result 0"}]
    assert [item["type"] for item in rebuilt[1:]] == ["function_call", "function_call_output"]


def test_an_id_too_long_for_the_api_that_sent_it_is_mapped() -> None:
    parts, origin = _read({"type": "function_call", "call_id": "c" * 69, "name": "t", "arguments": "{}"})

    wire = _sent(parts, origin)

    assert wire[1]["call_id"] == wire[2]["call_id"]
    assert len(wire[1]["call_id"]) <= 64


@pytest.mark.parametrize(
    ("item", "part"),
    [
        (
            {"type": "file_search_call", "id": "f", "queries": ["q"], "status": "failed", "results": None},
            HostedToolPart(kind="file_search", call_id="f", query="q", error="failed"),
        ),
        (
            {"type": "code_interpreter_call", "id": "c", "code": "1+1", "status": "completed"},
            HostedToolPart(kind="code_interpreter", call_id="c", query="1+1"),
        ),
        (
            {"type": "mcp_call", "id": "m", "name": "lookup", "error": "timeout"},
            HostedToolPart(kind="mcp", call_id="m", query="lookup", error="timeout"),
        ),
        (
            {"type": "web_search_call", "id": "w", "action": {"type": "open_page", "url": "u"}},
            HostedToolPart(kind="web_search", call_id="w", query="u"),
        ),
        (
            {
                "type": "web_search_call",
                "id": "w",
                "action": {"type": "search", "queries": ["q"], "sources": [{"type": "url", "url": "u"}, {"url": 5}]},
            },
            HostedToolPart(kind="web_search", call_id="w", query="q", sources=(Source(url="u"),)),
        ),
        ({"type": "image_generation_call", "id": "i"}, HostedToolPart(kind="image_generation", call_id="i")),
    ],
)
def test_hosted_tools_are_kept(item: dict[str, Any], part: HostedToolPart) -> None:
    parts, origin = _read(item)

    assert parts == (part,)
    assert origin.raw == (item,)


def test_items_no_part_can_hold_stay_in_raw() -> None:
    item = {"type": "program", "fingerprint": "opaque", "id": "p"}

    parts, origin = _read(item, {"type": "brand_new", "x": [None]})

    assert parts == ()
    assert origin.raw == (item, {"type": "brand_new", "x": [None]})


def test_a_refusal_is_text() -> None:
    content = [{"type": "refusal", "refusal": "No."}, {"type": "output_text", "text": ""}]

    assert _read({"type": "message", "role": "assistant", "content": content})[0] == (TextPart(text="No."),)


def test_a_failed_response_is_refused_with_its_reason() -> None:
    with pytest.raises(ValueError, match=r"Expected a response with output items, got .*server_error"):
        _read(status="failed", error={"code": "server_error"})
    with pytest.raises(ValueError, match="server_error"):
        _assemble([{"type": "response.failed", "response": {"output": [], "error": {"code": "server_error"}}}])


def test_a_cut_turn_is_named_where_arguments_are_broken() -> None:
    item = {"type": "function_call", "call_id": "c", "name": "t", "arguments": '{"a'}

    (call,) = _read(item, status="incomplete", incomplete_details={"reason": "max_output_tokens"})[0]

    assert isinstance(call, ToolCallPart)
    assert (call.parse_error or "").endswith("token limit")


def test_finished_items_count_where_the_last_event_leaves_them_out() -> None:
    assert _assemble(samples.responses_events(9, final_output=False)) == _assemble(samples.responses_events(9))


def test_a_cut_stream_gives_what_came_and_nothing_to_replay() -> None:
    events = list(samples.responses_events(1, cut=True))

    parts, origin = _assemble(copy.deepcopy(events))

    assert origin.raw == ()
    assert isinstance(parts[-1], ToolCallPart)
    assert parts[-1].raw_arguments == "{"
    whole = OpenAIResponsesAdapter().from_response(samples.RESPONSES)[0]
    assert parts[:-1] == whole[:-1]
