"""Chunks to events: text, reasoning, refusals, errors, truncation."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latent.agents._assembly import Assembler
from latent.agents.models import ModelError
from latent.protocol import FunctionCall, Message, ReasoningDelta, TextDelta, ToolCall, Usage


def delta(**fields):
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": None}]}


def end(reason):
    return {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}


def play(*chunks, taken=None):
    assembler = Assembler("m", set() if taken is None else taken)
    events = [event for chunk in chunks for event in assembler.feed(chunk)] + assembler.finish()
    return events, assembler.response()


def texts(events, kind):
    return "".join(event.text for event in events if type(event) is kind)


@st.composite
def cuts(draw, text):
    """The text in pieces, cut anywhere, pieces of no length included."""
    at = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6)))
    return [text[a:b] for a, b in zip([0, *at], [*at, len(text)], strict=True)]


def test_reasoning_comes_before_the_text_of_the_same_chunk():
    events, response = play(delta(role="assistant", content="a", reasoning_content="r"), delta(content=""), end("stop"))

    assert events == [ReasoningDelta("r"), TextDelta("a")]
    assert (response.text, response.finish_reason, response.interruption) == ("a", "stop", None)


def test_both_names_of_the_reasoning_field_are_read_and_neither_twice():
    events, _ = play(delta(reasoning="a"), delta(reasoning_content="b", reasoning="b"), delta(reasoning=None))

    assert events == [ReasoningDelta("a"), ReasoningDelta("b")]


def test_content_in_parts_is_told_apart():
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    events, _ = play(delta(content=[thinking, {"type": "text", "text": "yes"}]))

    assert events == [ReasoningDelta("hm"), TextDelta("yes")]


@given(st.data(), st.sampled_from(["<think>x < y</think>", "<thinking>é</think></thinking>", "  <think>a</think>\n"]))
def test_think_tags_are_found_wherever_they_are_cut(data, marked):
    whole = marked + "the <think> answer"
    events, response = play(*(delta(content=piece) for piece in data.draw(cuts(whole))))
    once, _ = play(delta(content=whole))

    assert texts(events, ReasoningDelta) == texts(once, ReasoningDelta) != ""
    assert texts(events, TextDelta) == texts(once, TextDelta) == response.text
    assert response.text.endswith("the <think> answer")
    assert all(event.text for event in events)


@pytest.mark.parametrize("text", ["<thi", "<b>bold</b>", "1 <think> 2", " ", "< think>"])
def test_what_is_no_tag_at_the_beginning_stays_text(text):
    events, response = play(*(delta(content=letter) for letter in text))

    assert texts(events, TextDelta) == text == response.text


def test_reasoning_without_a_closing_tag_stays_reasoning():
    events, response = play(delta(content="<think>abc</thi"))

    assert texts(events, ReasoningDelta) == "abc</thi"
    assert response.text == ""


@given(st.data(), st.text(st.characters(codec="utf-8"), min_size=1, max_size=30))
def test_characters_cut_in_half_survive(data, text):
    halves = "".join(
        chr(0xD800 + ((ord(c) - 0x10000) >> 10)) + chr(0xDC00 + ((ord(c) - 0x10000) & 0x3FF)) if ord(c) > 0xFFFF else c
        for c in text
    )
    pieces = [piece for piece in data.draw(cuts(halves)) if piece]
    events, response = play(
        *(delta(content="." + pieces[0]) if at == 0 else delta(content=piece) for at, piece in enumerate(pieces))
    )

    assert response.text == "." + text == texts(events, TextDelta)


def test_a_half_that_never_becomes_whole_is_replaced():
    events, _ = play(delta(content="a\ud83d"), delta(content="b"), delta(content="c\ud83d"))

    assert texts(events, TextDelta) == "a\ufffdbc\ufffd"


def test_a_refusal_is_what_the_agent_says():
    events, response = play(delta(refusal="I can"), delta(refusal="not"), end("stop"))

    assert events == [TextDelta("I can"), TextDelta("not")]
    assert response.interruption == "refusal"


@pytest.mark.parametrize("chunk", ["text", None, 3, {"choices": ["x"]}, {"choices": [{"delta": {"tool_calls": [1]}}]}])
def test_what_is_no_chunk_is_refused(chunk):
    with pytest.raises(ModelError, match="Expected a chat-completion chunk"):
        play(chunk)


@pytest.mark.parametrize(
    "chunk",
    [
        {"error": {"message": "overloaded"}},
        {"error": "overloaded", "choices": []},
        {"error": {"code": "overloaded"}, "choices": [{"delta": {"content": ""}, "finish_reason": "error"}]},
    ],
)
def test_an_error_inside_the_stream_is_raised(chunk):
    with pytest.raises(ModelError, match="overloaded"):
        play(chunk)


@pytest.mark.parametrize(
    "chunk", [{}, {"choices": []}, {"choices": [{}]}, {"choices": [{"delta": None}]}, {"choices": None}]
)
def test_a_chunk_without_content_gives_nothing(chunk):
    assert play(chunk)[0] == []


def test_calls_of_a_truncated_response_are_not_runnable():
    call = {"index": 0, "id": "1", "function": {"name": "f", "arguments": '{"a":1}'}}
    _, response = play(delta(content="so"), delta(tool_calls=[call]), end("length"))

    assert response.interruption == "length"
    assert [(call.id, "cut off" in response.unrunnable[call.id]) for call in response.calls] == [("1", True)]


def test_ids_that_are_missing_or_taken_are_replaced():
    def call(index, id):
        return {"index": index, "id": id, "function": {"name": "f", "arguments": "{}"}}

    taken = {"old"}
    _, response = play(
        delta(tool_calls=[call(0, ""), call(1, None), call(2, "old"), call(3, "x"), call(4, "x")]), taken=taken
    )
    ids = [call.id for call in response.calls]

    assert ids[3] == "x"
    assert len(set(ids)) == 5
    assert all(ids)
    assert "old" not in ids
    assert taken == {"old", *ids}


def test_the_response_is_a_row_for_the_history():
    call = {"index": 0, "id": "1", "function": {"name": "f", "arguments": ""}}
    _, response = play(delta(content="a"), delta(tool_calls=[call]))

    assert response.message() == Message("assistant", "a", tool_calls=[ToolCall("1", FunctionCall("f", "{}"))])
    assert play(delta(content="a"))[1].message() == Message("assistant", "a")


def usage_of(*usages):
    return play(*({"choices": [], "usage": usage} for usage in usages))[1].usage


@pytest.mark.parametrize(
    ("usages", "expected"),
    [
        ([], None),
        ([None, {}], None),
        (
            [{"prompt_tokens": 25, "completion_tokens": 1}, {"prompt_tokens": 25, "completion_tokens": 15}],
            Usage(25, 15, "m"),
        ),
        ([{"prompt_tokens": 25, "completion_tokens": 1}, {"completion_tokens": 15}], Usage(25, 15, "m")),
        (
            [{"prompt_tokens": 25, "completion_tokens": 1}, {"prompt_tokens": 0, "completion_tokens": 15}],
            Usage(25, 15, "m"),
        ),
        (
            [{"prompt_tokens": 25, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 20}}],
            Usage(25, 1, "m", 0, 20),
        ),
        (
            [
                {
                    "prompt_tokens": 5,
                    "completion_tokens": 1,
                    "cache_creation_input_tokens": 7,
                    "cache_read_input_tokens": 20,
                }
            ],
            Usage(32, 1, "m", 7, 20),
        ),
        (
            [{"input_tokens": 30, "output_tokens": 1, "cache_read_input_tokens": 20}],
            Usage(50, 1, "m", 0, 20),
        ),
        (
            [{"input_tokens": 30, "output_tokens": 1, "input_tokens_details": {"cached_tokens": 20}}],
            Usage(30, 1, "m", 0, 20),
        ),
        ([{"prompt_tokens": True, "completion_tokens": "9"}], Usage(0, 0, "m")),
    ],
)
def test_usage_is_the_final_figure_with_the_cache_inside(usages, expected):
    assert usage_of(*usages) == expected


def test_an_unnamed_call_keeps_its_arguments():
    _, response = play(delta(tool_calls=[{"index": 0, "id": "1", "function": {"arguments": '{"a": 1}'}}]))

    assert response.calls == [ToolCall("1", FunctionCall("unnamed_tool", '{"a": 1}'))]
    assert json.loads(response.calls[0].function.arguments) == {"a": 1}


def test_text_usage_and_the_end_may_come_in_one_chunk():
    middle = {**delta(content="b"), "usage": {"prompt_tokens": 1, "completion_tokens": 2}}
    last = delta(content="c")
    last["choices"][0]["finish_reason"] = "length"
    events, response = play(delta(content="a"), middle, last)

    assert events == [TextDelta("a"), TextDelta("b"), TextDelta("c")]
    assert (response.usage, response.interruption) == (Usage(1, 2, "m"), "length")
