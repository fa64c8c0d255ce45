"""The quick look at an event's fields is held against the careful one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from latent.conformance import RULES
from latent.conformance._observers._fields import FIELDS, repaired
from latent.conformance._observers._well_typed import WELL_TYPED
from latent.conformance.strategies import events
from latent.protocol import AgentEvent, FunctionCall, LLMCallStart, Metadata, ToolCall, UnknownEvent

QUICK = settings(deadline=None, database=None, derandomize=True, max_examples=300)
ODD = [None, True, -1, 2.5, 2**63, float("inf"), "x", b"x", [], [1], {}, object(), FunctionCall("f", "{}")]


def test_tables_name_every_event_and_every_field() -> None:
    known = {kind for kind in AgentEvent.__subclasses__() if kind.__module__.startswith("latent.events")}

    assert WELL_TYPED.keys() == FIELDS.keys() == known - {UnknownEvent}
    for kind, fields in FIELDS.items():
        assert tuple(field.name for field in fields) == kind.__struct_fields__
        assert {field.rule for field in fields} <= RULES.keys()


@given(events())
@QUICK
def test_valid_events_pass_both_looks(event: AgentEvent) -> None:
    if not isinstance(event, UnknownEvent):
        assert WELL_TYPED[type(event)](event)
        assert repaired(event, type(event)) == (event, [])


@given(events(), st.sampled_from(range(len(ODD))))
@QUICK
def test_quick_look_lets_nothing_pass_that_the_careful_one_finds(event: AgentEvent, pick: int) -> None:
    kind = type(event)
    if kind in (UnknownEvent, Metadata):
        return
    for name in kind.__struct_fields__:
        spoiled = replace(event, **{name: ODD[pick]})
        sound, misfits = repaired(spoiled, kind)

        assert {misfit.field for misfit in misfits} <= {name}
        assert misfits or sound == spoiled
        assert not (misfits and WELL_TYPED[kind](spoiled))
        assert WELL_TYPED[kind](sound)
        assert repaired(sound, kind) == (sound, [])


def test_misfit_says_what_was_expected_what_came_and_where() -> None:
    (misfit,) = repaired(LLMCallStart("r", 7), LLMCallStart)[1]  # type: ignore[arg-type]

    assert misfit == ("input_preview", "PROTO-5", "Expected LLMCallStart.input_preview as a str, got int 7")


@pytest.mark.parametrize("function", [{"name": "f", "arguments": {}}, None, "f"])
def test_function_of_another_class_is_one_misfit(function: object) -> None:
    sound, misfits = repaired(ToolCall("c", function), ToolCall)  # type: ignore[arg-type]

    assert [misfit.field for misfit in misfits] == ["function"]
    assert isinstance(sound, ToolCall)


def test_subclasses_of_the_declared_types_are_taken_as_what_they_are() -> None:
    class Name(str): ...

    sound, misfits = repaired(LLMCallStart(Name("r"), "in", None, 3), LLMCallStart)

    assert misfits == []
    assert sound == LLMCallStart("r", "in", None, 3.0)
    assert type(sound.run_id) is str  # type: ignore[attr-defined]
