from __future__ import annotations

from typing import Any

import pytest

from latent.conformance import check_history
from latent.conformance._history import Fault, pairing_faults
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


def test_history_is_judged_by_three_rules() -> None:
    call = ToolCall("a", FunctionCall("f", "{}"))
    rows = [
        Message("user", "Hi"),
        Message("assistant", "", tool_calls=[call]),
        Message("tool", "x", tool_call_id="a"),
        Message("assistant", "Hello"),
    ]

    report = check_history(rows)

    assert report.verdict == "pass"
    assert dict(report.statuses) == {"MSG-1": "pass", "MSG-2": "pass", "MSG-3": "pass"}
    assert dict(report.exercised) == {"MSG-1": 4, "MSG-2": 1, "MSG-3": 2}


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
