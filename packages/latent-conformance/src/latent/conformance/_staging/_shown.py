"""Findings of a run as they are shown: with the place in its stream, and what comes first of what is to be mended."""

from __future__ import annotations

from dataclasses import replace

from latent.conformance._catalogue import RULES
from latent.conformance._evidence._run import Run
from latent.conformance._verdict._excerpt import excerpt
from latent.conformance._verdict._violation import Violation

__all__ = ["shown"]

_EXCEPTION = (
    "Mend the exception first, in the line that it comes from: nothing that the model or a tool did here is a reason "
    "to fail. If it was raised for want of what the rule asks:"
)


def shown(found: Violation, run: Run, limit: int) -> Violation:
    """A finding with its excerpt; an exception behind it, and an end before the loop's `limit`, stand in its mend."""
    if found.index is not None:
        found = replace(found, excerpt=excerpt(run.events, found.index))
    if found.cause is not None and not run.hung and found.hint == RULES[found.rule].remedy:
        return replace(found, hint=f"{_EXCEPTION} {found.hint}")
    if run.ends_between_turns and 1 < len(run.requests) < limit and run.ending in found.message:
        return replace(found, hint=f"{_own_limit(len(run.requests), limit)} {found.hint}")
    return found


def _own_limit(requests: int, limit: int) -> str:
    return (
        f"Take harness.max_iterations for the limit of the loop, if it was one of your own that ended it: the run "
        f"failed after {requests} requests to the model, and the harness allows {limit}. If it was none:"
    )
