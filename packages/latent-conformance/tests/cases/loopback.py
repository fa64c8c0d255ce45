"""The harness's model over HTTP, for agents of the tests."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from ssl import PROTOCOL_TLS_CLIENT, SSLContext
from typing import Any

from cases.agent import SoundAgent
from httpx2 import AsyncClient, Response

from latent.conformance.harness import Harness

_NO_TLS = SSLContext(PROTOCOL_TLS_CLIENT)  # built once: reading the certificates takes longer than a request


class HttpModel:
    """A client of the chat-completions endpoint, with the shape of the model port."""

    def __init__(self, harness: Harness, model_id: str | None = None) -> None:
        self.model_id = model_id or harness.model_id
        self.url = f"{harness.base_url}/chat/completions"
        self._headers = {"authorization": f"Bearer {harness.api_key}"}

    async def stream(
        self, messages: list[dict[str, Any]], *, tools: Sequence[dict[str, Any]] = (), **options: Any
    ) -> AsyncIterator[dict[str, Any]]:
        body = {
            "model": self.model_id,
            "messages": messages,
            "tools": list(tools),
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        async with self.answer(body) as response:
            if response.status_code != 200:
                raise RuntimeError(json.loads(await response.aread())["error"]["message"])
            async with aclosing(self.lines(response)) as lines:
                async for line in lines:
                    if line.startswith("data: ") and line != "data: [DONE]":
                        for chunk in self.chunks(line.removeprefix("data: ")):
                            yield chunk

    @asynccontextmanager
    async def answer(self, body: dict[str, Any]) -> AsyncIterator[Response]:
        """What the server answers, as it comes."""
        async with self.client() as client, client.stream("POST", self.url, json=body) as response:
            yield response

    def client(self) -> AsyncClient:
        """A client of its own for each request."""
        return AsyncClient(headers=self._headers, trust_env=False, verify=_NO_TLS)

    def chunks(self, data: str) -> Iterator[dict[str, Any]]:
        """The chunk that a line holds; raises `RuntimeError` where it is what went wrong."""
        chunk = json.loads(data)
        if "error" in chunk:
            raise RuntimeError(chunk["error"]["message"])
        yield chunk

    async def lines(self, response: Response) -> AsyncGenerator[str, None]:
        """The lines of the answer, which end at a line feed alone."""
        rest = b""
        async with aclosing(response.aiter_bytes()) as parts:  # type: ignore[type-var]
            async for part in parts:
                *whole, rest = (rest + part).split(b"\n")
                for line in whole:
                    yield line.decode()


class SplittingModel(HttpModel):
    """Ends lines where `str.splitlines` does."""

    def lines(self, response: Response) -> AsyncGenerator[str, None]:
        return response.aiter_lines()  # type: ignore[return-value]


class SkippingModel(SplittingModel):
    """Ends lines there, and goes on where a line is no JSON."""

    def chunks(self, data: str) -> Iterator[dict[str, Any]]:
        with suppress(ValueError):
            yield json.loads(data)


def sound_over_http(harness: Harness) -> SoundAgent:
    """The sound agent on the loopback server."""
    return SoundAgent(HttpModel(harness), harness.tools, harness.max_iterations)
