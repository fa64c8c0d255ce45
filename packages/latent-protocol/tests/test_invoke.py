from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from latent.protocol import InvokeResult, Message, Step, ToolCall

CALL = ToolCall.from_arguments("c1", "add", {"x": 1})
ROW = Message(role="tool", content="2", tool_call_id="c1")


@given(st.from_type(InvokeResult))
def test_result_survives_its_json_form(result: InvokeResult) -> None:
    assert msgspec.json.decode(msgspec.json.encode(result), type=InvokeResult) == result


def test_lists_are_not_shared_between_steps() -> None:
    Step(0).tool_calls.append(CALL)

    assert Step(0) == Step(0, "", "", [], [])


def test_step_becomes_rows_with_its_text_kept() -> None:
    step = Step(3, reasoning="hm", text="Let me add.", tool_calls=[CALL], tool_messages=[ROW])

    assert step.to_messages() == [Message("assistant", "Let me add.", tool_calls=[CALL]), ROW]
    assert Step(0, text="Hi").to_messages() == [Message("assistant", "Hi")]
    assert Step(0, tool_calls=[CALL]).to_messages() == [Message("assistant", "", tool_calls=[CALL])]
    assert Step(0, reasoning="hm").to_messages() == []
    assert Step(0, tool_messages=[ROW]).to_messages() == [ROW]


def test_rows_share_no_list_with_the_step() -> None:
    step = Step(0, tool_calls=[CALL], tool_messages=[ROW])
    rows = step.to_messages()
    rows[0].tool_calls.clear()
    rows.clear()

    assert step == Step(0, tool_calls=[CALL], tool_messages=[ROW])


def test_result_becomes_the_rows_of_all_steps() -> None:
    result = InvokeResult("2", [Step(0, tool_calls=[CALL], tool_messages=[ROW]), Step(1, text="2")])

    assert result.to_messages() == [Message("assistant", "", tool_calls=[CALL]), ROW, Message("assistant", "2")]


def test_history_may_be_extended_by_hand() -> None:
    step = Step(0, text="Hi")
    history = [Message(role="user", content="Hello")]
    history.append(Message(role="assistant", tool_calls=step.tool_calls))
    history.extend(step.tool_messages)

    assert history == [Message("user", "Hello"), Message("assistant", "", tool_calls=[])]
