"""Spans of a run, checked against the SDK's exporter in memory."""

import asyncio
import logging
import sys

import pytest
from opentelemetry import context, trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from latent.agents import BaseAgent, FunctionModel, ReActAgent, ScriptedModel, ScriptedTurn
from latent.agents.observability import OpenTelemetryTracer
from latent.protocol import (
    AgentError,
    Error,
    GuidelineMatched,
    LLMCallEnd,
    LLMCallStart,
    Message,
    Metadata,
    RetrieverEnd,
    RetrieverStart,
    StepBoundary,
    TextDelta,
    ToolCall,
    ToolResult,
    Usage,
)
from latent.retriever import retriever

HI = [Message("user", "hi")]


@pytest.fixture
def exported():
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    exporter.provider = provider
    return exporter


class Canned(BaseAgent):
    def __init__(self, *events):
        super().__init__("canned")
        self.events = events

    async def run(self, messages, config):
        for event in self.events:
            yield event


def tree(exported):
    """Each span as (name, its parent's name), in the order in which they began."""
    spans = sorted(exported.get_finished_spans(), key=lambda span: (span.start_time, span.context.span_id))
    by_id = {span.context.span_id: span.name for span in spans}
    return {(span.name, by_id.get(span.parent.span_id) if span.parent else None) for span in spans}


def attributes_of(exported, name):
    (span,) = (span for span in exported.get_finished_spans() if span.name == name)
    return dict(span.attributes)


@retriever
async def search(query: str):
    return ["a document"]


async def look(q: str) -> str:
    await search(q)
    return q.upper()


@pytest.mark.asyncio
async def test_a_run_is_a_tree_of_spans_with_the_names_of_the_conventions(exported):
    call = ToolCall.from_arguments("c1", "look", {"q": "x"})
    turns = [ScriptedTurn("Let", tool_calls=[call], input_tokens=5, output_tokens=2), ScriptedTurn("X", input_tokens=7)]
    agent = ReActAgent("demo", ScriptedModel(turns, model_id="m"), tools=[look])
    config = {"conversation_id": "conv"}
    tracer = OpenTelemetryTracer(
        "demo", config=config, tracer_provider=exported.provider, provider_name="acme", capture_content=True
    )

    result = await agent.invoke(HI, stream_wrapper=tracer, config=config)

    assert result.text == "X"
    assert tree(exported) == {
        ("invoke_agent demo", None),
        ("step 0", "invoke_agent demo"),
        ("chat m", "step 0"),
        ("execute_tool look", "step 0"),
        ("retrieval search", "execute_tool look"),
        ("step 1", "invoke_agent demo"),
        ("chat m", "step 1"),
    }
    assert attributes_of(exported, "invoke_agent demo") == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "demo",
        "gen_ai.conversation.id": "conv",
        "gen_ai.usage.input_tokens": 12,
        "gen_ai.usage.output_tokens": 2,
    }
    assert attributes_of(exported, "step 1") == {"latent.step.number": 1}
    assert attributes_of(exported, "execute_tool look") == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "look",
        "gen_ai.tool.call.id": "c1",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.arguments": '{"q":"x"}',
        "gen_ai.tool.call.result": "X",
    }
    assert attributes_of(exported, "retrieval search") == {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.data_source.id": "search",
        "gen_ai.retrieval.query.text": "x",
        "gen_ai.retrieval.documents": "['a document']",
    }
    chats = [span for span in exported.get_finished_spans() if span.name == "chat m"]
    assert [span.kind for span in chats] == [trace.SpanKind.CLIENT] * 2
    first = dict(chats[0].attributes)
    assert first.pop("gen_ai.response.time_to_first_chunk") >= 0
    assert first == {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m",
        "gen_ai.provider.name": "acme",
        "gen_ai.usage.input_tokens": 5,
        "gen_ai.usage.output_tokens": 2,
    }


@pytest.mark.asyncio
async def test_times_are_those_of_the_events_and_usage_may_come_on_either_side(exported):
    events = [
        StepBoundary(0),
        LLMCallStart("1", "", "m", 100.0),
        Usage(9, 1, "m", 2, 3),
        LLMCallEnd("1", None, 9, 1, "m", 101.5),
        LLMCallStart("2", "", "n", 102.0),
        LLMCallEnd("2", None, 9, 1, "n", 101.0),
        Usage(9, 1, "n", 0, 4),
        RetrieverStart("r", "q", "s", 103.0),
        RetrieverEnd("r", [], "s", 104.0),
    ]
    tracer = OpenTelemetryTracer("a", tracer_provider=exported.provider)
    async for _ in tracer(Canned(*events).stream(HI)):
        pass

    spans = {span.name: span for span in exported.get_finished_spans()}
    assert (spans["chat m"].start_time, spans["chat m"].end_time) == (100 * 10**9, 101_500_000_000)
    assert (spans["chat n"].start_time, spans["chat n"].end_time) == (102 * 10**9, 102 * 10**9)
    assert (spans["retrieval s"].start_time, spans["retrieval s"].end_time) == (103 * 10**9, 104 * 10**9)
    assert spans["chat m"].attributes["gen_ai.usage.cache_read.input_tokens"] == 3
    assert spans["chat m"].attributes["gen_ai.usage.cache_write.input_tokens"] == 2
    assert spans["chat n"].attributes["gen_ai.usage.cache_read.input_tokens"] == 4
    assert "gen_ai.retrieval.query.text" not in spans["retrieval s"].attributes


@pytest.mark.asyncio
async def test_labels_metadata_and_markers_are_carried(exported):
    events = [
        Metadata({"tenant": "t"}),
        StepBoundary(0, "fast_response"),
        Metadata({"cached": True}, "step"),
        GuidelineMatched("g", "w", "t"),
        TextDelta("x"),
    ]
    async for _ in OpenTelemetryTracer("a", tracer_provider=exported.provider)(Canned(*events).stream(HI)):
        pass

    assert attributes_of(exported, "invoke_agent a")["tenant"] == "t"
    assert attributes_of(exported, "step 0") == {
        "latent.step.number": 0,
        "latent.step.label": "fast_response",
        "cached": True,
    }
    (step,) = (span for span in exported.get_finished_spans() if span.name == "step 0")
    assert [event.name for event in step.events] == ["latent.guideline_matched"]


@pytest.mark.asyncio
async def test_failures_show_on_their_spans(exported):
    call = ToolCall.from_arguments("1", "f", None)
    events = [StepBoundary(0), call, ToolResult("1", error="ValueError: bad"), Error("it went wrong")]
    with pytest.raises(AgentError):
        await Canned(*events).invoke(HI, stream_wrapper=OpenTelemetryTracer("a", tracer_provider=exported.provider))

    spans = {span.name: span for span in exported.get_finished_spans()}
    tool, agent = spans["execute_tool f"], spans["invoke_agent a"]
    assert (tool.status.status_code, tool.status.description) == (trace.StatusCode.ERROR, "ValueError: bad")
    assert tool.attributes["error.type"] == "ValueError"
    assert (agent.status.status_code, agent.status.description) == (trace.StatusCode.ERROR, "it went wrong")
    assert agent.attributes["error.type"] == "_OTHER"


@pytest.mark.asyncio
async def test_leaving_early_ends_every_span(exported):
    async def stuck(messages, tools):
        yield "x"
        await asyncio.Event().wait()

    agent = ReActAgent("a", FunctionModel(stuck))
    tracer = OpenTelemetryTracer("a", tracer_provider=exported.provider)
    stream = tracer(agent.stream(HI))
    async for event in stream:
        if isinstance(event, TextDelta):
            break
    assert not trace.get_current_span().is_recording()
    await stream.aclose()

    assert tree(exported) == {("invoke_agent a", None), ("step 0", "invoke_agent a"), ("chat function", "step 0")}
    assert attributes_of(exported, "invoke_agent a")["latent.cancelled"] is True


@pytest.mark.asyncio
@pytest.mark.parametrize("as_carrier", [True, False])
async def test_the_runs_span_is_a_child_of_the_given_context(exported, as_carrier):
    carrier = {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
    parent = trace.SpanContext(0x0AF7651916CD43DD8448EB211C80319C, 0xB7AD6B7169203331, True, trace.TraceFlags(1))
    given = carrier if as_carrier else trace.set_span_in_context(trace.NonRecordingSpan(parent), context.Context())
    tracer = OpenTelemetryTracer("a", config={"otel_context": given}, tracer_provider=exported.provider)
    async for _ in tracer(Canned(StepBoundary(0)).stream(HI)):
        pass

    (agent,) = (span for span in exported.get_finished_spans() if span.name == "invoke_agent a")
    assert (agent.context.trace_id, agent.parent.span_id) == (parent.trace_id, parent.span_id)


@pytest.mark.asyncio
async def test_events_pass_unchanged_whatever_the_tracer_meets(exported, caplog):
    class Unprintable:
        def __str__(self):
            raise ValueError

    events = [StepBoundary(0), ToolCall.from_arguments("1", "f", None), ToolResult("1", Unprintable()), TextDelta("x")]
    tracer = OpenTelemetryTracer("a", tracer_provider=exported.provider, capture_content=True)
    with caplog.at_level(logging.WARNING):
        passed = [event async for event in tracer(Canned(*events).stream(HI))]

    assert all(a is b for a, b in zip(passed, events, strict=True))
    assert "tracing of ToolResult failed" in caplog.text


@pytest.mark.asyncio
async def test_runs_at_once_do_not_mix(exported):
    agent = ReActAgent("a", ScriptedModel(["x"]))
    tracer = OpenTelemetryTracer("a", tracer_provider=exported.provider)

    await asyncio.gather(*(agent.invoke(HI, stream_wrapper=tracer) for _ in range(20)))

    spans = exported.get_finished_spans()
    assert len(spans) == 60
    assert len({span.context.trace_id for span in spans}) == 20


@pytest.mark.asyncio
async def test_without_opentelemetry_the_events_pass(monkeypatch):
    monkeypatch.setitem(sys.modules, "opentelemetry.trace", None)
    stream = Canned(StepBoundary(0)).stream(HI)

    assert OpenTelemetryTracer("a")(stream) is stream
    await stream.aclose()
