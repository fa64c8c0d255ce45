import asyncio
import json
from contextlib import aclosing
from dataclasses import replace

from msgspec import to_builtins

from latent.protocol import (
    AgentError,
    Error,
    LLMCallEnd,
    LLMCallStart,
    Message,
    StepBoundary,
    TextDelta,
    ToolCall,
    ToolResult,
    collect,
)


class MyAgent:
    def __init__(self, model, tools, max_steps):
        self.model = model
        self.tools = {tool.__name__: tool for tool in tools}
        self.max_steps = max_steps

    async def stream(self, messages, *, config=None):
        if not messages:
            raise ValueError("Expected at least one message, got none")
        history = list(messages)
        for step in range(self.max_steps):
            answer = Answer()
            yield StepBoundary(step)
            yield LLMCallStart(f"call-{step}", str(history[-1].content)[:200])
            try:
                chunks = self.model.stream(to_rows(history), tools=self.specs())
                async with aclosing(chunks):
                    async for chunk in chunks:
                        if text := answer.add(chunk):
                            yield TextDelta(text)
            except Exception as error:
                answer.failure = str(error) or type(error).__name__
            yield LLMCallEnd(f"call-{step}")
            if answer.failure:
                yield Error(answer.failure)
                return
            calls = answer.calls()
            if not calls:
                return
            for call in calls:
                yield call
            history.append(Message("assistant", answer.text, tool_calls=calls))
            for call in calls:
                result = await self.run(call)
                yield result
                content = result.output if result.error is None else result.error
                history.append(Message("tool", str(content), tool_call_id=call.id))
        yield Error(f"No answer within {self.max_steps} steps")

    async def run(self, call):
        try:
            arguments = json.loads(call.function.arguments)
            return ToolResult(call.id, await self.tools[call.function.name](**arguments))
        except asyncio.CancelledError:
            if asyncio.current_task().cancelling():
                raise  # the run is cancelled
            return ToolResult(call.id, error="cancelled")  # the tool raised it by itself
        except Exception as error:
            return ToolResult(call.id, error=repr(error))

    def specs(self):
        parameters = {"type": "object", "properties": {"ticket": {"type": "string"}}}
        functions = [{"name": name, "parameters": parameters} for name in self.tools]
        return [{"type": "function", "function": function} for function in functions]

    async def invoke(self, messages, *, stream_wrapper=None, config=None):
        stream = self.stream(messages, config=config)
        result = await collect(stream, stream_wrapper=stream_wrapper)
        if result.error is not None:
            raise AgentError(result)
        return result


class Answer:
    """What the model has said so far in one call."""

    def __init__(self):
        self.text = ""
        self.failure = ""
        self.parts = {}

    def add(self, chunk):
        text = ""
        for choice in chunk["choices"]:
            text += choice["delta"].get("content") or ""
            for part in choice["delta"].get("tool_calls") or ():
                self.parts.setdefault(part["index"], []).append(part)
        self.text += text
        return text

    def calls(self):
        return [to_call(parts) for parts in self.parts.values()]


def to_call(parts):
    text = "".join(part["function"].get("arguments", "") for part in parts)
    return ToolCall.from_arguments(parts[0]["id"], parts[0]["function"]["name"], text)


def to_rows(history):
    return [to_builtins(replace(message, id=None, tool_calls=message.tool_calls or None)) for message in history]


def make_agent(harness):
    return MyAgent(harness.model, harness.tools, harness.max_iterations)


make_agent.capabilities = {"tools", "parallel_tools"}
