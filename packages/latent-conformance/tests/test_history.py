from __future__ import annotations

from typing import Any

import pytest
from msgspec import to_builtins

from latent.conformance import check_history
from latent.conformance._passive._history import Fault, pairing_faults
from latent.protocol import FunctionCall, Message, ToolCall, message_from_dict


def calling(*ids: str) -> dict[str, Any]:
    function = {"name": "f", "arguments": "{}"}
    calls = [{"id": each, "type": "function", "function": function} for each in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def result(id: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": "x"}


USER: dict[str, Any] = {"role": "user", "content": "Hi"}
SAID: dict[str, Any] = {"role": "assistant", "content": "Hello", "tool_calls": []}

SOUND = [
    [],
    [USER],
    [USER, SAID, USER],
    [USER, calling("a", "b"), result("b"), result("a"), SAID],
    [USER, calling("a"), result("a"), calling("a"), result("a")],
    [{"role": "system", "content": "Be kind"}, {"role": "developer", "content": ""}, USER],
]

BROKEN = [
    ([USER, calling("a", "b"), result("a"), USER], [1], "none for 'b'"),
    ([USER, calling("a")], [1], "none for 'a'"),
    ([USER, result("a")], [1], "one for 'a'"),
    ([calling("a"), result("a"), result("a")], [2], "another one"),
    ([calling("a"), USER, result("a")], [0, 2], "none for 'a'"),
    ([calling("a", "a"), result("a")], [0], "'a' again"),
    ([calling(""), result("")], [0, 1], "non-empty id"),
    ([calling("a"), result("b")], [1, 0], "one for 'b'"),
    ([{"role": "assistant", "content": "", "tool_calls": "a"}], [0], "as a list"),
    ([{"content": "x"}, None, 3], [0, 1, 2], "with a role"),
]


@pytest.mark.parametrize("rows", SOUND)
def test_sound_history_has_no_faults_as_dicts_and_as_messages(rows: list[dict[str, Any]]) -> None:
    assert pairing_faults(rows) == []
    assert pairing_faults([message_from_dict(row) for row in rows]) == []


@pytest.mark.parametrize(("rows", "indexes", "words"), BROKEN)
def test_broken_pairing_is_found_at_its_row(rows: list[Any], indexes: list[int], words: str) -> None:
    faults = pairing_faults(rows)

    assert [fault.index for fault in faults] == indexes
    assert words in faults[0].sentence


def test_faults_name_the_call() -> None:
    assert pairing_faults([result("a")]) == [
        Fault(0, "Expected the result of a call in the assistant row directly before the results, got one for 'a'", "a")
    ]


def test_history_is_judged_by_what_its_rows_show() -> None:
    calls = [ToolCall(each, FunctionCall("f", "{}")) for each in "ab"]
    rows = [
        Message("user", "Hi \ud83d"),
        Message("assistant", "", tool_calls=calls),
        Message("tool", "x \ud83d", tool_call_id="a"),
        Message("tool", "y", tool_call_id="b"),
        Message("assistant", "Hello"),
    ]

    report = check_history(rows)

    assert (report.verdict, report.violations) == ("pass", ())
    assert set(report.statuses.values()) == {"pass"}
    assert dict(report.exercised) == {
        "MSG-1": 5,
        "MSG-2": 2,
        "MSG-3": 2,
        "TOOL-13": 1,
        "TEXT-9": 2,
        "TOOL-2": 2,
        "TOOL-6": 2,
        "TOOL-7": 2,
        "TOOL-10": 2,
    }


def asks(id: str = "a", name: str = "f", arguments: str = "{}", type: str = "function") -> Message:
    return Message("assistant", "", tool_calls=[ToolCall(id, FunctionCall(name, arguments), type)])


ANSWER = Message("tool", "x", tool_call_id="a")


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ([asks(arguments=""), ANSWER], ("TOOL-6", "MUST", 0)),
        ([asks(arguments="[1]"), ANSWER], ("TOOL-6", "MUST", 0)),
        ([asks(arguments='{"city": '), ANSWER], ("TOOL-6", "MUST", 0)),
        ([asks(arguments='"{}"'), ANSWER], ("TOOL-7", "MUST", 0)),
        ([asks(name=""), ANSWER], ("TOOL-10", "MUST", 0)),
        ([asks(type="tool"), ANSWER], ("TOOL-10", "MUST", 0)),
        ([Message("user", "Hi"), Message("assistant", "x\ud83d")], ("TEXT-9", "MUST", 1)),
        ([USER, calling("a", "a"), result("a")], ("TOOL-2", "MUST", 1)),
        ([calling("a"), result("a")] * 3, ("TOOL-2", "SHOULD", 2)),
        ([USER, calling("a", "b"), result("b"), result("a"), SAID], ("TOOL-13", "SHOULD", 2)),
    ],
)
def test_what_is_wrong_with_the_calls_and_the_text_is_found(rows: list[Any], found: tuple[str, str, int]) -> None:
    assert [(each.rule, each.level, each.index) for each in check_history(rows).violations] == [found]


@pytest.mark.parametrize(
    "rows", [[asks(arguments=""), ANSWER], [asks(name=""), ANSWER], [Message("assistant", "\ud83d")]]
)
def test_what_others_wrote_is_found_as_a_hint(rows: list[Message]) -> None:
    report = check_history([to_builtins(row) for row in rows])

    assert (report.verdict, {each.level for each in report.violations}) == ("pass", {"SHOULD"})


def test_a_fault_in_one_turn_hides_none_in_another() -> None:
    rows = [calling("a"), USER, calling("b"), {**result("b"), "content": None}]

    found = check_history(rows).violations

    assert [(each.rule, each.index, each.step) for each in found] == [("MSG-1", 0, None), ("MSG-2", 3, None)]


def test_a_call_that_is_answered_elsewhere_may_be_open() -> None:
    rows = [USER, calling("a")]

    assert check_history(rows, external_tools={"f"}).verdict == "pass"
    assert check_history(rows, external_tools={"g"}).verdict == "fail"
    assert check_history([*rows, result("b")], external_tools={"f"}).verdict == "fail"
    with pytest.raises(TypeError, match="collection of names"):
        check_history(rows, external_tools="f")


@pytest.mark.parametrize(
    ("row", "rule"),
    [
        (Message("tool", [{"type": "text"}], tool_call_id="a"), "MSG-2"),
        (Message("tool", None, tool_call_id="a"), "MSG-2"),  # type: ignore[arg-type]
        (Message("assistant", "", tool_calls=({"id": "a"},)), "MSG-3"),  # type: ignore[arg-type]
        ({"role": "assistant", "tool_calls": [{"id": "b", "function": {"name": "f", "arguments": {}}}]}, "MSG-3"),
        (Message("assistant", "", tool_calls=[ToolCall("b", FunctionCall("f", {}))]), "MSG-3"),  # type: ignore[arg-type]
        (Message("user", "Hi", tool_calls=[ToolCall("b", FunctionCall("f", "{}"))]), "MSG-3"),
        (Message("tool", "x", tool_call_id="a", tool_calls=[ToolCall("b", FunctionCall("f", "{}"))]), "MSG-3"),
    ],
)
def test_shape_of_a_row_is_found(row: object, rule: str) -> None:
    report = check_history([row])

    assert report.verdict == "fail"
    assert rule in {each.rule for each in report.violations}


class Hostile:
    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no comparing")

    __hash__ = object.__hash__


def test_empty_history_is_not_a_pass() -> None:
    assert check_history([]).verdict == "incomplete"


@pytest.mark.parametrize(
    "rows", [None, 7, "text", [None], [[]], [{"role": []}], [{"role": Hostile()}], iter([object()])]
)
def test_garbage_is_a_finding_and_no_crash(rows: Any) -> None:
    report = check_history(rows)

    assert report.internal_errors == ()
    assert report.verdict == "fail"
