"""The scripted model over HTTP, for agents built on any framework."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncGenerator, Coroutine, Mapping
from contextlib import aclosing
from json import JSONDecodeError
from threading import Event, Thread
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from latent.conformance.harness._chunks import Spoken, completion_of, error_of
from latent.conformance.harness._playback import ModelError, Playback
from latent.conformance.harness._sse import EventStream

__all__ = ["LoopbackServer"]

# A kept connection outlives the agent's loop and looks like a leak of the agent; and clients that try
# again by themselves would only make a failure slow.
_HEADERS = {"connection": "close", "x-should-retry": "false"}


class LoopbackServer:
    """The OpenAI chat-completions endpoint on a free port of 127.0.0.1, in a thread of its own."""

    def __init__(self, playback: Playback, model_id: str, aux_model_id: str, *, odd_wire: bool) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        app = _Endpoint(playback, model_id, aux_model_id, odd_wire=odd_wire).app()
        self._server = _Server(uvicorn.Config(app, lifespan="off", ws="none", log_config=None, access_log=False))
        self._thread = Thread(target=self._run, name="latent-conformance-loopback", daemon=True)
        self._quiet = _Quiet(self._thread)
        self._loggers = [logging.getLogger(name) for name in ("uvicorn.error", "asyncio")]
        for logger in self._loggers:
            logger.addFilter(self._quiet)
        self._thread.start()
        self._server.is_up.wait()

    @property
    def base_url(self) -> str:
        """Where it listens."""
        host, port = self._socket.getsockname()
        return f"http://{host}:{port}/v1"

    def close(self) -> None:
        """Stop listening, and end the thread."""
        self._server.should_exit = self._server.force_exit = True
        self._thread.join()
        self._socket.close()
        for logger in self._loggers:
            logger.removeFilter(self._quiet)

    def _run(self) -> None:
        try:
            asyncio.run(self._server.serve(sockets=[self._socket]))
        finally:
            self._server.is_up.set()


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.is_up = Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self.is_up.set()


class _Quiet(logging.Filter):
    """Keeps what the server's thread logs out of the author's test run: a broken-off answer is the script's doing."""

    def __init__(self, thread: Thread) -> None:
        super().__init__()
        self._thread = thread

    def filter(self, record: logging.LogRecord) -> bool:
        return record.thread != self._thread.ident


class _Endpoint:
    def __init__(self, playback: Playback, model_id: str, aux_model_id: str, *, odd_wire: bool) -> None:
        self._playback = playback
        self._model_id = model_id
        self._aux_model_id = aux_model_id
        self._odd_wire = odd_wire

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/v1/chat/completions", self.complete, methods=["POST"]),
                Route("/v1/models", self.models, methods=["GET"]),
            ],
            exception_handlers={HTTPException: self.refuse},
        )

    async def models(self, request: Request) -> Response:
        about = {"object": "model", "created": 1_700_000_000, "owned_by": "latent"}
        models = [{"id": name, **about} for name in (self._model_id, self._aux_model_id)]
        return JSONResponse({"object": "list", "data": models}, headers=_HEADERS)

    async def refuse(self, request: Request, refused: Exception) -> Response:
        assert isinstance(refused, HTTPException)
        self._playback.refused += 1
        known = "POST /v1/chat/completions, GET /v1/models"
        reason = refused.detail if refused.status_code == 400 else f"{refused.detail}: this server has {known} only"
        return _error(refused.status_code, f"{request.method} {request.url.path}: {reason}")

    async def complete(self, request: Request) -> Response:
        asked = await _body(request)
        streams = bool(asked.get("stream"))
        tells = not streams or bool((asked.get("stream_options") or {}).get("include_usage"))
        model = self._aux_model_id if asked.get("model") == self._aux_model_id else self._model_id
        if model == self._aux_model_id:
            pieces = self._playback.answer_aux()
        else:
            pieces = self._playback.play(asked["messages"], asked.get("tools") or (), "loopback", tells_usage=tells)
        try:
            if not streams:
                whole = await _unless_gone(request, _all(pieces))
                return JSONResponse(completion_of(whole, model), headers=_HEADERS)
            first = await anext(pieces, None)
        except ModelError as failure:
            return _error(500, str(failure))
        written = EventStream(model, tells, raw_separators=self._odd_wire).writes(first, pieces)
        return StreamingResponse(written, media_type="text/event-stream", headers=_HEADERS)


async def _all(pieces: AsyncGenerator[Spoken, None]) -> list[Spoken]:
    async with aclosing(pieces):
        return [piece async for piece in pieces]


async def _unless_gone(request: Request, answering: Coroutine[Any, Any, list[Spoken]]) -> list[Spoken]:
    """The answer; nothing where the client hangs up first, for the framework would let it go on unheard."""
    answer, gone = asyncio.ensure_future(answering), asyncio.ensure_future(request.receive())
    try:
        await asyncio.wait({answer, gone}, return_when=asyncio.FIRST_COMPLETED)
        return answer.result() if answer.done() else []
    finally:
        for task in (answer, gone):
            task.cancel()
        await asyncio.wait({answer, gone})


async def _body(request: Request) -> Mapping[str, Any]:
    try:
        asked = await request.json()
    except (JSONDecodeError, UnicodeDecodeError) as wrong:
        raise HTTPException(400, f"Expected a JSON body, got {wrong}") from None
    if not isinstance(asked, dict) or not isinstance(asked.get("messages"), list):
        raise HTTPException(400, "Expected a JSON object with `messages` as a list")
    if not all(isinstance(row, dict) for row in asked["messages"]):
        raise HTTPException(400, "Expected each of `messages` as an object")
    return asked


def _error(status: int, message: str) -> Response:
    kind = "server_error" if status >= 500 else "invalid_request_error"
    return JSONResponse(error_of(message, kind), status_code=status, headers=_HEADERS)
