"""Leaving a run early, at every point and in every way, and many runs at once."""

import asyncio
import contextlib
import gc

import pytest

from latent.agents import ReActAgent, ScriptedTurn
from latent.agents.models._turn import turn_chunks
from latent.protocol import Message, StepBoundary, TextDelta, ToolCall, ToolResult, VerificationResult
from latent.retriever import retriever

HI = [Message("user", "hi")]
CALLS = [ToolCall.from_arguments("1", "fetch", {"q": "a"}), ToolCall.from_arguments("2", "fetch", {"q": "b"})]
TURNS = [ScriptedTurn(["Let ", "me"], reasoning="hm", tool_calls=CALLS, input_tokens=3), ["do", "ne"]]


class SlowModel:
    """Gives up control before each chunk, and says when its stream was closed."""

    model_id = "slow"

    def __init__(self):
        self.open = 0

    async def stream(self, messages, *, tools=(), **options):
        self.open += 1
        try:
            for chunk in turn_chunks(TURNS[sum(row["role"] == "assistant" for row in messages)]):
                await asyncio.sleep(0)
                yield chunk
        finally:
            try:
                await asyncio.sleep(0)
            finally:
                self.open -= 1


@retriever
async def search(query):
    await asyncio.sleep(0)
    return [query]


def build(model=None):
    running = set()

    async def fetch(q: str) -> str:
        running.add(q)
        try:
            await search(q)
            await asyncio.sleep(0)
            return q.upper()
        finally:
            try:
                await asyncio.sleep(0)
            finally:
                running.discard(q)

    async def verify(messages, text):
        await asyncio.sleep(0)
        return VerificationResult(True)

    model = model or SlowModel()
    return ReActAgent("a", model, tools=[fetch], verifier=verify), model, running


@pytest.fixture
def clean():
    """The loop's exception handler is never called, and no task is left."""
    complaints = []

    @contextlib.asynccontextmanager
    async def watch():
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda loop, context: complaints.append(context))
        yield
        gc.collect()
        for _ in range(20):
            await asyncio.sleep(0)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert complaints == []

    return watch


async def count_of_events():
    return len([event async for event in build()[0].stream(HI)])


@pytest.mark.asyncio
async def test_closing_after_any_event_closes_everything_at_once(clean):
    async with clean():
        for k in range(await count_of_events() + 1):
            agent, model, running = build()
            stream = agent.stream(HI)
            for _ in range(k):
                await anext(stream)
            await stream.aclose()

            assert (model.open, running) == (0, set())
            with pytest.raises(StopAsyncIteration):
                await anext(stream)


@pytest.mark.asyncio
@pytest.mark.parametrize("how", ["stream", "invoke"])
async def test_a_cancel_at_any_turn_of_the_loop_goes_through(clean, how):
    async def consume(agent):
        if how == "invoke":
            return await agent.invoke(HI)
        stream = agent.stream(HI)
        async with contextlib.aclosing(stream):
            return [event async for event in stream]

    async with clean():
        for turns in range(200):
            agent, model, running = build()
            task = asyncio.ensure_future(consume(agent))
            for _ in range(turns):
                await asyncio.sleep(0)
            if task.done():
                break
            task.cancel()
            await asyncio.wait([task])

            assert task.cancelled()
            assert (model.open, running) == (0, set())
        assert turns > 20


@pytest.mark.asyncio
async def test_leaving_the_loop_without_closing_leaves_no_error(clean):
    async with clean():
        for k in range(await count_of_events()):
            agent, model, running = build()
            async for _ in agent.stream(HI):
                k -= 1
                if k < 0:
                    break
            gc.collect()
            for _ in range(20):
                await asyncio.sleep(0)

            assert (model.open, running) == (0, set())


@pytest.mark.asyncio
async def test_each_event_may_be_asked_for_by_a_task_of_its_own(clean):
    async with clean():
        agent, model, _ = build()
        stream = agent.stream(HI)
        events = []
        with contextlib.suppress(StopAsyncIteration):
            while True:
                events.append(await asyncio.wait_for(asyncio.ensure_future(anext(stream)), 60))

        assert len(events) == await count_of_events()

        other = agent.stream(HI)
        for _ in range(8):
            await asyncio.ensure_future(anext(other))
        await asyncio.ensure_future(other.aclose())
        assert model.open == 0


@pytest.mark.asyncio
async def test_nothing_happens_before_the_first_event_is_asked_for():
    agent, model, _ = build()
    stream = agent.stream(HI)
    await asyncio.sleep(0)
    assert model.open == 0
    assert await anext(stream) == StepBoundary(0)
    assert model.open == 0
    await stream.aclose()


@pytest.mark.asyncio
async def test_a_thousand_runs_at_once_are_each_like_one_alone(clean):
    async with clean():
        agent, model, running = build()
        alone = await agent.invoke(HI)

        results = await asyncio.gather(*(agent.invoke(HI) for _ in range(1000)))

        assert results == [alone] * 1000
        assert (model.open, running) == (0, set())


@pytest.mark.asyncio
async def test_runs_that_are_cancelled_do_not_disturb_a_thousand_others(clean):
    async with clean():
        agent, model, running = build()
        alone = await agent.invoke(HI)
        tasks = [asyncio.ensure_future(agent.invoke(HI)) for _ in range(1000)]
        for turn in range(20):
            await asyncio.sleep(0)
            for task in tasks[turn::40]:
                task.cancel()
        await asyncio.wait(tasks)

        ended = [None if task.cancelled() else task.result() for task in tasks]
        assert ended.count(None) == 500
        assert [result for result in ended if result] == [alone] * 500
        assert (model.open, running) == (0, set())


@pytest.mark.asyncio
async def test_events_are_given_out_when_they_happen():
    gates = {"model": asyncio.Event(), "tool": asyncio.Event()}

    class Gated:
        model_id = "gated"

        async def stream(self, messages, *, tools=(), **options):
            yield {"choices": [{"delta": {"content": "first"}}]}
            await gates["model"].wait()
            if len(messages) == 1:
                for chunk in turn_chunks(ScriptedTurn(tool_calls=[ToolCall.from_arguments("1", "wait", None)])):
                    yield chunk

    async def wait() -> None:
        await gates["tool"].wait()

    stream = ReActAgent("a", Gated(), tools=[wait]).stream(HI)
    async for event in stream:
        if isinstance(event, TextDelta):
            gates["model"].set()
        if isinstance(event, ToolCall):
            assert not gates["tool"].is_set()
            gates["tool"].set()
            break
    assert isinstance(await anext(stream), ToolResult)
    await stream.aclose()


@pytest.mark.asyncio
async def test_a_model_whose_stream_cannot_be_closed_is_served_too():
    class Plain:
        def __init__(self):
            self.left = list(turn_chunks("ok"))

        def __aiter__(self):
            return self

        async def __anext__(self):
            if not self.left:
                raise StopAsyncIteration
            return self.left.pop(0)

    class Model:
        model_id = "plain"

        def stream(self, messages, *, tools=(), **options):
            return Plain()

    assert (await ReActAgent("a", Model()).invoke(HI)).text == "ok"
