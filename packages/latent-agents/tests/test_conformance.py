"""Every agent here against the conformance kit: generated runs, and what is sent to the model in them."""

import asyncio
from contextlib import aclosing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latent.agents import (
    END,
    BaseAgent,
    FunctionModel,
    GuidedAgent,
    Guideline,
    Journey,
    JourneyStep,
    OpenAICompatibleModel,
    Phase,
    PipelineAgent,
    ReActAgent,
    ToolRetry,
)
from latent.agents.observability import AgentSinkMiddleware, OpenTelemetrySink, OpenTelemetryTracer
from latent.conformance import assert_conforms, check_agent, check_history
from latent.protocol import (
    AgentError,
    Message,
    Metadata,
    StepBoundary,
    TextDelta,
    VerificationResult,
    collect,
    decode_events,
    encode_events,
    message_from_dict,
)
from latent.retriever import retriever

HI = [Message("user", "hi \ud83d")]
NAMES = ("echo", "thread", "fail", "find", "unknown")
EXTRAS = {"retrievers", "phases", "guided", "verification", "think_tags", "odd_wire"}


async def echo(x: int = 0) -> int:
    return x


def thread(x: int = 0) -> None: ...


async def fail(x: int = 0) -> None:
    raise [ToolRetry("again \udc00"), ValueError("\ud83d"), asyncio.CancelledError()][x % 3]


@retriever
async def search(query):
    await asyncio.sleep(0)
    return [f"{query}\ud83d"]


async def find(x: int = 0) -> str:
    await asyncio.gather(search(x), search(x + 1))
    return str(x)


TOOLS = [echo, thread, fail, find]


def delta(**fields):
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": None}]}


def fragment(index, call_id, name, arguments):
    return delta(tool_calls=[{"index": index, "id": call_id, "function": {"name": name, "arguments": arguments}}])


pieces = st.lists(
    st.sampled_from(["", " ", "a", "<think>", "</think>", "<th", "é", "\ud83d", "\ude00", "{"]), max_size=5
)
arguments = st.sampled_from(["", "{}", '{"x": 1}', '{"x": 2', '"{\\"x\\": 3}"', "[1]", "null", '{"y": 1}', "\ud83d"])
calls = st.lists(st.tuples(st.sampled_from(["", "1", "2", None]), st.sampled_from(NAMES), arguments), max_size=4)
usages = st.lists(st.sampled_from([{"prompt_tokens": 5, "completion_tokens": 2}, {"completion_tokens": 9}]), max_size=2)
endings = st.sampled_from(["stop", "tool_calls", "length", None, "break"])


@st.composite
def turns(draw):
    """One response of a model with odd habits: its chunks, the last of them maybe an error."""
    chunks = [delta(reasoning_content=piece) for piece in draw(pieces)]
    chunks += [delta(content=piece) for piece in draw(pieces)]
    for index, (call_id, name, text) in enumerate(draw(calls)):
        cut = draw(st.integers(0, len(text)))
        chunks += [fragment(index, call_id, name, text[:cut]), fragment(index, None, None, text[cut:])]
    chunks += [{"choices": [], "usage": usage} for usage in draw(usages)]
    ending = draw(endings)
    if ending == "break":
        return [*chunks, {"error": {"message": "broken"}}]
    return [*chunks, {"choices": [{"index": 0, "delta": {}, "finish_reason": ending}]}]


def play(script, requests):
    """A model that plays the script by the number of assistant rows, and keeps what it is asked."""

    def model(messages, tools):
        requests.append(messages)
        return script[sum(row["role"] == "assistant" for row in messages) % len(script)]

    return FunctionModel(model)


def judge(messages, text):
    return VerificationResult(len(messages) % 2 == 1, "again")


class Fast(BaseAgent):
    async def fast_response(self, messages, config):
        return "pong"

    async def run(self, messages, config):
        yield Metadata({"a": 1})
        yield StepBoundary(0)
        await search("q")
        yield TextDelta("x")


def agents(model):
    """One agent of each kind over the model."""
    guided = {
        "guidelines": [Guideline("g", "always", "be kind", matches=lambda rows: True), Guideline("h", "maybe", "no")],
        "journeys": [Journey("j", [JourneyStep("one", "do it"), JourneyStep("two")])],
        "matcher": FunctionModel(lambda messages, tools: "h"),
    }
    plain = ReActAgent("r", model, tools=TOOLS, max_iterations=4, instructions="be brief")

    def route(rows, text):
        return END if len(rows) > 5 else "function"

    phases = [Phase("function", lambda rows: "text"), Phase("agent", plain, retries=1, route=route)]
    return [
        plain,
        ReActAgent("v", model, tools=TOOLS, max_iterations=4, verifier=judge),
        GuidedAgent("g", model, tools=TOOLS, max_iterations=4, **guided),
        PipelineAgent("p", phases),
        Fast("f"),
    ]


async def events_of(agent):
    return [event async for event in agent.stream(HI)]


@pytest.mark.parametrize("kind", range(5))
@settings(max_examples=40)
@given(script=st.lists(turns(), min_size=1, max_size=4))
def test_generated_runs_break_no_rule(kind, script):
    requests = []
    agent = agents(play(script, requests))[kind]

    events = asyncio.run(events_of(agent))

    assert_conforms(events, capabilities=EXTRAS)
    assert list(decode_events(encode_events(events))) == events
    for rows in requests:
        report = check_history([message_from_dict(row) for row in rows])
        assert report.verdict != "fail", report.violations


@pytest.mark.parametrize("kind", range(5))
@settings(max_examples=40)
@given(script=st.lists(turns(), min_size=1, max_size=4))
def test_the_buffered_view_is_that_of_the_stream(kind, script):
    agent = agents(play(script, []))[kind]
    seen = []

    async def recorded(events):
        async for event in events:
            seen.append(event)
            yield event

    async def replayed():
        for event in seen:
            yield event

    async def run():
        try:
            result = await agent.invoke(HI, stream_wrapper=recorded)
        except AgentError as error:
            result = error.result
        return result, await collect(replayed())

    result, again = asyncio.run(run())

    assert result == again
    assert result.text == (result.steps[-1].text if result.steps else "")


ALL = {"tools", "parallel_tools", "reasoning", "usage", "odd_wire", "think_tags"}


def react(harness):
    return ReActAgent("r", harness.model, tools=harness.tools, max_iterations=harness.max_iterations)


def over_the_wire(harness):
    model = OpenAICompatibleModel(harness.base_url, harness.model_id, harness.api_key)
    return ReActAgent("r", model, tools=harness.tools, max_iterations=harness.max_iterations)


def verified(harness):
    def accept(messages, text):
        return VerificationResult(True)

    options = {"tools": harness.tools, "max_iterations": harness.max_iterations}
    return ReActAgent("r", harness.model, verifier=accept, **options)


def guided(harness):
    guidelines = [Guideline("g", "always", "be kind", matches=lambda rows: True)]
    journeys = [Journey("j", [JourneyStep("one", "do it"), JourneyStep("two")])]
    options = {"tools": harness.tools, "max_iterations": harness.max_iterations}
    return GuidedAgent("g", harness.model, guidelines=guidelines, journeys=journeys, **options)


class Reading(ReActAgent):
    """Looks something up before the model is called."""

    async def guide(self, guidance, messages, config):
        guidance += await search("q")
        async with aclosing(super().guide(guidance, messages, config)) as events:
            async for event in events:
                yield event


def reading(harness):
    return Reading("r", harness.model, tools=harness.tools, max_iterations=harness.max_iterations)


def pipeline(harness):
    return PipelineAgent("p", [Phase("only", react(harness))])


def drafted(harness):
    return PipelineAgent("p", [Phase("draft", react(harness)), Phase("polish", react(harness))])


def planned(harness):
    plan, polish = ReActAgent("plan", harness.model), ReActAgent("polish", harness.model)
    return PipelineAgent("p", [Phase("plan", plan), Phase("act", react(harness), retries=1), Phase("polish", polish)])


def with_sinks(harness):
    return AgentSinkMiddleware(react(harness), [OpenTelemetrySink(coalesce_text=True)])


class Traced(ReActAgent):
    """Its stream goes through the tracer, as a stream that `invoke` consumes does."""

    def stream(self, messages, *, config=None):
        return OpenTelemetryTracer("traced", config=config)(super().stream(messages, config=config))


def traced(harness):
    return Traced("r", harness.model, tools=harness.tools, max_iterations=harness.max_iterations)


KINDS = [
    (react, set()),
    (over_the_wire, set()),
    (verified, {"verification"}),
    (guided, {"guided"}),
    (pipeline, {"phases"}),
    (drafted, {"phases"}),
    (planned, {"phases"}),
    (reading, {"retrievers"}),
    (with_sinks, set()),
    (traced, set()),
]


@pytest.mark.parametrize(("factory", "extra"), KINDS)
def test_the_kit_passes_every_agent_without_a_deviation(factory, extra):
    report = check_agent(factory, capabilities=ALL | extra)

    assert (report.verdict, report.violations, report.problems) == ("pass", (), ())
