"""Checks of helpers that libraries offer beside agents: each takes the thing to judge."""

from latent.conformance._library._consumer import check_consumer, check_trimmer
from latent.conformance._library._metadata import check_metadata, check_usage
from latent.conformance._library._metrics import check_metrics
from latent.conformance._library._middleware import check_sink_middleware

__all__ = [
    "check_consumer",
    "check_metadata",
    "check_metrics",
    "check_sink_middleware",
    "check_trimmer",
    "check_usage",
]
