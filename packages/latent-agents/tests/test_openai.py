"""The chat-completions wire, over loopback against a server that speaks it."""

import asyncio
import contextlib
import json
import logging
import socket
import sys
import threading

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from latent.agents import ModelError, OpenAICompatibleModel, ReActAgent
from latent.protocol import Error, Message, ReasoningDelta, TextDelta, ToolResult, Usage

KEY = "sk-very-secret"
HI = [{"role": "user", "content": "hi"}]


def chunk(finish=None, usage=None, **delta):
    choices = [] if usage else [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}]
    return {
        "id": "c",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": choices,
        "usage": usage,
    }


def sse(*chunks, done=True):
    return "".join(f"data: {json.dumps(part)}\n\n" for part in chunks) + ("data: [DONE]\n\n" if done else "")


class Server:
    """Answers each request with the next of its replies, and keeps what it was asked."""

    def __init__(self):
        self.replies = []
        self.requests = []
        self.ports = set()
        self.entered = threading.Event()
        self.left = threading.Event()
        self.socket = socket.create_server(("127.0.0.1", 0))
        app = Starlette(routes=[Route("/v1/chat/completions", self.complete, methods=["POST"])])
        self.server = uvicorn.Server(uvicorn.Config(app, lifespan="off", log_config=None, ws="none"))
        self.thread = threading.Thread(target=lambda: asyncio.run(self.server.serve(sockets=[self.socket])))
        self.thread.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.socket.getsockname()[1]}/v1"

    async def complete(self, request):
        self.ports.add(request.client.port)
        self.requests.append((dict(request.headers), await request.json()))
        reply = self.replies.pop(0)
        if not isinstance(reply, (str, Response)):
            return StreamingResponse(reply(self), media_type="text/event-stream")
        if isinstance(reply, str):
            return StreamingResponse(iter([reply]), media_type="text/event-stream; charset=utf-8")
        return reply

    def close(self):
        self.server.should_exit = True
        self.thread.join()
        self.socket.close()


@pytest.fixture(scope="module")
def running():
    server = Server()
    yield server
    server.close()


@pytest.fixture
def server(running):
    running.replies, running.requests, running.ports = [], [], set()
    running.entered.clear()
    running.left.clear()
    return running


@pytest.fixture
def pauses(monkeypatch):
    """The pauses between attempts, none of them taken."""
    made = []

    async def sleep(seconds):
        made.append(seconds)

    monkeypatch.setattr("latent.agents.models._openai.sleep", sleep)
    return made


def model_of(server, **more):
    return OpenAICompatibleModel(server.url, "m", KEY, **more)


async def chunks_of(model, **more):
    return [part async for part in model.stream(HI, **more)]


def test_the_request_is_what_the_wire_asks_for(server):
    server.replies = [sse(chunk(content="a")), sse(chunk(content="b"))]
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}

    asyncio.run(chunks_of(model_of(server, options={"temperature": 0}), tools=[tool], seed=1))
    asyncio.run(chunks_of(OpenAICompatibleModel(server.url + "/", "m", options={"stream_options": None})))

    (headers, first), (keyless, second) = server.requests
    usage = {"include_usage": True}
    asked = {"model": "m", "messages": HI, "stream": True}
    assert first == {**asked, "stream_options": usage, "tools": [tool], "temperature": 0, "seed": 1}
    assert second == asked
    assert headers["authorization"] == f"Bearer {KEY}"
    assert headers["content-type"] == "application/json"
    assert "authorization" not in keyless


def test_an_agent_runs_a_tool_over_the_wire(server):
    call = {"index": 0, "id": "c1", "type": "function", "function": {"name": "add", "arguments": ""}}
    server.replies = [
        sse(
            chunk(role="assistant", content=""),
            chunk(reasoning_content="hm"),
            chunk(tool_calls=[call]),
            chunk(tool_calls=[{"index": 0, "function": {"arguments": '{"a": 1'}}]),
            chunk(tool_calls=[{"index": 0, "function": {"arguments": ', "b": 2}'}}]),
            chunk("tool_calls"),
            chunk(usage={"prompt_tokens": 9, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 4}}),
        ),
        sse(chunk(content="It is \ud83d"), chunk(content="\ude00 é"), chunk("stop")),
    ]

    def add(a: int, b: int) -> int:
        return a + b

    async def run():
        agent = ReActAgent("a", model_of(server), tools=[add])
        return [event async for event in agent.stream([Message("user", "hi")])]

    events = asyncio.run(run())

    kept = [event for event in events if isinstance(event, (ReasoningDelta, TextDelta, Usage, ToolResult))]
    assert kept == [
        ReasoningDelta("hm"),
        Usage(9, 5, "m", 0, 4),
        ToolResult("c1", 3),
        TextDelta("It is "),
        TextDelta("\U0001f600 é"),
    ]
    call["function"]["arguments"] = '{"a": 1, "b": 2}'
    del call["index"]
    assert server.requests[1][1]["messages"][1:] == [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": "3", "tool_call_id": "c1"},
    ]


def test_a_completion_that_is_not_streamed_is_one_chunk(server):
    calls = [{"id": str(n), "type": "function", "function": {"name": "f", "arguments": "{}"}} for n in (1, 2)]
    message = {"role": "assistant", "content": "so", "tool_calls": calls}
    body = {"choices": [{"message": message, "finish_reason": "tool_calls"}], "usage": {"prompt_tokens": 1}}
    server.replies = [JSONResponse(body)]

    (part,) = asyncio.run(chunks_of(model_of(server)))

    assert part["choices"][0]["delta"]["tool_calls"] == [{"index": 0, **calls[0]}, {"index": 1, **calls[1]}]
    assert part["usage"] == {"prompt_tokens": 1}


@pytest.mark.parametrize("done", [True, False])
def test_a_stream_may_end_without_its_mark_and_has_comments(server, done):
    server.replies = [": ping\n\n" + sse(chunk(content="a"), done=done)]

    assert [part["choices"][0]["delta"] for part in asyncio.run(chunks_of(model_of(server)))] == [{"content": "a"}]


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, "refused the request \\(400\\): why"),
        (401, "refused the API key \\(401\\): why"),
        (403, "refused the API key \\(403\\): why"),
        (404, "does not exist or has no model 'm' \\(404\\): why"),
        (429, "takes no more requests for the moment \\(429\\): why"),
        (500, "failed \\(500\\): why"),
        (307, "refused the request \\(307\\): why"),
    ],
)
def test_each_refusal_says_what_is_wrong(server, status, said):
    server.replies = [JSONResponse({"error": {"message": f"why {KEY}"}}, status)]

    with pytest.raises(ModelError, match=f"^{server.url}/chat/completions {said}") as raised:
        asyncio.run(chunks_of(model_of(server, max_retries=0)))

    assert raised.value.status == status
    assert KEY not in str(raised.value)


@pytest.mark.parametrize(
    ("body", "said"),
    [(b"<html>gone", "<html>gone"), (b'{"detail": "d"}', "d"), (b'{"error": "e"}', "e"), (b"[1]", "[1]"), (b"", "")],
)
def test_error_bodies_of_every_layout_are_read(server, body, said):
    server.replies = [PlainTextResponse(body, 400)]

    with pytest.raises(ModelError) as raised:
        asyncio.run(chunks_of(model_of(server)))

    assert str(raised.value).endswith(f"(400): {said}" if said else "(400)")


@pytest.mark.parametrize("status", [408, 409, 429, 500, 503])
def test_a_failure_that_may_pass_is_tried_again_after_a_growing_pause(server, pauses, status):
    server.replies = [PlainTextResponse("", status), PlainTextResponse("", status), sse(chunk(content="a"))]

    assert len(asyncio.run(chunks_of(model_of(server)))) == 1
    assert len(server.requests) == 3
    assert 0.375 <= pauses[0] <= 0.5 < 0.75 <= pauses[1] <= 1.0


def test_attempts_end(server, pauses):
    server.replies = [PlainTextResponse("", 503)] * 2

    with pytest.raises(ModelError, match="503"):
        asyncio.run(chunks_of(model_of(server, max_retries=1)))
    assert len(pauses) == 1


@pytest.mark.parametrize(
    ("headers", "status", "expected"),
    [
        ({"retry-after": "7"}, 429, [7.0]),
        ({"retry-after": "0"}, 429, [pytest.approx(0.44, abs=0.07)]),
        ({"retry-after": "soon"}, 429, [pytest.approx(0.44, abs=0.07)]),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 503, [pytest.approx(0.44, abs=0.07)]),
        ({"retry-after": "3600"}, 429, []),
        ({"x-should-retry": "false"}, 500, []),
        ({"x-should-retry": "true"}, 400, [pytest.approx(0.44, abs=0.07)]),
    ],
)
def test_the_server_decides_about_the_pause(server, pauses, headers, status, expected):
    server.replies = [PlainTextResponse("", status, headers), sse(chunk(content="a"))]

    with contextlib.suppress(ModelError):
        asyncio.run(chunks_of(model_of(server)))
    assert pauses == expected


def test_nothing_is_tried_again_after_the_first_chunk(server, pauses):
    async def breaks(server):
        yield sse(chunk(content="part"), done=False)
        raise ConnectionError

    server.replies = [breaks]

    async def run():
        return [event async for event in ReActAgent("a", model_of(server)).stream([Message("user", "hi")])]

    events = asyncio.run(run())
    assert TextDelta("part") in events
    assert isinstance(events[-1], Error)
    assert "No response from" in events[-1].message
    assert (len(server.requests), pauses) == (1, [])


def test_a_server_that_is_not_there_is_tried_again_and_named(pauses):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    model = OpenAICompatibleModel(f"http://user:{KEY}@127.0.0.1:{port}/v1?key={KEY}", "m", KEY)

    with pytest.raises(ModelError, match=f"^No response from http://127.0.0.1:{port}/v1: ConnectError") as raised:
        asyncio.run(chunks_of(model))
    assert len(pauses) == 2
    assert KEY not in repr(raised.value)
    assert raised.value.__cause__ is None


def test_silence_beyond_the_timeout_is_an_error(server):
    async def silent(server):
        yield sse(chunk(content="a"), done=False)
        await asyncio.to_thread(server.left.wait, 10)

    server.replies = [silent]

    with pytest.raises(ModelError, match="ReadTimeout"):
        asyncio.run(chunks_of(model_of(server, timeout=0.2, max_retries=0)))
    server.left.set()


@pytest.mark.parametrize("reply", ["data: {nonsense\n\n", "data: [1]\n\n"])
def test_what_is_no_chunk_is_named(server, reply):
    server.replies = [reply]

    with pytest.raises(ModelError, match="Expected a JSON object"):
        asyncio.run(chunks_of(model_of(server)))


def test_a_page_in_place_of_a_stream_is_named(server, pauses):
    server.replies = [PlainTextResponse("hello")] * 3

    with pytest.raises(ModelError, match="text/event-stream"):
        asyncio.run(chunks_of(model_of(server)))


def test_the_key_is_in_no_log_and_no_text(server, caplog):
    server.replies = [JSONResponse({"error": {"message": f"bad key {KEY}"}}, 401)]
    model = model_of(server)

    with caplog.at_level(logging.DEBUG), pytest.raises(ModelError) as raised:
        asyncio.run(chunks_of(model))

    assert caplog.records
    assert KEY not in caplog.text + repr(model) + str(raised.value) + repr(raised.value)
    server.replies = [sse(chunk(content="a"), {"error": {"message": f"bad key {KEY}"}})]
    with pytest.raises(ModelError, match=r"stream failed: bad key \*\*\*") as late:
        asyncio.run(chunks_of(model))
    assert KEY not in repr(late.value)
    with pytest.raises(ValueError, match="api_key") as refused:
        OpenAICompatibleModel(server.url, "m", f"{KEY}\nx")
    assert KEY not in str(refused.value)


def test_leaving_early_closes_the_connection(server):
    async def unfinished(server):
        server.entered.set()
        try:
            yield sse(chunk(content="a"), done=False)
            await asyncio.Event().wait()
        finally:
            server.left.set()

    server.replies = [unfinished, unfinished]

    async def leave():
        stream = ReActAgent("a", model_of(server)).stream([Message("user", "hi")])
        async for event in stream:
            if isinstance(event, TextDelta):
                break
        await stream.aclose()

    async def cancel():
        task = asyncio.ensure_future(ReActAgent("a", model_of(server)).invoke([Message("user", "hi")]))
        await asyncio.to_thread(server.entered.wait, 10)
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()

    for way in (leave, cancel):
        server.entered.clear()
        server.left.clear()
        asyncio.run(way())
        assert server.left.wait(10)


def test_a_block_keeps_its_connection(server):
    server.replies = [sse(chunk(content="a"))] * 3

    async def run():
        async with model_of(server) as model:
            for _ in range(3):
                await chunks_of(model)

    asyncio.run(run())
    assert (len(server.requests), len(server.ports)) == (3, 1)


def test_lone_halves_of_characters_can_be_sent(server):
    server.replies = [sse(chunk(content="a"))]
    model = model_of(server)

    async def run():
        return [part async for part in model.stream([{"role": "user", "content": "a\ud83d\ude00\ud83d"}])]

    asyncio.run(run())
    assert server.requests[0][1]["messages"][0]["content"] == "a\U0001f600\ufffd"


def test_what_json_cannot_carry_is_named(server):
    with pytest.raises(ModelError, match="JSON can carry"):
        asyncio.run(chunks_of(model_of(server), extra=object()))


def test_arguments_that_cannot_work_are_refused():
    for args, more in [
        (("localhost:1", "m"), {}),
        (("http://x", ""), {}),
        (("http://x", "m"), {"timeout": 0}),
        (("http://x", "m"), {"max_retries": -1}),
        (("http://x", "m", "ключ"), {}),
    ]:
        with pytest.raises(ValueError, match="Expected"):
            OpenAICompatibleModel(*args, **more)


def test_without_httpx2_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "httpx2", None)

    async def run():
        await anext(ReActAgent("a", OpenAICompatibleModel("http://x", "m")).stream([Message("user", "hi")]))

    with pytest.raises(ModuleNotFoundError, match=r"latent-agents\[openai\]"):
        asyncio.run(run())
