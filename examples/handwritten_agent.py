"""An agent written by hand: one loop, one model, and the tools one after another.

Nothing is held open across a `yield` but the model's stream, which `aclosing` closes; so whoever reads
may stop anywhere.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing
from typing import Any

from msgspec import to_builtins

from latent import protocol as p
from latent.conformance import Harness
from latent.conformance.harness import HarnessModel

TICKET = {"type": "object", "properties": {"ticket": {"type": "string"}}, "required": ["ticket"]}


class HandwrittenAgent:
    def __init__(self, model: HarnessModel, tools: dict[str, Callable[..., Awaitable[Any]]], max_steps: int) -> None:
        self.model, self.tools, self.max_steps = model, tools, max_steps
        self.specs = [{"type": "function", "function": {"name": name, "parameters": TICKET}} for name in tools]

    async def stream(
        self, messages: list[p.Message], *, config: dict[str, Any] | None = None
    ) -> AsyncIterator[p.AgentEvent]:
        if not messages:
            raise ValueError("Expected at least one message, got none")
        rows = [to_row(message) for message in messages]
        for step in range(self.max_steps):
            answer, failure = Answer(), ""
            yield p.StepBoundary(step)
            yield p.LLMCallStart(f"call {step}", str(rows[-1]["content"])[:200], self.model.model_id)
            try:
                async with aclosing(self.model.stream(rows, tools=self.specs)) as chunks:
                    async for chunk in chunks:
                        for delta in answer.read(chunk):
                            yield delta
            except Exception as error:
                failure = str(error) or type(error).__name__
            yield p.LLMCallEnd(f"call {step}", answer.text[:200], *answer.tokens, self.model.model_id)
            if failure:
                yield p.Error(failure)
                return
            yield p.Usage(*answer.tokens, self.model.model_id)
            if not (calls := answer.calls()):
                return
            for call in calls:
                yield call
            rows.append(to_row(p.Message("assistant", answer.text, tool_calls=calls)))
            for call in calls:
                result = await self.run(call, cut_off=answer.finish == "length")
                yield result
                content = str(result.output if result.error is None else result.error)
                rows.append(to_row(p.Message("tool", content, tool_call_id=call.id)))
        yield p.Error(f"No answer within {self.max_steps} steps")

    async def run(self, call: p.ToolCall, *, cut_off: bool) -> p.ToolResult:
        arguments, tool = json.loads(call.function.arguments), self.tools.get(call.function.name)
        if cut_off or tool is None or "raw_arguments" in arguments:
            return p.ToolResult(call.id, error="Cut off, of an unknown tool, or with arguments that do not parse")
        try:
            return p.ToolResult(call.id, await tool(**arguments))
        except asyncio.CancelledError as error:
            if (task := asyncio.current_task()) and task.cancelling():
                raise  # the run is cancelled, and not the tool alone
            return p.ToolResult(call.id, error=repr(error))
        except Exception as error:
            return p.ToolResult(call.id, error=repr(error))

    async def invoke(
        self,
        messages: list[p.Message],
        *,
        stream_wrapper: p.StreamWrapper | None = None,
        config: dict[str, Any] | None = None,
    ) -> p.InvokeResult:
        result = await p.collect(self.stream(messages, config=config), stream_wrapper=stream_wrapper)
        if result.error is not None:
            raise p.AgentError(result)
        return result


class Answer:
    """What the model has said so far."""

    def __init__(self) -> None:
        self.text, self.finish, self.tokens = "", "", (0, 0)
        self._parts: dict[int, list[dict[str, Any]]] = {}

    def read(self, chunk: dict[str, Any]) -> Iterator[p.AgentEvent]:
        if usage := chunk.get("usage"):
            self.tokens = usage["prompt_tokens"], usage["completion_tokens"]
        for choice in chunk["choices"]:
            delta, self.finish = choice["delta"], choice["finish_reason"] or self.finish
            if thought := delta.get("reasoning_content"):
                yield p.ReasoningDelta(thought)
            if text := delta.get("content"):
                self.text += text
                yield p.TextDelta(text)
            for part in delta.get("tool_calls") or ():
                self._parts.setdefault(part["index"], []).append(part)

    def calls(self) -> list[p.ToolCall]:
        """The calls, each from its fragments: the first has the id and the name."""
        return [to_call(parts) for _, parts in sorted(self._parts.items())]


def to_call(parts: list[dict[str, Any]]) -> p.ToolCall:
    text = "".join(part["function"].get("arguments", "") for part in parts) or "{}"
    try:
        whole = isinstance(json.loads(text), dict)
    except ValueError:
        whole = False
    arguments = text if whole else json.dumps({"raw_arguments": text})
    return p.ToolCall(parts[0]["id"], p.FunctionCall(parts[0]["function"]["name"], arguments))


def to_row(message: p.Message) -> dict[str, Any]:
    row: dict[str, Any] = to_builtins(message)
    return {name: value for name, value in row.items() if name != "id" and value != []}


def make_agent(harness: Harness) -> HandwrittenAgent:
    return HandwrittenAgent(harness.model, {tool.__name__: tool for tool in harness.tools}, harness.max_iterations)


make_agent.capabilities = {"tools", "parallel_tools", "reasoning", "usage"}
