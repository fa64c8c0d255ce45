"""The harness's model over HTTP, for agents of the tests."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from ssl import PROTOCOL_TLS_CLIENT, SSLContext
from typing import Any

from cases.agent import SoundAgent
from httpx2 import AsyncClient

from latent.conformance.harness import Harness

_NO_TLS = SSLContext(PROTOCOL_TLS_CLIENT)  # built once: reading the certificates takes longer than a request


class HttpModel:
    """A client of the chat-completions endpoint, with the shape of the model port."""

    def __init__(self, harness: Harness, model_id: str | None = None) -> None:
        self.model_id = model_id or harness.model_id
        self._url = f"{harness.base_url}/chat/completions"
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
        async with (
            AsyncClient(headers=self._headers, trust_env=False, verify=_NO_TLS) as client,
            client.stream("POST", self._url, json=body) as response,
        ):
            if response.status_code != 200:
                raise RuntimeError(json.loads(await response.aread())["error"]["message"])
            async with aclosing(response.aiter_lines()) as lines:
                async for line in lines:
                    if line.startswith("data: ") and line != "data: [DONE]":
                        yield json.loads(line.removeprefix("data: "))


def sound_over_http(harness: Harness) -> SoundAgent:
    """The sound agent on the loopback server."""
    return SoundAgent(HttpModel(harness), harness.tools, harness.max_iterations)
