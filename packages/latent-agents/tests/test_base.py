"""What `BaseAgent` keeps around an agent's own code."""

import asyncio

import pytest

from latent.agents import BaseAgent, EchoModel, ReActAgent
from latent.protocol import (
    AgentError,
    AgentProtocol,
    Error,
    InvokeResult,
    LLMCallEnd,
    LLMCallStart,
    Message,
    Metadata,
    RetrieverEnd,
    RetrieverStart,
    Step,
    StepBoundary,
    TextDelta,
    ToolCall,
    ToolResult,
)
from latent.retriever import retriever

HI = [Message("user", "hi")]
CALL = ToolCall.from_arguments("1", "f", None)


class Canned(BaseAgent):
    """Yields what it is given; an exception is raised."""

    def __init__(self, *events):
        super().__init__("canned")
        self.events = events
        self.closed = False

    async def run(self, messages, config):
        try:
            for event in self.events:
                if isinstance(event, Exception):
                    raise event
                yield event
        finally:
            self.closed = True


async def events_of(agent, history=HI, config=None):
    return [event async for event in agent.stream(history, config=config)]


@pytest.mark.asyncio
async def test_the_hooks_events_pass_unchanged():
    events = [Metadata({"a": 1}), StepBoundary(0), TextDelta("x")]
    agent = Canned(*events)

    assert isinstance(agent, AgentProtocol)
    assert all(a is b for a, b in zip(await events_of(agent), events, strict=True))
    assert await agent.invoke(HI) == InvokeResult("x", [Step(0, text="x")])


@pytest.mark.asyncio
@pytest.mark.parametrize("last", [ValueError("x"), Error("ValueError: x")])
async def test_a_failure_closes_what_is_open_and_is_the_last_event(last):
    start = LLMCallStart("r", "", "m", 5e9)
    agent = Canned(
        StepBoundary(0), CALL, ToolCall.from_arguments("2", "f", None), ToolResult("2"), start, last, TextDelta("late")
    )

    assert await events_of(agent) == [
        StepBoundary(0),
        CALL,
        ToolCall.from_arguments("2", "f", None),
        ToolResult("2"),
        start,
        LLMCallEnd("r", model_id="m", timestamp=5e9),
        ToolResult("1", error="Not finished: ValueError: x"),
        Error("ValueError: x"),
    ]
    assert agent.closed


@pytest.mark.asyncio
async def test_invoke_raises_for_a_failed_run_and_gives_what_came():
    with pytest.raises(AgentError, match="gone") as raised:
        await Canned(StepBoundary(0), TextDelta("x"), ConnectionError("gone")).invoke(HI)

    assert raised.value.result == InvokeResult("x", [Step(0, text="x")], "ConnectionError: gone")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("messages", "config", "error", "said"),
    [
        ([], None, ValueError, "at least one message"),
        (["hi"], None, TypeError, r"got `str` - at messages\[0\]"),
        ([*HI, {"role": "user"}], None, TypeError, r"messages\[1\]"),
        (HI, [], TypeError, "`config`"),
        (HI, {"otel_context": 3}, TypeError, "`otel_context`"),
        (3, None, TypeError, "int"),
    ],
)
async def test_misuse_is_refused_before_the_first_event(messages, config, error, said):
    agent = Canned(StepBoundary(0))
    stream = agent.stream(messages, config=config)

    with pytest.raises(error, match=said):
        await anext(stream)
    assert not agent.closed


@pytest.mark.asyncio
@pytest.mark.parametrize("config", [None, {}, {"unknown": 1, "conversation_id": "c", "otel_context": None}])
async def test_absent_empty_and_unknown_config_work(config):
    assert len(await events_of(Canned(StepBoundary(0)), config=config)) == 1


@pytest.mark.asyncio
async def test_a_fast_response_is_a_step_of_its_own_kind_and_asks_no_model():
    class Quick(ReActAgent):
        async def fast_response(self, messages, config):
            return "pong" if messages[-1].content == "ping" else None

    agent = Quick("q", EchoModel())

    assert await events_of(agent, [Message("user", "ping")]) == [
        StepBoundary(0, label="fast_response"),
        TextDelta("pong"),
    ]
    assert (await agent.invoke(HI)).text == "hi"


@pytest.mark.asyncio
async def test_a_subclass_may_add_to_the_hook_of_its_base():
    class Marked(ReActAgent):
        async def run(self, messages, config):
            yield Metadata({"tenant": "t"})
            async for event in super().run(messages, config):
                yield event

    events = await events_of(Marked("m", EchoModel()))

    assert events[:2] == [Metadata({"tenant": "t"}), StepBoundary(0)]


@pytest.mark.asyncio
async def test_a_hook_that_is_no_generator_is_refused():
    class Wrong(BaseAgent):
        def run(self, messages, config):
            return [StepBoundary(0)]

    with pytest.raises(TypeError, match="async generator, got `list`"):
        await anext(Wrong("w").stream(HI))


@pytest.mark.asyncio
async def test_retrievers_called_by_the_hook_report_before_its_next_event():
    @retriever
    async def search(query):
        return [query]

    class Searching(BaseAgent):
        async def run(self, messages, config):
            yield StepBoundary(0)
            await search("a")
            yield TextDelta("x")
            asyncio.get_running_loop().call_soon(lambda: None)
            await search("b")

    events = await events_of(Searching("s"))

    assert [type(event) for event in events] == [
        StepBoundary,
        RetrieverStart,
        RetrieverEnd,
        TextDelta,
        RetrieverStart,
        RetrieverEnd,
    ]


@pytest.mark.asyncio
async def test_the_opentelemetry_context_is_current_in_the_run_and_nowhere_else():
    from opentelemetry import context, trace

    carrier = {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
    key = context.create_key("k")
    seen = []

    class Looking(BaseAgent):
        async def run(self, messages, config):
            for _ in range(2):
                seen.append((context.get_value(key), trace.get_current_span().get_span_context().trace_id))
                yield StepBoundary(len(seen))

    for given in (carrier, context.set_value(key, "v")):
        async for _ in Looking("l").stream(HI, config={"otel_context": given}):
            assert context.get_value(key) is None
            assert not trace.get_current_span().get_span_context().is_valid

    assert seen == [(None, 0x0AF7651916CD43DD8448EB211C80319C)] * 2 + [("v", 0)] * 2


@pytest.mark.asyncio
async def test_what_the_consumer_retrieves_between_events_is_not_the_runs():
    @retriever
    def search(query):
        return [query]

    seen = []
    async for event in Canned(StepBoundary(0), TextDelta("x")).stream(HI):
        search("mine")
        seen.append(event)

    assert seen == [StepBoundary(0), TextDelta("x")]


@pytest.mark.asyncio
async def test_a_hook_that_changes_its_list_does_not_change_the_callers():
    class Greedy(BaseAgent):
        async def run(self, messages, config):
            messages.clear()
            yield StepBoundary(0)

    history = list(HI)
    await events_of(Greedy("g"), history)

    assert history == HI


@pytest.mark.asyncio
@pytest.mark.parametrize("item", [None, "text", {"event": "error"}])
async def test_what_is_no_event_fails_the_run(item):
    events = await events_of(Canned(StepBoundary(0), item, TextDelta("x")))

    assert events == [StepBoundary(0), Error(f"TypeError: Expected an AgentEvent, got `{type(item).__name__}`")]
