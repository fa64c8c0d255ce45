"""A small sound agent, cut so that a subclass can break one thing at a time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, replace
from typing import Any

from msgspec import to_builtins

from latent.conformance.harness import Harness
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


@dataclass
class Answer:
    """One answer of the model, as far as it has come."""

    text: str = ""
    slots: list[dict[str, Any]] = field(default_factory=list)
    input: int = 0
    output: int = 0
    cached: int = 0
    finish: str | None = None
    calls: list[ToolCall] = field(default_factory=list)
    failure: str | None = None


class SoundAgent:
    """Calls the model and its tools until the model answers; keeps nothing between runs."""

    def __init__(self, model: Any, tools: Sequence[Callable[..., Any]], max_iterations: int) -> None:
        self.model = model
        self.tools = {tool.__name__: tool for tool in tools}
        self.max_iterations = max_iterations

    async def stream(
        self, messages: list[Message], *, config: dict[str, Any] | None = None
    ) -> AsyncIterator[AgentEvent]:
        if not messages:
            raise ValueError("Expected at least one message")
        rows = self.rows(messages)
        for step in range(self.max_iterations):
            yield StepBoundary(step)
            answer = Answer()
            async with aclosing(self.ask(rows, answer, step)) as events:
                async for event in events:
                    yield event
            if answer.failure is not None:
                yield Error(answer.failure)
                return
            for call in answer.calls:
                yield call
            if not answer.calls:
                return
            results: list[ToolResult] = []
            async with aclosing(self.run_all(answer)) as ended:
                async for result in ended:
                    results.append(result)
                    yield result
            rows += self.turn_rows(answer, results)
        yield Error("No answer within the limit")

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

    def rows(self, messages: list[Message]) -> list[dict[str, Any]]:
        """What the model is sent of the history."""
        kept = (replace(each, id=None, tool_calls=each.tool_calls or None) for each in messages)
        return [to_builtins(each) for each in kept]

    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        """The events of one model call; `answer` is filled on the way."""
        run_id = f"call-{step}"
        yield LLMCallStart(run_id, "", self.model.model_id)
        try:
            async with aclosing(self.model.stream(rows, tools=self.definitions())) as chunks:
                async for chunk in chunks:
                    for event in self.take(chunk, answer):
                        yield event
        except Exception as failure:
            answer.failure = str(failure) or type(failure).__name__
        answer.calls = list(self.calls(answer, step))
        if answer.input or answer.output:
            yield Usage(answer.input, answer.output, self.model.model_id, cache_read_input_tokens=answer.cached)
        yield LLMCallEnd(run_id, None, answer.input, answer.output, self.model.model_id)

    def definitions(self) -> list[dict[str, Any]]:
        schema = {"type": "object", "properties": {"ticket": {"type": "string"}}, "required": ["ticket"]}
        return [{"type": "function", "function": {"name": name, "parameters": schema}} for name in self.tools]

    def take(self, chunk: dict[str, Any], answer: Answer) -> Iterator[AgentEvent]:
        """The events of a chunk."""
        if usage := chunk.get("usage"):
            answer.input, answer.output = usage["prompt_tokens"], usage["completion_tokens"]
            answer.cached = usage["prompt_tokens_details"]["cached_tokens"]
        for choice in chunk["choices"]:
            delta = choice["delta"]
            answer.finish = choice.get("finish_reason") or answer.finish
            if delta.get("reasoning_content"):
                yield ReasoningDelta(delta["reasoning_content"])
            if delta.get("content"):
                answer.text += delta["content"]
                yield from self.text(delta["content"], answer)
            for fragment in delta.get("tool_calls") or ():
                self.assemble(fragment, answer)

    def text(self, piece: str, answer: Answer) -> Iterator[AgentEvent]:
        yield TextDelta(piece)

    def assemble(self, fragment: dict[str, Any], answer: Answer) -> None:
        slot = self.slot(fragment, answer)
        function = fragment.get("function") or {}
        slot["id"] = fragment.get("id") or slot["id"]
        slot["name"] = function.get("name") or slot["name"]
        slot["arguments"] += function.get("arguments") or ""

    def slot(self, fragment: dict[str, Any], answer: Answer) -> dict[str, Any]:
        """Where a fragment belongs: by its index, unless its id says that another call begins."""
        index = fragment.get("index")
        for slot in reversed(answer.slots):
            if slot["index"] == index and fragment.get("id") in (None, "", slot["id"]):
                return slot
        answer.slots.append({"index": index, "id": "", "name": "", "arguments": ""})
        return answer.slots[-1]

    def calls(self, answer: Answer, step: int) -> Iterator[ToolCall]:
        """The calls of an answer, under ids that are there and differ."""
        taken: set[str] = set()
        for at, slot in enumerate(answer.slots):
            if not slot["id"] or slot["id"] in taken:
                slot["id"] = f"own-{step}-{at}"
            taken.add(slot["id"])
            yield self.call_of(slot)

    def call_of(self, slot: dict[str, Any]) -> ToolCall:
        arguments = slot["arguments"] or "{}"
        with suppress(ValueError):
            inner = json.loads(arguments)
            arguments = inner if isinstance(inner, str) else arguments
        if self.parse(arguments) is None:
            arguments = json.dumps({"raw_arguments": arguments})
        return ToolCall(slot["id"], FunctionCall(slot["name"], arguments))

    def parse(self, arguments: str) -> dict[str, Any] | None:
        with suppress(ValueError):
            value = json.loads(arguments)
            return value if isinstance(value, dict) else None
        return None

    async def run_all(self, answer: Answer) -> AsyncIterator[ToolResult]:
        """The results in the order in which the tools end."""
        tasks = [asyncio.create_task(self.run(call, answer)) for call in answer.calls]
        try:
            for ended in asyncio.as_completed(tasks):
                yield await ended
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def run(self, call: ToolCall, answer: Answer) -> ToolResult:
        arguments = self.parse(call.function.arguments) or {}
        if answer.finish == "length":
            return ToolResult(call.id, error="the answer was cut off")
        if "raw_arguments" in arguments:
            return ToolResult(call.id, error="the arguments are no JSON object")
        if call.function.name not in self.tools:
            return ToolResult(call.id, error=f"there is no tool {call.function.name}")
        return await self.result(call, arguments)

    async def result(self, call: ToolCall, arguments: dict[str, Any]) -> ToolResult:
        try:
            return ToolResult(call.id, await self.tools[call.function.name](**arguments))
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            return ToolResult(call.id, error="the tool was cancelled")
        except Exception as failure:
            return ToolResult(call.id, error=str(failure) or type(failure).__name__)

    def turn_rows(self, answer: Answer, results: list[ToolResult]) -> list[dict[str, Any]]:
        """The rows that a turn with calls adds to the conversation."""
        by_id = {result.tool_call_id: result for result in results}
        calls = [to_builtins(call) for call in answer.calls]
        return [
            {"role": "assistant", "content": answer.text, "tool_calls": calls},
            *(self.row(by_id[call.id]) for call in answer.calls),
        ]

    def row(self, result: ToolResult) -> dict[str, Any]:
        content = str(result.output if result.error is None else result.error)
        return {"role": "tool", "tool_call_id": result.tool_call_id, "content": content}


def sound(harness: Harness) -> SoundAgent:
    """The sound agent on the model in process."""
    return SoundAgent(harness.model, harness.tools, harness.max_iterations)
