"""The examples of the contract, run as they are written; a scripted model stands where they name a hosted one."""

import dataclasses
import inspect
import logging
from typing import get_type_hints

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import latent.agents.invoke
import latent.events
import latent.protocol
import latent.retriever
from latent.agents import (
    CallMetrics,
    GuidedAgent,
    Phase,
    PipelineAgent,
    ReActAgent,
    ScriptedModel,
    ScriptedTurn,
    collect_call_metrics,
)
from latent.agents.observability.sink_middleware import AgentSinkMiddleware
from latent.agents.observability.sinks import AgentEventSink, OpenTelemetrySink, StructlogSink
from latent.protocol import (
    AgentEvent,
    AgentProtocol,
    Error,
    FunctionCall,
    InvokeResult,
    LLMCallEnd,
    LLMCallStart,
    Message,
    ReasoningDelta,
    RetrieverEnd,
    RetrieverStart,
    Step,
    StepBoundary,
    StreamWrapper,
    TextDelta,
    ToolCall,
    ToolResult,
    Usage,
)

CALL = ToolCall.from_arguments(id="c1", name="my_tool", arguments={"x": 1})
USE = [Message(role="user", content="Use the tool")]
REQUIRED = dataclasses.MISSING


def my_tool(x: int) -> int:
    """Double a number."""
    return 2 * x


def demo(**options):
    turns = [
        ScriptedTurn("Let me see.", reasoning="A tool.", tool_calls=[CALL], input_tokens=5, output_tokens=3),
        ScriptedTurn(["It is ", "2."], input_tokens=9, output_tokens=4),
    ]
    return ReActAgent(name="demo", model=ScriptedModel(turns), tools=[my_tool], **options)


def test_one_import_surface_gives_the_types_of_every_home():
    events = [AgentEvent, TextDelta, ReasoningDelta, LLMCallStart, LLMCallEnd, ToolCall, ToolResult, RetrieverStart]
    events += [RetrieverEnd, StepBoundary, Usage, Error]

    assert all(issubclass(event, AgentEvent) for event in events)
    assert not any(issubclass(value, AgentEvent) for value in (Message, FunctionCall, Step, InvokeResult))
    for kind in (Message, FunctionCall, *events):
        assert getattr(latent.events, kind.__name__) is kind
    for kind in (Step, InvokeResult):
        assert getattr(latent.agents.invoke, kind.__name__) is kind


def test_a_named_model_builds_and_has_the_agents_shape_without_a_key():
    agent = ReActAgent(name="qa", model="gpt-4o")

    assert isinstance(agent, AgentProtocol)


def test_every_agent_has_the_shape_and_a_pipeline_inherits_both_entry_points():
    pipeline = PipelineAgent("p", [Phase("only", demo())])

    assert isinstance(pipeline, AgentProtocol)
    assert isinstance(GuidedAgent("g", "gpt-4o"), AgentProtocol)
    assert not {"stream", "invoke"} & vars(PipelineAgent).keys()


def test_the_two_entry_points_take_what_the_contract_names():
    stream, invoke = inspect.signature(ReActAgent.stream), inspect.signature(ReActAgent.invoke)

    assert list(stream.parameters) == ["self", "messages", "config"]
    assert list(invoke.parameters) == ["self", "messages", "stream_wrapper", "config"]
    optional = [stream.parameters["config"], invoke.parameters["stream_wrapper"], invoke.parameters["config"]]
    assert all(each.kind is inspect.Parameter.KEYWORD_ONLY and each.default is None for each in optional)


@pytest.mark.asyncio
async def test_events_are_matched_by_class_as_they_come(capsys):
    agent = demo()

    async for event in agent.stream([Message(role="user", content="Use the tool")]):
        match event:
            case TextDelta():
                print(event.text, end="", flush=True)
            case ToolCall():
                print(f"\n→ {event.function.name}({event.function.arguments})")

    assert capsys.readouterr().out == 'Let me see.\n→ my_tool({"x":1})\nIt is 2.'


@pytest.mark.asyncio
async def test_each_step_of_the_buffered_view_has_its_own_fields(capsys):
    agent = demo()

    result = await agent.invoke([Message(role="user", content="Use the tool, then answer")])
    print(result.text)
    for step in result.steps:
        print(step.reasoning)
        print([call.id for call in step.tool_calls])
        print([(row.role, row.tool_call_id, row.content) for row in step.tool_messages])

    said = ["It is 2.", "A tool.", "['c1']", "[('tool', 'c1', '2')]", "", "[]", "[]", ""]
    assert capsys.readouterr().out.split("\n") == said
    assert result.steps[0].text == "Let me see."


@pytest.mark.asyncio
async def test_a_stream_wrapper_sees_what_invoke_consumes():
    seen: list[AgentEvent] = []

    async def wrapped(events):
        async for event in events:
            seen.append(event)
            yield event

    wrapper: StreamWrapper = wrapped
    result = await demo().invoke(USE, stream_wrapper=wrapper)

    assert [event.step for event in seen if isinstance(event, StepBoundary)] == [step.step for step in result.steps]


@pytest.mark.asyncio
async def test_a_step_is_copied_into_the_history_and_the_run_goes_on():
    history = list(USE)
    result = await demo().invoke(history)

    for step in result.steps:
        history.append(Message(role="assistant", tool_calls=step.tool_calls))
        history.extend(step.tool_messages)

    assert history[1:3] == [
        Message(role="assistant", tool_calls=[CALL]),
        Message(role="tool", tool_call_id="c1", content=str(2)),
    ]
    again = ReActAgent("again", ScriptedModel(["", "", "Done."]), tools=[my_tool])
    assert (await again.invoke([*history, Message(role="user", content="And now?")])).text == "Done."


@pytest.mark.asyncio
async def test_metrics_are_summed_from_the_events_of_a_stream():
    events = [event async for event in demo().stream([Message(role="user", content="hi")])]

    metrics: CallMetrics = collect_call_metrics(events)

    assert isinstance(metrics.duration_seconds, float)
    assert (metrics.input_tokens, metrics.output_tokens, metrics.total_tokens) == (14, 7, 21)


@pytest.mark.asyncio
async def test_sinks_get_every_event_which_pass_unchanged(caplog):
    sinks: list[AgentEventSink] = [StructlogSink(), OpenTelemetrySink(max_text_chars=500)]
    wrapped = AgentSinkMiddleware(demo(), sinks=sinks)
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))

    events = []
    with caplog.at_level(logging.INFO, "latent.agents"), provider.get_tracer("t").start_as_current_span("run"):
        async for event in wrapped.stream([Message(role="user", content="hi")]):
            events.append(event)

    assert all(isinstance(sink, AgentEventSink) for sink in sinks)
    assert len(events) == len(caplog.records) == len(exporter.get_finished_spans()[0].events)
    assert isinstance(wrapped, AgentProtocol)


def test_the_sinks_have_the_defaults_that_the_contract_names():
    structlog, otel = inspect.signature(StructlogSink), inspect.signature(OpenTelemetrySink)

    assert {name: each.default for name, each in structlog.parameters.items()} == {
        "logger_name": "latent.agents",
        "level": logging.INFO,
        "max_text_chars": 500,
    }
    assert next(iter(otel.parameters.items()))[0] == "max_text_chars"
    assert otel.parameters["max_text_chars"].default == 500


FIELDS = {
    "AgentEvent": {},
    "Error": {"message": REQUIRED},
    "FunctionCall": {"name": REQUIRED, "arguments": REQUIRED},
    "GuidelineMatched": {"guideline_id": REQUIRED, "when": REQUIRED, "then": REQUIRED},
    "JourneyCompleted": {"journey_name": REQUIRED, "conversation_id": REQUIRED},
    "JourneyStepAdvanced": {
        "journey_name": REQUIRED,
        "step_name": REQUIRED,
        "step_index": REQUIRED,
        "conversation_id": REQUIRED,
    },
    "LLMCallEnd": {
        "run_id": REQUIRED,
        "output_preview": None,
        "input_tokens": 0,
        "output_tokens": 0,
        "model_id": None,
        "timestamp": 0.0,
    },
    "LLMCallStart": {"run_id": REQUIRED, "input_preview": REQUIRED, "model_id": None, "timestamp": 0.0},
    "Message": {"role": REQUIRED, "content": "", "id": None, "tool_calls": None, "tool_call_id": None},
    "Metadata": {"attributes": REQUIRED, "target": "turn"},
    "PhaseCompleted": {"phase_name": REQUIRED, "output_preview": None},
    "PhaseRouted": {"from_phase": REQUIRED, "to_phase": REQUIRED, "reason": None},
    "PhaseStarted": {"phase_name": REQUIRED, "retry_count": 0},
    "ReasoningDelta": {"text": REQUIRED},
    "RetrieverEnd": {
        "run_id": REQUIRED,
        "documents": REQUIRED,
        "name": None,
        "timestamp": 0.0,
        "parent_run_id": None,
    },
    "RetrieverStart": {"run_id": REQUIRED, "query": REQUIRED, "name": None, "timestamp": 0.0, "parent_run_id": None},
    "Step": {"step": REQUIRED, "reasoning": "", "text": "", "tool_calls": [], "tool_messages": []},
    "StepBoundary": {"step": REQUIRED, "label": None},
    "TextDelta": {"text": REQUIRED},
    "ToolCall": {"id": REQUIRED, "function": REQUIRED, "type": "function"},
    "ToolResult": {"tool_call_id": REQUIRED, "output": None, "error": None},
    "Usage": {
        "input_tokens": 0,
        "output_tokens": 0,
        "model_id": None,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
    },
    "VerificationResult": {"accepted": REQUIRED, "feedback": None, "tools_triggered": None},
}
"""Type -> its fields in order, and their defaults."""

GIVEN = {
    "str": "a",
    "int": 1,
    "bool": True,
    "function": FunctionCall("a", "{}"),
    "documents": ["a"],
    "attributes": {"a": 1},
}


@pytest.mark.parametrize("name", FIELDS)
def test_every_type_has_the_fields_of_the_contract_in_its_order(name):
    kind, wanted = getattr(latent.protocol, name), FIELDS[name]

    assert dataclasses.is_dataclass(kind)
    assert [each.name for each in dataclasses.fields(kind)] == list(wanted)
    assert hasattr(latent.events, name) or name == "Step"


@pytest.mark.parametrize("name", FIELDS)
def test_every_type_is_built_by_position_and_has_the_defaults_of_the_contract(name):
    kind, wanted = getattr(latent.protocol, name), FIELDS[name]
    hints = get_type_hints(kind)
    required = [field for field, default in wanted.items() if default is REQUIRED]
    given = [GIVEN.get(field, GIVEN.get(getattr(hints[field], "__name__", ""), "a")) for field in required]

    built = kind(*given)

    defaults = {field: default for field, default in wanted.items() if default is not REQUIRED}
    assert [getattr(built, field) for field in required] == given
    assert {field: getattr(built, field) for field in defaults} == defaults
    assert kind(*given, *defaults.values()) == built
    assert kind(**dict(zip(required, given, strict=True)), **defaults) == built


def test_the_result_begins_with_the_fields_of_the_contract():
    names = [each.name for each in dataclasses.fields(InvokeResult)]

    assert names[:2] == ["text", "steps"]
    assert InvokeResult("a", [Step(0)]) == InvokeResult(text="a", steps=[Step(step=0)])


def test_arguments_are_json_text_from_native_values():
    call = ToolCall.from_arguments(id="c1", name="t", arguments={"x": 1})

    assert call == ToolCall("c1", FunctionCall("t", '{"x":1}'), "function")
    assert ToolCall.with_arguments("c1", "t", {"x": 1}) == call
    assert ToolCall.from_arguments("c1", "t", '{"x":1}') == call
    assert ToolCall.from_arguments("c1", "t", None).function.arguments == "{}"


def test_cached_tokens_are_inside_the_input_tokens():
    assert Usage(10, 2, "m", 3, 4).uncached_input_tokens == 3


def test_metadata_keeps_a_copy_that_cannot_be_changed():
    given = {"a": 1}
    event = latent.events.Metadata(given, "step")
    given["b"] = 2

    assert isinstance(event.attributes, latent.events.MetadataAttributes)
    assert event.attributes == {"a": 1}
    with pytest.raises(TypeError):
        event.attributes["b"] = 2


@pytest.mark.asyncio
async def test_a_decorated_function_reports_a_pair_with_one_id():
    @latent.retriever.retriever
    async def documents(query: str) -> list[str]:
        return [f"about {query}"]

    async def look_up(q: str) -> str:
        return (await documents(q))[0]

    call = ToolCall.from_arguments("c1", "look_up", {"q": "tea"})
    model = ScriptedModel([ScriptedTurn(tool_calls=[call]), "Tea."])
    events = [event async for event in ReActAgent("r", model, tools=[look_up]).stream(USE)]

    start, end = (event for event in events if isinstance(event, (RetrieverStart, RetrieverEnd)))
    assert (start.query, start.name, end.documents, end.run_id) == ("tea", "documents", ["about tea"], start.run_id)
