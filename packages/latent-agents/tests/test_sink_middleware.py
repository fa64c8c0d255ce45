"""The middleware: what sinks get, what the consumer gets, and what a failing sink does."""

import asyncio
import contextlib
import logging

import pytest

from latent.agents import BaseAgent, EchoModel, ReActAgent
from latent.agents.observability import AgentSinkMiddleware
from latent.protocol import AgentError, AgentProtocol, Error, Message, StepBoundary, TextDelta

HI = [Message("user", "one two three")]


class Sink:
    def __init__(self, fail=()):
        self.seen = []
        self.fail = list(fail)

    async def emit(self, event):
        self.seen.append(event)
        if self.fail:
            raise self.fail.pop(0)


class Canned(BaseAgent):
    def __init__(self, *events):
        super().__init__("canned")
        self.events = events
        self.open = 0

    async def run(self, messages, config):
        self.open += 1
        try:
            for event in self.events:
                yield event
        finally:
            self.open -= 1


EVENTS = [StepBoundary(0), TextDelta("a"), TextDelta("b"), Error("x")]


@pytest.mark.asyncio
async def test_each_sink_gets_every_event_and_the_consumer_the_same_objects():
    sinks = [Sink(), Sink()]
    agent = AgentSinkMiddleware(Canned(*EVENTS), sinks)

    assert isinstance(agent, AgentProtocol)
    events = [event async for event in agent.stream(HI)]

    assert events == EVENTS
    for sink in sinks:
        assert all(a is b for a, b in zip(sink.seen, events, strict=True))


@pytest.mark.asyncio
async def test_a_sink_gets_an_event_before_the_consumer_does():
    sink = Sink()
    stream = AgentSinkMiddleware(Canned(*EVENTS), [sink]).stream(HI)

    await anext(stream)

    assert sink.seen == EVENTS[:1]
    await stream.aclose()


@pytest.mark.asyncio
@pytest.mark.parametrize("failure", [ValueError("x"), asyncio.CancelledError(), TypeError()])
async def test_a_failing_sink_is_logged_and_disturbs_nobody(failure, caplog):
    broken, whole = Sink([failure, failure]), Sink()
    agent = AgentSinkMiddleware(Canned(*EVENTS), [broken, whole])

    with caplog.at_level(logging.WARNING):
        events = [event async for event in agent.stream(HI)]

    assert events == EVENTS == broken.seen == whole.seen
    assert len(caplog.records) == 2
    assert type(failure).__name__ in caplog.text


@pytest.mark.asyncio
async def test_a_cancel_while_a_sink_works_goes_through_and_closes_the_agent():
    reached = asyncio.Event()

    class Waiting:
        async def emit(self, event):
            reached.set()
            await asyncio.Event().wait()

    inner = Canned(*EVENTS)
    task = asyncio.ensure_future(AgentSinkMiddleware(inner, [Waiting()]).invoke(HI))
    await reached.wait()
    task.cancel()
    await asyncio.wait([task])

    assert task.cancelled()
    assert inner.open == 0


@pytest.mark.asyncio
async def test_closing_the_stream_closes_the_agents():
    inner = Canned(*EVENTS)
    stream = AgentSinkMiddleware(inner, [Sink()]).stream(HI)
    await anext(stream)
    assert inner.open == 1

    await stream.aclose()

    assert inner.open == 0


@pytest.mark.asyncio
async def test_invoke_mirrors_and_hands_on_config_and_wrapper():
    seen, configs = [], []

    class Configured(ReActAgent):
        def check(self, messages, config):
            configs.append(config)

    async def wrapper(events):
        async for event in events:
            seen.append(event)
            if not isinstance(event, TextDelta):
                yield event

    sink = Sink()
    agent = AgentSinkMiddleware(Configured("a", EchoModel()), [sink])

    result = await agent.invoke(HI, stream_wrapper=wrapper, config={"conversation_id": "c"})

    assert result.text == ""
    assert seen == sink.seen
    assert configs == [{"conversation_id": "c"}]
    assert await agent.invoke(HI) == await ReActAgent("a", EchoModel()).invoke(HI)
    with pytest.raises(AgentError, match="x"):
        await AgentSinkMiddleware(Canned(*EVENTS), [sink]).invoke(HI)


@pytest.mark.asyncio
async def test_a_wrapper_that_fails_has_the_agent_closed_before_the_caller_sees_it():
    async def wrapper(events):
        async for event in events:
            yield event
            raise LookupError("mine")

    inner = Canned(*EVENTS)
    with pytest.raises(LookupError, match="mine"):
        await AgentSinkMiddleware(inner, [Sink()]).invoke(HI, stream_wrapper=wrapper)

    assert inner.open == 0


@pytest.mark.asyncio
async def test_a_sink_may_be_made_for_each_run_and_is_finished_with_it():
    finished = []

    class PerRun:
        def __init__(self, name="shared"):
            self.name, self.count = name, 0

        def for_run(self):
            return PerRun("run")

        async def emit(self, event):
            self.count += 1

        def finish(self):
            finished.append((self.name, self.count))
            raise ValueError("logged")

    agent = AgentSinkMiddleware(Canned(*EVENTS), [PerRun()])
    async for _ in agent.stream(HI):
        pass
    async with contextlib.aclosing(agent.stream(HI)) as stream:
        await anext(stream)

    assert finished == [("run", 4), ("run", 1)]

    async def first_only(events):
        async for event in events:
            yield event
            return

    await agent.invoke(HI, stream_wrapper=first_only)
    assert finished[2:] == [("run", 1)]


@pytest.mark.asyncio
async def test_reset_is_there_where_the_agent_has_it():
    agent = ReActAgent("a", EchoModel())
    await agent.ask("x")
    AgentSinkMiddleware(agent, []).reset()

    assert agent._asked == []
    assert not hasattr(AgentSinkMiddleware(Canned(), []), "reset")
    assert AgentSinkMiddleware(agent, []).stream(HI).__name__ == "stream"


def test_what_is_no_agent_or_no_sink_is_refused():
    with pytest.raises(TypeError, match="agent"):
        AgentSinkMiddleware(object(), [])
    with pytest.raises(TypeError, match="sink"):
        AgentSinkMiddleware(Canned(), [object()])
