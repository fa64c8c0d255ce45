"""The helpers of this package against the kit's rules about libraries."""

import pytest

from latent.agents import (
    FunctionModel,
    GuidedAgent,
    Journey,
    JourneyStep,
    ReActAgent,
    ScriptedModel,
    ScriptedTurn,
    collect_call_metrics,
)
from latent.agents.observability import AgentSinkMiddleware, OpenTelemetrySink, StructlogSink
from latent.conformance import (
    RULES,
    check_consumer,
    check_conversation_id,
    check_metadata,
    check_metrics,
    check_otel_sink,
    check_retriever,
    check_sink,
    check_sink_middleware,
    check_usage,
)
from latent.protocol import Message, Metadata, StepBoundary, TextDelta, ToolCall, Usage
from latent.retriever import retriever, with_retrievals


async def of_a_stream(work):
    """The events of a stream in which `work` is done."""

    async def events():
        yield StepBoundary(0)
        await work()
        yield TextDelta("done")

    return [event async for event in with_retrievals(events())]


async def of_a_tool(work):
    """The events of a run in which a tool does `work`."""

    async def use() -> str:
        await work()
        return "used"

    turns = [ScriptedTurn(tool_calls=[ToolCall.from_arguments("1", "use", None)]), "done"]
    agent = ReActAgent("a", ScriptedModel(turns), tools=[use])
    return [event async for event in agent.stream([Message("user", "hi")])]


async def of_a_journey(config):
    journey = Journey("return", steps=[JourneyStep("number", "Ask for it."), JourneyStep("reason", "Ask for it.")])
    agent = GuidedAgent("g", FunctionModel(lambda rows, tools: "Well."), journeys=[journey])
    return [event async for event in agent.stream([Message("user", "hi")], config=config)]


JUDGED = {
    "middleware": lambda: check_sink_middleware(AgentSinkMiddleware),
    "structlog": lambda: check_sink(StructlogSink),
    "opentelemetry": lambda: check_sink(OpenTelemetrySink),
    "opentelemetry, joined": lambda: check_sink(lambda: OpenTelemetrySink(coalesce_text=True)),
    "spans": lambda: check_otel_sink(OpenTelemetrySink),
    "spans, joined": lambda: check_otel_sink(lambda: OpenTelemetrySink(coalesce_text=True)),
    "retriever": lambda: check_retriever(retriever, of_a_stream),
    "retriever in a tool": lambda: check_retriever(retriever(name="index"), of_a_tool),
    "journey": lambda: check_conversation_id(of_a_journey),
    "metrics": lambda: check_metrics(collect_call_metrics),
    "metrics of any events": lambda: check_consumer(collect_call_metrics),
    "metadata": lambda: check_metadata(Metadata),
    "usage": lambda: check_usage(lambda whole, created, read: Usage(whole, 0, None, created, read)),
}


@pytest.mark.parametrize("name", JUDGED)
def test_helper_keeps_the_rules_about_it(name):
    report = JUDGED[name]()

    assert (report.verdict, report.violations) == ("pass", ())


def test_every_rule_about_libraries_is_held_but_for_what_is_not_offered():
    held = {rule for judge in JUDGED.values() for rule in judge().statuses}

    assert {rule.id for rule in RULES.values() if rule.about == "library"} - held == {"MSG-8", "ADAPT-1"}
