"""Token accounting."""

from __future__ import annotations

from latent.conformance._catalogue._row import row
from latent.conformance._catalogue._rule import Rule

__all__ = ["ROWS"]

_USAGE = ("usage",)

ROWS: tuple[Rule, ...] = (
    row(
        "USAGE-1",
        "cache_creation_input_tokens and cache_read_input_tokens are parts of input_tokens.",
        "Report the whole input in input_tokens: where a provider counts cached tokens apart, add them to it.",
        needs=_USAGE,
    ),
    row(
        "USAGE-3",
        "There is at most one Usage for each model call.",
        "Fold the usage chunks of a streamed call and yield one Usage when the call ends.",
        needs=_USAGE,
        yields_to=("CALL-8",),
    ),
    row(
        "USAGE-4",
        "Usage has the tokens of its LLMCallEnd, in the same step.",
        "Fill Usage and LLMCallEnd from the same numbers, the final ones of the call.",
        needs=_USAGE,
        yields_to=("USAGE-3", "CALL-2", "CALL-3", "CALL-10"),
        presumes=("CALL-10",),
    ),
)
