"""The OpenTelemetry context that a caller hands over."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeVar

__all__ = ["context_of", "within"]

Value = TypeVar("Value")


def context_of(config: Mapping[str, Any]) -> Any:
    """The context that `config["otel_context"]` names: itself, or that of a carrier (`{"traceparent": …}`).

    `None` where there is none, and where OpenTelemetry is not installed. Raises `TypeError` for
    something else.
    """
    given = config.get("otel_context")
    if given is None or find_spec("opentelemetry") is None:
        return None
    if isinstance(given, _context_api().Context):
        return given
    if isinstance(given, Mapping):
        return import_module("opentelemetry.propagate").extract(given)
    raise TypeError(f"Expected `otel_context` as a Context or a carrier, got `{type(given).__name__}`")


def within(context: Any, resume: Callable[[], Awaitable[Value]]) -> Callable[[], Awaitable[Value]]:
    """`resume` with `context` current while it runs; `resume` itself where there is no context."""
    if context is None:
        return resume

    async def resume_within() -> Value:
        token = _context_api().attach(context)
        try:
            return await resume()
        finally:
            _context_api().detach(token)

    return resume_within


def _context_api() -> Any:
    return import_module("opentelemetry.context")  # an optional extra; a look-up once it is loaded
