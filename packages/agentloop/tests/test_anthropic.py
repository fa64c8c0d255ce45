from typing import Any

import pytest
from pydantic import TypeAdapter

from agentloop.adapters import AnthropicAdapter
from agentloop.transcript import (
    ContentPart,
    HostedToolPart,
    Origin,
    Source,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
    Transcript,
)

from . import samples
from .sdk_types import accept

TEXT = {"type": "text", "text": "Hi"}
SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}}
FOUND = {
    "type": "web_search_tool_result",
    "tool_use_id": "srvtoolu_1",
    "content": [{"type": "web_search_result", "url": "u", "title": "T", "encrypted_content": "e"}],
}
CALL = {"type": "tool_use", "id": "toolu_1", "name": "t", "input": {"a": 1}}
THINKING = {"type": "thinking", "thinking": "", "signature": "s"}


def _read(*blocks: dict[str, Any], **fields: Any) -> tuple[tuple[ContentPart, ...], Origin]:
    return AnthropicAdapter().from_response({"model": "m", "content": list(blocks), **fields})


def _sent(parts: tuple[ContentPart, ...], origin: Origin | None, **options: Any) -> Any:
    transcript = Transcript()
    transcript.add_assistant_message(parts, origin)
    wire = AnthropicAdapter(**options).to_wire(transcript)
    accept("messages", wire)
    return wire[0]["content"]


def test_sdk_objects_and_dicts_read_the_same() -> None:
    types = pytest.importorskip("anthropic.types")
    adapter = AnthropicAdapter()

    assert adapter.from_response(types.Message.model_validate(samples.ANTHROPIC)) == adapter.from_response(
        samples.ANTHROPIC
    )


def test_every_thinking_block_is_one_part_and_stays_whole() -> None:
    redacted = {"type": "redacted_thinking", "data": "d"}
    parts, origin = _read(THINKING, redacted, TEXT)

    assert parts == (
        ThinkingPart(text="", signature="s", provider="anthropic", model="m", raw=THINKING),
        ThinkingPart(text="", provider="anthropic", model="m", raw=redacted),
        TextPart(text="Hi"),
    )
    assert _sent(parts, origin) == [THINKING, redacted, TEXT]
    assert _sent(parts, origin, model="other") == [TEXT]


def test_thinking_parts_alone_go_back_where_the_message_has_no_origin() -> None:
    parts, _ = _read(THINKING, TEXT)

    assert _sent(parts, None, model="m") == [THINKING, TEXT]
    assert _sent(parts, None, model="other") == [TEXT]
    assert _sent(parts, None, provider="another") == [TEXT]
    assert _sent((*parts, ThinkingPart(text="x")), None) == [TEXT]
    assert _sent((*parts, HostedToolPart(kind="k")), None) == [TEXT]


def test_thinking_a_cut_stream_left_unsigned_is_not_sent() -> None:
    parts, origin = _read({"type": "thinking", "thinking": "half", "signature": ""}, THINKING, TEXT)

    assert _sent(parts, origin) == [TEXT]


def test_a_search_makes_one_part_with_its_sources() -> None:
    assert _read(SEARCH, FOUND)[0] == (
        HostedToolPart(kind="web_search", call_id="srvtoolu_1", query="q", sources=(Source(url="u", title="T"),)),
    )


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ({"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}, "max_uses_exceeded"),
        ({"type": "web_fetch_result", "url": "u", "content": {}}, None),
        ([], None),
    ],
)
def test_a_failed_search_says_why(content: Any, error: str | None) -> None:
    (part,) = _read(SEARCH, {**FOUND, "content": content})[0]

    assert isinstance(part, HostedToolPart)
    assert part.error == error


def test_a_paused_turn_goes_on_and_is_replayed_whole() -> None:
    transcript = Transcript()
    transcript.add_user_message("search")
    transcript.add_assistant_message(*_read(TEXT, SEARCH, stop_reason="pause_turn"))
    paused = AnthropicAdapter().to_wire(transcript)

    transcript.extend_last_assistant(*_read(FOUND, {"type": "text", "text": "Found."}))

    wire = AnthropicAdapter().to_wire(transcript)
    accept("messages", wire)
    assert paused[1]["content"] == [TEXT, SEARCH]
    assert wire[1]["content"] == [TEXT, SEARCH, FOUND, {"type": "text", "text": "Found."}]


def test_a_search_deferred_behind_a_client_call_is_answered_by_results_only() -> None:
    transcript = Transcript()
    transcript.add_assistant_message(*_read(SEARCH, CALL, stop_reason="tool_use"))
    transcript.add_tool_results([ToolResultPart(call_id="toolu_1", tool_name="t", content="r")])
    transcript.add_assistant_message(*_read(FOUND, TEXT))
    transcript.check_invariants()

    wire = AnthropicAdapter().to_wire(transcript)

    accept("messages", wire)
    assert [message["content"] for message in wire] == [
        [SEARCH, CALL],
        [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "r"}],
        [FOUND, TEXT],
    ]
    late = transcript.messages[2].content[0]
    assert isinstance(late, HostedToolPart)
    assert (late.call_id, late.sources) == ("srvtoolu_1", (Source(url="u", title="T"),))


def test_a_search_result_is_not_sent_without_its_search() -> None:
    transcript = Transcript()
    transcript.add_assistant_message(_read(SEARCH, CALL)[0])
    transcript.add_tool_results([ToolResultPart(call_id="toolu_1", tool_name="t", content="r")])
    transcript.add_assistant_message(*_read(FOUND, TEXT))

    wire = AnthropicAdapter().to_wire(transcript)

    assert [message["content"] for message in wire][::2] == [[CALL], [TEXT]]


def test_a_search_result_is_not_sent_where_the_turn_of_its_search_was_edited() -> None:
    transcript = Transcript()
    transcript.add_assistant_message([TextPart(text="edited")], _read(SEARCH, CALL)[1])
    transcript.add_assistant_message(*_read(FOUND, TEXT))

    wire = AnthropicAdapter().to_wire(transcript)

    assert [message["content"] for message in wire] == [[{"type": "text", "text": "edited"}], [TEXT]]


def test_sdk_stream_events_read_the_same() -> None:
    types = pytest.importorskip("anthropic.types")
    event_type: Any = TypeAdapter(types.RawMessageStreamEvent)
    from_dicts, from_objects = AnthropicAdapter().assembler(), AnthropicAdapter().assembler()

    for event in samples.anthropic_events(5):
        from_dicts.feed(event)
        if event["type"] != "ping":
            from_objects.feed(event_type.validate_python(event))

    assert from_objects.finish() == from_dicts.finish()


def test_the_container_is_kept_for_the_request_and_not_sent_as_a_block() -> None:
    transcript = Transcript()
    assert AnthropicAdapter().container(transcript) is None
    transcript.add_assistant_message(*_read(TEXT, container={"id": "container_1", "expires_at": "2026-01-01"}))
    transcript.add_assistant_message(*_read(TEXT))

    assert AnthropicAdapter().container(transcript) == "container_1"
    assert AnthropicAdapter(provider="another").container(transcript) is None
    assert AnthropicAdapter().to_wire(transcript)[0]["content"] == [TEXT]


def test_fields_the_api_only_sends_are_not_sent_back() -> None:
    executed = {
        "type": "code_execution_tool_result",
        "tool_use_id": "srvtoolu_1",
        "citations": None,
        "content": {
            "type": "code_execution_result",
            "stdout": "",
            "stderr": "",
            "return_code": 0,
            "content": [],
            "citations": [],
        },
    }
    parts, origin = _read({**TEXT, "parsed_output": {"a": 1}, "citations": None}, {**SEARCH, "caller": None}, executed)

    sent = _sent(parts, origin)

    assert sent[:2] == [TEXT, SEARCH]
    assert "citations" not in sent[2]
    assert "citations" not in sent[2]["content"]
    assert origin.raw[0]["parsed_output"] == {"a": 1}


def test_blank_text_is_dropped_and_trailing_space_cut_where_a_turn_is_rebuilt() -> None:
    parts, origin = _read({"type": "text", "text": "\n\n"}, {"type": "text", "text": "Hi \n"}, CALL)
    transcript = Transcript()
    transcript.add_assistant_message(parts, origin)
    transcript.add_tool_results([ToolResultPart(call_id="toolu_1", tool_name="t", content=" ")])

    replayed = AnthropicAdapter().to_wire(transcript)
    rebuilt = AnthropicAdapter(provider="another").to_wire(transcript)

    accept("messages", replayed)
    assert replayed[0]["content"] == [{"type": "text", "text": "Hi \n"}, CALL]
    assert rebuilt[0]["content"] == [{"type": "text", "text": "\n\nHi"}, CALL]
    assert rebuilt[1]["content"] == [{"type": "tool_result", "tool_use_id": "toolu_1"}]


def test_ids_are_unique_in_the_whole_request() -> None:
    transcript = Transcript()
    for _ in range(3):
        transcript.add_assistant_message(*_read(CALL))
        transcript.add_tool_results([ToolResultPart(call_id="toolu_1", tool_name="t", content="r")])

    wire = AnthropicAdapter().to_wire(transcript)

    accept("messages", wire)
    calls = [message["content"][0]["id"] for message in wire[::2]]
    assert calls[0] == "toolu_1"
    assert len(set(calls)) == 3
    assert calls == [message["content"][0]["tool_use_id"] for message in wire[1::2]]


def test_a_call_cut_in_the_stream_is_explained_and_sent_as_an_object() -> None:
    assembler = AnthropicAdapter().assembler()
    assembler.feed({"type": "message_start", "message": {"model": "m", "content": []}})
    assembler.feed({"type": "content_block_start", "index": 0, "content_block": {**CALL, "input": {}}})
    delta = {"type": "input_json_delta", "partial_json": '{"a'}
    assembler.feed({"type": "content_block_delta", "index": 0, "delta": delta})
    assembler.feed({"type": "message_delta", "delta": {"stop_reason": "max_tokens"}})

    (call,), origin = assembler.finish()

    assert isinstance(call, ToolCallPart)
    assert (call.arguments, call.raw_arguments) == ({}, '{"a')
    assert (call.parse_error or "").endswith("token limit")
    assert origin.raw[0]["input"] == {}


@pytest.mark.parametrize(("begun", "arguments"), [({"a": 1}, {"a": 1}), ({}, {}), ("", {})])
def test_an_input_that_came_whole_is_kept_where_only_blank_pieces_follow(begun: Any, arguments: dict[str, Any]) -> None:
    assembler = AnthropicAdapter().assembler()
    assembler.feed({"type": "message_start", "message": {"model": "m", "content": []}})
    assembler.feed({"type": "content_block_start", "index": 0, "content_block": {**CALL, "input": begun}})
    delta = {"type": "input_json_delta", "partial_json": ""}
    assembler.feed({"type": "content_block_delta", "index": 0, "delta": delta})

    parts, origin = assembler.finish()

    assert parts == (ToolCallPart(call_id="toolu_1", tool_name="t", arguments=arguments),)
    assert origin.raw == ({**CALL, "input": arguments},)


def test_unknown_blocks_and_events_are_kept_or_passed_over() -> None:
    assembler = AnthropicAdapter().assembler()
    for event in (
        {"type": "message_start", "message": {"model": "m"}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "compaction", "content": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "compaction_delta", "content": "short"}},
        {"type": "content_block_delta", "index": 9, "delta": {"type": "text_delta", "text": "lost"}},
        {"type": "brand_new"},
    ):
        assembler.feed(event)

    assert assembler.finish() == (
        (),
        Origin(provider="anthropic", api="messages", model="m", raw=({"type": "compaction", "content": "short"},)),
    )


def test_an_input_that_is_no_object_is_explained() -> None:
    (call,), origin = _read({**CALL, "input": [1]})

    assert isinstance(call, ToolCallPart)
    assert (call.raw_arguments, call.parse_error) == ("[1]", "Expected a JSON object, got list")
    transcript = Transcript()
    transcript.add_assistant_message([call], origin)
    transcript.add_tool_results([ToolResultPart(call_id="toolu_1", tool_name="t", content="r")])
    wire = AnthropicAdapter().to_wire(transcript)
    accept("messages", wire)
    assert wire[0]["content"][0]["input"] == {}


def test_raw_that_json_cannot_give_back_is_left_out_and_the_turn_rebuilt() -> None:
    deep: Any = {}
    for _ in range(150):
        deep = {"a": deep}

    parts, origin = _read(TEXT, {**CALL, "input": deep})

    assert origin.raw == ()
    assert isinstance(parts[1], ToolCallPart)
    assert "at most 100 containers" in (parts[1].parse_error or "")
