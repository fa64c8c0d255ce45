"""An agent built with the OpenAI Agents SDK, made to keep the contract of `latent.protocol`.

    cd examples && pytest --latent-conformance --latent-agent=openai_agents_agent:make_agent

Needs openai-agents, and latent-conformance with its extra `http` to judge it.

The SDK tells of a model call when its first words have arrived, and turns what a tool gives into text. So
the events come from where the things happen: from the model and from the tools, both wrapped. The run
lives in a task of its own and hands its events over through a queue.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any
from uuid import uuid4

from agents import Agent, FunctionTool, ModelSettings, RunConfig, Runner, function_tool
from agents.models.openai_chatcompletions import OpenAIChatCompletionsModel
from agents.tool_context import ToolContext
from openai import AsyncOpenAI
from openai.types.responses import Response, ResponseFunctionToolCall

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


class OpenAIAgentsAgent:
    """Runs an agent of the SDK and tells what it does in the protocol's events."""

    def __init__(self, client: AsyncOpenAI, model_id: str, tools: Sequence[Tool], *, max_steps: int = 10) -> None:
        self.client = client
        self.model_id = model_id
        self.tools = [telling(tool) for tool in tools]
        self.max_steps = max_steps

    async def stream(
        self, messages: list[Message], *, config: dict[str, Any] | None = None
    ) -> AsyncIterator[AgentEvent]:
        if not messages:
            raise ValueError("Expected at least one message, got none")
        queue: asyncio.Queue[AgentEvent | None] = asyncio.Queue()
        run = asyncio.create_task(self._run(to_items(messages), queue))
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

    async def _run(self, items: list[Any], queue: asyncio.Queue[AgentEvent | None]) -> None:
        emit = queue.put_nowait
        agent = Agent[Emit](
            name="assistant",
            model=TellingModel(self.model_id, self.client, {tool.name for tool in self.tools}, emit),
            model_settings=ModelSettings(include_usage=True),
            tools=list(self.tools),
        )
        settings = RunConfig(tracing_disabled=True, tool_not_found_behavior="return_error_to_model")
        try:
            result = Runner.run_streamed(agent, items, context=emit, max_turns=self.max_steps, run_config=settings)
            try:
                async with aclosing(result.stream_events()) as told:
                    async for _ in told:
                        pass
            finally:
                result.cancel()
                if result.run_loop_task is not None:
                    await asyncio.wait([result.run_loop_task])
        except Exception as error:
            emit(Error(str(error) or type(error).__name__))
        finally:
            queue.put_nowait(None)


class TellingModel(OpenAIChatCompletionsModel):
    """The SDK's model; it tells of each call what the protocol has events for."""

    def __init__(self, model_id: str, client: AsyncOpenAI, tools: set[str], emit: Emit) -> None:
        super().__init__(model_id, client)
        self._tools = tools
        self._emit = emit
        self._step = -1

    async def stream_response(self, *args: Any, **named: Any) -> AsyncIterator[Any]:
        self._step += 1
        call = Call(str(self.model), self._emit)
        self._emit(StepBoundary(self._step))
        call.begin(str(named.get("input", args[1:2]))[-200:])
        try:
            async with aclosing(super().stream_response(*args, **named)) as events:
                async for event in events:
                    if event.type == "response.completed":  # told before the SDK sees it and begins with the tools
                        call.end(event.response)
                        self._tell_calls(event.response)
                    elif event.type in DELTAS and event.delta:
                        call.delta(DELTAS[event.type](event.delta))
                    yield event
        finally:
            call.end(None)

    def _tell_calls(self, response: Response) -> None:
        calls = [item for item in response.output if isinstance(item, ResponseFunctionToolCall)]
        for item in calls:
            self._emit(ToolCall(item.call_id, FunctionCall(item.name, arguments_of(item.arguments))))
        for item in calls:
            if item.name not in self._tools:  # the SDK answers these by itself
                self._emit(ToolResult(item.call_id, error=f"Tool '{item.name}' not found."))


class Call:
    """One call of the model, ended once."""

    def __init__(self, model_id: str, emit: Emit) -> None:
        self.run_id = uuid4().hex
        self.model_id = model_id
        self._emit = emit
        self._text = ""
        self._open = True

    def begin(self, preview: str) -> None:
        self._emit(LLMCallStart(self.run_id, preview, self.model_id, time.time()))

    def delta(self, event: TextDelta | ReasoningDelta) -> None:
        self._text += event.text if isinstance(event, TextDelta) else ""
        self._emit(event)

    def end(self, response: Response | None) -> None:
        if not self._open:
            return
        self._open = False
        usage = None if response is None else response.usage
        tokens = (0, 0) if usage is None else (usage.input_tokens, usage.output_tokens)
        self._emit(LLMCallEnd(self.run_id, self._text[:200], *tokens, self.model_id, time.time()))
        if usage is not None:
            cached = usage.input_tokens_details.cached_tokens
            self._emit(Usage(*tokens, self.model_id, cache_read_input_tokens=cached))


DELTAS = {
    "response.output_text.delta": TextDelta,
    "response.reasoning_text.delta": ReasoningDelta,
    "response.reasoning_summary_text.delta": ReasoningDelta,
}


def telling(tool: Tool) -> FunctionTool:
    """The tool, telling what it gave as it gave it; its exceptions are told to the model."""
    made = function_tool(tool, failure_error_function=None)

    async def invoke(context: ToolContext[Emit], arguments: str) -> str:
        try:
            result = ToolResult(context.tool_call_id, await made.on_invoke_tool(context, arguments))
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            result = ToolResult(context.tool_call_id, error="CancelledError")
        except Exception as error:
            result = ToolResult(context.tool_call_id, error=f"{type(error).__name__}: {error}")
        context.context(result)
        return str(result.output if result.error is None else result.error)

    return replace(made, on_invoke_tool=invoke)


def arguments_of(text: str) -> str:
    """The arguments as JSON text of an object; text that is none is kept under one key."""
    try:
        is_object = isinstance(json.loads(text or "{}"), dict)
    except ValueError:
        is_object = False
    return (text or "{}") if is_object else json.dumps({"raw_arguments": text})


def to_items(messages: Sequence[Message]) -> list[Any]:
    """The protocol's rows as the SDK's input."""
    items: list[Any] = []
    for row in messages:
        text = row.content if isinstance(row.content, str) else json.dumps(row.content)
        if row.role == "tool":
            items.append({"type": "function_call_output", "call_id": row.tool_call_id, "output": text})
            continue
        if text or not row.tool_calls:
            items.append(to_item(row.role, text) if row.role != "user" else to_question(row.content))
        for call in row.tool_calls or ():
            asked = {"name": call.function.name, "arguments": call.function.arguments}
            items.append({"type": "function_call", "call_id": call.id, **asked})
    return items


def to_question(content: str | list[dict[str, Any]]) -> dict[str, Any]:
    """A text, or texts and pictures; a part of another kind is refused by a KeyError."""
    return {"role": "user", "content": content if isinstance(content, str) else [*map(to_part, content)]}


def to_part(part: dict[str, Any]) -> dict[str, Any]:
    if part["type"] == "text":
        return {"type": "input_text", "text": part["text"]}
    return {"type": "input_image", "image_url": part["image_url"]["url"], "detail": "auto"}


def to_item(role: str, text: str) -> dict[str, Any]:
    if role != "assistant":
        return {"role": role, "content": text}
    # In this form alone the SDK joins the text with the calls that follow it.
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "id": "kept", "role": role, "status": "completed", "content": content}


def make_agent(harness: Harness) -> OpenAIAgentsAgent:
    client = AsyncOpenAI(base_url=harness.base_url, api_key=harness.api_key, max_retries=0)
    return OpenAIAgentsAgent(client, harness.model_id, harness.tools, max_steps=harness.max_iterations)


make_agent.capabilities = {"tools", "parallel_tools", "reasoning", "usage"}
make_agent.known_deviations = {
    "TOOL-20": "The SDK keeps the finish reason to itself, and executes the calls of an answer that was cut off.",
}
