"""The OpenTelemetry context that a caller hands over."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from latent.agents._optional import optional_module

__all__ = ["context_of", "within"]

_Value = TypeVar("_Value")


def context_of(config: Mapping[str, Any]) -> Any:
    """The context that `config["otel_context"]` names: itself, or that of a carrier (`{"traceparent": …}`).

    `None` where there is none, and where OpenTelemetry is not installed. Raises `TypeError` for
    something else.
    """
    given = config.get("otel_context")
    if given is None:
        return None
    api = optional_module("opentelemetry.context")
    if api is None or isinstance(given, api.Context):
        return given if api else None
    if isinstance(given, Mapping):
        return optional_module("opentelemetry.propagate").extract(given)
    raise TypeError(f"Expected `otel_context` as a Context or a carrier, got `{type(given).__name__}`")


def within(context: Any, resume: Callable[[], Awaitable[_Value]]) -> Callable[[], Awaitable[_Value]]:
    """`resume` with `context` current while it runs; `resume` itself where there is no context."""
    if context is None:
        return resume
    api = optional_module("opentelemetry.context")

    async def resume_within() -> _Value:
        token = api.attach(context)
        try:
            return await resume()
        finally:
            api.detach(token)

    return resume_within
