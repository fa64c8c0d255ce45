import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentloop.transcript import (
    HostedToolPart,
    Message,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
    Transcript,
    from_jsonl,
    to_jsonl,
)

from .strategies import json_objects, names, safe_messages, text

pytest.importorskip("latent.protocol")

from agentloop.adapters.latent import from_latent, to_invoke_result, to_latent
from latent.protocol import FunctionCall, InvokeResult, Step, ToolCall
from latent.protocol import Message as Row

argument_texts = (
    st.sampled_from(["{}", '{"a": 1}', '{"a":1}', "", "{", "[1]", '{"a":NaN}', '{"a":1e22}', '{"a":"\n"}'])
    | json_objects.map(json.dumps)
    | st.dictionaries(text, st.none() | st.integers() | text).map(
        lambda one: ToolCall.from_arguments("x", "x", one).function.arguments
    )
)
contents = text | st.lists(
    st.fixed_dictionaries({"type": st.just("text"), "text": text})
    | st.just({"type": "image_url", "image_url": {"url": "u"}}),
    max_size=2,
)
row_ids = st.none() | names


@st.composite
def paired(draw: st.DrawFn) -> tuple[list[ToolCall], list[Row]]:
    """Calls with ids of their own, and their results."""
    ids = draw(st.lists(names, unique=True, max_size=3))
    calls = [ToolCall(id=one, function=FunctionCall(draw(names), draw(argument_texts))) for one in ids]
    return calls, [Row(role="tool", content=draw(text), tool_call_id=one) for one in ids]


@st.composite
def histories(draw: st.DrawFn) -> list[Row]:
    rows: list[Row] = []
    for _ in range(draw(st.integers(0, 4))):
        match draw(st.sampled_from(["system", "user", "assistant"])):
            case "assistant":
                calls, results = draw(paired())
                rows.append(Row("assistant", draw(contents), draw(row_ids), calls or draw(st.none() | st.just([]))))
                rows += results
            case role:
                rows.append(Row(role, draw(contents), draw(row_ids)))
    return rows if any(row.role != "system" for row in rows) else []


@st.composite
def results(draw: st.DrawFn) -> InvokeResult:
    steps = []
    for number in range(draw(st.integers(0, 4))):
        calls, rows = draw(paired())
        shown = number + draw(st.sampled_from([0, 0, 0, 5]))
        steps.append(Step(shown, draw(text), draw(text), calls, rows))
    failed = draw(st.none() | text) if steps else None
    return InvokeResult(steps[-1].text if steps else "", steps, failed)


@given(histories())
def test_rows_that_pair_up_pass_and_come_back_equal(rows: list[Row]) -> None:
    transcript = from_latent(rows)

    transcript.check_invariants()
    assert to_latent(transcript) == rows
    assert to_latent(from_jsonl(to_jsonl(transcript.messages))) == rows


@given(results())
def test_a_run_passes_and_comes_back_equal(result: InvokeResult) -> None:
    transcript = from_latent(result)

    transcript.check_invariants()
    restored = from_jsonl(to_jsonl(transcript.messages))
    assert to_invoke_result(restored) == result
    assert to_latent(restored) == result.to_messages()


@given(safe_messages())
def test_any_safe_conversation_gives_rows_that_pass(conversation: list[Message]) -> None:
    rows = to_latent(Transcript(messages=conversation))

    again = from_latent(rows)

    again.check_invariants()
    assert to_latent(again) == rows


def test_neighbouring_tool_rows_become_one_message_with_the_names_of_their_tools() -> None:
    calls = [ToolCall.from_arguments("a", "first", {"x": 1}), ToolCall.from_arguments("b", "second", None)]
    rows = [
        Row("user", "go"),
        Row("assistant", "on it", tool_calls=calls),
        Row("tool", "2", tool_call_id="b"),
        Row("tool", "1", tool_call_id="a"),
        Row("assistant", "done"),
    ]

    transcript = from_latent(rows)

    assert transcript.messages == [
        Message(role="user", content=(TextPart(text="go"),)),
        Message(
            role="assistant",
            content=(
                TextPart(text="on it"),
                ToolCallPart(call_id="a", tool_name="first", arguments={"x": 1}),
                ToolCallPart(call_id="b", tool_name="second"),
            ),
        ),
        Message(
            role="user",
            content=(
                ToolResultPart(call_id="b", tool_name="second", content="2"),
                ToolResultPart(call_id="a", tool_name="first", content="1"),
            ),
        ),
        Message(role="assistant", content=(TextPart(text="done"),)),
    ]


def test_reasoning_of_a_step_is_thinking_of_no_model() -> None:
    transcript = from_latent(InvokeResult("Hi", [Step(0, "Hm.", "Hi")]))

    assert transcript.messages == [Message(role="assistant", content=(ThinkingPart(text="Hm."), TextPart(text="Hi")))]


def test_what_rows_have_no_place_for_is_left_out_and_errors_show() -> None:
    transcript = Transcript()
    transcript.add_assistant_message(
        [
            ThinkingPart(text="Hm."),
            HostedToolPart(kind="web_search"),
            TextPart(text="One."),
            TextPart(text="Two."),
            ToolCallPart(call_id="a", tool_name="t", raw_arguments="{", parse_error="broken"),
        ]
    )
    transcript.add_tool_results([ToolResultPart(call_id="a", tool_name="t", content="bad", is_error=True)])
    transcript.add_assistant_message([ThinkingPart(text="Hm.")])

    assert to_latent(transcript) == [
        Row("assistant", "One. Two.", tool_calls=[ToolCall("a", FunctionCall("t", "{"))]),
        Row("tool", "Error: bad", tool_call_id="a"),
    ]


def test_an_interrupted_history_is_kept_as_it_is() -> None:
    rows = [Row("assistant", tool_calls=[ToolCall.from_arguments("a", "t", None)]), Row("user", "stop")]

    transcript = from_latent(iter(rows))

    assert to_latent(transcript) == rows
    with pytest.raises(ValueError, match="'a'"):
        transcript.check_invariants()


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([Row("user", "x"), Row("tool", "r")], "row 1: .*call_id"),
        ([Row("user", "x"), Row("robot", "r")], "row 1: Expected role .* got 'robot'"),
        ([Row("user", "\ud800")], "row 0: .*lone surrogate"),
        ([Row("assistant", "", tool_calls=[ToolCall("", FunctionCall("t", "{}"))])], "row 0: .*call_id"),
        ([Row("system", "x")], "system rows only"),
        (InvokeResult("", [Step(0, "\ud800")]), "step 0: .*lone surrogate"),
    ],
)
def test_a_row_that_no_message_can_hold_is_named(rows: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=f"(?s){problem}"):
        from_latent(rows)


def test_what_is_no_row_is_refused() -> None:
    wrong: Any = {"role": "user"}

    with pytest.raises(TypeError, match=r"row 1: Expected a latent.protocol Message, got dict"):
        from_latent([Row("user", "x"), wrong])


def test_system_rows_are_not_spoken_by_the_user_and_come_back_in_place() -> None:
    rows = [Row("system", "rules"), Row("user", "x"), Row("system", "more"), Row("assistant", "y"), Row("system", "z")]

    transcript = from_latent(rows)

    texts = [part.text for message in transcript.messages for part in message.content if isinstance(part, TextPart)]
    assert texts == ["x", "y"]
    assert to_latent(transcript) == rows
