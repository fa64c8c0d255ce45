"""Whole streams with one fault."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from latent.conformance.strategies._faults import AFTER, BEFORE, WITHIN
from latent.conformance.strategies._traces import lasting_traces
from latent.protocol import AgentEvent, StepBoundary

__all__ = ["BREAKABLE", "traces_breaking"]

BREAKABLE = frozenset({*AFTER, *BEFORE, *WITHIN})
"""The rules that a list of events can be seen to break."""


def traces_breaking(rule: str) -> st.SearchStrategy[list[Any]]:
    """A complete run that breaks `rule` and no other; raises `ValueError` where a list of events cannot show it.

    Of rules that need a controlled model to be sure (STEP-4, TEXT-5), it has what the kit takes for a hint.
    """
    break_it = _fault(rule)
    return lasting_traces().map(break_it)


def _fault(rule: str) -> Callable[[list[AgentEvent]], list[Any]]:
    if rule in AFTER:
        return lambda trace: [*trace, *AFTER[rule](_last_number(trace) + 1)]
    if rule in BEFORE:
        return lambda trace: [*BEFORE[rule], *trace]
    if rule in WITHIN:
        return WITHIN[rule]
    raise ValueError(f"Expected a rule out of {', '.join(sorted(BREAKABLE))}, got {rule!r}")


def _last_number(trace: list[AgentEvent]) -> int:
    return max((event.step for event in trace if isinstance(event, StepBoundary)), default=-1)
