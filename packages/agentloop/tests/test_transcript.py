import copy
import pickle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from pydantic import ValidationError

from agentloop.transcript import (
    Message,
    Origin,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    Transcript,
    TranscriptError,
    final_text,
    from_jsonl,
    join_text,
    to_jsonl,
)

from .strategies import assistant_parts, origins, result_parts, safe_messages, text

TEXT = TextPart(text="x")


def call(call_id: str = "c1") -> ToolCallPart:
    return ToolCallPart(call_id=call_id, tool_name="t")


def result(call_id: str = "c1") -> ToolResultPart:
    return ToolResultPart(call_id=call_id, tool_name="t", content="")


def origin(**fields: Any) -> Origin:
    return Origin(**{"provider": "p", "api": "a", "model": "m", **fields})


def calling(*ids: str) -> Transcript:
    transcript = Transcript()
    transcript.add_assistant_message([call(one) for one in ids])
    return transcript


def test_a_transcript_begins_empty_and_shares_no_list() -> None:
    assert Transcript().messages == []
    assert Transcript().messages is not Transcript().messages
    with pytest.raises(ValidationError):
        Transcript.model_validate({"surprise": 1})


@given(safe_messages())
def test_copies_are_equal_and_independent(conversation: list[Message]) -> None:
    transcript = Transcript(messages=conversation)
    copies = [
        Transcript(messages=transcript.messages),
        copy.deepcopy(transcript),
        pickle.loads(pickle.dumps(transcript)),
        Transcript.model_validate_json(transcript.model_dump_json()),
    ]

    for one in copies:
        assert one == transcript
        one.add_user_message("more")
        assert one != transcript


@pytest.mark.parametrize("text", [None, b"x", 3, "\ud800", ["x"]])
def test_a_user_message_takes_text_only(text: Any) -> None:
    transcript = Transcript()

    with pytest.raises(ValidationError):
        transcript.add_user_message(text)
    assert transcript.messages == []


def test_a_user_message_may_be_added_while_calls_wait_and_is_then_reported() -> None:
    transcript = calling("c1")

    transcript.add_user_message("stop")

    assert transcript.pending_tool_calls() == ()
    with pytest.raises(TranscriptError, match="'c1'"):
        transcript.check_invariants()
    with pytest.raises(TranscriptError, match="none pending"):
        transcript.add_tool_results([result()])


def test_an_assistant_message_takes_any_iterable_and_keeps_its_origin() -> None:
    transcript = Transcript()

    transcript.add_assistant_message(iter([TEXT]), origin())

    assert transcript.messages == [Message(role="assistant", content=(TEXT,), origin=origin())]


@pytest.mark.parametrize("parts", [(), [None], ["text"]])
def test_an_assistant_message_without_proper_parts_is_refused(parts: Any) -> None:
    transcript = Transcript()

    with pytest.raises(ValidationError):
        transcript.add_assistant_message(parts)
    assert transcript.messages == []


@pytest.mark.parametrize(
    ("old", "new", "merged"),
    [
        (
            origin(raw=[{"a": 1}]),
            origin(model="n", raw=[{"b": 2}]),
            origin(model="n", raw=[{"a": 1}, {"b": 2}]),
        ),
        (origin(raw=[{"a": 1}]), origin(), origin(raw=[{"a": 1}])),
        (origin(), origin(provider="q"), None),
        (origin(), origin(api="b"), None),
        (origin(), None, None),
        (None, origin(), None),
        (None, None, None),
    ],
)
def test_extending_merges_origins_of_one_provider_and_drops_others(
    old: Origin | None, new: Origin | None, merged: Origin | None
) -> None:
    transcript = Transcript()
    transcript.add_assistant_message([TEXT], old)
    before = transcript.messages[0]

    transcript.extend_last_assistant(iter([call()]), new)

    assert transcript.messages == [Message(role="assistant", content=(TEXT, call()), origin=merged)]
    assert before == Message(role="assistant", content=(TEXT,), origin=old)
    assert from_jsonl(to_jsonl(transcript.messages)) == transcript


def test_extending_by_nothing_may_still_add_raw_items() -> None:
    transcript = Transcript()
    transcript.add_assistant_message([TEXT], origin())

    transcript.extend_last_assistant((), origin(raw=[{"a": 1}]))

    assert transcript.messages == [Message(role="assistant", content=(TEXT,), origin=origin(raw=[{"a": 1}]))]


def test_only_a_last_assistant_message_can_be_extended() -> None:
    transcript = Transcript()
    with pytest.raises(TranscriptError, match="got no message"):
        transcript.extend_last_assistant([TEXT])
    transcript.add_user_message("x")
    with pytest.raises(TranscriptError, match="got role 'user'"):
        transcript.extend_last_assistant([TEXT])

    assert len(transcript.messages) == 1


@pytest.mark.parametrize("parts", [[None], [TEXT, {"type": "text"}], "text"])
def test_a_failed_extension_changes_nothing(parts: Any) -> None:
    transcript = Transcript()
    transcript.add_assistant_message([TEXT], origin())
    before = copy.deepcopy(transcript)
    wrong: Any = {"provider": "p"}

    with pytest.raises(ValidationError):
        transcript.extend_last_assistant(parts)
    with pytest.raises(TypeError, match="Expected an Origin or None, got dict"):
        transcript.extend_last_assistant([TEXT], wrong)

    assert transcript == before


def test_extending_checks_only_what_is_added() -> None:
    transcript = Transcript()
    transcript.messages.append(Message.model_construct(role="assistant", content=("no part",), origin=None))

    transcript.extend_last_assistant([TEXT])

    assert transcript.messages[-1].content == ("no part", TEXT)


def test_results_are_kept_in_the_order_of_the_calls() -> None:
    transcript = calling("a", "b", "c")

    transcript.add_tool_results(iter([result("c"), result("a"), result("b")]))

    assert transcript.messages[1:] == [Message(role="user", content=(result("a"), result("b"), result("c")))]
    transcript.check_invariants()


@pytest.mark.parametrize(
    ("results", "problem", "ids"),
    [
        ([], "missing results for 'a', 'b'", ("a", "b")),
        ([result("a")], "missing results for 'b'$", ("b",)),
        ([result("a"), result("b"), result("x")], "got unknown calls 'x'$", ("x",)),
        ([result("a"), result("b"), result("a")], "got repeated results for 'a'$", ("a",)),
        (
            [result("a"), result("x"), result("a")],
            "missing results for 'b'; unknown calls 'x'; repeated results for 'a'",
            ("b", "x", "a"),
        ),
        ([result("a"), TEXT], "Expected tool results, got TextPart", ()),
        ([result("a"), None], "Expected tool results, got NoneType", ()),
    ],
)
def test_results_that_do_not_answer_each_call_once_change_nothing(
    results: list[Any], problem: str, ids: tuple[str, ...]
) -> None:
    transcript = calling("a", "b")
    before = copy.deepcopy(transcript)

    with pytest.raises(TranscriptError, match=problem) as caught:
        transcript.add_tool_results(results)

    assert caught.value.call_ids == ids
    assert transcript == before


@pytest.mark.parametrize("results", [[], [result()]])
def test_results_without_pending_calls_are_refused(results: list[ToolResultPart]) -> None:
    transcript = Transcript()

    with pytest.raises(TranscriptError, match="none pending"):
        transcript.add_tool_results(results)
    transcript.add_assistant_message([TEXT])
    with pytest.raises(TranscriptError, match="none pending"):
        transcript.add_tool_results(results)


def test_repeated_pending_calls_cannot_be_answered() -> None:
    transcript = calling("a", "a")

    with pytest.raises(TranscriptError, match="repeated pending calls 'a'"):
        transcript.add_tool_results([result("a")])


def test_what_is_no_message_at_the_end_is_named() -> None:
    transcript = Transcript()
    wrong: Any = "x"
    transcript.messages.append(wrong)

    with pytest.raises(TranscriptError, match="message 0: Expected a Message, got str"):
        transcript.pending_tool_calls()


def test_the_error_can_be_pickled() -> None:
    error = TranscriptError("text", message_index=3, call_ids=("a",))

    again = pickle.loads(pickle.dumps(error))

    assert isinstance(error, ValueError)
    assert (str(again), again.message_index, again.call_ids) == ("text", 3, ("a",))


class Conversation(RuleBasedStateMachine):
    """Any order of calls on the public surface, beside a plain list of what should be there."""

    def __init__(self) -> None:
        super().__init__()
        self.transcript = Transcript()
        self.expected: list[Message] = []

    def _pending(self) -> list[ToolCallPart]:
        if not self.expected or self.expected[-1].role != "assistant":
            return []
        return [part for part in self.expected[-1].content if isinstance(part, ToolCallPart)]

    @precondition(lambda self: not self._pending())
    @rule(text=text)
    def user_writes(self, text: str) -> None:
        self.transcript.add_user_message(text)
        self.expected.append(Message(role="user", content=(TextPart(text=text),)))

    @precondition(lambda self: not self._pending())
    @rule(parts=assistant_parts(), origin=st.none() | origins)
    def assistant_writes(self, parts: Any, origin: Origin | None) -> None:
        self.transcript.add_assistant_message(parts, origin)
        self.expected.append(Message(role="assistant", content=parts, origin=origin))

    @precondition(lambda self: not self._pending() and self.expected and self.expected[-1].role == "assistant")
    @rule(parts=assistant_parts(), origin=st.none() | origins)
    def paused_turn_goes_on(self, parts: Any, origin: Origin | None) -> None:
        last = self.expected[-1]
        self.transcript.extend_last_assistant(parts, origin)
        merged = None
        if last.origin and origin and last.origin.matches(origin.provider, origin.api):
            merged = origin.model_copy(update={"raw": last.origin.raw + origin.raw})
        self.expected[-1] = Message(role="assistant", content=last.content + parts, origin=merged)

    @precondition(lambda self: self._pending())
    @rule(data=st.data())
    def tools_answer(self, data: st.DataObject) -> None:
        results = [data.draw(result_parts(st.just(one.call_id))) for one in self._pending()]
        self.transcript.add_tool_results(data.draw(st.permutations(results)))
        self.expected.append(Message(role="user", content=tuple(results)))

    @rule(results=st.lists(result_parts(), max_size=3))
    def wrong_results_are_refused(self, results: list[ToolResultPart]) -> None:
        answered = [one.call_id for one in results]
        if self._pending() and sorted(answered) == sorted(one.call_id for one in self._pending()):
            return
        with pytest.raises(TranscriptError):
            self.transcript.add_tool_results(results)

    @rule()
    def is_written_and_read(self) -> None:
        self.transcript = from_jsonl(to_jsonl(self.transcript.messages).splitlines())

    @invariant()
    def holds_what_was_added(self) -> None:
        assert self.transcript.messages == self.expected
        assert list(self.transcript.pending_tool_calls()) == self._pending()
        replies = [one for one in self.expected if one.role == "assistant"]
        assert final_text(self.transcript) == (join_text(replies[-1].content) if replies else "")

    @invariant()
    def is_safe_unless_calls_wait(self) -> None:
        if self._pending():
            with pytest.raises(TranscriptError):
                self.transcript.check_invariants()
        else:
            self.transcript.check_invariants()


TestConversation = Conversation.TestCase
TestConversation.settings = settings(max_examples=50, stateful_step_count=20)
