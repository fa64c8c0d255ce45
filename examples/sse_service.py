"""A small web service that streams an agent's events as server-sent events.

    python examples/sse_service.py --port 8000
    curl -N localhost:8000/runs -d '{"messages": [{"role": "user", "content": "Hello"}]}'

Needs starlette, uvicorn and latent-agents. Each run is a POST whose answer is the stream. What a server has to get
right, and where it is here: a client that leaves has its run closed, while the others go on (`Run.__call__`); a
request that the agent refuses gets an HTTP status, because nothing was sent yet (`Run._answer`); a run that breaks
later ends in an `Error` (`Run._stream`); a silent run is kept open by comments (`Run._beat`).

Resuming is not offered: no event has an `id:`, and a run ends when its client leaves. Whoever wants that has to store
the events of each run and to number them. It is also why a run is a POST: a browser's `EventSource`, which sends GET
and connects again by itself, would start one run after another.
"""

import argparse
import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from latent.agents import EchoModel, ReActAgent
from latent.protocol import AgentEvent, AgentProtocol, Error, Message, encode_sse, message_from_dict

HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),  # a proxy that collects the answer would hold the events back
]
log = logging.getLogger("sse_service")


class Run:
    """`POST /runs`: one run of the agent, for as long as its client stays."""

    def __init__(self, agent: AgentProtocol, heartbeat: float) -> None:
        self.agent = agent
        self.heartbeat = heartbeat

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            messages = parse_messages(await Request(scope, receive).body())
        except ClientDisconnect:
            return
        except ValueError as error:
            await JSONResponse({"error": str(error)}, 400)(scope, receive, send)
            return
        answering = asyncio.create_task(self._answer(messages, scope, receive, send))
        leaving = asyncio.create_task(left(receive))
        try:
            await asyncio.wait([answering, leaving], return_when=asyncio.FIRST_COMPLETED)
        finally:  # whoever is not done is cancelled, and awaited: no task outlives its request
            answering.cancel()
            leaving.cancel()
            done = await asyncio.gather(answering, leaving, return_exceptions=True)
        if isinstance(done[0], Exception):
            raise done[0]

    async def _answer(self, messages: list[Message], scope: Scope, receive: Receive, send: Send) -> None:
        """Wait for the first event, and only then say 200."""
        async with aclosing(stream_of(self.agent, messages)) as events:
            try:
                first = await anext(events, None)
            except (TypeError, ValueError) as error:
                await JSONResponse({"error": str(error)}, 422)(scope, receive, send)
                return
            except Exception:
                log.exception("The run failed before its first event")
                await JSONResponse({"error": "The agent could not begin"}, 500)(scope, receive, send)
                return
            await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
            beating = asyncio.create_task(self._beat(send))
            try:
                await self._stream(first, events, send)
            finally:
                beating.cancel()
                await asyncio.gather(beating, return_exceptions=True)
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _stream(self, first: AgentEvent | None, events: AsyncIterator[AgentEvent], send: Send) -> None:
        try:
            if first is not None:
                await send_chunk(send, encode_sse(first))
                async for event in events:
                    await send_chunk(send, encode_sse(event))
        except Exception:
            log.exception("The run failed")
            await send_chunk(send, encode_sse(Error("The run failed")))

    async def _beat(self, send: Send) -> None:
        """Send a comment now and then, so that nobody on the way takes a silent run for a dead one."""
        while True:
            await asyncio.sleep(self.heartbeat)
            await send_chunk(send, b": still here\n\n")


async def stream_of(agent: AgentProtocol, messages: list[Message]) -> AsyncGenerator[AgentEvent, None]:
    """The agent's stream as a generator, so that it can be closed whatever kind of iterator it is."""
    stream = agent.stream(messages)
    try:
        async for event in stream:
            yield event
    finally:
        if close := getattr(stream, "aclose", None):
            await close()


async def left(receive: Receive) -> None:
    """Return when the client has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def send_chunk(send: Send, data: bytes) -> None:
    await send({"type": "http.response.body", "body": data, "more_body": True})


def parse_messages(body: bytes) -> list[Message]:
    """Raises `ValueError` that says what was expected."""
    request: dict[str, Any] = msgspec.json.decode(body, type=dict)
    rows = request.get("messages")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError('Expected {"messages": [{"role": "user", "content": "..."}]}')
    return [message_from_dict(row) for row in rows]


def create_app(agent: AgentProtocol, *, heartbeat: float = 15.0) -> Starlette:
    """The service around an agent; a silent run gets a comment every `heartbeat` seconds."""
    return Starlette(routes=[Route("/runs", Run(agent, heartbeat), methods=["POST"])])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=8000)
    options = parser.parse_args()
    app = create_app(ReActAgent(name="echo", model=EchoModel()))
    uvicorn.run(app, port=options.port, timeout_graceful_shutdown=5)  # or a run without end would keep it from ending


if __name__ == "__main__":
    main()
