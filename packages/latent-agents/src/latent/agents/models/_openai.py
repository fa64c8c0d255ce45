"""Any server that speaks the chat-completions wire."""

from __future__ import annotations

from asyncio import sleep
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack
from functools import cache
from json import loads
from ssl import SSLContext
from typing import TYPE_CHECKING, Any, Self

from msgspec import MsgspecError
from msgspec.json import decode

from latent.agents._closing import closing
from latent.agents._optional import optional_module
from latent.agents._previews import preview
from latent.agents.models._errors import ModelError
from latent.agents.models._retries import Backoff, is_transient
from latent.agents.models._wire import encoded_body, from_completion, refusal_text

if TYPE_CHECKING:
    import httpx2

__all__ = ["OpenAICompatibleModel"]

_NEEDED = "OpenAICompatibleModel needs httpx2: pip install 'latent-agents[openai]'"
_MAX_EVENT_BYTES = 64 * 2**20


class OpenAICompatibleModel:
    """A model behind `base_url` (`https://api.openai.com/v1`, or that of a local server).

    `timeout` bounds each wait for the server, in seconds. A request that fails before the first
    chunk, in a way that may pass, is made again up to `max_retries` times, after the pause that the
    server asks for or a growing one. `options` go into each request (`{"temperature": 0}`); one that
    is `None` is left out.

    Each response has a connection of its own, unless it is read inside `async with model:`, which
    keeps connections open and closes them at its end. The key is sent in one header and shown nowhere.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        api_key: str | None = None,
        *,
        timeout: float = 120.0,
        max_retries: int = 2,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        if not model:
            raise ValueError("Expected the name of a model, got ''")
        if not base_url.startswith(("http://", "https://")):
            raise ValueError("Expected base_url to begin with http:// or https://")
        if timeout <= 0 or max_retries < 0:
            raise ValueError(f"Expected timeout > 0 and max_retries >= 0, got {timeout!r} and {max_retries!r}")
        key = (api_key or "").strip()
        if not (key.isascii() and (key.isprintable() or not key)):
            raise ValueError("Expected an api_key of printable ASCII characters")  # the key itself is not shown
        self.model_id = model
        self._url = f"{base_url.rstrip('/')}/chat/completions"
        self._key = key
        self._timeout = timeout
        self._max_retries = max_retries
        self._options = dict(options or {})
        self._client: httpx2.AsyncClient | None = None

    def __repr__(self) -> str:
        return f"OpenAICompatibleModel({self.model_id!r})"

    async def __aenter__(self) -> Self:
        self._client = await self._new_client().__aenter__()
        return self

    async def __aexit__(self, *exception: object) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    def check_available(self) -> None:
        """Raise `ModuleNotFoundError` where httpx2 is not installed."""
        if optional_module("httpx2") is None:
            raise ModuleNotFoundError(_NEEDED, name="httpx2")

    async def stream(
        self, messages: list[dict[str, Any]], *, tools: Sequence[dict[str, Any]] = (), **options: Any
    ) -> AsyncIterator[dict[str, Any]]:
        """Yield the chunks of one response. Raises `ModelError` for everything that goes wrong."""
        self.check_available()
        body = {"model": self.model_id, "messages": messages, "stream": True}
        body |= {"stream_options": {"include_usage": True}, **({"tools": list(tools)} if tools else {})}
        content = encoded_body({**body, **self._options, **options})
        backoff = Backoff(self._max_retries)
        while True:
            begun = False
            try:
                async with closing(self._attempt(content)) as chunks:
                    async for chunk in chunks:
                        begun = True
                        yield chunk
                return
            except ModelError as error:
                pause = None if begun else backoff.pause(error)
                if pause is None:
                    raise
            await sleep(pause)

    async def _attempt(self, content: bytes) -> AsyncIterator[dict[str, Any]]:
        import httpx2  # an optional extra

        try:
            async with AsyncExitStack() as stack:
                client = self._client
                if client is None:
                    client = await stack.enter_async_context(self._new_client())
                source = await stack.enter_async_context(
                    client.sse(self._url, method="POST", content=content, max_event_size=_MAX_EVENT_BYTES)
                )
                await self._refuse_failure(source.response)
                if source.response.headers.get("content-type", "").startswith("application/json"):
                    yield from_completion(self._chunk(await source.response.aread()))
                    return
                events = await stack.enter_async_context(closing(aiter(source)))
                async for event in events:
                    if event.data.strip() != "[DONE]":
                        if event.data:
                            yield self._chunk(event.data)
                    elif self._client is None:
                        return  # a connection that is kept is read to its end, or it could not be used again
        except httpx2.HTTPError as error:
            raise ModelError(
                self._safe(f"No response from {self._place()}: {type(error).__name__}: {error}"),
                may_pass=isinstance(error, httpx2.TransportError) and not isinstance(error, httpx2.UnsupportedProtocol),
            ) from None  # its request carries the key

    async def _refuse_failure(self, response: httpx2.Response) -> None:
        if response.status_code == 200:
            return
        said = refusal_text(await response.aread())
        status = response.status_code
        raise ModelError(
            self._safe(_explained(status, self._place(), self.model_id) + (f": {preview(said)}" if said else "")),
            status=status,
            may_pass=is_transient(status, response.headers.get("x-should-retry")),
            retry_after=response.headers.get("retry-after"),
        )

    def _chunk(self, data: str | bytes) -> dict[str, Any]:
        """The object in `data`. An error in it is raised here, where the key is known."""
        try:
            chunk = _parsed(data)
            if chunk.get("error"):
                said = preview(refusal_text(data.encode() if isinstance(data, str) else data))
                raise ModelError(f"The model's stream failed: {said}")
        except ModelError as error:
            raise ModelError(self._safe(str(error))) from None  # what it comes from may show the key
        return chunk

    def _new_client(self) -> httpx2.AsyncClient:
        import httpx2  # an optional extra

        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        timeout = httpx2.Timeout(self._timeout, connect=min(10.0, self._timeout))
        return httpx2.AsyncClient(headers=headers, timeout=timeout, verify=_ssl_context())

    def _place(self) -> str:
        """The address without what may be secret in it."""
        scheme, _, rest = self._url.partition("://")
        return f"{scheme}://{rest.partition('?')[0].rpartition('@')[2]}"

    def _safe(self, text: str) -> str:
        return text.replace(self._key, "***") if self._key else text


@cache
def _ssl_context() -> SSLContext:
    """One for all clients: to load the certificates takes twenty times as long as all the rest of a client."""
    import httpx2  # an optional extra

    return httpx2.create_ssl_context()


def _explained(status: int, place: str, model: str) -> str:
    match status:
        case 401 | 403:
            return f"{place} refused the API key ({status})"
        case 404:
            return f"{place} does not exist or has no model {model!r} (404)"
        case 429:
            return f"{place} takes no more requests for the moment (429)"
        case _ if status >= 500:
            return f"{place} failed ({status})"
        case _:
            return f"{place} refused the request ({status})"


def _parsed(data: str | bytes) -> dict[str, Any]:
    try:
        value = decode(data)
    except (MsgspecError, ValueError):
        try:
            value = loads(data)  # takes the escaped halves of a character, which are put together later
        except (ValueError, RecursionError):
            value = None
    if not isinstance(value, dict):
        raise ModelError(f"Expected a JSON object from the server, got {preview(str(data), 200)!r}")
    return value
