"""What reads events, and what trims histories."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from latent.conformance._library._trial import Trial
from latent.conformance._passive._history import pairing_faults
from latent.conformance._verdict._report import Report
from latent.protocol import AgentEvent, Message, StepBoundary, TextDelta, ToolCall, UnknownEvent

__all__ = ["check_consumer", "check_trimmer"]


class _Private(AgentEvent, frozen=True):
    """An event that nobody else knows."""

    note: str = "private"


class _Chunk(TextDelta, frozen=True):
    """A text delta of an author's own."""

    note: str = "private"


def check_consumer(function: Callable[[list[AgentEvent]], object]) -> Report:
    """Judge a function that reads a run's events: PROTO-10."""
    trial = Trial("PROTO-10")
    for event in (_Private(), _Chunk("Hi"), AgentEvent(), UnknownEvent("later", b"{}")):
        kind = type(event).__name__
        events: list[AgentEvent] = [event, StepBoundary(0), event, TextDelta("Hi"), event]
        trial.call("PROTO-10", f"a stream with {kind}", partial(function, events))
        trial.hold("PROTO-10", True, "")
    return trial.report()


def check_trimmer(function: Callable[[list[Message]], Any]) -> Report:
    """Judge a function that shortens a history: MSG-8. It is given histories of many lengths."""
    trial = Trial("MSG-8")
    for length in range(1, len(_HISTORY) + 1):
        history = _HISTORY[:length]
        if pairing_faults(history):
            continue
        trimmed = trial.call("MSG-8", f"{length} rows", partial(_trimmed, function, history))
        if trimmed is not None:
            faults = pairing_faults(trimmed)
            trial.hold("MSG-8", not faults, f"of {length} rows: {faults[0].sentence}" if faults else "")
    return trial.report()


def _trimmed(function: Callable[[list[Message]], Any], history: list[Message]) -> list[Message]:
    return list(function(list(history)))


def _history(rounds: int) -> list[Message]:
    rows = [Message("system", "Be brief")]
    for at in range(rounds):
        calls = [ToolCall.from_arguments(f"c{at}{each}", "search", {"n": each}) for each in range(at % 3 + 1)]
        rows.append(Message("user", f"Question {at}"))
        rows.append(Message("assistant", "", tool_calls=calls))
        rows += [Message("tool", "found", tool_call_id=call.id) for call in calls]
        rows.append(Message("assistant", f"Answer {at}"))
    return rows


_HISTORY = _history(8)
