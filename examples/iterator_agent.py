"""An agent whose stream is an iterator class written by hand, over HTTP, with no generator in it.

    cd examples && pytest --latent-conformance --latent-agent=iterator_agent:make_agent

Needs latent-protocol and httpx2, and latent-conformance with its extra `http` to judge it.

The iterator holds events that are due and the name of what is to be done next. Each `__anext__` gives an
event, after as much work as it takes to have one; `aclose` drops what is left of both. A consumer may also
drop the iterator without a word: then only the lines of the answer are open, which asyncio closes, and no
reference leads back to the iterator, so that this happens at once and in the right order.
"""

import asyncio
import inspect
import json
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, Literal, Self, assert_never
from uuid import uuid4

import httpx2
from msgspec import to_builtins

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
Work = Literal["begin", "ask", "listen", "run a tool"]


class IteratorAgent:
    """Settings alone: what belongs to a run is in the run."""

    def __init__(self, base_url: str, api_key: str, model: str, tools: Sequence[Tool], max_steps: int = 10) -> None:
        self.url = f"{base_url}/chat/completions"
        self.headers = {"authorization": f"Bearer {api_key}"}
        self.model = model
        self.tools = {tool.__name__: tool for tool in tools}
        self.max_steps = max_steps

    def stream(self, messages: list[Message], *, config: dict[str, Any] | None = None) -> AsyncIterator[AgentEvent]:
        return Run(self, messages)

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


class Run:
    """One run: an asynchronous iterator over its events."""

    def __init__(self, agent: IteratorAgent, messages: Sequence[Message]) -> None:
        self._agent = agent
        self._messages = messages
        self._rows: list[dict[str, Any]] = []
        self._due: deque[AgentEvent] = deque()
        self._work: Work | None = "begin"
        self._step = -1
        self._turn = Turn("")
        self._waiting: deque[ToolCall] = deque()
        self._client: httpx2.AsyncClient | None = None
        self._lines: AsyncIterator[str] | None = None

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> AgentEvent:
        while not self._due:
            if self._work is None:
                raise StopAsyncIteration
            try:
                await self._do(self._work)
            except Exception as error:
                if self._step < 0:
                    await self.aclose()
                    raise
                await self._fail(str(error) or type(error).__name__)
            except BaseException:  # cancelled: a run that was broken off has no more events
                await self.aclose()
                raise
        return self._due.popleft()

    async def aclose(self) -> None:
        self._due.clear()
        self._work = None
        await self._hang_up()

    async def _do(self, work: Work) -> None:
        match work:
            case "begin":
                await self._begin()
            case "ask":
                await self._ask()
            case "listen":
                await self._listen()
            case "run a tool":
                await self._run_tool()
            case _:
                assert_never(work)

    async def _begin(self) -> None:
        if not self._messages:
            raise ValueError("Expected at least one message, got none")
        self._rows = [to_row(message) for message in self._messages]
        await self._open_step()

    async def _open_step(self) -> None:
        if self._step + 1 == self._agent.max_steps:
            await self._fail(f"No answer within {self._agent.max_steps} steps")
            return
        self._step += 1
        self._turn = Turn(uuid4().hex)
        preview = str(self._rows[-1]["content"])[:200]
        self._due += StepBoundary(self._step), LLMCallStart(self._turn.run_id, preview, self._agent.model, time.time())
        self._work = "ask"

    async def _ask(self) -> None:
        """Send the rows to the model, and read the first line."""
        body = {
            "model": self._agent.model,
            "messages": self._rows,
            "stream": True,
            "stream_options": {"include_usage": True},
            **({"tools": [specification(tool) for tool in self._agent.tools.values()]} if self._agent.tools else {}),
        }
        self._client = httpx2.AsyncClient(headers=self._agent.headers, timeout=60, trust_env=False)
        request = self._client.build_request("POST", self._agent.url, json=body)
        response = await self._client.send(request, stream=True)
        if response.is_error:
            await response.aread()
            raise RuntimeError(f"The model answered with status {response.status_code}: {response.text[:200]}")
        self._lines = lines_of(response)
        self._work = "listen"
        await self._listen()

    async def _listen(self) -> None:
        """Read one line of the answer."""
        assert self._lines is not None
        line = await anext(self._lines, "data: [DONE]")
        if line == "data: [DONE]":
            await self._end_call()
            self._due.append(self._turn.usage(self._agent.model))
            self._waiting = deque(self._turn.calls())
            self._due += self._waiting
            self._rows.append(to_row(Message("assistant", self._turn.text, tool_calls=list(self._waiting))))
            self._work = "run a tool" if self._waiting else None
        elif line.startswith("data: "):
            self._due += self._turn.read(json.loads(line[6:]))

    async def _run_tool(self) -> None:
        """Run the next tool; after the last one a new step begins."""
        if not self._waiting:
            await self._open_step()
            return
        call = self._waiting.popleft()
        tool = self._agent.tools.get(call.function.name)
        result = await answered(call, tool, cut_off=self._turn.finish == "length")
        self._due.append(result)
        content = str(result.output if result.error is None else result.error)
        self._rows.append(to_row(Message("tool", content, tool_call_id=result.tool_call_id)))

    async def _fail(self, message: str) -> None:
        if self._client is not None:
            await self._end_call()
        self._due.append(Error(message))
        self._work = None

    async def _end_call(self) -> None:
        await self._hang_up()
        self._due.append(self._turn.end(self._agent.model))

    async def _hang_up(self) -> None:
        lines, client, self._lines, self._client = self._lines, self._client, None, None
        if lines is not None and hasattr(lines, "aclose"):
            await lines.aclose()
        if client is not None:
            await client.aclose()


async def lines_of(response: httpx2.Response) -> AsyncIterator[str]:
    """The lines of the answer; `aiter_lines` ends one at a U+2028 in what the model says, too."""
    rest = b""
    async for part in response.aiter_bytes():
        *whole, rest = (rest + part).split(b"\n")
        for line in whole:
            yield line.decode().rstrip("\r")
    if rest:
        yield rest.decode()


class Turn:
    """What the model has said in one step."""

    def __init__(self, run_id: str) -> None:
        self.run_id = run_id
        self.text = ""
        self.finish = ""
        self._tokens: dict[str, Any] = {}
        self._parts: dict[int, list[dict[str, Any]]] = {}

    def read(self, chunk: dict[str, Any]) -> list[AgentEvent]:
        self._tokens = chunk.get("usage") or self._tokens
        events: list[AgentEvent] = []
        for choice in chunk["choices"]:
            delta = choice["delta"]
            self.finish = choice["finish_reason"] or self.finish
            if thought := delta.get("reasoning_content"):
                events.append(ReasoningDelta(thought))
            if text := delta.get("content"):
                self.text += text
                events.append(TextDelta(text))
            for part in delta.get("tool_calls") or ():
                self._parts.setdefault(part["index"], []).append(part)
        return events

    def calls(self) -> list[ToolCall]:
        return [assembled(self._parts[index]) for index in sorted(self._parts)]

    def usage(self, model: str) -> Usage:
        cached = (self._tokens.get("prompt_tokens_details") or {}).get("cached_tokens", 0)
        return Usage(*self._counted(), model, cache_read_input_tokens=cached)

    def end(self, model: str) -> LLMCallEnd:
        return LLMCallEnd(self.run_id, self.text[:200], *self._counted(), model, time.time())

    def _counted(self) -> tuple[int, int]:
        return self._tokens.get("prompt_tokens", 0), self._tokens.get("completion_tokens", 0)


def assembled(parts: Sequence[dict[str, Any]]) -> ToolCall:
    """A call from its fragments, the first of which has the id and the name."""
    text = "".join(part["function"].get("arguments") or "" for part in parts) or "{}"
    try:
        is_object = isinstance(json.loads(text), dict)
    except ValueError:
        is_object = False
    function = FunctionCall(parts[0]["function"]["name"], text if is_object else json.dumps({"raw_arguments": text}))
    return ToolCall(parts[0]["id"], function)


async def answered(call: ToolCall, tool: Tool | None, *, cut_off: bool) -> ToolResult:
    arguments = json.loads(call.function.arguments)
    if cut_off:
        return ToolResult(call.id, error="The answer was cut off, so the call was not executed")
    if tool is None:
        return ToolResult(call.id, error=f"There is no tool {call.function.name!r}")
    if "raw_arguments" in arguments:
        return ToolResult(call.id, error="The arguments are no JSON object")
    try:
        return ToolResult(call.id, await tool(**arguments))
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        return ToolResult(call.id, error="CancelledError")
    except Exception as error:
        return ToolResult(call.id, error=f"{type(error).__name__}: {error}")


def specification(tool: Tool) -> dict[str, Any]:
    names = list(inspect.signature(tool).parameters)
    parameters = {"type": "object", "properties": {name: {"type": "string"} for name in names}, "required": names}
    function = {"name": tool.__name__, "description": inspect.getdoc(tool) or "", "parameters": parameters}
    return {"type": "function", "function": function}


def to_row(message: Message) -> dict[str, Any]:
    return {name: value for name, value in to_builtins(message).items() if name != "id" and value != []}


def make_agent(harness: Harness) -> IteratorAgent:
    return IteratorAgent(
        harness.base_url, harness.api_key, harness.model_id, harness.tools, max_steps=harness.max_iterations
    )


make_agent.capabilities = {"tools", "parallel_tools", "reasoning", "usage"}
