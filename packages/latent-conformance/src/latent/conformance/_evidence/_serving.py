"""Which steps of a run serve the script's model; the others are the agent's own, and no turn explains them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from latent.protocol import (
    LLMCallEnd,
    LLMCallStart,
    PhaseCompleted,
    PhaseRouted,
    PhaseStarted,
    ReasoningDelta,
    RetrieverStart,
    StepBoundary,
    TextDelta,
    ToolCall,
    ToolResult,
    VerificationResult,
)

__all__ = ["Part", "serving_parts", "text_of"]

Part = list[Any]
"""Neighbouring events: what came before the first step, or a step with its boundary."""

_OF_TURNS = (ReasoningDelta, ToolCall, ToolResult, VerificationResult)
"""What never stands in a step of the agent's own: it comes of a turn, or speaks of an answer that does."""
_PHASES = (PhaseStarted, PhaseCompleted, PhaseRouted)


def text_of(events: Sequence[object]) -> str:
    """The joined text of the deltas among `events`."""
    return "".join(str(event.text) for event in events if isinstance(event, TextDelta))


def serving_parts(events: Sequence[object], said: Sequence[str], asked: int, aux: int) -> list[Part]:
    """The parts of a run without the steps that are the agent's own (clauses 2.15 and 2.16).

    Those are prepared answers, functions, and calls of another model. `said` is the text of each turn, `asked` how
    many turns were asked for, `aux` how often the auxiliary model was. Where the events do not say which model a
    step called, a step that tells nothing of a turn is the agent's own only where there are more steps than turns.
    """
    starts = [at for at, event in enumerate(events) if isinstance(event, StepBoundary)]
    parts = [[*events[start:end]] for start, end in pairwise([0, *starts, len(events)])]
    left = [part for part in parts if not _is_prepared(part)]
    if sum(map(_calls, left)) < asked:  # a step that says nothing of its call may be of any model
        return left
    told = _Told(said)
    apart = _of_functions(events)
    last = max((at for at, part in enumerate(left) if _calls(part)), default=0)
    left = [part for at, part in enumerate(left) if not _is_function(part, told, apart, early=at < last)]
    mains = {name for part in left if told.shows(part) for name in _models(part)}
    left = [part for part in left if not _is_foreign(part, told, mains)]
    turns = max(len(said), asked)
    return _without_nameless(left, told, turns) if aux else left


class _Told:
    """What the turns of the model say."""

    def __init__(self, said: Sequence[str]) -> None:
        self._texts = [text for each in said if (text := each.strip())]

    def shows(self, part: Part) -> bool:
        """Whether the part is of a turn by what it holds."""
        return text_of(part).strip() in self._texts or any(isinstance(event, _OF_TURNS) for event in part)

    def holds(self, part: Part) -> bool:
        """Whether the part may be a piece of a turn."""
        said = text_of(part).strip()
        return self.shows(part) or any(said in text for text in self._texts if said)


def _is_step(part: Part) -> bool:
    return bool(part) and isinstance(part[0], StepBoundary)


def _calls(part: Part) -> int:
    return sum(isinstance(event, LLMCallStart) for event in part)


def _models(part: Part) -> set[str | None]:
    calls = (event for event in part if isinstance(event, LLMCallStart))
    return {None if call.model_id is None else str(call.model_id) for call in calls}


def _is_prepared(part: Part) -> bool:
    return _is_step(part) and part[0].label == "fast_response" and not _calls(part)


def _of_functions(events: Sequence[object]) -> set[int]:
    """The identities of the events in phases that call no model."""
    return {id(event) for phase in _phases(events) if not _calls(phase) for event in phase}


def _phases(events: Sequence[object]) -> Iterator[Part]:
    """What stands in each phase, the phases inside of it too; one that is not completed goes on to the end."""
    begun: dict[str, int] = {}
    for at, event in enumerate(events):
        if isinstance(event, PhaseStarted):
            begun[str(event.phase_name)] = at
        elif isinstance(event, PhaseCompleted) and str(event.phase_name) in begun:
            yield [*events[begun.pop(str(event.phase_name)) : at]]
    yield from ([*events[start:]] for start in begun.values())


def _is_function(part: Part, told: _Told, apart: set[int], *, early: bool) -> bool:
    """Whether a step without a call is the agent's own: in a phase, or in front of a step that calls a model.

    Behind the last of these and in no phase it would take the place of the model's answer.
    """
    if not _is_step(part) or any(isinstance(event, (LLMCallStart, LLMCallEnd, *_OF_TURNS)) for event in part):
        return False
    content = [event for event in part[1:] if not isinstance(event, _PHASES)]
    if content and all(id(event) in apart for event in content):
        return True
    says = bool(text_of(content).strip()) or any(isinstance(event, RetrieverStart) for event in content)
    return early and says and not told.holds(part)


def _is_foreign(part: Part, told: _Told, mains: set[str | None]) -> bool:
    """Whether a step calls a model under a name that no turn came by."""
    models = _models(part)
    named = bool(models) and None not in models and bool(mains) and None not in mains
    return _is_step(part) and named and not models & mains and not told.shows(part)


def _without_nameless(parts: list[Part], told: _Told, turns: int) -> list[Part]:
    """The parts without as many steps that tell nothing of a turn as there are more steps than turns."""
    surplus = sum(map(_is_step, parts)) - turns
    silent = [at for at, part in enumerate(parts) if _is_step(part) and _calls(part) and not told.holds(part)]
    silent.sort(key=lambda at: not text_of(parts[at]).strip())
    own = {*silent[: max(surplus, 0)]}
    left = [part for at, part in enumerate(parts) if at not in own]
    return left if all(_calls(part) for part in left if _is_step(part)) else parts
