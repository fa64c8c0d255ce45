"""Pipelines: phases, retries, routes, and the one stream they make."""

import asyncio
import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latent.agents import (
    END,
    BaseAgent,
    EchoModel,
    FunctionModel,
    Phase,
    PipelineAgent,
    ReActAgent,
    ScriptedModel,
    ScriptedTurn,
)
from latent.conformance import check_events
from latent.protocol import (
    AgentError,
    AgentProtocol,
    Error,
    GuidelineMatched,
    InvokeResult,
    LLMCallEnd,
    LLMCallStart,
    Message,
    Metadata,
    PhaseCompleted,
    PhaseRouted,
    PhaseStarted,
    ReasoningDelta,
    RetrieverEnd,
    RetrieverStart,
    Step,
    StepBoundary,
    TextDelta,
    ToolCall,
    ToolResult,
    Usage,
)

HI = [Message("user", "hi")]
CALL = ToolCall.from_arguments("1", "look", None)


def look() -> str:
    return "seen"


def lost(*arguments):
    raise LookupError("lost")


class Canned(BaseAgent):
    """Yields the events of the next of its runs; an exception is raised."""

    def __init__(self, *runs):
        super().__init__("canned")
        self.runs = list(runs)
        self.histories = []

    async def run(self, messages, config):
        self.histories.append(messages)
        for event in self.runs.pop(0):
            if isinstance(event, Exception):
                raise event
            yield event


class Bare:
    """An agent that adds nothing to its events, for those that `BaseAgent` would not let out."""

    def __init__(self, *events):
        self.events = events

    async def stream(self, messages, *, config=None):
        for event in self.events:
            yield event

    async def invoke(self, messages, *, stream_wrapper=None, config=None):
        raise NotImplementedError


async def events_of(agent, config=None):
    return [event async for event in agent.stream(HI, config=config)]


def says(text, step=7):
    return [StepBoundary(step), TextDelta(text)]


@pytest.mark.asyncio
async def test_phases_make_one_stream_with_one_numbering():
    draft = Canned([*says("d0", 0), StepBoundary(1, "l"), TextDelta("d"), TextDelta("1"), Metadata({"a": 1})])
    review = Canned(says("r", 5))
    agent = PipelineAgent(
        "p", [Phase("draft", draft), Phase("count", lambda rows: str(len(rows))), Phase("review", review)]
    )

    assert isinstance(agent, AgentProtocol)
    assert await events_of(agent) == [
        PhaseStarted("draft"),
        StepBoundary(0),
        TextDelta("d0"),
        StepBoundary(1, "l"),
        TextDelta("d"),
        TextDelta("1"),
        Metadata({"a": 1}),
        PhaseCompleted("draft", "d1"),
        PhaseStarted("count"),
        StepBoundary(2, "function"),
        TextDelta("3"),
        PhaseCompleted("count", "3"),
        PhaseStarted("review"),
        StepBoundary(3),
        TextDelta("r"),
        PhaseCompleted("review", "r"),
    ]
    assert review.histories == [
        [*HI, Message("assistant", "d1"), Message("assistant", "3"), Message("user", "Go on with: review")]
    ]


@pytest.mark.asyncio
async def test_the_result_is_the_last_steps_text_and_all_steps():
    agent = PipelineAgent("p", [Phase("a", Canned(says("x"))), Phase("b", Canned(says("y")), prompt="Now.")])

    result = await agent.invoke(HI)

    assert result.text == "y"
    assert [(step.step, step.text) for step in result.steps] == [(0, "x"), (1, "y")]


@pytest.mark.asyncio
@pytest.mark.parametrize("failure", [ValueError("x"), Error("ValueError: x")])
async def test_a_failed_attempt_is_made_again_and_shows_as_a_restart(failure):
    agent = PipelineAgent("p", [Phase("a", Canned([*says("half"), failure], says("whole")), retries=1)])

    assert await events_of(agent) == [
        PhaseStarted("a", 0),
        StepBoundary(0),
        TextDelta("half"),
        PhaseStarted("a", 1),
        StepBoundary(1),
        TextDelta("whole"),
        PhaseCompleted("a", "whole"),
    ]


@pytest.mark.asyncio
async def test_a_phase_that_fails_for_good_ends_the_run():
    agent = PipelineAgent("p", [Phase("a", Canned(says("ok"))), Phase("b", lost, retries=1)])
    events = await events_of(agent)

    assert events[-3:] == [
        PhaseStarted("b", 0),
        PhaseStarted("b", 1),
        Error("Phase 'b' failed: LookupError: lost"),
    ]
    with pytest.raises(AgentError, match="Phase 'a' failed"):
        await PipelineAgent("p", [Phase("a", lambda rows: 3)]).invoke(HI)


@pytest.mark.asyncio
async def test_what_a_failed_child_left_open_is_closed_before_the_restart():
    start = LLMCallStart("r", "", timestamp=5e9)
    bare = Bare(StepBoundary(0), CALL, start, Error("x"), TextDelta("late"))
    events = await events_of(PipelineAgent("p", [Phase("a", bare, retries=1)]))

    closing = [LLMCallEnd("r", timestamp=5e9), ToolResult("1", error="Not finished: x")]
    assert events[:5] == [PhaseStarted("a", 0), StepBoundary(0), CALL, start, closing[0]]
    assert events[5:7] == [closing[1], PhaseStarted("a", 1)]
    assert TextDelta("late") not in events


@pytest.mark.asyncio
async def test_a_child_that_fails_right_after_its_boundary_leaves_no_empty_step():
    agent = PipelineAgent("p", [Phase("a", Canned([StepBoundary(0), Error("x")], says("ok")), retries=1)])

    assert [event for event in await events_of(agent) if isinstance(event, StepBoundary)] == [StepBoundary(0)]


@pytest.mark.asyncio
async def test_a_child_without_boundaries_gets_one():
    events = await events_of(PipelineAgent("p", [Phase("a", Bare(Metadata({"a": 1}), TextDelta("x"), TextDelta("y")))]))

    assert events[1:5] == [Metadata({"a": 1}), StepBoundary(0), TextDelta("x"), TextDelta("y")]


ANY = [StepBoundary(0), StepBoundary(7, "x"), TextDelta("a"), ReasoningDelta("b"), Usage(1, 1), CALL]
ANY += [ToolResult("1", "seen"), LLMCallStart("r", ""), LLMCallEnd("r"), RetrieverStart("q", ""), RetrieverEnd("q", [])]
ANY += [Metadata({"a": 1}), GuidelineMatched("g", "w", "t"), Error("x")]


@given(runs=st.lists(st.lists(st.sampled_from(ANY), max_size=8), min_size=1, max_size=3))
def test_whatever_a_child_sends_the_steps_of_the_whole_are_sound(runs):
    inner = PipelineAgent("inner", [Phase(str(at), Bare(*run)) for at, run in enumerate(runs)])
    agent = PipelineAgent("p", [Phase("pipeline", inner, retries=1), Phase("once more", inner)])

    events = asyncio.run(events_of(agent))

    found = {each.rule for each in check_events(events, capabilities={"phases"}).violations}
    assert not found & {"STEP-1", "STEP-2", "STEP-3", "STEP-5", "STEP-9", "PHASE-1", "PHASE-2", "PHASE-3", "PHASE-7"}
    steps = [event.step for event in events if isinstance(event, StepBoundary)]
    assert steps == list(range(len(steps)))


@pytest.mark.asyncio
async def test_a_boundary_that_a_child_leaves_behind_does_not_empty_the_answer():
    child = Bare(StepBoundary(0), StepBoundary(1), TextDelta("x"), StepBoundary(2))
    agent = PipelineAgent("p", [Phase("a", child)])

    assert await agent.invoke(HI) == InvokeResult("x", [Step(0, text="x")])


@pytest.mark.asyncio
async def test_ids_that_two_children_share_are_told_apart():
    turns = [ScriptedTurn(tool_calls=[CALL]), "done"]
    child = ReActAgent("c", ScriptedModel(turns), tools=[look])
    again = Bare(StepBoundary(0), LLMCallStart("r", ""), LLMCallEnd("r"), CALL, ToolResult("1", "seen"))
    calls = FunctionModel(lambda rows, tools: turns[int(rows[-1]["role"] == "tool")])
    agent = PipelineAgent(
        "p",
        [Phase("a", child), Phase("b", again), Phase("c", again), Phase("d", ReActAgent("d", calls, tools=[look]))],
    )

    events = await events_of(agent)
    called = [event.id for event in events if isinstance(event, ToolCall)]
    begun = [event.run_id for event in events if isinstance(event, LLMCallStart)]

    assert len(called) == len(set(called)) == 4
    assert len(begun) == len(set(begun)) == 6
    assert called == [event.tool_call_id for event in events if isinstance(event, ToolResult)]
    assert begun == [event.run_id for event in events if isinstance(event, LLMCallEnd)]
    assert called[0] == "1"


@pytest.mark.asyncio
async def test_routes_choose_the_next_phase_and_the_end():
    def judge(rows, text):
        return END if len(rows) > 3 else ("write", "not yet")

    agent = PipelineAgent(
        "p",
        [
            Phase("write", lambda rows: f"draft {len(rows)}"),
            Phase("check", lambda rows: None, route=judge),
            Phase("skipped", lambda rows: "never"),
        ],
    )
    events = await events_of(agent)

    markers = [event for event in events if isinstance(event, (PhaseStarted, PhaseCompleted, PhaseRouted))]
    assert markers == [
        PhaseStarted("write", 0),
        PhaseCompleted("write", "draft 1"),
        PhaseStarted("check", 0),
        PhaseCompleted("check"),
        PhaseRouted("check", "write", "not yet"),
        PhaseStarted("write", 1),
        PhaseCompleted("write", "draft 3"),
        PhaseStarted("check", 1),
        PhaseCompleted("check"),
        PhaseRouted("check", "write", "not yet"),
        PhaseStarted("write", 2),
        PhaseCompleted("write", "draft 4"),
        PhaseStarted("check", 2),
        PhaseCompleted("check"),
    ]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("route", "message"),
    [
        (lambda rows, text: "a", "No end within 3 starts of phases"),
        (lambda rows, text: "nowhere", "ValueError: Expected one of the phases ['a'] after 'a', got 'nowhere'"),
        (lost, "LookupError: lost"),
    ],
)
async def test_a_route_that_leads_nowhere_fails_the_run(route, message):
    agent = PipelineAgent("p", [Phase("a", lambda rows: "x", route=route)], max_phases=3)

    assert (await events_of(agent))[-1] == Error(message)


@pytest.mark.asyncio
async def test_config_reaches_every_child_and_a_pipeline_may_be_a_phase():
    seen = []

    class Looking(BaseAgent):
        async def run(self, messages, config):
            seen.append(dict(config))
            yield StepBoundary(3)
            yield TextDelta("x")

    inner = PipelineAgent("inner", [Phase("i", Looking("l"))])
    outer = PipelineAgent("outer", [Phase("o", inner), Phase("f", Looking("l"))])
    events = await events_of(outer, {"conversation_id": "c"})

    assert seen == [{"conversation_id": "c"}] * 2
    assert [type(event) for event in events[:3]] == [PhaseStarted, PhaseStarted, StepBoundary]
    assert [event.step for event in events if isinstance(event, StepBoundary)] == [0, 1]


@pytest.mark.asyncio
async def test_closing_and_cancelling_reach_the_child_that_runs():
    entered, left = asyncio.Event(), []

    async def wait(rows):
        entered.set()
        try:
            await asyncio.Event().wait()
        finally:
            left.append(1)

    agent = PipelineAgent("p", [Phase("echo", ReActAgent("e", EchoModel())), Phase("wait", wait)])
    task = asyncio.ensure_future(agent.invoke(HI))
    await entered.wait()
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    assert left == [1]

    async with contextlib.aclosing(agent.stream(HI)) as stream:
        for _ in range(3):
            await anext(stream)
    assert asyncio.all_tasks() == {asyncio.current_task()}


def test_mistakes_are_refused_when_the_pipeline_is_built():
    phase = Phase("a", look)
    for build in [
        lambda: PipelineAgent("p", []),
        lambda: PipelineAgent("p", [phase, phase]),
        lambda: PipelineAgent("p", [phase], max_phases=0),
        lambda: Phase("", look),
        lambda: Phase(END, look),
        lambda: Phase("a", look, retries=-1),
    ]:
        with pytest.raises(ValueError, match="Expected"):
            build()
    with pytest.raises(TypeError, match="an agent or a function"):
        Phase("a", "x")
