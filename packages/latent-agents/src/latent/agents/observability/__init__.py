"""Observers of a run: sinks that get every event, and the middleware that feeds them."""

from latent.agents.observability.sink_middleware import AgentSinkMiddleware
from latent.agents.observability.sinks import AgentEventSink, OpenTelemetrySink, StructlogSink
from latent.agents.observability.tracer import OpenTelemetryTracer

__all__ = ["AgentEventSink", "AgentSinkMiddleware", "OpenTelemetrySink", "OpenTelemetryTracer", "StructlogSink"]
