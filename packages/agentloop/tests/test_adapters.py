"""What holds for every adapter."""

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentloop.adapters import AnthropicAdapter, GeminiAdapter, OpenAIChatAdapter, OpenAIResponsesAdapter
from agentloop.transcript import (
    ContentPart,
    HostedToolPart,
    Message,
    Origin,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
    Transcript,
    TranscriptError,
    from_jsonl,
    to_jsonl,
)

from . import samples
from .sdk_types import accept
from .strategies import safe_messages

Adapter = OpenAIChatAdapter | OpenAIResponsesAdapter | AnthropicAdapter | GeminiAdapter
ADAPTERS: dict[str, Callable[..., Adapter]] = {
    "chat": OpenAIChatAdapter,
    "responses": OpenAIResponsesAdapter,
    "messages": AnthropicAdapter,
    "generate_content": GeminiAdapter,
}
SAMPLES = {
    "chat": samples.CHAT,
    "responses": samples.RESPONSES,
    "messages": samples.ANTHROPIC,
    "generate_content": samples.GEMINI,
}
STREAMS: dict[str, Callable[[int], Iterator[dict[str, Any]]]] = {
    "chat": samples.chat_chunks,
    "responses": samples.responses_events,
    "messages": samples.anthropic_events,
    "generate_content": samples.gemini_chunks,
}
every_api = pytest.mark.parametrize("api", ADAPTERS)


def answered(parts: tuple[ContentPart, ...], origin: Origin) -> Transcript:
    """A conversation with a reply and the results of its calls."""
    transcript = Transcript()
    transcript.add_user_message("When?")
    transcript.add_assistant_message(parts, origin)
    calls = transcript.pending_tool_calls()
    transcript.add_tool_results(
        ToolResultPart(call_id=call.call_id, tool_name=call.tool_name, content=f"result {n}", is_error=n == 1)
        for n, call in enumerate(calls)
    )
    return transcript


def received(api: str) -> tuple[tuple[ContentPart, ...], Origin]:
    return ADAPTERS[api]().from_response(SAMPLES[api])


@every_api
def test_a_response_becomes_parts_and_origin(api: str) -> None:
    parts, origin = received(api)

    assert origin.api == api
    assert origin.model == (SAMPLES[api].get("model") or "gemini-3-pro")
    calls = [part for part in parts if isinstance(part, ToolCallPart)]
    assert [(call.tool_name, call.arguments) for call in calls] == [
        ("weather", {"city": "Zürich", "days": [1, 2]}),
        ("clock", {}),
    ]
    texts = [part for part in parts if isinstance(part, TextPart)]
    assert [text.text for text in texts] == [samples.ANSWER]
    (citation,) = texts[0].citations
    assert (citation.url, citation.title) == ("https://a.example", "Page")
    if api != "messages":
        assert samples.ANSWER[citation.start : citation.end] == "Café 😀"
    thinking = [part for part in parts if isinstance(part, ThinkingPart)]
    hosted = [part for part in parts if isinstance(part, HostedToolPart)]
    if api != "chat":
        assert thinking[0].text == "Look it up."
        assert {(part.provider, part.model) for part in thinking} == {(origin.provider, origin.model)}
        (search,) = hosted
        assert (search.query, [source.url for source in search.sources]) == ("opening hours", ["https://a.example"])


@every_api
@given(size=st.integers(1, 40))
@settings(max_examples=15)
def test_a_stream_gives_what_the_whole_response_gives(api: str, size: int) -> None:
    assembler = ADAPTERS[api]().assembler()
    for chunk in STREAMS[api](size):
        assembler.feed(copy.deepcopy(chunk))

    parts, origin = assembler.finish()

    expected, expected_origin = received(api)
    assert _without_invented_ids(parts) == _without_invented_ids(expected)
    assert origin.model == expected_origin.model
    assert _normal(origin.raw) == _normal(expected_origin.raw)
    again, _ = assembler.finish()
    assert _without_invented_ids(again) == _without_invented_ids(parts)


def _normal(raw: Any) -> str:
    # A streamed argument text of "" and a null are the same as an absent field on every wire.
    return json.dumps(raw, sort_keys=True).replace('"refusal": null, ', "")


def _without_invented_ids(parts: tuple[ContentPart, ...]) -> list[ContentPart]:
    return [
        part.model_copy(update={"call_id": "invented"})
        if isinstance(part, ToolCallPart) and part.call_id.startswith("agentloop_")
        else part
        for part in parts
    ]


@every_api
def test_a_reply_is_replayed_as_it_came_and_accepted(api: str) -> None:
    parts, origin = received(api)
    transcript = from_jsonl(to_jsonl(answered(parts, origin).messages))

    wire = ADAPTERS[api]().to_wire(transcript)

    accept(api, wire)
    if api == "responses":
        assert wire[1:6] == samples.RESPONSES["output"]
    if api == "messages":
        assert wire[1]["content"] == samples.ANTHROPIC["content"]
    if api == "generate_content":
        assert wire[1]["parts"] == samples.GEMINI["candidates"][0]["content"]["parts"]
    if api == "chat":
        message = samples.CHAT["choices"][0]["message"]
        assert wire[1]["content"] == message["content"]
        assert wire[1]["tool_calls"][0] == message["tool_calls"][0]
    assert "result 0" in json.dumps(wire)


@every_api
@pytest.mark.parametrize("source", ADAPTERS)
def test_another_wire_gets_a_faithful_rebuild(api: str, source: str) -> None:
    parts, origin = received(source)
    transcript = answered(parts, origin)

    wire = ADAPTERS[api](provider="another").to_wire(transcript)

    accept(api, wire)
    sent = json.dumps(wire, ensure_ascii=False)
    assert samples.ANSWER in sent
    assert "weather" in sent
    assert "Zürich" in sent
    for private in ("Look it up", "c2ln", "ZW5j", "opening hours", "https://a.example", "rs_1", "srvtoolu"):
        assert private not in sent


@every_api
def test_thinking_goes_back_only_to_the_model_it_came_from(api: str) -> None:
    parts, origin = received(api)
    transcript = answered(parts, origin)
    adapter = ADAPTERS[api]

    with_model = {
        model: json.dumps(adapter(model=model).to_wire(transcript))
        for model in (None, origin.model, origin.model.removesuffix("-2025-08-07"), "another-model")
    }

    assert with_model[None] == with_model[origin.model]
    without = json.dumps(adapter(model=origin.model).to_wire(transcript, thinking=False))
    assert without == with_model["another-model"]
    assert len(set(with_model.values())) == (1 if api == "chat" else 2)
    if api != "chat":
        assert "Look it up." in with_model[origin.model]
        assert "Look it up." not in with_model["another-model"]
        assert "c2lnbmF0dXJl" not in with_model["another-model"]


@every_api
def test_an_adapter_without_a_provider_never_replays(api: str) -> None:
    parts, origin = ADAPTERS[api](provider=None).from_response(SAMPLES[api])

    wire = ADAPTERS[api](provider=None).to_wire(answered(parts, origin))

    accept(api, wire)
    assert "Look it up." not in json.dumps(wire)
    with pytest.raises(ValueError, match="non-empty str or None, got ''"):
        ADAPTERS[api](provider="")


@every_api
@given(conversation=safe_messages(max_turns=3))
@settings(max_examples=30)
def test_any_safe_conversation_is_accepted_the_same_every_time(api: str, conversation: list[Message]) -> None:
    transcript = Transcript(messages=conversation)
    before = copy.deepcopy(transcript)
    adapter = ADAPTERS[api]()

    wire = adapter.to_wire(transcript)

    accept(api, wire)
    assert transcript == before
    assert ADAPTERS[api]().to_wire(before) == wire
    json.dumps(wire, allow_nan=False).encode()


@every_api
@given(conversation=safe_messages(max_turns=3))
@settings(max_examples=30)
def test_what_was_sent_does_not_change_when_messages_follow(api: str, conversation: list[Message]) -> None:
    whole = ADAPTERS[api]().to_wire(Transcript(messages=conversation))

    for length in range(len(conversation)):
        start = Transcript(messages=conversation[:length])
        if not start.pending_tool_calls():
            sent = ADAPTERS[api]().to_wire(start)
            assert whole[: len(sent)] == sent


@every_api
def test_changing_the_wire_does_not_change_the_transcript(api: str) -> None:
    parts, origin = received(api)
    transcript = answered(parts, origin)
    before = copy.deepcopy(transcript)

    def spoil(value: Any) -> None:
        for item in list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []:
            spoil(item)
        if isinstance(value, dict | list):
            value.clear()

    spoil(ADAPTERS[api]().to_wire(transcript))
    spoil(ADAPTERS[api](provider="another").to_wire(transcript))

    assert transcript == before


@every_api
def test_an_unsafe_transcript_is_not_sent(api: str) -> None:
    transcript = Transcript()
    transcript.add_assistant_message([ToolCallPart(call_id="c", tool_name="t")])

    with pytest.raises(TranscriptError, match="'c'"):
        ADAPTERS[api]().to_wire(transcript)


@every_api
def test_nothing_blank_is_sent(api: str) -> None:
    transcript = Transcript()
    transcript.add_user_message(" \n")
    transcript.add_assistant_message([TextPart(text=""), TextPart(text=" "), ThinkingPart(text="hm")])
    transcript.add_assistant_message([HostedToolPart(kind="web_search")])

    assert ADAPTERS[api]().to_wire(transcript) == []
    assert ADAPTERS[api]().to_wire(Transcript()) == []


@every_api
def test_results_go_out_in_the_order_of_the_calls_and_errors_show(api: str) -> None:
    call, other = ToolCallPart(call_id="a", tool_name="first"), ToolCallPart(call_id="b", tool_name="second")
    transcript = Transcript()
    transcript.add_assistant_message([call, other])
    transcript.messages.append(
        Message(
            role="user",
            content=(
                TextPart(text="and this"),
                ToolResultPart(call_id="b", tool_name="renamed", content="two", is_error=True),
                ToolResultPart(call_id="a", tool_name="first", content="one"),
            ),
        )
    )

    wire = ADAPTERS[api]().to_wire(transcript)

    accept(api, wire)
    sent = json.dumps(wire)
    assert sent.index("one") < sent.index("two") < sent.index("and this")
    assert "rror" in sent
    assert "renamed" not in sent


@every_api
def test_ids_that_do_not_fit_are_mapped_alike_for_call_and_result(api: str) -> None:
    transcript = Transcript()
    ids = ["x" * 200, "spaß mit leerzeichen", "ok_1", "ok_1"]
    for call_id in ids:
        transcript.add_assistant_message([ToolCallPart(call_id=call_id, tool_name="t")])
        transcript.add_tool_results([ToolResultPart(call_id=call_id, tool_name="t", content="")])

    wire = ADAPTERS[api]().to_wire(transcript)

    accept(api, wire)
    pairs = list(_id_pairs(api, wire))
    assert [call for call, _ in pairs] == [result for _, result in pairs]
    if api == "generate_content":
        assert [call for call, _ in pairs] == ids
        return
    assert pairs[2][0] == "ok_1"
    assert all(len(call) <= 40 and call.isascii() and " " not in call for call, _ in pairs)
    if api != "chat":
        assert len({call for call, _ in pairs}) == 4


def _id_pairs(api: str, wire: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for call, result in zip(wire[::2], wire[1::2], strict=True):
        match api:
            case "chat":
                yield call["tool_calls"][0]["id"], result["tool_call_id"]
            case "responses":
                yield call["call_id"], result["call_id"]
            case "messages":
                yield call["content"][0]["id"], result["content"][0]["tool_use_id"]
            case _:
                yield call["parts"][0]["functionCall"]["id"], result["parts"][0]["functionResponse"]["id"]


@every_api
def test_missing_and_repeated_ids_are_replaced_by_unique_ones(api: str) -> None:
    broken = json.loads(json.dumps(SAMPLES[api]).replace("call_2", "call_1").replace("toolu_2", "toolu_1"))
    if api == "generate_content":
        del broken["candidates"][0]["content"]["parts"][2]["functionCall"]["id"]

    parts, origin = ADAPTERS[api]().from_response(broken)

    transcript = answered(parts, origin)
    transcript.check_invariants()
    calls = [part.call_id for part in parts if isinstance(part, ToolCallPart)]
    assert len(set(calls)) == 2
    wire = ADAPTERS[api]().to_wire(transcript)
    accept(api, wire)
    assert ("agentloop_" in json.dumps(wire)) == (api != "generate_content")


@every_api
def test_a_reply_edited_after_it_came_is_rebuilt(api: str) -> None:
    parts, origin = received(api)
    kept = [part for part in parts if not isinstance(part, ToolCallPart) or part.tool_name != "clock"]

    wire = ADAPTERS[api]().to_wire(answered(tuple(kept), origin))

    accept(api, wire)
    assert "clock" not in json.dumps(wire)


@every_api
def test_what_is_no_response_is_refused(api: str) -> None:
    adapter = ADAPTERS[api]()

    wrong: Any
    for wrong in (None, "text", 5, []):
        with pytest.raises(TypeError, match="Expected a response as a dict or an SDK object"):
            adapter.from_response(wrong)
        with pytest.raises(TypeError):
            adapter.assembler().feed(wrong)
    for empty in ({}, {"error": {"message": "overloaded"}}):
        with pytest.raises(ValueError, match="Expected a"):
            adapter.from_response(empty)
    with pytest.raises(ValueError, match="overloaded"):
        adapter.assembler().feed({"type": "error", "error": {"message": "overloaded"}})
    with pytest.raises(ValueError, match="Expected"):
        adapter.assembler().finish()


json_noise = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=5,
)


@every_api
@given(data=st.data())
@settings(max_examples=100)
def test_a_response_of_any_shape_gives_parts_or_a_value_error(api: str, data: st.DataObject) -> None:
    noisy = copy.deepcopy(SAMPLES[api])
    for _ in range(data.draw(st.integers(1, 4))):
        containers = list(_containers(noisy))
        container = data.draw(st.sampled_from(containers))
        keys = list(container) if isinstance(container, dict) else list(range(len(container)))
        if keys:
            container[data.draw(st.sampled_from(keys))] = data.draw(json_noise)
    events = list(STREAMS[api](7))
    place = data.draw(st.integers(0, len(events) - 1))
    events[place] = copy.deepcopy(events[place])
    container = data.draw(st.sampled_from(list(_containers(events[place]))))
    keys = list(container) if isinstance(container, dict) else list(range(len(container)))
    if keys:
        container[data.draw(st.sampled_from(keys))] = data.draw(json_noise)

    problems: list[str] = []
    for chunks in (None, events):
        try:
            parts, origin = ADAPTERS[api]().from_response(noisy) if chunks is None else _assembled(api, chunks)
        except ValueError as error:
            problems.append(str(error))
            continue
        if parts:
            transcript = answered_if_calling(parts, origin)
            assert from_jsonl(to_jsonl(transcript.messages)) == transcript
            ADAPTERS[api]().to_wire(transcript)
    assert all(problem.startswith("Expected") for problem in problems)


def _assembled(api: str, events: list[dict[str, Any]]) -> tuple[tuple[ContentPart, ...], Origin]:
    assembler = ADAPTERS[api]().assembler()
    for event in events:
        assembler.feed(event)
    return assembler.finish()


def answered_if_calling(parts: tuple[ContentPart, ...], origin: Origin) -> Transcript:
    if any(isinstance(part, ToolCallPart) for part in parts):
        return answered(parts, origin)
    transcript = Transcript()
    transcript.add_assistant_message(parts, origin)
    return transcript


def _containers(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        yield value
        for item in value.values() if isinstance(value, dict) else value:
            yield from _containers(item)


@every_api
def test_surrogate_pairs_that_come_in_two_pieces_are_joined(api: str) -> None:
    halves = "\ud83d", "\ude00"
    assembler = ADAPTERS[api]().assembler()
    events: list[dict[str, Any]]
    match api:
        case "chat":
            events = [{"choices": [{"index": 0, "delta": {"content": half}}]} for half in halves]
        case "responses":
            item = {"type": "message", "role": "assistant", "content": []}
            events = [{"type": "response.output_item.added", "output_index": 0, "item": item}]
            delta = {"type": "response.output_text.delta", "output_index": 0, "content_index": 0}
            events += [{**delta, "delta": half} for half in halves]
        case "messages":
            events = [{"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}]
            events += [
                {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": half}}
                for half in halves
            ]
        case _:
            events = [{"candidates": [{"content": {"parts": [{"text": half}]}}]} for half in halves]
    for event in events:
        assembler.feed(event)

    assert assembler.finish()[0] == (TextPart(text="😀"),)
