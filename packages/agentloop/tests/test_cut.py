import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentloop.transcript import (
    Message,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    Transcript,
    TranscriptError,
    close_pending,
    cut_points,
)

from .strategies import assistant_parts, safe_messages


@given(safe_messages(), assistant_parts())
def test_closing_answers_every_pending_call_with_an_error(conversation: list[Message], parts: tuple[TextPart]) -> None:
    transcript = Transcript(messages=conversation)
    transcript.add_assistant_message(parts)
    before = copy.deepcopy(transcript)

    closed = close_pending(transcript, "cancelled")

    assert transcript == before
    closed.check_invariants()
    assert close_pending(closed, "again") == closed
    calls = transcript.pending_tool_calls()
    answer = [
        ToolResultPart(call_id=call.call_id, tool_name=call.tool_name, content="cancelled", is_error=True)
        for call in calls
    ]
    assert closed.messages == [*before.messages, *([Message(role="user", content=tuple(answer))] if calls else [])]


def test_pending_calls_that_share_an_id_cannot_be_closed() -> None:
    transcript = Transcript()
    transcript.add_assistant_message([ToolCallPart(call_id="c", tool_name="t")] * 2)

    with pytest.raises(TranscriptError, match="repeated pending calls 'c'"):
        close_pending(transcript, "cancelled")


@given(safe_messages(max_turns=8), st.data())
def test_a_safe_conversation_stays_safe_from_every_cut_and_from_no_result(
    conversation: list[Message], data: st.DataObject
) -> None:
    cuts = cut_points(iter(conversation))

    for cut in cuts:
        assert conversation[cut].role == "user"
        Transcript(messages=conversation[cut:]).check_invariants()
    for index, message in enumerate(conversation):
        if any(isinstance(part, ToolResultPart) for part in message.content):
            assert index not in cuts
        elif message.role == "user":
            assert index in cuts
