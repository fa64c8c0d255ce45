from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from typing import Any

import pytest
from cases.agent import Answer, SoundAgent, sound
from cases.broken_generated import GENERATED, FlattensLists, GeneratedCase, TakesABraceForACall
from cases.live import ODD_WIRE
from cases.loopback import sound_over_http
from cases.sound import SOUND, WaitsForTheRestOfATag
from cases.sound_choices import REFUSE_ODD_ENDS
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from latent.conformance import FactoryError, Level, check_agent
from latent.conformance.harness import Deed, Fail, Harness, PlannedCall, Script, Text, Turn, asks, planned, says, told
from latent.protocol import (
    AgentEvent,
    Error,
    LLMCallEnd,
    LLMCallStart,
    Message,
    PhaseStarted,
    StepBoundary,
    TextDelta,
    ToolCall,
    ToolResult,
)

pytestmark = [pytest.mark.searching, pytest.mark.thorough]


class FlattensAndForgets(FlattensLists, TakesABraceForACall):
    """Has two faults."""


def flattens_and_forgets(harness: Harness) -> SoundAgent:
    return FlattensAndForgets(harness.model, harness.tools, harness.max_iterations)


@pytest.mark.parametrize("case", GENERATED, ids=lambda case: case.broken.__name__)
def test_what_no_fixed_script_shows_is_found_in_the_shortest_conversation(case: GeneratedCase) -> None:
    assert check_agent(case.make, capabilities=case.capabilities, examples=0).violations == ()

    report = check_agent(case.make, capabilities=case.capabilities, timeout=5)

    (found,) = report.violations
    assert (found.rule, found.level, report.verdict) == (case.rule, Level.MUST, "fail")
    assert (report.internal_errors, report.problems) == ((), ())
    assert found.script is not None
    assert len(found.script.turns) <= case.turns
    assert sum(len(turn.pieces) for turn in found.script.turns) <= case.pieces
    assert found.conversation == told(found.script)
    assert found.scenario == found.script.name == f"generated for {case.rule}"
    assert found.stream


def test_two_faults_give_two_conversations() -> None:
    report = check_agent(flattens_and_forgets)

    assert {each.rule for each in report.violations} == {"TEXT-5", "TOOL-16"}
    text, tool = sorted(report.violations, key=lambda each: each.rule)
    assert text.script is not None
    assert tool.script is not None
    assert (len(text.script.turns), text.script.turns[0].text) == (1, "{")
    assert (len(tool.script.turns), tool.script.turns[-1].text) == (2, "a")


def test_a_known_deviation_does_not_hide_another_fault() -> None:
    report = check_agent(flattens_and_forgets, known_deviations={"TEXT-5": "braces are calls"})

    assert (report.verdict, report.problems) == ("fail", ())
    assert (report.statuses["TEXT-5"], report.statuses["TOOL-16"]) == ("deviation", "fail")


def test_one_rule_alone_is_searched_for() -> None:
    report = check_agent(flattens_and_forgets, rule="TOOL-16")

    assert [each.rule for each in report.violations] == ["TOOL-16"]
    assert check_agent(flattens_and_forgets, rule="STEP-4").verdict == "pass"


def test_beside_a_fault_that_the_fixed_scripts_show_nothing_is_searched() -> None:
    class Doubles(FlattensLists):
        def text(self, piece: str, answer: Answer) -> Iterator[AgentEvent]:
            yield from (TextDelta(piece), TextDelta(piece))

    report = check_agent(lambda harness: Doubles(harness.model, harness.tools, 8))

    assert report.verdict == "fail"
    assert not any(each.conversation for each in report.violations)


def test_the_number_of_conversations_can_be_chosen() -> None:
    made: list[Any] = []

    def make(harness: Harness) -> SoundAgent:
        made.append(harness)
        return sound(harness)

    counts = []
    for examples in (0, 10, 40):
        check_agent(make, examples=examples)
        counts.append(len(made))
        made.clear()

    assert counts[0] < counts[1] < counts[2]
    assert counts[2] - counts[0] <= 2 * 40


@pytest.mark.parametrize("wrong", [-1, True, 1.5, "3"])
def test_a_number_of_conversations_is_a_number(wrong: Any) -> None:
    with pytest.raises(ValueError, match="Expected examples as a number from 0 on"):
        check_agent(sound, examples=wrong)


def test_a_hang_is_found_once_and_not_waited_for_again() -> None:
    waited: list[ToolCall] = []

    class Hangs(SoundAgent):
        async def result(self, call: ToolCall, arguments: dict[str, Any]) -> ToolResult:
            result = await super().result(call, arguments)
            if isinstance(result.output, list) and result.output[:1] == [[]]:
                waited.append(call)
                await asyncio.Event().wait()
            return result

    def make(harness: Harness) -> Hangs:
        return Hangs(harness.model, harness.tools, harness.max_iterations)

    report = check_agent(make, timeout=1, examples=300)

    (found,) = report.violations
    assert (found.rule, report.verdict) == ("PROTO-2", "fail")
    assert found.conversation
    assert "Expected the run to end" in found.message
    assert len(waited) == 1


def test_a_factory_that_fails_later_is_told_of() -> None:
    made: list[SoundAgent] = []
    enough = float("inf")

    def make(harness: Harness) -> SoundAgent:
        if len(made) > enough:
            raise OSError("no more weights")
        made.append(sound(harness))
        return made[-1]

    check_agent(make, examples=0)
    enough = 2 * len(made) + 5
    with pytest.raises(FactoryError, match="no more weights"):
        check_agent(make)


def test_the_kit_can_be_used_inside_a_test_of_hypothesis() -> None:
    @settings(database=None, derandomize=True, deadline=None, max_examples=2)
    @given(st.booleans())
    def check(flag: bool) -> None:
        assert check_agent(sound, examples=5).verdict == "pass"

    check()


@pytest.mark.parametrize(
    ("kind", "capabilities"),
    [
        *(pytest.param(kind, None, id=f"{kind.__name__}-nothing declared") for kind in SOUND),
        *(
            pytest.param(kind, ODD_WIRE, id=f"{kind.__name__}-odd_wire")
            for kind in SOUND
            if kind not in REFUSE_ODD_ENDS
        ),
    ],
)
def test_many_conversations_find_nothing_in_a_sound_agent(
    kind: type[SoundAgent], capabilities: frozenset[str] | None
) -> None:
    report = check_agent(lambda h: kind(h.model, h.tools, h.max_iterations), capabilities=capabilities, examples=300)

    assert (report.verdict, report.violations) == ("pass", ())


def test_many_conversations_over_http_find_nothing_in_a_sound_agent() -> None:
    report = check_agent(sound_over_http, capabilities=ODD_WIRE, examples=150)

    assert (report.verdict, report.violations) == ("pass", ())


def test_what_may_begin_a_tag_may_be_lost_when_the_model_breaks_down() -> None:
    def make(harness: Harness) -> SoundAgent:
        return WaitsForTheRestOfATag(harness.model, harness.tools, harness.max_iterations)

    for texts in (("<",), ("a", " <"), ("a <", "b")):
        report = check_agent(make, script=Script("breaks off", (Turn((*map(Text, texts), Fail())),)))
        assert (report.verdict, report.violations) == ("pass", ())


def test_empty_arguments_and_an_empty_object_are_two_calls() -> None:
    calls = (PlannedCall("t1", "submit", ""), PlannedCall("t2", "submit", "{}"))
    report = check_agent(sound, script=Script("nothing twice", (asks(*calls), says("a"))))

    assert (report.verdict, report.violations) == ("pass", ())


def test_another_attempt_of_a_phase_may_begin_from_the_history() -> None:
    class TriesAgain(SoundAgent):
        async def stream(self, messages: list[Message], *, config: Any = None) -> AsyncIterator[AgentEvent]:
            for attempt in range(2):
                yield PhaseStarted("work", attempt)
                async with aclosing(super().stream(messages, config=config)) as events:
                    async for event in events:
                        if attempt or not isinstance(event, Error):
                            yield self.numbered(event, attempt)

        def numbered(self, event: AgentEvent, attempt: int) -> AgentEvent:
            match event:
                case StepBoundary(step):
                    return StepBoundary(step + 2 * attempt)
                case LLMCallStart() | LLMCallEnd():
                    return structs.replace(event, run_id=f"{event.run_id} of {attempt}")
                case _:
                    return event

    failing = Script("fails", (asks(planned("t1")), Turn((Fail(),))), {"t1": Deed(value="§-o1")})
    report = check_agent(lambda harness: TriesAgain(harness.model, harness.tools, 8), script=failing)

    assert (report.verdict, report.violations) == ("pass", ())


def test_an_output_that_becomes_another_calls_is_only_that_of_another_where_it_tells_whose_it_is() -> None:
    class EmptyIsNothing(SoundAgent):
        async def result(self, call: ToolCall, arguments: dict[str, Any]) -> ToolResult:
            result = await super().result(call, arguments)
            return ToolResult(call.id, result.output or None, result.error)

    class Swaps(SoundAgent):
        async def run_all(self, answer: Answer) -> AsyncIterator[ToolResult]:
            async with aclosing(super().run_all(answer)) as ended:
                first, second = [result async for result in ended]
            yield ToolResult(first.tool_call_id, second.output)
            yield ToolResult(second.tool_call_id, first.output)

    def found(kind: type[SoundAgent], *values: Any) -> set[str]:
        deeds = {f"t{at}": Deed(value=value) for at, value in enumerate(values, 1)}
        script = Script("two outputs", (asks(planned("t1"), planned("t2")), says("a")), deeds)
        report = check_agent(lambda harness: kind(harness.model, harness.tools, 8), script=script)
        return {each.rule for each in report.violations}

    assert found(EmptyIsNothing, {}, None) == {"TOOL-16"}
    assert found(Swaps, {}, None) == found(Swaps, 1, "§-o2") == {"TOOL-21"}


SCRIPT = Script("mine", (asks(planned("t1")), says("{", "b")), {"t1": Deed(value=[[1]])})


def test_a_script_of_ones_own_is_played_alone() -> None:
    report = check_agent(flattens_and_forgets, script=SCRIPT)

    assert report.verdict == "fail"
    assert {each.rule for each in report.violations} == {"TEXT-5", "TOOL-16"}
    assert {each.conversation for each in report.violations} == {told(SCRIPT)}
    assert {each.scenario for each in report.violations} == {"mine"}
    assert report.statuses["ERR-4"] == "untested"


def test_a_script_owes_nothing_of_what_it_does_not_show() -> None:
    declared = {"known_deviations": {"ERR-4": "it has no limit"}, "capabilities": ODD_WIRE}
    report = check_agent(sound, script=SCRIPT, **declared)  # type: ignore[arg-type]

    assert (report.verdict, report.problems, report.advice) == ("pass", (), ())
    assert report.required <= {rule for rule, times in report.exercised.items() if times}


def test_a_script_shows_one_rule_where_one_is_asked_for() -> None:
    report = check_agent(flattens_and_forgets, script=SCRIPT, rule="TOOL-16")

    assert [each.rule for each in report.violations] == ["TOOL-16"]


def test_a_script_needs_an_agent_on_the_harness() -> None:
    class OwnModel(SoundAgent):
        async def stream(self, messages: Any, *, config: Any = None) -> AsyncIterator[AgentEvent]:
            yield TextDelta("a")

    with pytest.raises(ValueError, match="Expected a factory that takes the harness"):
        check_agent(lambda: OwnModel(None, (), 8), script=SCRIPT)


class ChokesOnBraces(SoundAgent):
    def text(self, piece: str, answer: Answer) -> Iterator[AgentEvent]:
        if "{" in piece:
            raise ValueError("no JSON")
        yield from super().text(piece, answer)


def test_an_agent_that_fails_for_nothing_is_sent_to_what_raised() -> None:
    def make(harness: Harness) -> ChokesOnBraces:
        return ChokesOnBraces(harness.model, harness.tools, harness.max_iterations)

    (found,) = check_agent(make, script=Script("a brace", (says("{"),))).violations

    assert "got one request; the run ended in Error(" in found.message
    assert found.hint.startswith("Find what raised in the agent")
