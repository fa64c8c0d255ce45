"""Sound agents that do less than others, or more, and say so."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import aclosing, suppress
from dataclasses import replace
from functools import partial
from ssl import PROTOCOL_TLS_CLIENT, SSLContext
from typing import Any

import pytest
from cases.agent import Answer, SoundAgent
from cases.broken_generated import ForgetsTheLastWords
from cases.broken_runs import LosesTheLastResult
from cases.phases import Polishes
from httpx2 import AsyncClient
from msgspec import structs

from latent.conformance import Report, check_agent
from latent.conformance.harness import Fail, Harness, PlannedCall, Script, Text, Turn, asks, says
from latent.protocol import (
    AgentEvent,
    Error,
    GuidelineMatched,
    InvokeResult,
    LLMCallEnd,
    LLMCallStart,
    Message,
    Metadata,
    PhaseCompleted,
    PhaseStarted,
    RetrieverEnd,
    RetrieverStart,
    Step,
    StepBoundary,
    StreamWrapper,
    TextDelta,
    ToolCall,
    ToolResult,
    Usage,
    VerificationResult,
)

BASE = frozenset({"tools", "parallel_tools", "reasoning", "usage"})
NO_TLS = SSLContext(PROTOCOL_TLS_CLIENT)  # built once: reading the certificates takes longer than a request
SHOWN_BY_USAGE = "usage (no Usage event came): yield a Usage for each model call"
Config = dict[str, Any] | None


def judged(kind: type[SoundAgent], **declared: Any) -> Report:
    options = {"capabilities": BASE, "timeout": 2, **declared}
    return check_agent(lambda harness: kind(harness.model, harness.tools, harness.max_iterations), **options)


def findings(report: Report) -> set[str]:
    return {each.rule for each in report.violations}


class TellsNoTokens(SoundAgent):
    def take(self, chunk: dict[str, Any], answer: Answer) -> Iterator[AgentEvent]:
        return super().take({**chunk, "usage": None}, answer)


def test_an_agent_that_claims_no_usage_passes_without_any() -> None:
    report = judged(TellsNoTokens, capabilities=BASE - {"usage"})

    assert (report.verdict, report.violations, report.problems) == ("pass", (), ())
    assert report.statuses["USAGE-7"] == "not-applicable"


def test_an_agent_that_claims_usage_has_to_show_it() -> None:
    report = judged(TellsNoTokens)

    assert (report.verdict, findings(report)) == ("fail", {"USAGE-7"})


class TellsUsageTwice(SoundAgent):
    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                yield event
                if isinstance(event, Usage):
                    yield event


def test_what_an_author_declares_in_every_run_keeps_no_other_rule_from_being_tried() -> None:
    report = judged(TellsUsageTwice, known_deviations={"USAGE-3": "the framework tells it twice"})

    assert (report.verdict, findings(report)) == ("pass", {"USAGE-3"})
    assert {report.statuses[rule] for rule in ("STATE-5", "WRAP-2", "WRAP-4", "MSG-4")} == {"pass"}


class AsksASmallerModelToo(SoundAgent):
    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        yield LLMCallStart(f"small-{step}", "", "small")
        yield LLMCallEnd(f"small-{step}", None, 3, 1, "small")
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                yield event


def test_calls_of_a_model_that_is_not_the_kits_are_no_calls_too_many() -> None:
    report = judged(AsksASmallerModelToo)

    assert (report.verdict, report.violations) == ("pass", ())


class TellsCallsTwice(SoundAgent):
    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        yield LLMCallStart(f"again-{step}", "", self.model.model_id)
        yield LLMCallEnd(f"again-{step}", None, 0, 0, self.model.model_id)
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                yield event


def test_calls_of_the_kits_model_that_were_not_made_are_found() -> None:
    assert findings(judged(TellsCallsTwice)) == {"CALL-10"}


class Retrieves(SoundAgent):
    """Looks something up at the start of each step, before the model is called."""

    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        yield RetrieverStart(f"query-{step}", "what is known?")
        yield RetrieverEnd(f"query-{step}", ["a document"])
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                yield event


class HasOnePhase(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        yield PhaseStarted("only")
        failed = False
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                failed = isinstance(event, Error)
                yield event
        if not failed:
            yield PhaseCompleted("only")


class IsGuided(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        yield GuidelineMatched("polite", "always", "be polite")
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event


class Verifies(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        said = False
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                said = isinstance(event, TextDelta) or (said and not isinstance(event, (StepBoundary, Error)))
                yield event
        if said:
            yield VerificationResult(True)


@pytest.mark.parametrize(
    ("kind", "capability"),
    [(Retrieves, "retrievers"), (HasOnePhase, "phases"), (IsGuided, "guided"), (Verifies, "verification")],
)
def test_what_is_declared_on_top_counts_as_shown_by_its_events(kind: type[SoundAgent], capability: str) -> None:
    report = judged(kind, capabilities=BASE | {capability})

    assert (report.verdict, report.violations, report.problems) == ("pass", (), ())


def test_what_is_declared_on_top_has_to_be_shown() -> None:
    report = judged(SoundAgent, capabilities=BASE | {"phases"})

    assert report.problems == ("capability 'phases' is declared, but the agent never showed it",)


class Mine(AgentEvent):
    """An event of the agent's own."""


class BeginsEachStepWithItsOwnEvent(SoundAgent):
    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        yield Mine()
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                yield event


@pytest.mark.parametrize("kind", [BeginsEachStepWithItsOwnEvent, Retrieves])
def test_a_step_may_begin_with_something_else_than_a_step_event(kind: type[SoundAgent]) -> None:
    report = judged(kind)

    assert report.verdict == "pass"
    assert {report.statuses[rule] for rule in ("STEP-1", "STEP-9")} == {"pass"}


class LeavesCallsToTheClient(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        called = False
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                called = called or isinstance(event, ToolCall)
                if called and not isinstance(event, ToolCall):
                    return
                yield event

    async def run(self, call: ToolCall, answer: Answer) -> ToolResult:
        return ToolResult(call.id)


ELSEWHERE = frozenset({"lookup", "inspect", "submit"})


class LeavesItsToolsToTheClient(LeavesCallsToTheClient):
    """And answers calls of other tools, which nobody has."""

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event
                if isinstance(event, ToolCall) and event.function.name not in ELSEWHERE:
                    yield ToolResult(event.id, error=f"there is no tool {event.function.name}")


@pytest.mark.parametrize(("kind", "told"), [(LeavesItsToolsToTheClient, set()), (LeavesCallsToTheClient, {"TOOL-18"})])
def test_a_call_of_a_tool_that_nobody_has_is_left_to_nobody(kind: type[SoundAgent], told: set[str]) -> None:
    report = judged(kind, external_tools=ELSEWHERE, examples=5)

    assert (report.verdict, findings(report), report.problems) == ("pass", told, ())
    assert all("breaks TOOL-4" in found.hint for found in report.violations)


def test_an_agent_whose_tools_are_run_elsewhere_is_judged_by_the_rest() -> None:
    report = judged(LeavesItsToolsToTheClient, capabilities={"reasoning", "usage"}, external_tools=ELSEWHERE)

    assert (report.verdict, report.violations, report.problems) == ("pass", (), ())


def test_tools_that_are_all_run_elsewhere_are_shown_by_their_calls() -> None:
    report = judged(LeavesItsToolsToTheClient, external_tools=ELSEWHERE)

    assert (report.verdict, report.violations, report.problems) == ("pass", (), ())
    assert (report.statuses["TOOL-9"], report.statuses["TOOL-14"]) == ("pass", "not-applicable")


class LeavesSomeToTheClient(SoundAgent):
    """A call of one of these ends the run, once the others in the answer have their results."""

    elsewhere: frozenset[str]

    async def run_all(self, answer: Answer) -> AsyncIterator[ToolResult]:
        mine = [call for call in answer.calls if call.function.name not in self.elsewhere]
        async with aclosing(super().run_all(replace(answer, calls=mine))) as ended:
            async for result in ended:
                yield result
        if len(mine) < len(answer.calls):
            raise _LeftError

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().stream(messages, config=config)) as events:
            with suppress(_LeftError):
                async for event in events:
                    yield event


class _LeftError(Exception):
    pass


class KeepsItToItself(LeavesSomeToTheClient):
    """Nobody learns of a call that is to be run elsewhere."""

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                if not (isinstance(event, ToolCall) and event.function.name in self.elsewhere):
                    yield event


@pytest.mark.parametrize("names", [("submit",), ("lookup",), ("inspect",), ("lookup", "inspect")], ids="-".join)
def test_where_some_tools_are_run_elsewhere_the_agent_is_judged_on_those_that_are_left(names: tuple[str, ...]) -> None:
    class Leaves(LeavesSomeToTheClient):
        elsewhere = frozenset(names)

    report = judged(Leaves, external_tools=names)

    assert (report.verdict, report.violations, report.problems) == ("pass", (), ())
    assert {report.statuses[rule] for rule in ("TOOL-4", "TOOL-9", "TOOL-14", "LIFE-4", "ERR-4")} == {"pass"}


def test_a_call_that_is_run_elsewhere_has_to_be_told() -> None:
    class Keeps(KeepsItToItself):
        elsewhere = frozenset({"inspect"})

    report = judged(Keeps, external_tools={"inspect"})

    assert (report.verdict, findings(report)) == ("fail", {"TOOL-9"})
    assert all(each.hint.startswith("Yield the ToolCall of a tool that is run elsewhere") for each in report.violations)


def test_a_fault_beside_tools_that_are_run_elsewhere_is_found_all_the_same() -> None:
    class Leaves(LeavesSomeToTheClient):
        elsewhere = frozenset({"lookup"})

        async def result(self, call: ToolCall, arguments: dict[str, Any]) -> ToolResult:
            result = await super().result(call, arguments)
            return structs.replace(result, output=str(result.output)) if result.error is None else result

    report = judged(Leaves, external_tools={"lookup"})

    assert findings(report) == {"TOOL-16"}


def test_a_tool_that_the_agent_runs_itself_is_not_run_elsewhere() -> None:
    report = judged(SoundAgent, external_tools={"inspect"})

    assert (report.verdict, report.violations) == ("fail", ())
    assert report.problems == ("'inspect' is in external_tools, but the agent runs it itself",)


class KeepsWhiteTextBack(SoundAgent):
    """Hands the white text that an answer begins with on when something follows it."""

    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        white: list[AgentEvent] = []
        said = False
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                if isinstance(event, TextDelta) and not (said or event.text.strip()):
                    white.append(event)
                    continue
                if isinstance(event, TextDelta):
                    said = True
                    for held in white:
                        yield held
                    white.clear()
                yield event


def test_white_text_before_a_call_need_not_be_handed_on() -> None:
    report = judged(KeepsWhiteTextBack)

    assert (report.verdict, report.violations) == ("pass", ())


class HasNoBoundaries(SoundAgent):
    """A step is a call of the model, for its own `invoke`."""

    async def run_all(self, answer: Answer) -> AsyncIterator[ToolResult]:
        for call in answer.calls:
            yield await self.run(call, answer)

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                if not isinstance(event, StepBoundary):
                    yield event

    async def invoke(
        self, messages: list[Message], *, stream_wrapper: StreamWrapper | None = None, config: Config = None
    ) -> InvokeResult:
        steps: list[Step] = []
        async with aclosing(self.stream(messages, config=config)) as events:
            wrapped: Any = events if stream_wrapper is None else stream_wrapper(events)
            try:
                async for event in wrapped:
                    take(event, steps)
            finally:
                if hasattr(wrapped, "aclose"):
                    await wrapped.aclose()
        return InvokeResult(steps[-1].text if steps else "", steps)


def take(event: AgentEvent, steps: list[Step]) -> None:
    match event:
        case LLMCallStart():
            steps.append(Step(len(steps)))
        case TextDelta():
            steps[-1].text += event.text
        case ToolCall():
            steps[-1].tool_calls.append(event)
        case ToolResult():
            content = str(event.output if event.error is None else event.error)
            steps[-1].tool_messages.append(Message("tool", content, tool_call_id=event.tool_call_id))
        case Error():
            raise RuntimeError(event.message)


class MarksItsSteps(HasNoBoundaries):
    """A step begins with Metadata."""

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                if isinstance(event, LLMCallStart):
                    yield Metadata({"iteration": event.run_id}, target="step")
                yield event


def test_of_rules_that_do_not_apply_nothing_is_told() -> None:
    report = judged(MarksItsSteps, own_segmentation=True, examples=0)

    assert (report.verdict, report.violations, report.statuses["STEP-1"]) == ("pass", (), "not-applicable")


def test_an_agent_with_a_segmentation_of_its_own_needs_no_boundaries() -> None:
    report = judged(HasNoBoundaries, own_segmentation=True)

    assert (report.verdict, report.violations) == ("pass", ())
    assert {report.statuses[f"STEP-{number}"] for number in (1, 2, 3, 4, 5, 6, 9)} == {"not-applicable"}


class InPhases(HasNoBoundaries, Polishes):
    """The same in two phases."""


class InOnePhase(InPhases):
    phases = ("draft",)


@pytest.mark.parametrize("kind", [InPhases, InOnePhase])
def test_phases_need_no_boundaries_where_the_segmentation_is_the_agents_own(kind: type[SoundAgent]) -> None:
    report = judged(kind, own_segmentation=True, capabilities=BASE | {"phases"}, examples=5)

    assert (report.verdict, report.violations, report.problems) == ("pass", (), ())
    assert report.statuses["PHASE-6"] == "not-applicable"


class BuildsOnItsOwnStream(HasNoBoundaries):
    """Its result is made of what its wrapper was given."""

    async def invoke(
        self, messages: list[Message], *, stream_wrapper: StreamWrapper | None = None, config: Config = None
    ) -> InvokeResult:
        seen: list[AgentEvent] = []

        async def tee() -> AsyncIterator[AgentEvent]:
            async with aclosing(self.stream(messages, config=config)) as events:
                async for event in events:
                    seen.append(event)
                    yield event

        async with aclosing(tee()) as events:
            async for _ in events if stream_wrapper is None else stream_wrapper(events):
                pass
        steps: list[Step] = []
        for event in seen:
            take(event, steps)
        return InvokeResult(steps[-1].text if steps else "", steps)


def test_text_that_a_wrapper_adds_shows_whoever_tells_steps_apart() -> None:
    report = judged(BuildsOnItsOwnStream, own_segmentation=True, rule="WRAP-3", examples=0)

    assert "and more" in report.violations[0].message
    assert {found.rule for found in report.violations} == {"WRAP-3"}


class WholeAnswers:
    """A client that does not stream, with the shape of the model port."""

    def __init__(self, harness: Harness) -> None:
        self.model_id = harness.model_id
        self._url = f"{harness.base_url}/chat/completions"

    async def stream(
        self, messages: list[dict[str, Any]], *, tools: Sequence[dict[str, Any]] = (), **options: Any
    ) -> AsyncIterator[dict[str, Any]]:
        body = {"model": self.model_id, "messages": messages, "tools": list(tools)}
        async with AsyncClient(trust_env=False, verify=NO_TLS) as client:
            response = await client.post(self._url, json=body)
        answer = json.loads(response.content)
        if response.is_error:
            raise RuntimeError(answer["error"]["message"])
        (choice,) = answer["choices"]
        message = choice["message"]
        message["tool_calls"] = [{"index": at, **call} for at, call in enumerate(message.get("tool_calls", ()))]
        yield {"choices": [{"delta": message, "finish_reason": choice["finish_reason"]}], "usage": answer["usage"]}


def test_an_agent_that_does_not_stream_from_its_model_is_late_and_no_more() -> None:
    def make(harness: Harness) -> SoundAgent:
        return SoundAgent(WholeAnswers(harness), harness.tools, harness.max_iterations)

    report = check_agent(make, capabilities=BASE, timeout=2)

    assert (report.verdict, findings(report), report.problems) == ("pass", {"LIFE-11"}, ())


class AsksInOneGo(SoundAgent):
    """The model's answer is told when it is whole, and what broke off is dropped."""

    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().ask(rows, answer, step)) as events:
            told = [event async for event in events]
        for event in told:
            if answer.failure is None or not isinstance(event, TextDelta):
                yield event


@pytest.mark.thorough
@pytest.mark.searching
def test_an_agent_that_tells_whole_answers_owes_no_words_of_one_that_broke_off() -> None:
    report = judged(AsksInOneGo)

    assert (report.verdict, findings(report), report.problems) == ("pass", {"LIFE-11"}, ())


@pytest.mark.parametrize(("kind", "told"), [(AsksInOneGo, ()), (SoundAgent, ()), (ForgetsTheLastWords, ("ERR-5",))])
def test_words_before_a_failure_are_asked_of_agents_that_stream(kind: type[SoundAgent], told: tuple[str, ...]) -> None:
    script = Script("breaks off", (Turn((Text("a"), Fail())),))

    report = judged(kind, script=script)

    assert tuple(each.rule for each in report.violations) == told
    assert all("a buffer, a tag that may begin" in each.hint for each in report.violations)


def test_a_result_that_got_lost_is_told_with_what_loses_it() -> None:
    report = judged(LosesTheLastResult, examples=0)

    assert findings(report) == {"ERR-5"}
    assert all("Yield the ToolResult of each tool that ran" in each.hint for each in report.violations)


class Chats(SoundAgent):
    """Without tools, without tokens."""

    def definitions(self) -> list[dict[str, Any]]:
        return []

    def calls(self, answer: Answer, step: int) -> Iterator[ToolCall]:
        return iter(())

    def take(self, chunk: dict[str, Any], answer: Answer) -> Iterator[AgentEvent]:
        for event in super().take({**chunk, "usage": None}, answer):
            if isinstance(event, TextDelta):
                yield event


class TellsTokensAtTheEndAlone(SoundAgent):
    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                if not isinstance(event, Usage):
                    yield event


@pytest.mark.parametrize(
    ("kind", "advice", "declare"),
    [
        (
            Chats,
            f"parallel_tools, reasoning, tools, {SHOWN_BY_USAGE}, or declare capabilities=set()",
            set(),
        ),
        (
            TellsTokensAtTheEndAlone,
            f"{SHOWN_BY_USAGE}, or declare capabilities={{'parallel_tools', 'reasoning', 'tools'}}",
            BASE - {"usage"},
        ),
    ],
)
def test_what_is_advised_to_declare_is_right(kind: type[SoundAgent], advice: str, declare: set[str]) -> None:
    undeclared = judged(kind, capabilities=None, examples=10)

    assert undeclared.verdict == "incomplete"
    assert undeclared.advice[-1] == f"the agent showed no {advice}"
    assert judged(kind, capabilities=declare).verdict == "pass"


def offered(number: slice, **declared: Any) -> tuple[str, ...]:
    """What is advised of an agent that has these of the harness's tools."""
    report = check_agent(lambda h: SoundAgent(h.model, h.tools[number], h.max_iterations), examples=0, **declared)
    return tuple(line for line in report.advice if "harness.tools" in line)


@pytest.mark.parametrize(
    ("number", "missing"),
    [
        (slice(1), "tools 'inspect' and 'submit'"),
        (slice(1, None), "tool 'lookup'"),
        (slice(0), "tools 'lookup', 'inspect' and 'submit'"),
    ],
)
def test_tools_that_were_never_offered_are_named(number: slice, missing: str) -> None:
    rest = "give all of harness.tools to an agent with tools"

    assert offered(number) == (f"no request to the model offered the {missing}: {rest}",)


@pytest.mark.parametrize(
    "declared", [{"capabilities": {"usage"}}, {"external_tools": {"inspect"}}, {"rule": "TOOL-3"}], ids=str
)
def test_nothing_is_said_of_tools_where_the_author_has_none_or_asks_for_one_rule(declared: dict[str, Any]) -> None:
    assert offered(slice(1), **declared) == ()


class OffersNothing(SoundAgent):
    """Its model knows the tools from elsewhere, as a fine-tuned one does."""

    def definitions(self) -> list[dict[str, Any]]:
        return []


def test_an_agent_that_runs_tools_without_offering_any_is_told_nothing_of_it() -> None:
    report = judged(OffersNothing)

    assert (report.verdict, report.advice) == ("pass", ())


class RunsToolsInThreads(SoundAgent):
    """Each on a loop of its own."""

    async def result(self, call: ToolCall, arguments: dict[str, Any]) -> ToolResult:
        tool = self.tools[call.function.name]
        try:
            return ToolResult(call.id, await asyncio.to_thread(lambda: asyncio.run(tool(**arguments))))
        except asyncio.CancelledError:
            if asyncio.current_task().cancelling():  # type: ignore[union-attr]
                raise
            return ToolResult(call.id, error="the tool was cancelled")
        except Exception as failure:
            return ToolResult(call.id, error=str(failure) or type(failure).__name__)


def test_a_tool_in_a_thread_is_not_asked_to_stop() -> None:
    report = judged(RunsToolsInThreads, examples=0)

    assert (report.verdict, report.violations, report.statuses["LIFE-4"]) == ("pass", (), "pass")


class ReadInAThread:
    """The model port, read by a thread that nobody ends."""

    def __init__(self, model: Any) -> None:
        self.model, self.model_id = model, model.model_id

    async def stream(self, messages: list[dict[str, Any]], **options: Any) -> AsyncIterator[dict[str, Any]]:
        here: asyncio.Queue[dict[str, Any] | Exception | None] = asyncio.Queue()
        put = partial(asyncio.get_running_loop().call_soon_threadsafe, here.put_nowait)

        async def read() -> None:
            with suppress(RuntimeError):  # the loop of the run may be over
                try:
                    async for chunk in self.model.stream(messages, **options):
                        put(chunk)
                    put(None)
                except Exception as failure:
                    put(failure)

        reading = asyncio.ensure_future(asyncio.to_thread(lambda: asyncio.run(read())))
        try:
            while (chunk := await here.get()) is not None:
                if isinstance(chunk, Exception):
                    raise chunk
                yield chunk
        finally:
            reading.cancel()


def test_a_model_that_a_thread_reads_has_to_be_let_go_and_how_is_told() -> None:
    def make(harness: Harness) -> SoundAgent:
        return SoundAgent(ReadInAThread(harness.model), harness.tools, harness.max_iterations)

    (found,) = check_agent(make, rule="LIFE-3", examples=0).violations

    assert "where a thread reads it" in found.hint


class FillsInDefaults(SoundAgent):
    def call_of(self, slot: dict[str, Any]) -> ToolCall:
        call = super().call_of(slot)
        arguments = self.parse(call.function.arguments) or {}
        if call.function.name != "submit" or "ticket" not in arguments:
            return call
        return ToolCall.from_arguments(call.id, call.function.name, {"count": 0, "notes": None, **arguments})


def test_arguments_that_were_completed_are_told_with_where_to_complete_them() -> None:
    script = Script("a form", (asks(PlannedCall("t1", "submit", '{"ticket": "§-t1", "count": 3}')), says("Done.")))

    (found,) = judged(FillsInDefaults, script=script).violations

    assert (found.rule, found.hint.partition(":")[0]) == (
        "TOOL-9",
        "Put the model's arguments into ToolCall as they came",
    )


class Speaks(SoundAgent):
    """Beside the model, behind an event of this kind and in these words."""

    behind: type[AgentEvent] = LLMCallStart
    words = "Hello! "

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event
                if isinstance(event, self.behind):
                    yield TextDelta(self.words)


class SaysWhatItDoes(Speaks):
    behind, words = ToolCall, "[at work] "


class AddsAFooter(Speaks):
    behind, words = LLMCallEnd, " (written by a machine)"


@pytest.mark.parametrize(
    ("kind", "rules"),
    [
        (Speaks, {"TEXT-4", "TEXT-5", "TEXT-6"}),
        (SaysWhatItDoes, {"TEXT-6"}),
        (AddsAFooter, {"TEXT-4", "TEXT-5", "TEXT-6"}),
    ],
)
def test_words_beside_the_models_are_told_with_where_they_belong(kind: type[SoundAgent], rules: set[str]) -> None:
    report = judged(kind, examples=0)

    assert findings(report) == rules
    assert all("Words of your own go into a step of their own" in each.hint for each in report.violations)
    assert report.verdict == "fail"
