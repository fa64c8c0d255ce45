"""Agents that leave by what is no `Exception`, or that end the loop which drives them."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from cases.agent import Answer, SoundAgent, sound

from latent.conformance import FactoryError, check_agent
from latent.conformance._cli._recorder import Recorder
from latent.conformance._driving._driver import Intrusion, LoopWatch, drive
from latent.conformance._driving._played import play
from latent.conformance._scripts import ANSWER, TALK
from latent.conformance.harness import Harness
from latent.protocol import AgentEvent, Message, ToolResult


class OwnError(BaseException):
    """What frameworks raise past `except Exception`."""


LEAVE = [SystemExit(0), OwnError("own"), BaseExceptionGroup("group", [OwnError("own")]), GeneratorExit()]


class Leaves(SoundAgent):
    """Raises `error` in one place."""

    error: BaseException


class InInvoke(Leaves):
    async def invoke(self, messages: list[Message], **options: Any) -> Any:
        raise self.error


class BeforeItsStream(Leaves):
    def stream(self, messages: list[Message], **options: Any) -> Any:
        raise self.error


class InItsStream(Leaves):
    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        async for event in super().ask(rows, answer, step):
            yield event
        raise self.error


class InReset(Leaves):
    def reset(self) -> None:
        raise self.error


class InATask(Leaves):
    """Runs its tools in tasks."""

    async def run_all(self, answer: Answer) -> AsyncIterator[ToolResult]:
        async def run() -> None:
            raise self.error

        if answer.calls and not isinstance(self.error, GeneratorExit):  # which would close the generators around it
            await asyncio.create_task(run())
        elif answer.calls:
            raise OwnError(repr(self.error))
        async for result in super().run_all(answer):
            yield result


@pytest.mark.parametrize("error", LEAVE, ids=repr)
@pytest.mark.parametrize(
    ("kind", "rules"),
    [
        (InInvoke, {"PROTO-3"}),
        (BeforeItsStream, {"PROTO-2"}),
        (InItsStream, {"PROTO-2"}),
        (InReset, {"PROTO-8"}),
        (InATask, {"LIFE-2", "STEP-4"}),
    ],
)
def test_whatever_leaves_an_agent_is_a_finding(kind: type[Leaves], rules: set[str], error: BaseException) -> None:
    def make(harness: Harness) -> Leaves:
        agent = kind(harness.model, harness.tools, harness.max_iterations)
        agent.error = error
        return agent

    report = check_agent(make, examples=0, timeout=1)

    assert (report.verdict, report.problems, report.internal_errors) == ("fail", (), ())
    assert report.violations[0].rule in rules
    assert repr(error) in report.violations[0].message


@pytest.mark.parametrize("kind", [InInvoke, BeforeItsStream, InReset, InATask])
def test_an_interrupt_goes_through(kind: type[Leaves]) -> None:
    def make(harness: Harness) -> Leaves:
        agent = kind(harness.model, harness.tools, harness.max_iterations)
        agent.error = KeyboardInterrupt()
        return agent

    with pytest.raises(KeyboardInterrupt):
        check_agent(make)


class StopsTheLoop(SoundAgent):
    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        asyncio.get_running_loop().stop()
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                yield event


class ExitsFromACallback(SoundAgent):
    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        asyncio.get_running_loop().call_soon(sys.exit, "done")
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                yield event


class CancelsEveryTask(SoundAgent):
    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        for task in asyncio.all_tasks():
            task.cancel()
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                yield event


ENDS = [
    (StopsTheLoop, "Expected a run to leave the event loop to whoever drives it, got loop.stop()"),
    (ExitsFromACallback, "Expected a run to leave the event loop to whoever drives it, got SystemExit('done')"),
    (
        CancelsEveryTask,
        "Expected a run to leave tasks alone that are not its own, got the one cancelled that drives it",
    ),
]


@pytest.mark.parametrize(("kind", "message"), ENDS)
def test_an_end_of_the_loop_is_one_finding_about_the_agent(kind: type[SoundAgent], message: str) -> None:
    capabilities = {"tools", "parallel_tools", "reasoning", "usage"}
    report = check_agent(lambda harness: kind(harness.model, harness.tools, 8), capabilities=capabilities, examples=0)

    assert [(found.rule, found.message) for found in report.violations] == [("LIFE-2", message)]
    assert (report.verdict, report.problems, report.internal_errors) == ("fail", (), ())


def test_a_factory_that_stops_the_loop_is_told_once() -> None:
    def make(harness: Harness) -> SoundAgent:
        asyncio.get_running_loop().stop()
        return sound(harness)

    report = check_agent(make, examples=0, timeout=1)

    assert [(found.rule, found.message) for found in report.violations] == [("LIFE-2", ENDS[0][1])]
    assert report.internal_errors == ()


def test_the_loop_is_driven_to_the_end_of_main() -> None:
    seen: list[object] = []

    async def leave() -> None:
        raise SystemExit(3)

    async def main(watch: LoopWatch) -> None:
        asyncio.get_running_loop().stop()
        await asyncio.sleep(0)
        task = asyncio.ensure_future(leave())
        await asyncio.wait({task})
        seen.extend((repr(task.exception()), *watch.intrusions))

    drive(main, grace=0.1)

    assert seen == ["SystemExit(3)", Intrusion("loop.stop()"), Intrusion("SystemExit(3)", seen[-1].where)]  # type: ignore[attr-defined]


def test_main_may_leave_itself() -> None:
    async def main(watch: LoopWatch) -> None:
        raise SystemExit(3)

    with pytest.raises(SystemExit, match="3"):
        drive(main, grace=0.1)


class UntoldError(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")

    __repr__ = __str__


class NotToBeLookedAt(SoundAgent):
    __class__ = property(lambda self: 1 / 0)  # type: ignore[assignment,misc]


def untold(harness: Harness) -> SoundAgent:
    raise UntoldError


@pytest.mark.parametrize(
    ("factory", "reason"),
    [
        (untold, "got a `UntoldError`, whose repr fails"),
        (lambda harness: NotToBeLookedAt(harness.model, (), 8), "got one that cannot be looked at: ZeroDivisionError"),
    ],
)
def test_what_cannot_be_described_is_a_factorys_fault(factory: Any, reason: str) -> None:
    with pytest.raises(FactoryError, match=reason):
        check_agent(factory)


def test_what_an_agent_raises_need_not_have_a_repr() -> None:
    def make(harness: Harness) -> Leaves:
        agent = InItsStream(harness.model, harness.tools, harness.max_iterations)
        agent.error = UntoldError()
        return agent

    report = check_agent(make, examples=0, timeout=1)

    assert [found.rule for found in report.violations] == ["PROTO-2"]
    assert "a `UntoldError`, whose repr fails" in report.violations[0].message


def test_a_reset_that_is_no_method_is_found() -> None:
    class KeepsAReset(SoundAgent):
        reset = 5

    report = check_agent(lambda harness: KeepsAReset(harness.model, harness.tools, 8), rule="PROTO-8")

    assert report.violations[0].message == "Expected reset as a method, got 5"


@pytest.mark.parametrize("error", [*LEAVE, UntoldError()], ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("kind", [BeforeItsStream, InItsStream, InATask])
def test_a_recording_that_is_left_is_broken_off(kind: type[Leaves], error: BaseException) -> None:
    def make(harness: Harness) -> Leaves:
        agent = kind(harness.model, harness.tools, harness.max_iterations)
        agent.error = error
        return agent

    recorder = Recorder(make, lambda line: None, timeout=5)
    recorder.play(TALK)

    assert recorder.failure is not None
    assert type(error).__name__ in recorder.failure


@pytest.mark.parametrize("kind", [StopsTheLoop, ExitsFromACallback, CancelsEveryTask])
def test_a_recording_whose_loop_is_ended_is_broken_off(kind: type[SoundAgent]) -> None:
    recorder = Recorder(lambda harness: kind(harness.model, harness.tools, 8), lambda line: None, timeout=5)
    recorder.play(ANSWER)

    assert recorder.failure is not None
    assert recorder.failure.startswith("Expected a run ")


def test_a_recording_inside_a_running_loop_names_itself() -> None:
    async def inside() -> None:
        Recorder(sound, lambda line: None, timeout=5).play(ANSWER)

    with pytest.raises(RuntimeError, match="latent-conformance record cannot run inside a running"):
        asyncio.run(inside())


def test_a_stream_that_cannot_be_closed_is_no_whole_recording() -> None:
    class Stuck:
        def __aiter__(self) -> Any:
            return self

        async def __anext__(self) -> AgentEvent:
            raise StopAsyncIteration

        async def aclose(self) -> None:
            raise OSError("already closed")

    class CannotBeClosed(SoundAgent):
        def stream(self, messages: list[Message], **options: Any) -> Any:
            return Stuck()

    recorder = Recorder(lambda harness: CannotBeClosed(harness.model, (), 8), lambda line: None, timeout=5)
    recorder.play(ANSWER)

    place = f"{Path(__file__).name}, line "
    assert recorder.failure is not None
    assert recorder.failure.startswith("the agent raised OSError('already closed') (from ")
    assert place in recorder.failure


def test_a_script_that_an_agent_leaves_is_played_to_its_end() -> None:
    def make(harness: Harness) -> Leaves:
        agent = InATask(harness.model, harness.tools, harness.max_iterations)
        agent.error = SystemExit(4)
        return agent

    with Harness() as harness:
        played = play(make, harness, TALK)

    assert repr(played.raised) == "SystemExit(4)"
