from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentloop.adapters import GeminiAdapter
from agentloop.transcript import (
    ContentPart,
    HostedToolPart,
    Origin,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
    Transcript,
)

from . import samples
from .sdk_types import accept
from .test_adapters import answered


def _read(*parts: dict[str, Any], **fields: Any) -> tuple[tuple[ContentPart, ...], Origin]:
    candidate = {"content": {"role": "model", "parts": list(parts)}, **fields}
    return GeminiAdapter().from_response({"modelVersion": "m", "candidates": [candidate]})


def test_sdk_objects_dumps_and_dicts_read_the_same() -> None:
    types = pytest.importorskip("google.genai.types")
    response = types.GenerateContentResponse.model_validate(samples.GEMINI)

    for form in (response, response.model_dump(mode="json", by_alias=True), response.model_dump()):
        parts, origin = GeminiAdapter().from_response(form)
        expected, expected_origin = GeminiAdapter().from_response(samples.GEMINI)
        assert origin == expected_origin
        assert [part for part in parts if not isinstance(part, ToolCallPart)] == [
            part for part in expected if not isinstance(part, ToolCallPart)
        ]


def test_sdk_chunks_read_the_same() -> None:
    types = pytest.importorskip("google.genai.types")
    from_dicts, from_objects = GeminiAdapter().assembler(), GeminiAdapter().assembler()

    for chunk in samples.gemini_chunks(5):
        from_dicts.feed(chunk)
        from_objects.feed(types.GenerateContentResponse.model_validate(chunk))

    (parts, origin), (expected, expected_origin) = from_objects.finish(), from_dicts.finish()
    assert origin == expected_origin
    assert parts[:-1] == expected[:-1]  # the id of the last call is invented each time


def test_signatures_stay_in_the_part_they_came_in() -> None:
    raw: list[dict[str, Any]] = [
        {"text": "Hm.", "thought": True},
        {"functionCall": {"name": "a", "args": {}}, "thoughtSignature": "c2ln"},
        {"functionCall": {"name": "b", "args": {}}},
        {"text": "", "thoughtSignature": "bGFzdA=="},
    ]
    parts, origin = _read(*raw)

    wire = GeminiAdapter().to_wire(answered(parts, origin))

    accept("generate_content", wire)
    assert wire[1] == {"role": "model", "parts": raw}
    assert parts[0] == ThinkingPart(text="Hm.", provider="google", model="m", raw=raw[0])
    assert len(parts) == 3


def test_a_streamed_signature_keeps_its_own_part() -> None:
    assembler = GeminiAdapter().assembler()
    for part in ({"text": "a"}, {"text": "b"}, {"text": "", "thoughtSignature": "c2ln"}, {"text": "c"}):
        assembler.feed({"candidates": [{"content": {"parts": [part]}}]})

    parts, origin = assembler.finish()

    assert parts == (TextPart(text="ab"), TextPart(text="c"))
    assert origin.raw == ({"text": "ab"}, {"text": "", "thoughtSignature": "c2ln"}, {"text": "c"})


def test_calls_of_other_models_carry_the_documented_signature_on_the_first_only() -> None:
    transcript = Transcript()
    transcript.add_assistant_message(
        [ToolCallPart(call_id="a", tool_name="t"), TextPart(text="and"), ToolCallPart(call_id="b", tool_name="t")]
    )
    transcript.add_tool_results([ToolResultPart(call_id=one, tool_name="t", content="") for one in "ab"])

    wire = GeminiAdapter().to_wire(transcript)

    accept("generate_content", wire)
    assert ["thoughtSignature" in part for part in wire[0]["parts"]] == [True, False, False]


def test_calls_without_ids_are_answered_without_ids() -> None:
    parts, origin = _read(
        {"functionCall": {"name": "a"}}, {"functionCall": {"id": None, "name": "b", "args": {"x": 1}}}
    )

    wire = GeminiAdapter().to_wire(answered(parts, origin))

    accept("generate_content", wire)
    assert wire[1]["parts"] == [{"functionCall": {"name": "a"}}, {"functionCall": {"name": "b", "args": {"x": 1}}}]
    assert wire[2]["parts"] == [
        {"functionResponse": {"name": "a", "response": {"output": "result 0"}}},
        {"functionResponse": {"name": "b", "response": {"error": "result 1"}}},
    ]


def test_blank_arguments_go_back_as_an_object() -> None:
    wire = GeminiAdapter().to_wire(answered(*_read({"functionCall": {"name": "a", "args": ""}})))

    accept("generate_content", wire)
    assert wire[1]["parts"] == [{"functionCall": {"name": "a", "args": {}}}]


def test_code_execution_is_a_hosted_tool() -> None:
    code = {"executableCode": {"id": "x", "language": "PYTHON", "code": "1/0"}}
    failed = {"codeExecutionResult": {"id": "x", "outcome": "OUTCOME_FAILED", "output": "ZeroDivisionError"}}

    parts, origin = _read(code, failed, {"text": "Oh."})

    assert parts == (
        HostedToolPart(kind="code_execution", call_id="x", query="1/0", error="ZeroDivisionError"),
        TextPart(text="Oh."),
    )
    transcript = Transcript()
    transcript.add_assistant_message(parts, origin)
    assert GeminiAdapter().to_wire(transcript)[0]["parts"] == [code, failed, {"text": "Oh."}]


def test_a_server_side_tool_is_a_hosted_tool() -> None:
    call = {"toolCall": {"id": "s", "toolType": "GOOGLE_SEARCH_WEB", "args": {"queries": ["q"], "first": "q"}}}

    assert _read(call, {"toolResponse": {"id": "s"}})[0] == (
        HostedToolPart(kind="google_search_web", call_id="s", query="q"),
    )


@given(st.text(st.characters(codec="utf-8"), min_size=1), st.data())
def test_byte_offsets_become_code_points_or_nothing(text: str, data: st.DataObject) -> None:
    size = len(text.encode())
    start, end = data.draw(st.integers(-1, size + 1)), data.draw(st.integers(-1, size + 1))
    grounding = {
        "groundingChunks": [{"web": {"uri": "u"}}, {"maps": {}}],
        "groundingSupports": [
            {"segment": {"startIndex": start, "endIndex": end}, "groundingChunkIndices": [0, 1, 7, None]}
        ],
    }

    parts, _ = _read({"text": text}, groundingMetadata=grounding)

    assert isinstance(parts[1], TextPart)
    (citation,) = parts[1].citations
    if citation.start is None or citation.end is None:
        assert citation.start is citation.end is None
        fits = 0 <= start < end <= size
        assert not fits or not _on_boundaries(text.encode(), start, end)
    else:
        assert text[citation.start : citation.end].encode() == text.encode()[start:end]


def _on_boundaries(data: bytes, start: int, end: int) -> bool:
    return all(place == len(data) or data[place] & 0xC0 != 0x80 for place in (start, end))


def test_a_blocked_prompt_is_refused_with_its_reason() -> None:
    blocked = {"promptFeedback": {"blockReason": "SAFETY"}}

    with pytest.raises(ValueError, match=r"Expected a response with a candidate, got .*SAFETY"):
        GeminiAdapter().from_response(blocked)
    assembler = GeminiAdapter().assembler()
    assembler.feed(blocked)
    with pytest.raises(ValueError, match="SAFETY"):
        assembler.finish()


@pytest.mark.parametrize("content", [None, {}, {"role": "model"}, {"parts": None}])
def test_a_candidate_without_content_gives_no_parts(content: Any) -> None:
    response = {"candidates": [{"finishReason": "MAX_TOKENS", "content": content}]}

    assert GeminiAdapter().from_response(response)[0] == ()
