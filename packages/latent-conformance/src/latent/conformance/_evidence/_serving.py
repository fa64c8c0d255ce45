"""Which steps of a run serve the script's model; the others are the agent's own, and no turn explains them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

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

__all__ = ["Part", "Told", "serving_parts", "text_of"]

Part: TypeAlias = list[Any]
"""Neighbouring events: what came before the first step, or a step with its boundary."""

_PHASES = (PhaseStarted, PhaseCompleted, PhaseRouted)
_DONE = (RetrieverStart, ReasoningDelta, ToolCall)
"""What an agent does by itself in a step without a text."""


def text_of(events: Sequence[object]) -> str:
    """The joined text of the deltas among `events`."""
    return "".join(str(event.text) for event in events if isinstance(event, TextDelta))


@dataclass(frozen=True, slots=True)
class Told:
    """What the turns of the model say, and what the agent says beside them."""

    turns: int
    """How many there are."""
    texts: tuple[str, ...]
    """The text of each turn that has one."""
    thoughts: tuple[str, ...]
    """The reasoning of each turn that has some."""
    calls: frozenset[str]
    """The ids of the calls that are the agent's own: their tools are in no turn."""

    @classmethod
    def of(cls, said: Sequence[str], thought: Sequence[str], own: Iterable[str]) -> Told:
        """What stands in turns with these texts and this reasoning, beside calls of the agent's own."""
        texts, thoughts = (tuple(text for each in given if (text := each.strip())) for given in (said, thought))
        return cls(len(said), texts, thoughts, frozenset(own))

    def shows(self, part: Part) -> bool:
        """Whether the part is of a turn by what it holds."""
        return text_of(part).strip() in self.texts or self.comes_of(part)

    def holds(self, part: Part) -> bool:
        """Whether the part may be a piece of a turn."""
        said = text_of(part).strip()
        return self.shows(part) or any(said in text for text in self.texts if said)

    def comes_of(self, part: Part) -> bool:
        """Whether reasoning or a call in it comes of a turn, or a verdict speaks of an answer that does."""
        thought = "".join(str(event.text) for event in part if isinstance(event, ReasoningDelta)).strip()
        return any(thought in each for each in self.thoughts if thought) or any(
            isinstance(event, VerificationResult)
            or (isinstance(event, ToolCall) and str(event.id) not in self.calls)
            or (isinstance(event, ToolResult) and str(event.tool_call_id) not in self.calls)
            for event in part
        )


def serving_parts(events: Sequence[object], told: Told, asked: int, aux: int) -> list[Part]:
    """The parts of a run without the steps that are the agent's own (clauses 2.15 and 2.16).

    Those are prepared answers, functions, and calls of another model. `told` is what the turns say, `asked` how
    many turns were asked for, `aux` how often the auxiliary model was. Where the events do not say which model a
    step called, a step that tells nothing of a turn is the agent's own only where there are more steps than turns.
    """
    starts = [at for at, event in enumerate(events) if isinstance(event, StepBoundary)]
    parts = [[*events[start:end]] for start, end in pairwise([0, *starts, len(events)])]
    left = [part for part in parts if not _is_prepared(part)]
    if sum(map(_calls, left)) < asked:  # a step that says nothing of its call may be of any model
        return left
    apart = _of_functions(events)
    last = max((at for at, part in enumerate(left) if _calls(part)), default=0)
    left = [part for at, part in enumerate(left) if not _is_function(part, told, apart, early=at < last)]
    mains = {name for part in left if told.shows(part) for name in _models(part)}
    left = [part for part in left if not _is_foreign(part, told, mains)]
    return _without_nameless(left, told, max(told.turns, asked)) if aux else left


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


def _is_function(part: Part, told: Told, apart: set[int], *, early: bool) -> bool:
    """Whether a step without a call is the agent's own: in a phase, or in front of a step that calls a model.

    Behind the last of these and in no phase it would take the place of the model's answer.
    """
    if not _is_step(part) or any(isinstance(event, (LLMCallStart, LLMCallEnd)) for event in part):
        return False
    if told.comes_of(part):
        return False
    content = [event for event in part[1:] if not isinstance(event, _PHASES)]
    if content and all(id(event) in apart for event in content):
        return True
    says = bool(text_of(content).strip()) or any(isinstance(event, _DONE) for event in content)
    return early and says and not told.holds(part)


def _is_foreign(part: Part, told: Told, mains: set[str | None]) -> bool:
    """Whether a step calls a model under a name that no turn came by."""
    models = _models(part)
    named = bool(models) and None not in models and bool(mains) and None not in mains
    return _is_step(part) and named and not models & mains and not told.shows(part)


def _without_nameless(parts: list[Part], told: Told, turns: int) -> list[Part]:
    """The parts without as many steps that tell nothing of a turn as there are more steps than turns."""
    surplus = sum(map(_is_step, parts)) - turns
    silent = [at for at, part in enumerate(parts) if _is_step(part) and _calls(part) and not told.holds(part)]
    silent.sort(key=lambda at: not text_of(parts[at]).strip())
    own = {*silent[: max(surplus, 0)]}
    left = [part for at, part in enumerate(parts) if at not in own]
    return left if all(_calls(part) for part in left if _is_step(part)) else parts
