"""Whole streams that keep every rule."""

from __future__ import annotations

from typing import TypeAlias

from hypothesis import strategies as st

from latent.conformance.strategies._builder import TraceBuilder
from latent.conformance.strategies._values import WORDS
from latent.protocol import AgentEvent

__all__ = ["lasting_traces", "traces"]

_Operation: TypeAlias = tuple[str, int]
"""A method of `TraceBuilder`, and the variant."""

# One draw for each operation: a shorter list of operations is a shorter trace, so that failures shrink well.
_COMMON = ("text", "text", "reasoning", "tool", "tool", "tool_done", "tool_done", "step", "model", "model_done")
_RARE = (
    *("aside", "canned", "retrieve", "retrieved", "phase", "phase_again", "phase_completed", "route"),
    *("guideline", "journey", "verify", "metadata"),
)
_OPERATIONS = [(name, n) for name in (*_COMMON, *_RARE) for n in range(8)]
_SOME = st.lists(st.sampled_from(_OPERATIONS), max_size=15)
_LAST = st.lists(st.sampled_from([*_OPERATIONS, *[("error", n) for n in range(8)]]), max_size=15)
_TEXTS = st.lists(WORDS, min_size=1, max_size=4)
_FIRST = st.sampled_from((0, 1, 7))


def traces() -> st.SearchStrategy[list[AgentEvent]]:
    """A complete run that keeps every rule and passes, with all types of events; some runs end in `Error`."""
    return _TRACES


def lasting_traces() -> st.SearchStrategy[list[AgentEvent]]:
    """A complete run with at least one step that keeps every rule, and does not end in `Error`."""
    return _LASTING_TRACES


def _trace(operations: list[_Operation], texts: list[str], first: int) -> list[AgentEvent]:
    builder = TraceBuilder(texts, first)
    for name, n in operations:
        getattr(builder, name)(n)
        if builder.over:
            break
    return builder.finish()


def _lasting(operations: list[_Operation], texts: list[str], first: int) -> list[AgentEvent]:
    return _trace([*operations, ("text", 0)], texts, first)


def _joined(parts: tuple[list[_Operation], ...]) -> list[_Operation]:
    return [operation for part in parts for operation in part]


# Several short lists: one long one is short on average.
_TRACES = st.builds(_trace, st.tuples(_SOME, _SOME, _LAST).map(_joined), _TEXTS, _FIRST)
_LASTING_TRACES = st.builds(_lasting, st.tuples(_SOME, _SOME).map(_joined), _TEXTS, _FIRST)
