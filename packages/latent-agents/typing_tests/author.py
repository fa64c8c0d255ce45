"""What users of the agents write type-checks, with plain lists and dicts."""

from collections.abc import AsyncIterator, Mapping
from typing import Any, assert_type

from latent.agents import (
    BaseAgent,
    CallMetrics,
    FunctionModel,
    GuidedAgent,
    Guideline,
    Journey,
    JourneyStep,
    Model,
    ModelVerifier,
    Phase,
    PipelineAgent,
    ReActAgent,
    ScriptedModel,
    ScriptedTurn,
    Tool,
    collect_call_metrics,
    tool,
)
from latent.agents.invoke import InvokeResult as SameResult
from latent.agents.observability.sink_middleware import AgentSinkMiddleware
from latent.agents.observability.sinks import AgentEventSink, OpenTelemetrySink, StructlogSink
from latent.agents.observability.tracer import OpenTelemetryTracer
from latent.protocol import (
    AgentEvent,
    AgentProtocol,
    InvokeResult,
    Message,
    StepBoundary,
    TextDelta,
    ToolCall,
    VerificationResult,
)
from latent.retriever import retriever


class OwnModel:
    model_id = "own"

    async def stream(
        self, messages: list[dict[str, Any]], *, tools: Any = (), **options: Any
    ) -> AsyncIterator[dict[str, Any]]:
        yield {"choices": []}


class OwnAgent(BaseAgent):
    async def run(self, messages: list[Message], config: Mapping[str, Any]) -> AsyncIterator[AgentEvent]:
        yield StepBoundary(0)
        yield TextDelta("x")

    async def fast_response(self, messages: list[Message], config: Mapping[str, Any]) -> str | None:
        return None


class OwnSink:
    async def emit(self, event: AgentEvent) -> None: ...


@tool
def plain(city: str) -> str:
    return city


@tool(name="other", timeout=3)
async def other(city: str) -> str:
    return city


@retriever
async def search(query: str, *, limit: int = 3) -> list[str]:
    return [query] * limit


@retriever(name="shelf")
def walk(query: str) -> list[str]:
    return [query]


def verify(messages: list[Message], text: str) -> VerificationResult:
    return VerificationResult(accepted=True)


async def use() -> None:
    model: Model = OwnModel()
    call = ToolCall.from_arguments(id="1", name="plain", arguments={"city": "Paris"})
    agent = ReActAgent("a", model, tools=[plain, other, str.upper], verifier=verify)
    assert_type(await agent.ask("hi"), InvokeResult)
    result: SameResult = await agent.invoke([Message("user", "hi")], config={"conversation_id": "c"})
    agents: list[AgentProtocol] = [
        agent,
        ReActAgent(name="qa", model="gpt-4o", verifier=ModelVerifier("gpt-4o")),
        ReActAgent("s", ScriptedModel(["text", ["a", "b"], ScriptedTurn(tool_calls=[call])])),
        ReActAgent("f", FunctionModel(lambda messages, tools: "text")),
        GuidedAgent(
            "g",
            model,
            guidelines=[Guideline("g", "when", "then", matches=lambda messages: True)],
            journeys=[Journey("j", [JourneyStep("s", done=lambda messages: False)])],
            max_iterations=3,
        ),
        PipelineAgent("p", [Phase("one", agent), Phase("two", lambda messages: "text")]),
        OwnAgent("own"),
    ]
    sinks: list[AgentEventSink] = [OwnSink(), StructlogSink(), OpenTelemetrySink(max_text_chars=500)]
    agents.append(AgentSinkMiddleware(agent, sinks=sinks))
    await agent.invoke([Message("user", "hi")], stream_wrapper=OpenTelemetryTracer("a"))
    events = [event async for event in agent.stream([Message("user", "hi")])]
    assert_type(collect_call_metrics(events), CallMetrics)
    assert_type(plain, Tool)
    assert_type(await search("q", limit=1), list[str])
    assert_type(walk("q"), list[str])
    assert_type(result.text, str)
