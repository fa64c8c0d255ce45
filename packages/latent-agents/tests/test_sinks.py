"""What the sinks make of events."""

import json
import logging
import sys

import pytest
import structlog
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from latent.agents.observability._attributes import attributes, event_name
from latent.agents.observability.sinks import AgentEventSink, OpenTelemetrySink, StructlogSink
from latent.protocol import (
    AgentEvent,
    LLMCallEnd,
    LLMCallStart,
    Metadata,
    ReasoningDelta,
    RetrieverEnd,
    StepBoundary,
    TextDelta,
    ToolCall,
    ToolResult,
    UnknownEvent,
    Usage,
    encode_event,
)


@pytest.fixture
def spans():
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    exporter.tracer = provider.get_tracer("test")
    return exporter


class Unprintable:
    def __str__(self):
        raise ValueError("no text")


class MyOwnHTTPEvent(AgentEvent, frozen=True):
    found: dict


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (StepBoundary(0), {"step": 0}),
        (StepBoundary(1, "fast_response"), {"step": 1, "label": "fast_response"}),
        (TextDelta("x" * 20), {"text": "xxxx…"}),
        (
            ToolCall.from_arguments("1", "f", {"a": 1}),
            {"id": "1", "function.name": "f", "function.arguments": '{"a"…', "type": "function"},
        ),
        (ToolResult("1", {"a": 1}), {"tool_call_id": "1", "output": "{'a'…"}),
        (ToolResult("1", Unprintable()), {"tool_call_id": "1", "output": "Unprintable"}),
        (ToolResult("1", 2**70), {"tool_call_id": "1", "output": "1180…"}),
        (ToolResult("1", float("nan"), "e"), {"tool_call_id": "1", "output": "nan", "error": "e"}),
        (RetrieverEnd("1", ["a", "b"]), {"run_id": "1", "documents": "[a, …", "timestamp": 0.0}),
        (Metadata({"k": True}), {"attributes.k": True, "target": "turn"}),
        (MyOwnHTTPEvent({"a": None}), {"found": "{'a'…"}),
    ],
)
def test_attributes_are_flat_primitive_and_short(event, expected):
    assert attributes(event, 5) == expected


def test_names_are_those_of_the_wire():
    for event in (LLMCallStart("r", ""), TextDelta(""), Usage(), MyOwnHTTPEvent({})):
        assert event_name(type(event)) == json.loads(encode_event(event))["event"]


@pytest.mark.asyncio
async def test_structlog_gets_a_record_for_each_event():
    sink = StructlogSink(max_text_chars=3)
    assert isinstance(sink, AgentEventSink)

    with structlog.testing.capture_logs() as logs:
        structlog.configure(processors=structlog.get_config()["processors"])
        sink = StructlogSink(max_text_chars=3, level=logging.WARNING)
        await sink.emit(TextDelta("long text"))
        await sink.emit(LLMCallEnd("r", timestamp=5.0))
        await sink.emit(UnknownEvent("tag", b"{}"))
    structlog.reset_defaults()

    assert logs == [
        {"event": "text_delta", "text": "lo…", "log_level": "warning"},
        {
            "event": "llm_call_end",
            "run_id": "r",
            "input_tokens": 0,
            "output_tokens": 0,
            "event_timestamp": 5.0,
            "log_level": "warning",
        },
        {"event": "unknown_event", "event_event": "tag", "data": "b'…", "log_level": "warning"},
    ]


@pytest.mark.asyncio
async def test_without_a_configuration_the_standard_logger_and_its_levels_apply(caplog, capsys):
    sink = StructlogSink("my.agents")
    with caplog.at_level(logging.WARNING, "my.agents"):
        await sink.emit(TextDelta("hidden"))
    with caplog.at_level(logging.INFO, "my.agents"):
        await sink.emit(TextDelta("shown"))

    assert [(record.name, record.levelname, record.message, record.text) for record in caplog.records] == [
        ("my.agents", "INFO", "text_delta", "shown")
    ]
    assert capsys.readouterr() == ("", "")


def test_without_structlog_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "structlog", None)

    with pytest.raises(ModuleNotFoundError, match=r"latent-agents\[structlog\]"):
        StructlogSink()


@pytest.mark.asyncio
async def test_opentelemetry_gets_a_span_event_for_each_event(spans):
    sink = OpenTelemetrySink(max_text_chars=4)
    await sink.emit(TextDelta("no span is recording"))
    with spans.tracer.start_as_current_span("active"):
        await sink.emit(StepBoundary(0))
        await sink.emit(TextDelta("a long text"))

    (span,) = spans.get_finished_spans()
    assert [(event.name, dict(event.attributes)) for event in span.events] == [
        ("latent.step_boundary", {"latent.step": 0}),
        ("latent.text_delta", {"latent.text": "a l…"}),
    ]


@pytest.mark.asyncio
async def test_neighbouring_deltas_are_joined_when_asked(spans):
    sink = OpenTelemetrySink(max_text_chars=6, coalesce_text=True)
    with spans.tracer.start_as_current_span("one"):
        for text in ("abc", "def", "ghi"):
            await sink.emit(TextDelta(text))
        await sink.emit(ReasoningDelta("r"))
        await sink.emit(StepBoundary(1))
        await sink.emit(TextDelta("x"))
    with spans.tracer.start_as_current_span("two"):
        await sink.emit(TextDelta("y"))
        sink.finish()
        sink.finish()

    one, two = spans.get_finished_spans()
    assert [(event.name, dict(event.attributes)) for event in one.events] == [
        ("latent.text_delta", {"latent.text": "abcde…", "latent.deltas": 3}),
        ("latent.reasoning_delta", {"latent.text": "r", "latent.deltas": 1}),
        ("latent.step_boundary", {"latent.step": 1}),
    ]
    assert [dict(event.attributes) for event in two.events] == [{"latent.text": "y", "latent.deltas": 1}]


@pytest.mark.asyncio
async def test_without_opentelemetry_the_sink_does_nothing(monkeypatch):
    monkeypatch.setitem(sys.modules, "opentelemetry.trace", None)

    assert await OpenTelemetrySink().emit(TextDelta("x")) is None


@pytest.mark.parametrize("sink", [StructlogSink, OpenTelemetrySink])
@pytest.mark.parametrize("limit", [-1, 1.5, True, None])
def test_a_limit_that_is_none_is_refused(sink, limit):
    with pytest.raises(ValueError, match="max_text_chars"):
        sink(max_text_chars=limit)


def test_no_span_is_left_active():
    assert not trace.get_current_span().is_recording()
