from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import aclosing
from operator import truediv
from typing import Any, ClassVar

import pytest
from cases.agent import Answer, SoundAgent, sound
from cases.first_agents import Parrot
from cases.loopback import HttpModel

from latent.conformance import FactoryError, acheck_agent, check_agent
from latent.conformance._scenarios import _shape
from latent.conformance._verdict._excerpt import excerpt
from latent.conformance.harness import Harness
from latent.protocol import (
    AgentEvent,
    InvokeResult,
    LLMCallEnd,
    LLMCallStart,
    Message,
    StepBoundary,
    TextDelta,
    ToolResult,
    Usage,
)


class OnlyTalks(SoundAgent):
    """Offers no tools to the model and runs none."""

    def definitions(self) -> list[dict[str, Any]]:
        return []

    def assemble(self, fragment: dict[str, Any], answer: Answer) -> None:
        pass


def only_talks(harness: Harness) -> OnlyTalks:
    return OnlyTalks(harness.model, (), harness.max_iterations)


async def make_later(harness: Harness) -> SoundAgent:
    return sound(harness)


def make_lazily(harness: Harness) -> Any:
    yield sound(harness)


def make_angrily(harness: Harness) -> SoundAgent:
    raise OSError("no such weights")


def make_two(harness: Harness, name: str) -> SoundAgent:
    return sound(harness)


@pytest.mark.parametrize(
    ("factory", "reason"),
    [
        (make_later, "got a coroutine: write it without async"),
        (make_lazily, "got a generator: return the agent instead of yield"),
        (make_angrily, r"got OSError\('no such weights'\)"),
        (make_two, r"make_two\(harness, name\): write a function around it"),
        (lambda harness: None, "got None"),
        (lambda harness: SoundAgent, "got the class SoundAgent: call it"),
        (lambda harness: "agent", "got a `str`"),
        (lambda: None, "got None"),
        (lambda harness: harness.model.nothing, "AttributeError"),
        ("agent", "got a `str`"),
    ],
)
def test_a_factory_that_gives_no_agent_is_told_what_it_gave(factory: Any, reason: str) -> None:
    with pytest.raises(FactoryError, match=reason):
        check_agent(factory)


def test_what_a_factory_raises_is_the_cause() -> None:
    with pytest.raises(FactoryError) as raised:
        check_agent(make_angrily)

    assert isinstance(raised.value.__cause__, OSError)


def test_a_factory_is_asked_for_a_fresh_agent_again_and_again() -> None:
    made: list[SoundAgent] = []

    def make(harness: Harness) -> SoundAgent:
        print("building")
        made.append(sound(harness))
        return made[-1]

    check_agent(make)

    assert len(made) == len(set(map(id, made))) > 20


def test_an_agent_that_only_talks_is_incomplete_and_told_what_to_declare() -> None:
    report = check_agent(only_talks)

    assert (report.verdict, report.violations) == ("incomplete", ())
    assert report.statuses["TOOL-14"] == "untested"
    assert "declare capabilities=" in report.advice[-1]


def test_an_agent_that_declares_that_it_only_talks_passes() -> None:
    report = check_agent(only_talks, capabilities={"reasoning", "usage"})

    assert (report.verdict, report.statuses["TOOL-14"]) == ("pass", "not-applicable")


class AnswersOnce(OnlyTalks):
    """Has no loop, and so no limit to mind."""

    def __init__(self, model: Any, tools: Any, max_iterations: int) -> None:
        super().__init__(model, tools, 1)


def test_an_agent_without_a_loop_has_no_limit_at_which_to_fail() -> None:
    report = check_agent(lambda harness: AnswersOnce(harness.model, (), 0), capabilities={"reasoning", "usage"})

    assert (report.verdict, report.violations) == ("pass", ())


def test_a_capability_that_is_claimed_but_not_served_fails() -> None:
    report = check_agent(only_talks, capabilities={"tools", "reasoning", "usage"})

    assert report.verdict == "fail"
    assert any("'tools'" in problem for problem in report.problems)


def test_a_known_deviation_explains_what_is_broken() -> None:
    class Shy(SoundAgent):
        async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
            async for event in super().ask([*rows, {"role": "user", "content": "Be brief."}], answer, step):
                yield event

    def make(harness: Harness) -> Shy:
        return Shy(harness.model, harness.tools, harness.max_iterations)

    broken = {each.rule for each in check_agent(make).violations}
    report = check_agent(make, known_deviations=dict.fromkeys(broken, "it likes short answers"))

    assert broken
    assert report.verdict == "pass"
    assert {rule for rule, status in report.statuses.items() if status == "deviation"} == broken


def test_an_agent_that_tells_no_model_calls_declares_one_deviation() -> None:
    class Silent(SoundAgent):
        async def stream(self, messages: list[Message], *, config: Any = None) -> AsyncIterator[AgentEvent]:
            async with aclosing(super().stream(messages, config=config)) as events:
                async for event in events:
                    if not isinstance(event, (LLMCallStart, LLMCallEnd, Usage)):
                        yield event

    def make(harness: Harness) -> Silent:
        return Silent(harness.model, harness.tools, harness.max_iterations)

    report = check_agent(
        make,
        capabilities={"tools", "parallel_tools", "reasoning"},
        known_deviations={"CALL-10": "nobody asked for them"},
    )

    assert ({each.rule for each in report.violations}, report.verdict, report.advice) == ({"CALL-10"}, "pass", ())
    hidden = {"CALL-1", "CALL-2", "CALL-3", "CALL-5", "CALL-8"}
    assert {rule for rule, reason in report.reasons.items() if "CALL-10" in reason} == hidden


@pytest.mark.parametrize(
    ("rule", "problem"),
    [("STEP-4", "stale"), ("SINK-1", "is about a library's helper")],
)
def test_a_deviation_that_explains_nothing_fails(rule: str, problem: str) -> None:
    report = check_agent(sound, known_deviations={rule: "a reason"})

    assert report.verdict == "fail"
    assert problem in report.problems[0]


def test_one_rule_alone_can_be_judged() -> None:
    report = check_agent(sound, rule="TOOL-14", known_deviations={"STEP-4": "not looked at"})

    assert (report.verdict, report.statuses) == ("pass", {"TOOL-14": "pass"})


def test_a_rule_is_named_in_letters_of_either_case() -> None:
    assert check_agent(sound, rule="tool-14").statuses == {"TOOL-14": "pass"}


def test_a_rule_about_libraries_is_told_where_it_is_judged() -> None:
    with pytest.raises(ValueError, match=r"got SINK-1, which is about a library's helper: .*check_sink"):
        check_agent(sound, rule="SINK-1")


@pytest.mark.parametrize(
    ("rule", "advice"),
    [
        ("PHASE-1", "PHASE-1 is about agents that declare phases"),
        ("MSG-9", "MSG-9 is judged by nothing: Message has"),
        ("STEP-1", "STEP-1 is not about agents that declare own_segmentation"),
    ],
)
def test_a_rule_that_is_not_applicable_says_why(rule: str, advice: str) -> None:
    report = check_agent(sound, rule=rule, own_segmentation=rule == "STEP-1")

    assert report.verdict == "incomplete"
    assert report.advice[0].startswith(advice)


def test_a_script_that_is_none_is_refused() -> None:
    with pytest.raises(TypeError, match="Expected a Script, got 'x'"):
        check_agent(sound, script="x")  # type: ignore[arg-type]


def test_an_agent_that_fails_at_once_is_not_told_what_else_it_did_not_show() -> None:
    capabilities = {"tools", "parallel_tools", "reasoning", "usage"}
    report = check_agent(lambda harness: FailsAtOnce(harness.model, harness.tools, 8), capabilities=capabilities)

    assert ([found.rule for found in report.violations], report.problems) == (["PROTO-2"], ())


def test_one_rule_alone_need_not_show_every_capability() -> None:
    report = check_agent(sound, rule="STEP-4", capabilities={"tools", "parallel_tools", "reasoning", "think_tags"})

    assert (report.verdict, report.problems) == ("pass", ())


@pytest.mark.parametrize(
    "wrong",
    [
        *({"rule": rule} for rule in ("STEP-404", "SINK-1", 5)),
        *({"timeout": timeout} for timeout in (0, "x", True, float("inf"), float("nan"))),
        *({"prompts": prompts} for prompts in ((), "Hello", 5, [5], b"Hello")),
        *({"examples": examples} for examples in (-1, 1.5, True)),
        {"capabilities": {"magic"}},
    ],
    ids=repr,
)
def test_wrong_options_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="Expected"):
        check_agent(sound, **wrong)


def test_one_rule_alone_gives_no_advice_on_what_to_declare() -> None:
    report = check_agent(lambda h: SoundAgent(h.model, (), h.max_iterations), rule="TOOL-15")

    assert (report.verdict, report.advice) == ("incomplete", ("not put to the test: TOOL-15",))


class SaysSomethingElse:
    """Passes something else than the messages on to a model."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.model_id = model.model_id

    async def stream(self, messages: list[dict[str, Any]], **options: Any) -> AsyncIterator[dict[str, Any]]:
        async for chunk in self.model.stream([{"role": "user", "content": "Hello?"}], **options):
            yield chunk


def test_a_request_without_the_users_words_is_told_as_one() -> None:
    report = check_agent(lambda h: SoundAgent(SaysSomethingElse(h.model), h.tools, h.max_iterations))

    (found,) = report.violations
    assert (found.rule, found.message.rpartition(", ")[2]) == (
        "PROTO-2",
        "after a request to the harness's model without what the user said",
    )
    assert found.hint.startswith("Mend this first: send the messages that stream() is given to the model")


def test_a_request_that_the_server_refuses_is_told_as_one() -> None:
    def make(harness: Harness) -> SoundAgent:
        model = HttpModel(harness)
        model.url = f"{harness.base_url}/v1/chat/completions"
        return SoundAgent(model, harness.tools, harness.max_iterations)

    (found,) = check_agent(make).violations
    assert (found.rule, found.message.rpartition(", ")[2]) == (
        "PROTO-2",
        "after a request that the harness's server refused",
    )
    assert "harness.base_url, which ends in /v1" in found.hint


def test_a_misspelt_option_is_told_at_once() -> None:
    with pytest.raises(TypeError, match=r"'timeuot': did you mean timeout\?"):
        check_agent(sound, timeuot=3)  # type: ignore[call-arg]


def test_an_agent_with_its_own_model_is_asked_the_prompts() -> None:
    asked: list[str] = []

    class Listening(Parrot):
        async def stream(self, messages: list[Message], **options: Any) -> AsyncIterator[AgentEvent]:
            asked.append(str(messages[-1].content))
            async for event in super().stream(messages, **options):
                yield event

    report = check_agent(Listening, prompts=["One", "Two"])

    assert (report.verdict, report.violations) == ("pass", ())
    assert {"One", "Two"} == set(asked)
    assert report.statuses["TOOL-14"] == "could-not-run"
    assert "TOOL-14" not in report.required


def test_an_agent_that_never_asks_the_model_is_told_to() -> None:
    report = check_agent(lambda harness: Parrot())

    assert report.verdict == "fail"
    (problem,) = report.problems
    assert problem.startswith("the agent made no request to the harness's model, and the last event was TextDelta(")
    assert problem.endswith("): build it on harness.model, or on harness.base_url")
    assert report.advice == ()


def test_rows_that_are_no_dicts_are_named() -> None:
    class Direct(SoundAgent):
        def rows(self, messages: list[Message]) -> list[Any]:
            return list(messages)

    report = check_agent(lambda harness: Direct(harness.model, harness.tools, 8))

    assert report.verdict == "fail"
    assert "Expected each row as a dict in LiteLLM's layout, got `Message`" in report.problems[0]


def test_a_hang_is_a_finding_that_names_the_last_event() -> None:
    class Hangs(SoundAgent):
        async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
            yield TextDelta("wait")
            await asyncio.Event().wait()

    report = check_agent(lambda harness: Hangs(harness.model, harness.tools, 8), timeout=0.2)

    assert [each.rule for each in report.violations] == ["PROTO-2"]
    assert "the last event was TextDelta(text='wait')" in report.violations[0].message
    assert report.statuses["TOOL-14"] == "could-not-run"


def test_an_agent_that_needs_trio_is_told_so() -> None:
    trio: dict[str, Any] = {"__name__": "trio._core"}
    exec("async def sleep(seconds): raise RuntimeError('must be called from async context')", trio)

    class Foreign(SoundAgent):
        async def stream(self, messages: list[Message], **options: Any) -> AsyncIterator[AgentEvent]:
            await trio["sleep"](0)
            yield StepBoundary(0)

    report = check_agent(lambda harness: Foreign(harness.model, harness.tools, 8))

    assert report.verdict == "fail"
    assert report.problems == ("the agent needs trio, and the kit runs agents on asyncio",)
    assert report.violations == ()


def test_an_agent_that_blocks_the_loop_is_broken_off() -> None:
    class Blocks(SoundAgent):
        async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
            yield TextDelta("wait")
            while True:
                pass

    report = check_agent(lambda harness: Blocks(harness.model, harness.tools, 8), timeout=0.2)

    assert [each.rule for each in report.violations] == ["PROTO-2"]
    message = report.violations[0].message
    assert "; it blocked the event loop at " in message
    assert message.endswith("Blocks.ask; the last event was TextDelta(text='wait')")


def test_building_an_agent_may_take_long() -> None:
    def make(harness: Harness) -> SoundAgent:
        until = time.monotonic() + 0.5
        while not built and time.monotonic() < until:
            pass
        built.append(True)
        return sound(harness)

    built: list[bool] = []

    assert check_agent(make, rule="STEP-4", timeout=0.2).verdict == "pass"


def test_inside_a_running_loop_the_async_form_is_named() -> None:
    async def inside() -> None:
        check_agent(sound)

    with pytest.raises(RuntimeError, match="use await acheck_agent"):
        asyncio.run(inside())


def test_the_async_form_judges_inside_a_running_loop() -> None:
    assert asyncio.run(acheck_agent(sound)) == check_agent(sound)


def test_a_crash_of_the_kit_is_its_own_and_no_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_shape, "where_apart", truediv)  # written in C: no code but the kit's own is on the way

    class WithReset(SoundAgent):
        def reset(self) -> None:
            """Nothing is kept."""

    report = check_agent(lambda harness: WithReset(harness.model, harness.tools, 8))

    assert report.verdict == "incomplete"
    assert "expected 2 arguments" in report.internal_errors[0]


class OpensStepsTwice(SoundAgent):
    """Announces each step once more."""

    async def stream(
        self, messages: list[Message], *, config: dict[str, Any] | None = None
    ) -> AsyncIterator[AgentEvent]:
        async for event in super().stream(messages, config=config):
            yield event
            if isinstance(event, StepBoundary):
                yield event


def test_a_finding_keeps_the_run_that_shows_it_and_the_script_that_was_played() -> None:
    def doubled(harness: Harness) -> OpensStepsTwice:
        return OpensStepsTwice(harness.model, harness.tools, harness.max_iterations)

    found = next(each for each in check_agent(doubled).violations if each.index is not None)
    assert found.script is not None
    assert found.script.turns
    assert found.index is not None
    assert found.excerpt == excerpt(found.stream, found.index)


class CancelsItself(SoundAgent):
    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        async for event in super().ask(rows, answer, step):
            yield event


class FailsAtOnce(SoundAgent):
    async def stream(self, messages: list[Message], **options: Any) -> AsyncIterator[AgentEvent]:
        raise OSError("the database is not there")
        yield StepBoundary(0)


class FailsInItsAnswer(SoundAgent):
    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        async for event in super().ask(rows, answer, step):
            yield event
        raise KeyError("choices")


class CannotBeClosed(SoundAgent):
    def stream(self, messages: list[Message], **options: Any) -> Any:
        return Stuck(super().stream(messages, **options))


class Stuck:
    def __init__(self, inner: AsyncIterator[AgentEvent]) -> None:
        self._inner = inner

    def __aiter__(self) -> AsyncIterator[AgentEvent]:
        return self

    async def __anext__(self) -> AgentEvent:
        return await anext(self._inner)

    async def aclose(self) -> None:
        raise OSError("already closed")


class WantsConfig(SoundAgent):
    def stream(self, messages: list[Message], *, config: dict[str, Any]) -> Any:  # type: ignore[override]
        return super().stream(messages, config=config)


@pytest.mark.parametrize(
    ("kind", "rule", "words"),
    [
        (CancelsItself, "LIFE-2", "a run that nobody cancels"),
        (FailsAtOnce, "PROTO-2", "OSError('the database is not there') (from FailsAtOnce.stream in "),
        (FailsInItsAnswer, "PROTO-2", "KeyError('choices')"),
        (CannotBeClosed, "LIFE-1", "OSError('already closed')"),
        (WantsConfig, "PROTO-3", "to run without config"),
    ],
)
def test_an_agent_that_cannot_answer_at_all_gives_one_finding(kind: type[SoundAgent], rule: str, words: str) -> None:
    report = check_agent(lambda harness: kind(harness.model, harness.tools, 8))

    assert [each.rule for each in report.violations] == [rule]
    assert words in report.violations[0].message
    assert (report.verdict, report.problems, report.internal_errors) == ("fail", (), ())


class InvokesAtOnce(SoundAgent):
    def invoke(self, messages: list[Message], **options: Any) -> Any:
        return InvokeResult(text="done", steps=[])


def test_what_an_agent_raises_is_no_crash_of_the_kit() -> None:
    report = check_agent(lambda harness: InvokesAtOnce(harness.model, harness.tools, harness.max_iterations))

    assert ({each.rule for each in report.violations}, report.internal_errors) == ({"PROTO-3"}, ())


class HangsOnErrors(SoundAgent):
    waits: ClassVar[list[float]] = []

    async def stream(self, messages: list[Message], **options: Any) -> AsyncIterator[AgentEvent]:
        async for event in super().stream(messages, **options):
            if isinstance(event, ToolResult) and event.error:
                began = time.monotonic()
                try:
                    await asyncio.Event().wait()
                finally:
                    self.waits.append(time.monotonic() - began)
            yield event


def test_after_one_hang_nobody_waits_as_long_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HangsOnErrors, "waits", [])

    report = check_agent(lambda harness: HangsOnErrors(harness.model, harness.tools, 8), timeout=2)

    first, *others = HangsOnErrors.waits
    assert others
    assert max(others) < first
    assert report.violations[0].rule == "TOOL-14"


def test_a_driven_agent_gets_a_few_findings_of_a_rule_and_the_number_of_the_others() -> None:
    def doubled(harness: Harness) -> OpensStepsTwice:
        return OpensStepsTwice(harness.model, harness.tools, harness.max_iterations)

    report = check_agent(doubled)

    assert [each.rule for each in report.violations].count("STEP-2") == 3
    assert report.omitted["STEP-2"] > 20
