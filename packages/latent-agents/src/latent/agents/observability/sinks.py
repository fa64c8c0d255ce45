"""Sinks: observers that get every event of a run."""

from __future__ import annotations

import logging
from typing import Any, Protocol, runtime_checkable

from latent.agents._optional import optional_module
from latent.agents.observability._attributes import attributes, event_name, shortened
from latent.protocol import AgentEvent, ReasoningDelta, TextDelta

__all__ = ["AgentEventSink", "OpenTelemetrySink", "StructlogSink"]

_RESERVED = {"event", "level", "logger", "timestamp", "exc_info", "stack_info"}


@runtime_checkable
class AgentEventSink(Protocol):
    """Anything with an async `emit`.

    A sink that keeps something between events may have `for_run()`, which gives the sink for one run,
    and `finish()`, called when that run's stream ends in any way.
    """

    async def emit(self, event: AgentEvent) -> None:
        """Take one event; observe only."""
        ...


class StructlogSink:
    """Logs each event as a structured record: its name, and its fields as keys.

    Fields whose names structlog uses itself get the prefix `event_`. Where structlog is not configured
    the records go to the standard library's logger of that name, so that its levels apply. Raises
    `ModuleNotFoundError` where structlog is not installed.
    """

    def __init__(
        self, logger_name: str = "latent.agents", level: int = logging.INFO, max_text_chars: int = 500
    ) -> None:
        self._level = level
        self._limit = _checked(max_text_chars)
        self._log = _structlog_logger(logger_name)

    async def emit(self, event: AgentEvent) -> None:
        """Log the event."""
        fields = attributes(event, self._limit)
        named = {f"event_{key}" if key in _RESERVED else key: value for key, value in fields.items()}
        self._log.log(self._level, event_name(type(event)), **named)


class OpenTelemetrySink:
    """Adds each event to the active span as a span event `latent.<name>`, its fields as `latent.<field>`.

    It does nothing where OpenTelemetry's API is not installed or no span is recording. A span keeps a
    bounded number of events, 128 unless configured, and drops the oldest: with `coalesce_text` the
    neighbouring deltas of a text become one event with the beginning of the joined text and the number
    of deltas.
    """

    def __init__(self, max_text_chars: int = 500, *, coalesce_text: bool = False) -> None:
        self._limit = _checked(max_text_chars)
        self._coalesce = coalesce_text
        self._trace: Any = optional_module("opentelemetry.trace")
        self._held: _Held | None = None

    def for_run(self) -> OpenTelemetrySink:
        """A sink for one run; only one that joins deltas keeps anything."""
        return OpenTelemetrySink(self._limit, coalesce_text=True) if self._coalesce else self

    async def emit(self, event: AgentEvent) -> None:
        """Add the event to the active span."""
        if self._trace is None:
            return
        span = self._trace.get_current_span()
        if not span.is_recording():
            return
        if self._coalesce and isinstance(event, (TextDelta, ReasoningDelta)):
            self._hold(span, event)
            return
        self.finish()
        fields = attributes(event, self._limit)
        span.add_event(f"latent.{event_name(type(event))}", {f"latent.{key}": value for key, value in fields.items()})

    def finish(self) -> None:
        """Add the deltas that are held."""
        held, self._held = self._held, None
        if held is not None:
            fields = {"latent.text": shortened(held.text, self._limit), "latent.deltas": held.count}
            held.span.add_event(f"latent.{event_name(held.kind)}", fields)

    def _hold(self, span: Any, event: TextDelta | ReasoningDelta) -> None:
        held = self._held
        if held is None or held.span is not span or held.kind is not type(event):
            self.finish()
            held = self._held = _Held(span, type(event))
        held.count += 1
        if len(held.text) <= self._limit:
            held.text += event.text[: self._limit + 1]


class _Held:
    """Neighbouring deltas of one kind on one span."""

    __slots__ = ("count", "kind", "span", "text")

    def __init__(self, span: Any, kind: type[AgentEvent]) -> None:
        self.span = span
        self.kind = kind
        self.text = ""
        self.count = 0


def _structlog_logger(name: str) -> Any:
    structlog = optional_module("structlog")
    if structlog is None:
        raise ModuleNotFoundError(
            "StructlogSink needs structlog: pip install 'latent-agents[structlog]'", name="structlog"
        )
    if structlog.is_configured():
        return structlog.get_logger(name)
    return structlog.wrap_logger(
        logging.getLogger(name),
        processors=[structlog.stdlib.filter_by_level, structlog.stdlib.render_to_log_kwargs],
        wrapper_class=structlog.stdlib.BoundLogger,
    )


def _checked(max_text_chars: int) -> int:
    if isinstance(max_text_chars, bool) or not isinstance(max_text_chars, int) or max_text_chars < 0:
        raise ValueError(f"Expected max_text_chars of at least 0, got {max_text_chars!r}")
    return max_text_chars
