"""Spans of a run, by OpenTelemetry."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from logging import getLogger
from typing import Any

from latent.agents._closing import closing
from latent.agents._optional import optional_module
from latent.agents._tracing import context_of
from latent.agents.observability._spans import RunSpans, TraceSettings
from latent.protocol import AgentEvent

__all__ = ["OpenTelemetryTracer"]

_LOG = getLogger("latent.agents.observability")


class OpenTelemetryTracer:
    """A `stream_wrapper` that opens spans: one for the run, and in it for steps, model calls, tools and retrievers.

    The run's span is a child of `config["otel_context"]` where the config has one, else of the span
    that is active when the run begins. Give the tracer the config that the agent gets. Texts (tool
    arguments and results, queries, documents) are recorded only with `capture_content`, shortened to
    `max_text_chars`. Where OpenTelemetry's API is not installed, the events pass and nothing is
    recorded. One tracer may serve many runs.
    """

    def __init__(
        self,
        agent_name: str,
        *,
        config: Mapping[str, Any] | None = None,
        tracer_provider: Any = None,
        provider_name: str | None = None,
        capture_content: bool = False,
        max_text_chars: int = 500,
    ) -> None:
        self._trace = optional_module("opentelemetry.trace")
        self._provider = tracer_provider
        self._config: Mapping[str, Any] = config or {}
        self._settings = TraceSettings(
            agent_name=agent_name,
            provider_name=provider_name,
            conversation_id=self._config.get("conversation_id") or None,
            capture_content=capture_content,
            max_text_chars=max_text_chars,
        )

    def __call__(self, events: AsyncIterator[AgentEvent]) -> AsyncIterator[AgentEvent]:
        """The events, unchanged."""
        return events if self._trace is None else self._traced(events)

    async def _traced(self, events: AsyncIterator[AgentEvent]) -> AsyncIterator[AgentEvent]:
        async with closing(events):
            tracer = self._trace.get_tracer("latent.agents", tracer_provider=self._provider)
            spans = RunSpans(self._trace, tracer, context_of(self._config), self._settings)
            try:
                async for event in events:
                    try:
                        spans.take(event)
                    except Exception as error:  # an observer's fault is not the run's
                        _LOG.warning("tracing of %s failed", type(event).__name__, exc_info=error)
                    yield event
            except BaseException as error:
                spans.raised(error)
                raise
            finally:
                spans.finish()
