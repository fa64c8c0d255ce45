"""What a consumer writes: an exhaustive match, a wrapper, a history, the wire form, the dataclass functions."""

import dataclasses
from collections.abc import AsyncIterator
from typing import Any, assert_never, assert_type

from latent.protocol import (
    AgentEvent,
    AgentProtocol,
    AnyEvent,
    Error,
    GuidelineMatched,
    InvokeResult,
    JourneyCompleted,
    JourneyStepAdvanced,
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
    Segmenter,
    Step,
    StepBoundary,
    TextDelta,
    ToolCall,
    ToolResult,
    UnknownEvent,
    Usage,
    VerificationResult,
    decode_event,
    decode_events,
    encode_event,
    encode_events,
    encode_sse,
    event_schema,
    message_from_dict,
)


def describe(event: AnyEvent) -> str:  # noqa: C901 (one case for each event)
    match event:
        case TextDelta(text) | ReasoningDelta(text):
            assert_type(text, str)
            return text
        case LLMCallStart(run_id, preview) | LLMCallEnd(run_id, preview):
            assert_type(preview, str | None)
            return run_id
        case ToolCall(id, function):
            return f"{id}: {function.name}({function.arguments})"
        case ToolResult(tool_call_id, output, error):
            assert_type(error, str | None)
            return f"{tool_call_id}: {output}"
        case RetrieverStart(run_id) | RetrieverEnd(run_id):
            return run_id
        case StepBoundary(step, label):
            assert_type(step, int)
            return label or str(step)
        case Usage():
            assert_type(event.uncached_input_tokens, int)
            return str(event.input_tokens)
        case Error(message):
            return message
        case GuidelineMatched() | JourneyStepAdvanced() | JourneyCompleted():
            return "guided"
        case PhaseStarted() | PhaseCompleted() | PhaseRouted():
            return "pipeline"
        case Metadata(attributes, target):
            assert_type(attributes, dict[str, Any])
            return target
        case VerificationResult(accepted):
            return str(accepted)
    assert_never(event)


def forgetful(event: AnyEvent) -> str:
    match event:
        case TextDelta():
            return event.text
    assert_never(event)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


async def watch(agent: AgentProtocol, history: list[Message]) -> InvokeResult:
    async for event in agent.stream(history, config={"conversation_id": "k1", "mine": object()}):
        assert_type(event, AgentEvent)

    async def shout(inner: AsyncIterator[AgentEvent]) -> AsyncIterator[AgentEvent]:
        async for event in inner:
            match event:
                case TextDelta(text):
                    yield TextDelta(text.upper())
                case _:
                    yield event

    result = await agent.invoke(history, stream_wrapper=shout)
    assert_type(result.text, str)
    assert_type(result.error, str | None)
    for step in result.steps:
        assert_type(step.tool_calls, list[ToolCall])
        history.append(Message(role="assistant", tool_calls=step.tool_calls))
        history.extend(step.tool_messages)
    assert_type(result.to_messages(), list[Message])
    return result


def segment(events: list[AgentEvent]) -> list[Step]:
    segmenter = Segmenter()
    for event in events:
        segmenter.feed(event)
    return segmenter.finish().steps


def wire(events: list[AgentEvent]) -> None:
    assert_type(encode_event(events[0], enc_hook=repr), bytes)
    assert_type(encode_events(events), bytes)
    assert_type(encode_sse(events[0]), bytes)
    assert_type(event_schema(), dict[str, Any])
    assert_type(message_from_dict({"role": "user", "content": None}), Message)
    decode_events(["{}", b"{}"])
    event = decode_event(b"{}")
    if not isinstance(event, UnknownEvent):
        describe(event)


def as_dataclass(event: TextDelta, message: Message) -> None:
    assert_type(dataclasses.replace(event, text="x"), TextDelta)
    assert_type(dataclasses.asdict(event), dict[str, Any])
    assert_type(dataclasses.fields(event)[0].name, str)
    message.content = "changed"
    assert_type({event}, set[TextDelta])
