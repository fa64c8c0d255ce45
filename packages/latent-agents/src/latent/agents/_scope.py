"""What surrounds the code of one run, and only while that code runs."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from latent.retriever import Collector, activate

__all__ = ["RunScope"]


class RunScope:
    """`with scope:` around each resumption of a run's code, never around a `yield` to the consumer.

    Inside, the run's collector is current, and so is the OpenTelemetry context that
    `config["otel_context"]` names: a context, or a carrier such as `{"traceparent": …}`.
    """

    __slots__ = ("_before", "_otel", "_token", "collector")

    def __init__(self, config: Mapping[str, Any]) -> None:
        self.collector = Collector()
        self._before: Collector | None = None
        self._otel = _otel_context(config.get("otel_context"))
        self._token: Any = None

    def __enter__(self) -> None:
        self._before = activate(self.collector)
        if self._otel is not None:
            self._token = _context_api().attach(self._otel)

    def __exit__(self, *exception: object) -> None:
        activate(self._before)
        if self._otel is not None:
            _context_api().detach(self._token)


def _otel_context(given: Any) -> Any:
    if given is None or find_spec("opentelemetry") is None:
        return None
    if isinstance(given, _context_api().Context):
        return given
    if isinstance(given, Mapping):
        return import_module("opentelemetry.propagate").extract(given)
    raise TypeError(f"Expected `otel_context` as a Context or a carrier, got `{type(given).__name__}`")


def _context_api() -> Any:
    return import_module("opentelemetry.context")  # an optional extra; a look-up once it is loaded
