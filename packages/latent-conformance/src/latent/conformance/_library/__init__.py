"""Checks of helpers that libraries offer beside agents: each takes the thing to judge."""

from latent.conformance._library._consumer import check_consumer, check_trimmer
from latent.conformance._library._framing import Frame, check_framing
from latent.conformance._library._guided import check_conversation_id
from latent.conformance._library._metadata import check_metadata, check_usage
from latent.conformance._library._metrics import check_metrics
from latent.conformance._library._middleware import check_sink_middleware
from latent.conformance._library._retriever import RetrieverDecorator, RunCollector, check_retriever
from latent.conformance._library._sinks import check_otel_sink, check_sink

__all__ = [
    "Frame",
    "RetrieverDecorator",
    "RunCollector",
    "check_consumer",
    "check_conversation_id",
    "check_framing",
    "check_metadata",
    "check_metrics",
    "check_otel_sink",
    "check_retriever",
    "check_sink",
    "check_sink_middleware",
    "check_trimmer",
    "check_usage",
]
