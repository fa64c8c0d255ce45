"""Valid traces that are the same on every machine: what is kept of them in a page does not change by itself."""

from __future__ import annotations

from random import Random

from latent.conformance.strategies._builder import TraceBuilder
from latent.protocol import AgentEvent

_COMMON = ("text", "text", "reasoning", "tool", "tool", "tool_done", "tool_done", "step", "model", "model_done")
_RARE = (
    *("aside", "canned", "retrieve", "retrieved", "phase", "phase_again", "phase_completed", "route"),
    *("guideline", "journey", "verify", "metadata"),
)
_TEXTS = ("Good ", "day. ", "日本", "It")


def fixed_traces(count: int) -> list[list[AgentEvent]]:
    """`count` runs with events of all types; each fourth one ends in `Error`."""
    return [_trace(Random(seed), fails=seed % 4 == 3) for seed in range(count)]


def _trace(random: Random, *, fails: bool) -> list[AgentEvent]:
    builder = TraceBuilder(_TEXTS, 0)
    for _ in range(5 + int(random.random() * 20)):
        getattr(builder, _pick(random, (*_COMMON, *_RARE)))(int(random.random() * 8))
    if fails:
        builder.error(0)
    return builder.finish()


def _pick(random: Random, names: tuple[str, ...]) -> str:
    return names[int(random.random() * len(names))]  # alone of all methods this one gives the same everywhere
