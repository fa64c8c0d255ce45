from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import Any

import pytest
from cases.agent import Answer, SoundAgent, sound
from cases.loopback import sound_over_http

from latent.conformance import Report, check_agent
from latent.conformance._driving._driver import LoopWatch, drive
from latent.conformance._driving._virtual import VirtualLoop
from latent.conformance.harness import Harness
from latent.protocol import AgentEvent, Error, TextDelta, ToolCall, ToolResult

TIMED = frozenset({"tools", "parallel_tools", "reasoning", "usage", "virtual_time"})


def on_virtual_loop(main: Callable[[], Any]) -> tuple[float, tuple[str, ...]]:
    """The virtual seconds that it takes, and what strays."""
    loop, taken = VirtualLoop(), 0.0

    async def timed(watch: LoopWatch) -> None:
        nonlocal taken
        began = loop.time()
        await main()
        taken = loop.time() - began

    drive(timed, grace=1, limit=20, loop=loop)
    return taken, loop.strays


def judged(kind: type[SoundAgent], **options: Any) -> Report:
    def make(harness: Harness) -> SoundAgent:
        return kind(harness.model, harness.tools, harness.max_iterations)

    return check_agent(make, capabilities=TIMED, **options)


def test_hours_cost_nothing_and_timers_keep_their_order() -> None:
    ended: list[str] = []

    async def sleep(name: str, seconds: float) -> None:
        await asyncio.sleep(seconds)
        ended.append(name)

    async def main() -> None:
        async with asyncio.timeout(7300):
            await asyncio.gather(sleep("long", 7200), sleep("short", 0.001), sleep("middle", 60))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.Event().wait(), 100)

    began = time.monotonic()
    taken, strays = on_virtual_loop(main)

    assert ended == ["short", "middle", "long"]
    assert (round(taken, -1), strays) == (7300, ())
    assert time.monotonic() - began < 30


@pytest.mark.parametrize("hours", [0, 1000])
def test_a_late_hour_rounds_no_timer_away(hours: int) -> None:
    async def main() -> None:
        await asyncio.sleep(hours * 3600.0)
        for _ in range(100):
            await asyncio.sleep(1e-9)

    drive(lambda watch: main(), grace=1, limit=hours * 3600.0 + 20, loop=VirtualLoop())


@pytest.mark.parametrize(
    ("main", "stray"),
    [
        (lambda: asyncio.to_thread(int), "handed work to a thread"),
        (lambda: woken_from_a_thread(), "was woken from another thread"),
        (lambda: listening(), "waited for a socket or another file"),
    ],
    ids=["to_thread", "call_soon_threadsafe", "socket"],
)
def test_what_no_loop_can_hurry_is_noted(main: Callable[[], Any], stray: str) -> None:
    _, strays = on_virtual_loop(main)

    assert stray in strays


async def woken_from_a_thread() -> None:
    from threading import Thread

    event = asyncio.Event()
    loop = asyncio.get_running_loop()
    thread = Thread(target=lambda: loop.call_soon_threadsafe(event.set))
    thread.start()
    thread.join()
    await event.wait()


async def listening() -> None:
    one, other = socket.socketpair()
    with one, other:
        one.setblocking(False)
        loop = asyncio.get_running_loop()
        loop.call_later(60, other.sendall, b"x")
        await loop.sock_recv(one, 1)


def test_a_sound_agent_keeps_to_virtual_time() -> None:
    report = check_agent(sound, capabilities=TIMED)

    assert (report.verdict, report.violations, report.problems, report.advice) == ("pass", (), (), ())


def test_virtual_time_changes_nothing_of_the_judgement() -> None:
    real = check_agent(sound, capabilities=TIMED - {"virtual_time"})

    assert check_agent(sound, capabilities=TIMED).statuses == real.statuses


class Impatient(SoundAgent):
    """Ends the answer when the model says nothing for half a minute, and does not tell."""

    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().ask(rows, answer, step)) as events:
            while True:
                try:
                    yield await asyncio.wait_for(anext(events), 30)
                except (StopAsyncIteration, TimeoutError):
                    return


class ImpatientModel:
    """A model that is given up where it says nothing for half a minute."""

    def __init__(self, model: Any) -> None:
        self.model, self.model_id = model, model.model_id

    async def stream(self, rows: list[dict[str, Any]], **options: Any) -> AsyncIterator[dict[str, Any]]:
        async with aclosing(self.model.stream(rows, **options)) as chunks:
            while True:
                try:
                    async with asyncio.timeout(30):
                        chunk = await anext(chunks)
                except StopAsyncIteration:
                    return
                yield chunk


class Frank(SoundAgent):
    """Does tell."""

    def __init__(self, model: Any, tools: Any, max_iterations: int) -> None:
        super().__init__(ImpatientModel(model), tools, max_iterations)

    async def result(self, call: ToolCall, arguments: dict[str, Any]) -> ToolResult:
        try:
            async with asyncio.timeout(30):
                return await super().result(call, arguments)
        except TimeoutError:
            return ToolResult(call.id, error="the tool takes too long")


class DropsSlowTools(SoundAgent):
    """Says of a tool that takes long that it gave nothing."""

    async def result(self, call: ToolCall, arguments: dict[str, Any]) -> ToolResult:
        done, _ = await asyncio.wait([asyncio.ensure_future(super().result(call, arguments))], timeout=30)
        return done.pop().result() if done else ToolResult(call.id, None)


class InTheirOrder(SoundAgent):
    """Takes the outputs of tools in the order in which they end for those of the calls in their own."""

    async def run_all(self, answer: Answer) -> AsyncIterator[ToolResult]:
        ended: list[ToolResult] = []

        async def run(call: ToolCall) -> None:
            ended.append(await self.run(call, answer))

        tasks = [asyncio.ensure_future(run(call)) for call in answer.calls]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        for call, result in zip(answer.calls, ended, strict=True):
            yield ToolResult(call.id, result.output, result.error)


@pytest.mark.parametrize(
    ("kind", "rule", "scenario"),
    [
        (Impatient, "TEXT-5", "a model that takes its time"),
        (DropsSlowTools, "TOOL-16", "a tool that takes an hour"),
        (InTheirOrder, "TOOL-21", "parallel tools that take their time"),
    ],
)
def test_what_only_shows_in_hours_is_found_at_once(kind: type[SoundAgent], rule: str, scenario: str) -> None:
    report = judged(kind, rule=rule)

    assert report.verdict == "fail"
    assert {each.rule for each in report.violations} == {rule}
    assert scenario in {each.scenario for each in report.violations}


def test_an_agent_that_says_that_it_loses_patience_is_sound() -> None:
    report = judged(Frank)

    assert (report.verdict, report.violations, report.problems) == ("pass", (), ())


class Deadlocked(SoundAgent):
    """Waits in its second step for what nobody does."""

    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                yield event
                if step and isinstance(event, TextDelta):
                    await asyncio.Event().wait()


def test_a_deadlock_is_found_without_waiting_for_it() -> None:
    began = time.monotonic()
    report = judged(Deadlocked, timeout=10_000)

    assert time.monotonic() - began < 60
    message = report.violations[0].message
    assert message.startswith("Expected the run to end in time; it waits at ")
    assert ", in Deadlocked.ask; the last event was TextDelta" in message


class InThreads(SoundAgent):
    """Runs its tools in threads."""

    async def result(self, call: ToolCall, arguments: dict[str, Any]) -> ToolResult:
        await asyncio.to_thread(time.sleep, 0.001)
        return await super().result(call, arguments)


def test_an_agent_that_claims_virtual_time_and_uses_threads_is_told_so() -> None:
    report = judged(InThreads)

    assert (report.verdict, report.violations) == ("fail", ())
    (problem,) = report.problems
    assert problem.startswith(
        "capability 'virtual_time' is declared, but the agent does not keep to it: in the scenario "
    )
    assert "it handed work to a thread" in problem
    assert problem.endswith("or leave it out of the capabilities")


class ByTheWall(SoundAgent):
    """Looks at another clock than the loop's until a moment has passed."""

    async def result(self, call: ToolCall, arguments: dict[str, Any]) -> ToolResult:
        until = time.monotonic() + 1
        while time.monotonic() < until:
            await asyncio.sleep(0.01)
        return await super().result(call, arguments)


def test_an_agent_that_hangs_on_another_clock_is_told_what_that_may_be() -> None:
    report = judged(ByTheWall, rule="TOOL-16", timeout=1)

    assert report.verdict == "fail"
    assert "the agent hung, and woke up " in report.problems[0]
    assert report.problems[0].endswith("by time.monotonic or time.time does not keep to 'virtual_time'")


def test_the_loopback_server_is_no_place_for_virtual_time() -> None:
    report = check_agent(sound_over_http, capabilities=TIMED)

    assert (report.verdict, report.violations) == ("fail", ())
    (problem,) = report.problems
    assert problem.endswith(
        "the agent does not keep to it: it uses harness.base_url, whose server is a thread in real time: "
        "build it on harness.model, or leave it out of the capabilities"
    )


def test_an_agent_that_never_lets_time_pass_is_broken_off() -> None:
    class Spins(SoundAgent):
        async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
            yield TextDelta("wait")
            while True:
                await asyncio.sleep(0)

    report = judged(Spins, timeout=0.3)

    assert report.verdict == "fail"
    assert not any(isinstance(each, Error) for found in report.violations for each in found.stream)
