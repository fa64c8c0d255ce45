"""An agent built with Pydantic AI, made to keep the contract of `latent.protocol`.

    cd examples && pytest --latent-conformance --latent-agent=pydantic_ai_agent:make_agent

Needs pydantic-ai-slim, and latent-conformance with its extra `http` to judge it.

Pydantic AI holds context managers open while it streams, and whoever stops reading early would leave
them open in the wrong task. So the run lives in a task of its own and hands its events over through a
queue; the stream only reads the queue, and ends the task when it is closed.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import itertools
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any
from uuid import uuid4

from openai import AsyncOpenAI
from pydantic_ai import Agent, ToolFailed, UsageLimits
from pydantic_ai import messages as ai
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from latent.conformance import Harness
from latent.protocol import (
    AgentError,
    AgentEvent,
    Error,
    FunctionCall,
    InvokeResult,
    LLMCallEnd,
    LLMCallStart,
    Message,
    ReasoningDelta,
    StepBoundary,
    StreamWrapper,
    TextDelta,
    ToolCall,
    ToolResult,
    Usage,
    collect,
)

Tool = Callable[..., Awaitable[Any]]
Emit = Callable[[AgentEvent], None]


class PydanticAIAgent:
    """Runs a Pydantic AI agent and tells what it does in the protocol's events."""

    def __init__(self, agent: Agent[object, str], *, model_id: str, max_steps: int = 10) -> None:
        self.agent = agent
        self.model_id = model_id
        self.max_steps = max_steps

    async def stream(
        self, messages: list[Message], *, config: dict[str, Any] | None = None
    ) -> AsyncIterator[AgentEvent]:
        if not messages:
            raise ValueError("Expected at least one message, got none")
        queue: asyncio.Queue[AgentEvent | None] = asyncio.Queue()
        run = asyncio.create_task(self._run(to_history(messages), queue))
        try:
            while (event := await queue.get()) is not None:
                yield event
        finally:
            run.cancel()
            await asyncio.wait([run])

    async def invoke(
        self,
        messages: list[Message],
        *,
        stream_wrapper: StreamWrapper | None = None,
        config: dict[str, Any] | None = None,
    ) -> InvokeResult:
        result = await collect(self.stream(messages, config=config), stream_wrapper=stream_wrapper)
        if result.error is not None:
            raise AgentError(result)
        return result

    async def _run(self, history: list[ai.ModelMessage], queue: asyncio.Queue[AgentEvent | None]) -> None:
        try:
            # The limit is counted here, because Pydantic AI looks at its own one when the call has been announced.
            unlimited = UsageLimits(request_limit=None)
            async with self.agent.iter(message_history=history, usage_limits=unlimited) as run:
                steps = itertools.count()
                async for node in run:
                    if Agent.is_model_request_node(node):
                        if (step := next(steps)) == self.max_steps:
                            raise RuntimeError(f"No answer within {self.max_steps} steps")
                        queue.put_nowait(StepBoundary(step))
                        await self._model_call(node, run.ctx, queue.put_nowait)
                    elif Agent.is_call_tools_node(node):
                        async with node.stream(run.ctx) as events:
                            async for event in events:
                                self._tool_event(event, queue.put_nowait)
        except Exception as error:
            queue.put_nowait(Error(str(error) or type(error).__name__))
        finally:
            queue.put_nowait(None)

    async def _model_call(self, node: Any, context: Any, emit: Emit) -> None:
        run_id = uuid4().hex
        emit(LLMCallStart(run_id, preview(node.request), self.model_id, time.time()))
        text, tokens = "", (0, 0)
        try:
            async with node.stream(context) as stream:
                async for event in stream:
                    for delta in deltas(event):
                        text += delta.text if isinstance(delta, TextDelta) else ""
                        emit(delta)
                usage = stream.response.usage
                tokens = (usage.input_tokens, usage.output_tokens)
                emit(Usage(*tokens, self.model_id, usage.cache_write_tokens, usage.cache_read_tokens))
        finally:
            emit(LLMCallEnd(run_id, text[:200], *tokens, self.model_id, time.time()))

    @staticmethod
    def _tool_event(event: object, emit: Emit) -> None:
        match event:
            case ai.FunctionToolCallEvent(part=call):
                emit(ToolCall(call.tool_call_id, FunctionCall(call.tool_name, arguments_of(call))))
            case ai.FunctionToolResultEvent(part=result) if result.outcome == "success":
                emit(ToolResult(result.tool_call_id, result.content))
            case ai.FunctionToolResultEvent(part=result):
                emit(
                    ToolResult(
                        result.tool_call_id, error=result.model_response_str(wrap_if_error=False) or result.outcome
                    )
                )


def deltas(event: object) -> list[TextDelta | ReasoningDelta]:
    """The increments in one event of a model's answer; a part may start with text already in it."""
    match event:
        case ai.PartStartEvent(part=ai.TextPart(content=str(text))) if text:
            return [TextDelta(text)]
        case ai.PartStartEvent(part=ai.ThinkingPart(content=str(text))) if text:
            return [ReasoningDelta(text)]
        case ai.PartDeltaEvent(delta=ai.TextPartDelta(content_delta=str(text))) if text:
            return [TextDelta(text)]
        case ai.PartDeltaEvent(delta=ai.ThinkingPartDelta(content_delta=str(text))) if text:
            return [ReasoningDelta(text)]
        case _:
            return []


def arguments_of(call: ai.ToolCallPart) -> str:
    """The arguments as JSON text of an object; text that is none is kept under one key."""
    text = call.args_as_json_str() or "{}"
    try:
        is_object = isinstance(json.loads(text), dict)
    except ValueError:
        is_object = False
    return text if is_object else json.dumps({"raw_arguments": text})


def to_history(messages: Sequence[Message]) -> list[ai.ModelMessage]:
    """The protocol's rows as Pydantic AI's messages."""
    names: dict[str, str] = {}
    history: list[ai.ModelMessage] = []
    for row in messages:
        names |= {call.id: call.function.name for call in row.tool_calls or ()}
        history.append(to_model_message(row, names))
    return history


def to_model_message(row: Message, names: dict[str, str]) -> ai.ModelMessage:
    text = row.content if isinstance(row.content, str) else json.dumps(row.content)
    match row.role:
        case "assistant":
            calls = [ai.ToolCallPart(c.function.name, c.function.arguments, c.id) for c in row.tool_calls or ()]
            return ai.ModelResponse(parts=[*([ai.TextPart(text)] if text else []), *calls])
        case "tool":
            call_id = row.tool_call_id or ""
            return ai.ModelRequest(parts=[ai.ToolReturnPart(names.get(call_id, "unknown"), text, call_id)])
        case "system":
            return ai.ModelRequest(parts=[ai.SystemPromptPart(text)])
        case _:
            return ai.ModelRequest(parts=[ai.UserPromptPart(to_prompt(row.content))])


def to_prompt(content: str | list[dict[str, Any]]) -> str | list[ai.UserContent]:
    """A text, or texts and pictures; a part of another kind is refused by a KeyError."""
    if isinstance(content, str):
        return content
    return [part["text"] if part["type"] == "text" else ai.ImageUrl(part["image_url"]["url"]) for part in content]


def preview(request: ai.ModelRequest) -> str:
    return " ".join(str(getattr(part, "content", "")) for part in request.parts)[:200]


def answering(tool: Tool) -> Tool:
    """The tool, with its exceptions told to the model: Pydantic AI would end the run."""

    @functools.wraps(tool)
    async def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return await tool(*args, **kwargs)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            raise ToolFailed("CancelledError") from None
        except Exception as error:
            raise ToolFailed(f"{type(error).__name__}: {error}") from error

    call.__signature__ = inspect.signature(tool)  # type: ignore[attr-defined]
    return call


def make_agent(harness: Harness) -> PydanticAIAgent:
    client = AsyncOpenAI(base_url=harness.base_url, api_key=harness.api_key, max_retries=0)
    model = OpenAIChatModel(harness.model_id, provider=OpenAIProvider(openai_client=client))
    agent = Agent(model, tools=[answering(tool) for tool in harness.tools])
    return PydanticAIAgent(agent, model_id=harness.model_id, max_steps=harness.max_iterations)
