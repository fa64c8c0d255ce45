"""The door to LiteLLM's providers."""

from __future__ import annotations

import os
from asyncio import to_thread
from collections.abc import AsyncIterator, Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from latent.agents._closing import closing
from latent.agents.models._errors import ModelError

__all__ = ["LiteLLMModel"]

_NEEDED = "LiteLLMModel({!r}) needs LiteLLM: pip install 'latent-agents[litellm]'"


class LiteLLMModel:
    """A model by the name that LiteLLM has for it (`"gpt-4o"`, `"anthropic/claude-sonnet-4-5"`).

    `options` go into each request (`temperature=0`, `api_base=…`, `api_key=…`). LiteLLM is imported
    when the first request is made, because that import takes seconds, and without its fetch of a
    price list from the network.
    """

    def __init__(self, model: str, **options: Any) -> None:
        if not model:
            raise ValueError("Expected the name of a model, got ''")
        self.model_id = model
        self._options = options

    def check_available(self) -> None:
        """Raise `ModuleNotFoundError` where LiteLLM is not installed."""
        if find_spec("litellm") is None:
            raise ModuleNotFoundError(_NEEDED.format(self.model_id), name="litellm")

    async def stream(
        self, messages: list[dict[str, Any]], *, tools: Sequence[dict[str, Any]] = (), **options: Any
    ) -> AsyncIterator[dict[str, Any]]:
        """Yield the chunks that LiteLLM gives, as plain dicts.

        Raises what LiteLLM raises; `ModelError` in its place, where that shows the `api_key` of the options.
        """
        self.check_available()
        complete = await to_thread(_completion)
        request = {"stream_options": {"include_usage": True}, **self._options, **options}
        if tools:
            request["tools"] = list(tools)
        try:
            answer = await complete(model=self.model_id, messages=messages, stream=True, **request)
            async with closing(answer) as chunks:
                async for chunk in chunks:
                    yield chunk.model_dump(exclude_none=True)
        except Exception as error:
            key = request.get("api_key")
            if key and key in str(error):
                raise ModelError(str(error).replace(key, "***")) from None
            raise


def _completion() -> Callable[..., Any]:
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    litellm = import_module("litellm")  # at first use: it takes seconds
    complete: Callable[..., Any] = litellm.acompletion
    return complete
