"""What the model calls of a run cost."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from latent.protocol import AgentEvent, LLMCallEnd, LLMCallStart

__all__ = ["CallMetrics", "collect_call_metrics"]


class CallMetrics(Struct, frozen=True):
    """Sums over the model calls of some events."""

    duration_seconds: float = 0.0
    """The time spent in calls; calls at the same time count each."""
    input_tokens: int = 0
    """All input tokens, cached ones included."""
    output_tokens: int = 0
    """All output tokens."""

    @property
    def total_tokens(self) -> int:
        """Input and output tokens; cached and reasoning tokens are in them already."""
        return self.input_tokens + self.output_tokens


def collect_call_metrics(events: Iterable[AgentEvent]) -> CallMetrics:
    """Sum the model calls among `events`.

    Starts and ends are paired by `run_id`; a start or an end without the other counts for nothing. A
    pair with an unknown time (0.0), or with an end before its start, adds its tokens and no duration.
    Tokens are those of `LLMCallEnd`; `Usage` says the same once more and is not read.
    """
    started: dict[str, LLMCallStart] = {}
    duration, input_tokens, output_tokens = 0.0, 0, 0
    for event in events:
        if isinstance(event, LLMCallStart):
            started[event.run_id] = event
        elif isinstance(event, LLMCallEnd):
            start = started.pop(event.run_id, None)
            if start is None:
                continue
            input_tokens += event.input_tokens
            output_tokens += event.output_tokens
            if start.timestamp and event.timestamp:
                duration += max(0.0, event.timestamp - start.timestamp)
    return CallMetrics(duration, input_tokens, output_tokens)
