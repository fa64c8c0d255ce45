"""An agent written by hand in under 60 lines of code: one loop, one model, the tools of a step at once.

    cd examples && pytest --latent-conformance --latent-agent=handwritten_agent:make_agent

The agent needs latent-protocol alone; `make_agent` is the door for latent-conformance, which judges it. Nothing is
held open across a `yield` but the model's stream, which `aclosing` closes; so whoever reads may stop anywhere. What it
leaves out, the reference agents have: tokens, reasoning, previews, and a check of what the token limit cut off.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from msgspec import structs, to_builtins

from latent import protocol as p


class HandwrittenAgent:
    def __init__(self, model: Any, tools: list[Any], max_steps: int) -> None:
        self.model, self.tools, self.max_steps = model, {tool.__name__: tool for tool in tools}, max_steps
        self.specs = [{"type": "function", "function": {"name": name}} for name in self.tools]

    async def stream(self, messages: list[p.Message], *, config: Any = None) -> AsyncIterator[p.AgentEvent]:
        if not messages:
            raise ValueError("Expected at least one message, got none")
        history = [  # no id is sent to a model, and no empty list of calls
            structs.replace(message, id=None, tool_calls=message.tool_calls or None) for message in messages
        ]
        for step in range(self.max_steps):
            text, failure, fragments = "", list[p.Error](), list[dict[str, Any]]()
            yield p.StepBoundary(step)
            yield p.LLMCallStart(f"call {step}", "", self.model.model_id)
            try:
                async with aclosing(self.model.stream(to_builtins(history), tools=self.specs)) as chunks:
                    async for chunk in chunks:
                        for choice in chunk["choices"]:
                            fragments += choice["delta"].get("tool_calls", ())
                            if piece := choice["delta"].get("content"):
                                text += piece
                                yield p.TextDelta(piece)
            except Exception as error:
                failure = [p.Error(repr(error))]
            indexes = [] if failure else sorted({fragment["index"] for fragment in fragments})
            calls = [to_call(index, fragments) for index in indexes]
            for event in [p.LLMCallEnd(f"call {step}", text, 0, 0, self.model.model_id), *failure, *calls]:
                yield event
            if not calls:
                return
            outcomes = await asyncio.gather(*map(self.run, calls), return_exceptions=True)
            for result in (results := [*map(to_result, calls, outcomes)]):
                yield result
            history += [p.Message("assistant", text, tool_calls=calls), *map(to_row, results)]
        yield p.Error(f"No answer within {self.max_steps} steps")

    async def run(self, call: p.ToolCall) -> Any:
        return await self.tools[call.function.name](**json.loads(call.function.arguments))

    async def invoke(
        self, messages: list[p.Message], *, stream_wrapper: p.StreamWrapper | None = None, config: Any = None
    ) -> p.InvokeResult:
        result = await p.collect(self.stream(messages, config=config), stream_wrapper=stream_wrapper)
        if result.error is not None:
            raise p.AgentError(result)
        return result


def to_call(index: int, fragments: list[dict[str, Any]]) -> p.ToolCall:
    head, *_ = own = [fragment for fragment in fragments if fragment["index"] == index]
    arguments = "".join(fragment["function"].get("arguments", "") for fragment in own) or "{}"
    try:
        json.loads(arguments).keys()
    except (ValueError, AttributeError):  # no JSON, or no object
        arguments = json.dumps({"raw_arguments": arguments})  # no tool takes these
    return p.ToolCall(head["id"], p.FunctionCall(head["function"]["name"], arguments))


def to_result(call: p.ToolCall, outcome: Any) -> p.ToolResult:
    failed = isinstance(outcome, BaseException)
    return p.ToolResult(call.id, None if failed else outcome, repr(outcome) if failed else None)


def to_row(result: p.ToolResult) -> p.Message:
    return p.Message("tool", result.error or str(result.output), tool_call_id=result.tool_call_id)


def make_agent(harness: Any) -> HandwrittenAgent:
    return HandwrittenAgent(harness.model, harness.tools, harness.max_iterations)


make_agent.capabilities = {"tools", "parallel_tools"}
