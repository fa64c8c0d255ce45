import gc
import io
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from agentloop.transcript import Message, TextPart, ToolCallPart, Transcript, from_jsonl, to_jsonl

from .strategies import messages

LINE = '{"role":"user","content":[{"type":"text","text":"%s"}]}'


def _user(text: str) -> Message:
    return Message(role="user", content=(TextPart(text=text),))


@given(st.lists(messages, max_size=4))
@settings(max_examples=200)
def test_whatever_can_be_built_comes_back_equal_through_any_line_reader(conversation: list[Message]) -> None:
    text = to_jsonl(conversation)

    for lines in (
        text,
        text.encode(),
        text.splitlines(),
        text.splitlines(keepends=True),
        text.encode().splitlines(),
        io.StringIO(text),
        io.BytesIO(text.encode()),
        (line + "\r\n" for line in text.splitlines()),
        text.replace("\n", "\n\n  \n"),
        "\ufeff" + text,
    ):
        assert from_jsonl(lines).messages == conversation
    assert text.count("\n") == len(text.splitlines()) == len(conversation)


def test_nothing_gives_the_empty_text_and_back() -> None:
    assert to_jsonl([]) == ""
    assert from_jsonl("") == from_jsonl([]) == from_jsonl(["", " \r\n", b"\n"]) == Transcript()


def test_any_iterable_of_messages_is_written() -> None:
    assert to_jsonl(iter((_user("a"), _user("b")))) == to_jsonl([_user("a")]) + to_jsonl([_user("b")])


@pytest.mark.parametrize("wrong", ["text", [_user("a"), "text"], Transcript(), [None], _user("a")])
def test_what_is_no_message_is_not_written(wrong: Any) -> None:
    with pytest.raises(TypeError, match="Expected Message objects to write, got"):
        to_jsonl(wrong)


def test_text_stays_readable_but_for_line_breaks() -> None:
    assert '"é😀\\u0085\\u2028\\u2029\\n\\u000b"' in to_jsonl([_user("é😀\x85\u2028\u2029\n\x0b")])


def test_absent_fields_are_left_out_and_null_inside_json_is_kept() -> None:
    call = ToolCallPart(call_id="c", tool_name="t", arguments={"a": None})

    assert to_jsonl([Message(role="assistant", content=(call,))]) == (
        '{"role":"assistant","content":[{"type":"tool_call","call_id":"c","tool_name":"t","arguments":{"a":null}}]}\n'
    )


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "Invalid JSON"),
        (LINE[:20], "Invalid JSON"),
        (b"\xff\xfe", "Invalid JSON"),
        ("\ud800", "unicode"),
        (LINE % "\\ud800", "Invalid JSON"),
        ("[]", "object"),
        ('{"role":"system","content":[{"type":"text","text":"x"}]}', "'user' or 'assistant'"),
        ('{"role":"user","content":[]}', "at least one content part"),
        ('{"role":"user","content":[{"type":"video","text":"x"}]}', "tag 'video'"),
        ('{"role":"user","content":[{"text":"x"}]}', "tag"),
        ((LINE % "x")[:-1] + ',"extra":1}', "Extra inputs"),
        (LINE % "x" + LINE % "y", "Invalid JSON"),
        ('{"role":"assistant","content":[{"type":"tool_call","id":"c","name":"t","arguments":{"a":NaN}}]}', r"\$\.a"),
        ('{"role":"assistant","content":[{"type":"tool_call","id":"c","name":"t","arguments":{"a":1e999}}]}', r"\$\.a"),
        ("[" * 100_000, "Invalid JSON"),
        (5, "JSON input should be"),
        (None, "JSON input should be"),
    ],
)
def test_a_bad_line_is_named_with_its_number(line: Any, problem: str) -> None:
    with pytest.raises(ValidationError, match=f"for Message at line 4\n(?s:.*){problem}") as caught:
        from_jsonl(["", LINE % "ok", " ", line, LINE % "never read"])

    assert caught.value.title == "Message at line 4"


def test_one_fault_gives_one_error_that_says_where_in_the_line() -> None:
    with pytest.raises(ValidationError) as caught:
        from_jsonl(['{"role":"user","content":[{"type":"text","text":5}]}'])

    assert [(one["type"], one["loc"]) for one in caught.value.errors()] == [
        ("string_type", ("content", 0, "text", "text"))
    ]


def test_a_byte_order_mark_is_dropped_at_the_start_only() -> None:
    assert from_jsonl(["\ufeff" + LINE % "a"]).messages == [_user("a")]
    assert from_jsonl([b"\xef\xbb\xbf" + (LINE % "a").encode()]).messages == [_user("a")]
    with pytest.raises(ValidationError, match="line 2"):
        from_jsonl([LINE % "a", "\ufeff" + LINE % "b"])


def test_invariants_are_not_checked() -> None:
    call = ToolCallPart(call_id="c", tool_name="t")
    unsafe = [Message(role="user", content=(call,))]

    assert from_jsonl(to_jsonl(unsafe)).messages == unsafe


def _observed(seen: list[bool]) -> Iterator[str]:
    for _ in range(3):
        seen.append(gc.isenabled())
        yield LINE % "a"


def test_the_collector_is_paused_and_put_back() -> None:
    seen: list[bool] = []
    assert gc.isenabled()

    from_jsonl(_observed(seen))
    assert gc.isenabled()
    with pytest.raises(ValidationError):
        from_jsonl(["{"])
    assert gc.isenabled()

    assert seen == [False, False, False]


def test_a_collector_that_is_off_stays_off() -> None:
    gc.disable()
    try:
        from_jsonl(LINE % "a")
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_bulk_reading_leaves_frozen_objects_frozen() -> None:
    lines = [LINE % "a"] * 6_000
    gc.unfreeze()
    from_jsonl(lines)
    assert gc.get_freeze_count() == 0
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        from_jsonl(lines)
        assert gc.get_freeze_count() > frozen // 2
    finally:
        gc.unfreeze()


# Lines as version 1.0.0 writes them: they must be readable for as long as the package exists.
WRITTEN_BY_1_0_0 = """\
{"role":"user","content":[{"type":"text","text":"Hello","citations":[]}]}
{"role":"assistant","content":[{"type":"thinking","text":"","signature":"s","provider":"anthropic","model":"m","raw":{"type":"thinking"}},{"type":"hosted_tool","kind":"web_search","call_id":"h","query":"q","sources":[{"url":"u","title":"t"}]},{"type":"text","text":"Hi","citations":[{"url":"u","title":"t","cited_text":"c","start":0,"end":2}]},{"type":"tool_call","call_id":"c","tool_name":"t","arguments":{},"raw_arguments":"{","parse_error":"e"}],"origin":{"provider":"anthropic","api":"messages","model":"m","raw":[{"type":"text","text":"Hi"}]}}
{"role":"user","content":[{"type":"tool_result","call_id":"c","tool_name":"t","content":"x","is_error":true}]}
"""


def test_lines_of_released_versions_are_read_and_written_the_same() -> None:
    assert to_jsonl(from_jsonl(WRITTEN_BY_1_0_0).messages) == WRITTEN_BY_1_0_0
