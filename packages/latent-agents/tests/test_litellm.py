"""LiteLLM itself, over loopback against a server that speaks the wire; runs where LiteLLM is installed."""

import asyncio
import json
import socket
import threading

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

from latent.agents import LiteLLMModel, ReActAgent
from latent.protocol import Error, Message, ReasoningDelta, TextDelta, ToolCall, ToolResult, Usage

pytest.importorskip("litellm")

HI = [Message("user", "hi")]


def sse(*deltas):
    chunks = [{"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    tokens = {"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14}
    chunks.append({"choices": [], "usage": {**tokens, "prompt_tokens_details": {"cached_tokens": 4}}})
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return "".join(f"data: {json.dumps({**head, **chunk})}\n\n" for chunk in chunks) + "data: [DONE]\n\n"


@pytest.fixture(scope="module")
def server():
    listening = socket.create_server(("127.0.0.1", 0))
    replies, requests = [], []

    async def complete(request):
        requests.append(await request.json())
        reply = replies.pop(0)
        return StreamingResponse(iter([reply]), media_type="text/event-stream") if isinstance(reply, str) else reply

    app = Starlette(routes=[Route("/v1/chat/completions", complete, methods=["POST"])])
    server = uvicorn.Server(uvicorn.Config(app, lifespan="off", log_config=None, ws="none"))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listening])))
    thread.start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1", replies, requests
    server.should_exit = True
    thread.join()
    listening.close()


def add(a: int, b: int) -> int:
    return a + b


@pytest.mark.filterwarnings("default")
def test_an_agent_runs_a_tool_through_litellm(server):
    url, replies, requests = server
    call = {"index": 0, "id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1, "b": 2}'}}
    replies += [sse({"reasoning_content": "hm"}, {"tool_calls": [call]}), sse({"content": "It "}, {"content": "is 3"})]
    model = LiteLLMModel("openai/m", api_base=url, api_key="k", temperature=0)

    async def run():
        return [event async for event in ReActAgent("a", model, tools=[add]).stream(HI)]

    events = asyncio.run(run())

    kept = [e for e in events if isinstance(e, (ReasoningDelta, TextDelta, Usage, ToolCall, ToolResult))]
    assert kept == [
        ReasoningDelta("hm"),
        Usage(9, 5, "openai/m", 0, 4),
        ToolCall.from_arguments("c1", "add", '{"a": 1, "b": 2}'),
        ToolResult("c1", 3),
        TextDelta("It "),
        TextDelta("is 3"),
        Usage(9, 5, "openai/m", 0, 4),
    ]
    assert requests[0]["messages"] == [{"role": "user", "content": "hi"}]
    assert requests[0]["temperature"] == 0
    assert [row["role"] for row in requests[1]["messages"]] == ["user", "assistant", "tool"]


@pytest.mark.filterwarnings("default")
def test_a_refusal_of_the_provider_ends_the_run(server):
    url, replies, _ = server
    replies.append(JSONResponse({"error": {"message": "bad key sk-secret"}}, 401))
    model = LiteLLMModel("openai/m", api_base=url, api_key="sk-secret", num_retries=0)

    async def run():
        return [event async for event in ReActAgent("a", model).stream(HI)]

    events = asyncio.run(run())
    assert isinstance(events[-1], Error)
    assert "bad key ***" in events[-1].message
    assert "sk-secret" not in repr(events)
