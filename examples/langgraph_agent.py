"""An agent built with LangChain on LangGraph, made to keep the contract of `latent.protocol`.

    cd examples && pytest --latent-conformance --latent-agent=langgraph_agent:make_agent

Needs langchain and langchain-openai, and latent-conformance with its extra `http` to judge it.

A graph tells what happened when a node is over. So the events come from where the things happen: a
middleware around the model and the tools, and a callback for the words of the answer. LangGraph runs its
nodes in tasks; the run lives in one of its own and hands its events over through a queue.
"""

from __future__ import annotations

import asyncio
import functools
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from itertools import count
from typing import Any
from uuid import uuid4

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI

from latent.conformance import Harness
from latent.protocol import (
    AgentError,
    AgentEvent,
    Error,
    InvokeResult,
    LLMCallEnd,
    LLMCallStart,
    Message,
    StepBoundary,
    StreamWrapper,
    TextDelta,
    ToolCall,
    ToolResult,
    Usage,
    collect,
)

Tool = Callable[..., Awaitable[Any]]


class LangGraphAgent:
    """Runs a graph and tells what it does in the protocol's events."""

    def __init__(self, model: ChatOpenAI, tools: Sequence[Tool], *, max_steps: int = 10) -> None:
        self.model = model
        self.tools = [made(tool) for tool in tools]
        self.max_steps = max_steps

    async def stream(
        self, messages: list[Message], *, config: dict[str, Any] | None = None
    ) -> AsyncIterator[AgentEvent]:
        if not messages:
            raise ValueError("Expected at least one message, got none")
        queue: asyncio.Queue[AgentEvent | None] = asyncio.Queue()
        run = asyncio.create_task(self._run([to_message(row) for row in messages], queue))
        try:
            while (event := await queue.get()) is not None:
                yield event
        finally:
            while not run.done():  # a cancellation may get lost below: on Python 3.11 where an answer comes just then
                run.cancel()
                await asyncio.wait([run], timeout=0.1)

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

    async def _run(self, history: list[BaseMessage], queue: asyncio.Queue[AgentEvent | None]) -> None:
        telling = Telling(queue.put_nowait, self.model.model_name, self.max_steps)
        try:
            graph = create_agent(self.model, self.tools, middleware=[telling])
            settings = {"callbacks": [Words(telling)], "recursion_limit": 10_000}
            await graph.ainvoke({"messages": history}, settings)
        except Exception as error:
            queue.put_nowait(Error(str(error) or type(error).__name__))
        finally:
            queue.put_nowait(None)


class Telling(AgentMiddleware):
    """Tells of one run's model calls and tools, and answers the calls that must not be executed."""

    def __init__(self, emit: Callable[[AgentEvent], None], model_id: str, max_steps: int) -> None:
        super().__init__()
        self.emit = emit
        self.said: AIMessageChunk | None = None
        self.asking = False
        self._model_id = model_id
        self._max_steps = max_steps
        self._steps = count()
        self._refused: dict[str, str] = {}

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        if (step := next(self._steps)) == self._max_steps:
            raise RuntimeError(f"No answer within {self._max_steps} steps")
        run_id, self.said, answer = uuid4().hex, None, AIMessage("")
        self.emit(StepBoundary(step))
        self.emit(LLMCallStart(run_id, str(request.messages[-1].content)[:200], self._model_id, time.time()))
        try:
            self.asking = True
            response = await handler(request)
            answer = response.result[-1]
        finally:
            self.asking = False
            self._end(run_id, answer)
        self._take_up(answer)
        for call in answer.tool_calls:
            self.emit(ToolCall.from_arguments(call["id"], call["name"], call["args"]))
        return response

    def _end(self, run_id: str, answer: AIMessage) -> None:
        usage = answer.usage_metadata
        tokens = (0, 0) if usage is None else (usage["input_tokens"], usage["output_tokens"])
        self.emit(LLMCallEnd(run_id, answer.text[:200], *tokens, self._model_id, time.time()))
        if usage is not None:
            cached = usage.get("input_token_details", {}).get("cache_read", 0)
            self.emit(Usage(*tokens, self._model_id, cache_read_input_tokens=cached))

    def _take_up(self, answer: AIMessage) -> None:
        """Take up calls as the model wrote them, and note which must not be executed.

        LangChain completes arguments that break off, and lays others that do not parse aside.
        """
        calls: list[Any] = []
        for written in self.said.tool_call_chunks if self.said else ():
            call_id, arguments = written["id"], parsed(written["args"] or "{}")
            if arguments is None:
                arguments = {"raw_arguments": written["args"]}
                self._refused[call_id] = "The arguments are no JSON object"
            elif answer.response_metadata.get("finish_reason") == "length":
                self._refused[call_id] = "The answer was cut off"
            calls.append({"type": "tool_call", "id": call_id, "name": written["name"], "args": arguments})
        answer.tool_calls, answer.invalid_tool_calls = calls, []

    async def awrap_tool_call(self, request: Any, handler: Any) -> ToolMessage:
        name, call_id = request.tool_call["name"], request.tool_call["id"]
        try:
            if reason := self._refused.get(call_id):
                raise ValueError(reason)
            if request.tool is None:
                raise LookupError(f"There is no tool {name!r}")
            answer = await handler(request)
            if answer.status == "error":
                raise ValueError(answer.content)
            result = ToolResult(call_id, answer.artifact)
        except asyncio.CancelledError:
            if (task := asyncio.current_task()) and task.cancelling():
                raise
            result = ToolResult(call_id, error="CancelledError")
        except Exception as error:
            result = ToolResult(call_id, error=f"{type(error).__name__}: {error}")
        self.emit(result)
        if result.error is None:
            return answer
        return ToolMessage(result.error, name=name, tool_call_id=call_id, status="error")


class Words(AsyncCallbackHandler):
    """Hands on the words of the answer as they come.

    Callbacks reach into every graph that a tool runs: what is said there is not said here.
    """

    def __init__(self, telling: Telling) -> None:
        self._telling = telling

    async def on_llm_new_token(self, token: str, *, chunk: Any = None, **_: Any) -> None:
        if not self._telling.asking:
            return
        said = self._telling.said
        self._telling.said = chunk.message if said is None else said + chunk.message
        if token:
            self._telling.emit(TextDelta(token))


def parsed(text: str) -> dict[str, Any] | None:
    """The JSON object that the text is, if it is one."""
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def made(tool: Tool) -> StructuredTool:
    """LangChain's tool; what the function gave stays with the answer as its artifact."""

    @functools.wraps(tool)
    async def call(*args: Any, **kwargs: Any) -> tuple[str, Any]:
        output = await tool(*args, **kwargs)
        return str(output), output

    return StructuredTool.from_function(coroutine=call, response_format="content_and_artifact")


def to_message(row: Message) -> BaseMessage:
    """The protocol's row as LangChain's message."""
    match row.role:
        case "assistant":
            calls = [
                {
                    "type": "tool_call",
                    "id": call.id,
                    "name": call.function.name,
                    "args": json.loads(call.function.arguments),
                }
                for call in row.tool_calls or ()
            ]
            return AIMessage(row.content, tool_calls=calls)
        case "tool":
            return ToolMessage(row.content, tool_call_id=row.tool_call_id)
        case "system":
            return SystemMessage(row.content)
        case _:
            return HumanMessage(row.content)


def make_agent(harness: Harness) -> LangGraphAgent:
    model = ChatOpenAI(
        model=harness.model_id,
        base_url=harness.base_url,
        api_key=harness.api_key,
        max_retries=0,
        streaming=True,
        stream_usage=True,
    )
    return LangGraphAgent(model, harness.tools, max_steps=harness.max_iterations)


# Not "reasoning": LangChain's model for chat completions drops what servers send as `reasoning_content`.
make_agent.capabilities = {"tools", "parallel_tools", "usage"}
