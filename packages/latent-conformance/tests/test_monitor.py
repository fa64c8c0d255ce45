from __future__ import annotations

import asyncio
import logging
import tracemalloc
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import aclosing
from copy import deepcopy
from typing import Literal

import pytest
from cases._event_tables import EVENT_CASES
from cases._fixed import fixed_traces
from cases._mutations import OPERATORS
from cases._passive import PLAIN, TOOLS, EventCase, answer, call, said, step
from cases.monitored import CASES, ChangingCase

from latent.conformance import ConformanceError, Level, Monitor, check_events
from latent.protocol import (
    AgentEvent,
    Error,
    GuidelineMatched,
    InvokeResult,
    JourneyStepAdvanced,
    LLMCallEnd,
    LLMCallStart,
    PhaseCompleted,
    PhaseStarted,
    RetrieverEnd,
    RetrieverStart,
    StepBoundary,
    TextDelta,
    Usage,
    collect,
)

_LEVELS = {"INFO": Level.SHOULD, "WARNING": Level.MUST}


def fed(monitor: Monitor, events: list[AgentEvent]) -> Monitor:
    for event in events:
        monitor.feed(event)
    return monitor


async def source(events: list[AgentEvent], closed: list[str]) -> AsyncIterator[AgentEvent]:
    try:
        for event in events:
            yield event
    finally:
        closed.append("stream")


@pytest.mark.parametrize("case", EVENT_CASES)
def test_monitor_finds_what_a_recording_shows(case: EventCase) -> None:
    monitor = fed(Monitor(**case.declared), case.broken)

    monitor.finish(complete=case.complete)

    live = [(each.rule, each.index, each.excerpt) for each in monitor.report().violations]
    recorded = check_events(case.broken, complete=case.complete, **case.declared).violations
    assert live == [(each.rule, each.index, each.excerpt) for each in recorded]


@pytest.mark.parametrize("case", EVENT_CASES)
def test_policies_name_what_the_report_names_and_no_echo_of_it(
    case: EventCase, caplog: pytest.LogCaptureFixture
) -> None:
    def watched(policy: Literal["record", "log", "raise"]) -> Monitor:
        monitor = fed(Monitor(policy=policy, **case.declared), case.broken)
        monitor.finish(complete=case.complete)
        return monitor

    found = [(each.rule, each.level) for each in watched("record").report().violations]
    with caplog.at_level(logging.INFO, logger="latent.conformance"):
        watched("log")
    logged = [(each.args[0], _LEVELS[each.levelname]) for each in caplog.records if each.args]  # type: ignore[index]
    assert sorted(logged) == sorted(found)
    if binding := [rule for rule, level in found if level is Level.MUST]:
        with pytest.raises(ConformanceError, match=f"^{binding[0]}: "):
            watched("raise")


@pytest.mark.parametrize("operator", OPERATORS)
def test_policies_name_what_the_report_names_of_every_mutant(operator: str, caplog: pytest.LogCaptureFixture) -> None:
    for mutant in (each for trace in fixed_traces(10) for each in OPERATORS[operator](trace)):
        caplog.clear()
        with caplog.at_level(logging.INFO, logger="latent.conformance"):
            monitor = fed(Monitor(policy="log"), mutant.trace)
            monitor.finish()
        found = [(each.rule, each.level) for each in monitor.report().violations]
        binding = [rule for rule, level in found if level is Level.MUST]

        logged = [each.args[0] for each in caplog.records if each.args]  # type: ignore[index]
        assert sorted(logged) == sorted(rule for rule, _ in found), mutant
        try:
            fed(Monitor(policy="raise"), mutant.trace).finish()
            first = []
        except ConformanceError as raised:
            first = [raised.violation.rule]
        assert first == binding[:1], mutant


def test_policies_name_one_of_two_findings_at_one_event(caplog: pytest.LogCaptureFixture) -> None:
    twin = type("ToolCall", (), {"id": "c"})()
    broken = [StepBoundary(0), twin, answer(), StepBoundary(0), StepBoundary(0), *PLAIN[1:], Error("x"), Error("y")]
    with caplog.at_level(logging.INFO, logger="latent.conformance"):
        monitor = fed(Monitor(policy="log"), broken)

    assert [each.args[:2] for each in caplog.records if each.args] == [  # type: ignore[index]
        *[("PROTO-4", 1), ("STEP-2", 3), ("STEP-2", 4), ("ERR-2", 10)],
    ]
    assert [(each.rule, each.index) for each in monitor.report().violations] == [
        *[("PROTO-4", 1), ("STEP-2", 3), ("STEP-2", 4), ("ERR-2", 10)],
    ]


def test_call_open_at_error_binds_where_the_stream_itself_is_seen() -> None:
    broken = [*PLAIN[:3], Error("failed")]
    monitor = fed(Monitor(), broken)

    monitor.finish()

    assert [(each.rule, each.level) for each in monitor.report().violations] == [("CALL-3", Level.MUST)]
    assert [(each.rule, each.level) for each in check_events(broken).violations] == [("CALL-3", Level.SHOULD)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.rule}-{case.name}")
def test_event_that_changes_later_is_found(case: ChangingCase) -> None:
    value = deepcopy(case.value)
    monitor = fed(Monitor(), case.build(value))

    case.change(value)
    monitor.finish()

    report = monitor.report()
    assert [(each.rule, each.index) for each in report.violations] == [(case.rule, case.index)]
    assert report.statuses[case.rule] == "fail"


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.rule}-{case.name}")
def test_event_that_stays_as_it_was_is_clean(case: ChangingCase) -> None:
    monitor = fed(Monitor(), case.build(deepcopy(case.value)))

    monitor.finish()

    assert monitor.report().violations == ()
    assert monitor.report().exercised[case.rule] == 1


def test_wrap_hands_the_stream_on_and_finishes_at_its_end() -> None:
    monitor, closed = Monitor(), []

    result = asyncio.run(collect(source(TOOLS, closed), stream_wrapper=monitor.wrap))

    assert result == asyncio.run(collect(source(TOOLS, [])))
    assert closed == ["stream"]
    assert (monitor.report().verdict, monitor.report().violations) == ("pass", ())
    assert monitor.report().exercised["STEP-5"] == 2


def test_closing_the_wrapped_stream_closes_the_stream_and_the_run_counts_as_cut_off() -> None:
    monitor, closed = Monitor(), []

    async def leave() -> None:
        async with aclosing(monitor.wrap(source(TOOLS, closed))) as stream:  # type: ignore[type-var]
            async for event in stream:
                if isinstance(event, LLMCallStart):
                    break

    asyncio.run(leave())

    assert closed == ["stream"]
    assert monitor.report().violations == ()


def test_wrap_takes_an_iterator_without_aclose() -> None:
    class Plain:
        def __init__(self) -> None:
            self._left = iter(PLAIN)

        def __aiter__(self) -> Plain:
            return self

        async def __anext__(self) -> AgentEvent:
            try:
                return next(self._left)
            except StopIteration:
                raise StopAsyncIteration from None

    result = asyncio.run(collect(Plain(), stream_wrapper=Monitor().wrap))

    assert isinstance(result, InvokeResult)


def test_monitor_is_a_sink() -> None:
    monitor = Monitor()

    async def emit() -> None:
        for event in PLAIN:
            await monitor.emit(event)

    asyncio.run(emit())

    assert monitor.report().exercised["PROTO-4"] == len(PLAIN)


def test_policy_raise_raises_at_the_event_and_names_the_rule() -> None:
    monitor = Monitor(policy="raise")
    fed(monitor, PLAIN)

    with pytest.raises(ConformanceError, match=r"^TOOL-3: .*'c'") as caught:
        monitor.feed(answer())

    assert caught.value.violation.index == len(PLAIN)
    assert monitor.report().verdict == "fail"


def test_policy_raise_closes_the_stream_and_bears_hints() -> None:
    closed: list[str] = []
    broken = [*step(0, *said("Hello", "")), StepBoundary(1)]

    with pytest.raises(ConformanceError, match="STEP-5"):
        asyncio.run(collect(source(broken, closed), stream_wrapper=Monitor(policy="raise").wrap))

    assert closed == ["stream"]


def test_policy_raise_bears_known_deviations() -> None:
    monitor = Monitor(policy="raise", known_deviations={"TOOL-3": "results of an older run are replayed"})

    fed(monitor, [*PLAIN, answer()]).finish()

    assert monitor.report().statuses["TOOL-3"] == "deviation"


def test_policy_log_warns_of_must_and_informs_of_should(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="latent.conformance"):
        fed(Monitor(policy="log"), [*step(0, *said("Hello", "")), answer()])

    assert [(each.levelname, each.args[0]) for each in caplog.records if each.args] == [  # type: ignore[index]
        ("INFO", "TEXT-8"),
        ("WARNING", "TOOL-3"),
    ]


def test_unknown_policy_and_declarations_are_refused() -> None:
    with pytest.raises(ValueError, match="policy"):
        Monitor(policy="shout")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="'capabilites': did you mean capabilities"):
        Monitor(capabilites={"tools"})  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="'polcy': did you mean policy"):
        Monitor(polcy="log")  # type: ignore[call-arg]


def test_monitor_is_a_stream_wrapper_itself() -> None:
    monitor = Monitor()
    asyncio.run(collect(source(PLAIN, []), stream_wrapper=monitor))

    assert monitor.report().verdict == "pass"


def test_report_before_the_run_leaves_the_monitor_fresh() -> None:
    monitor = Monitor()

    assert monitor.report().verdict == "incomplete"
    asyncio.run(collect(source([*PLAIN, answer()], []), stream_wrapper=monitor.wrap))
    assert [found.rule for found in monitor.report().violations] == ["TOOL-3"]


def test_monitor_serves_one_run() -> None:
    monitor = Monitor()
    asyncio.run(collect(source(PLAIN, []), stream_wrapper=monitor.wrap))

    with pytest.raises(RuntimeError, match="fresh Monitor"):
        asyncio.run(collect(source(PLAIN, []), stream_wrapper=monitor.wrap))


def test_excerpt_is_whole_though_the_events_after_came_later() -> None:
    monitor = fed(Monitor(), [*PLAIN, answer(), *step(1)])

    (found,) = monitor.report().violations

    assert [row[0] for row in found.excerpt] == [" ", " ", " ", ">", " ", " ", " "]


def test_memory_stays_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("latent.conformance._passive._monitor._MEMORY", 100)

    assert _memory_of(4_000) < _memory_of(2_000) * 1.2


_MANY = range(25)


@pytest.mark.parametrize("ends", [_MANY, _MANY[::-1]], ids=["first to last", "last to first"])
@pytest.mark.parametrize(
    ("begin", "end"),
    [
        (lambda at: [PhaseStarted(at)], lambda at: [PhaseCompleted(at)]),
        (lambda at: [RetrieverStart(at, "x")], lambda at: [RetrieverEnd(at, [])]),
        (lambda at: [LLMCallStart(at, "in")], lambda at: [LLMCallEnd(at, None, 3, len(at)), Usage(3, len(at))]),
        (lambda at: [call(at, arguments=f'{{"n":{at}}}')], lambda at: [answer(at)]),
        (lambda at: [PhaseStarted(at), PhaseCompleted(at)], lambda at: [PhaseStarted(at, 1), PhaseCompleted(at)]),
    ],
    ids=["phases", "queries", "model calls", "tool calls", "attempts"],
)
def test_what_is_beyond_the_memory_is_no_alarm(
    monkeypatch: pytest.MonkeyPatch,
    ends: Iterable[int],
    begin: Callable[[str], list[AgentEvent]],
    end: Callable[[str], list[AgentEvent]],
) -> None:
    monkeypatch.setattr("latent.conformance._passive._monitor._MEMORY", 10)
    begun = [event for at in _MANY for event in begin(str(at))]
    ended = [event for at in ends for event in end(str(at))]
    oldest = None if isinstance(begun[0], PhaseStarted) else "0"
    inside = [RetrieverStart("z", "x", parent_run_id=oldest), RetrieverEnd("z", [])]
    together = begin("0") == [PhaseStarted("0")]

    monitor = fed(Monitor(parallel_phases=together), [StepBoundary(0), *begun, *inside, TextDelta("x"), *ended])
    monitor.finish()

    report = monitor.report()
    assert (report.internal_errors, report.violations) == ((), ())


def _memory_of(rounds: int) -> int:
    """What a monitor holds after a flood of ids that are never answered, closed or repeated."""
    monitor = Monitor()
    tracemalloc.start()
    for at in range(rounds):
        fed(
            monitor,
            [
                PhaseStarted(f"p{at}"),
                RetrieverStart(f"q{at}", "x"),
                StepBoundary(at),
                LLMCallStart(f"r{at}", "in"),
                TextDelta("x" * 50),
                call(f"c{at}"),
                answer(f"d{at}"),
                Usage(),
                GuidelineMatched(f"g{at}", "", ""),
                JourneyStepAdvanced(f"j{at}", "", 0, ""),
            ],
        )
    used = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return used


def test_error_ends_the_run() -> None:
    monitor = fed(Monitor(), [*PLAIN, Error("failed")])

    assert monitor.report().violations == ()


def test_report_in_the_middle_of_a_run_never_becomes_a_pass() -> None:
    monitor = fed(Monitor(), [StepBoundary(0), call("a")])
    assert monitor.report().verdict == "pass"  # cut off here, it would be in order

    fed(monitor, [StepBoundary(1), TextDelta("x")])

    report = monitor.report()
    assert report.verdict == "incomplete"
    assert report.advice[0].startswith("2 events came after the run was taken for finished")


def test_what_is_raised_at_the_end_has_its_place() -> None:
    monitor = Monitor(policy="raise")
    for event in (StepBoundary(0), LLMCallStart("r1", "", "m"), TextDelta("Hello")):
        monitor.feed(event)

    with pytest.raises(ConformanceError) as raised:
        monitor.finish()

    found = raised.value.violation
    assert found.excerpt == monitor.report().violations[0].excerpt != ()
