"""Aggregated metrics of model calls."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from latent.conformance._library._trial import Trial
from latent.conformance._verdict._report import Report
from latent.protocol import AgentEvent, LLMCallEnd, LLMCallStart, Usage

__all__ = ["check_metrics"]

_OVERLAPPING: list[AgentEvent] = [
    LLMCallStart("a", "in", None, 1.0),
    LLMCallStart("b", "in", None, 2.0),
    LLMCallEnd("a", None, 10, 1, None, 4.0),
    LLMCallEnd("b", None, 100, 2, None, 8.0),
]
_DURATIONS = {
    "two calls that overlap": (_OVERLAPPING, 9.0),
    "a call that never ended": ([*_OVERLAPPING, LLMCallStart("c", "in", None, 9.0)], 9.0),
    "a call around one that never ended": (
        [LLMCallStart("a", "in", None, 1.0), LLMCallStart("b", "in", None, 3.0), LLMCallEnd("a", timestamp=4.0)],
        3.0,
    ),
    "an end without its start": ([*_OVERLAPPING, LLMCallEnd("c", timestamp=9.0)], 9.0),
    "a clock that went back": ([LLMCallStart("a", "in", None, 5.0), LLMCallEnd("a", timestamp=4.0)], 0.0),
    "a start without a time": ([LLMCallStart("a", "in"), LLMCallEnd("a", timestamp=4.0)], 0.0),
    "an end without a time": ([LLMCallStart("a", "in", None, 4.0), LLMCallEnd("a")], 0.0),
    "no events": ([], 0.0),
}
_SPENT = [*_OVERLAPPING, Usage(110, 3, None, 40, 50)]


def check_metrics(function: Callable[[list[AgentEvent]], Any]) -> Report:
    """Judge a function that sums up the model calls of a run: CALL-7, USAGE-6 and USAGE-10.

    It takes events and gives an object with `duration_seconds`, `input_tokens`, `output_tokens` and
    `total_tokens`.
    """
    trial = Trial("CALL-7", "USAGE-6", "USAGE-10")
    for what, (events, seconds) in _DURATIONS.items():
        metrics = trial.call("CALL-7", f"the metrics of {what}", partial(function, list(events)))
        if metrics is not None:
            trial.equal("CALL-7", f"the duration of {what} as", seconds, metrics.duration_seconds)
    plain = trial.call("USAGE-6", "the metrics of two calls", lambda: function(list(_OVERLAPPING)))
    spent = trial.call("USAGE-10", "the metrics of calls with Usage", lambda: function(list(_SPENT)))
    if plain is not None:
        trial.equal("USAGE-6", "tokens of", (110, 3, 113), _tokens(plain))
    if plain is not None and spent is not None:
        trial.equal("USAGE-10", "with Usage the same tokens,", _tokens(plain), _tokens(spent))
    return trial.report()


def _tokens(metrics: Any) -> tuple[Any, Any, Any]:
    return metrics.input_tokens, metrics.output_tokens, metrics.total_tokens
