"""What a rule is. The rules themselves are data, in `_catalogue`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Literal, Self

__all__ = ["Door", "How", "Level", "Rule"]


class Level(StrEnum):
    """How binding a rule is: an agent fails on a MUST alone."""

    MUST = "MUST"
    SHOULD = "SHOULD"


class How(StrEnum):
    """What has to be seen to judge a rule."""

    SHAPE = "shape", "the object alone"
    EVENTS = "events", "a list of events, also a recorded one"
    INVOKE = "invoke", "one invoke through a stream wrapper, beside its result"
    PAIR = "pair", "two runs that are compared"
    SCRIPT = "script", "a run on a model and tools that the kit plays"
    LIFECYCLE = "lifecycle", "a played run that is closed, cancelled or abandoned on the way"
    CALL = "call", "a direct call of a helper"

    seen_in: str
    """What is seen, in words that end a sentence."""

    def __new__(cls, value: str, seen_in: str) -> Self:
        how = str.__new__(cls, value)
        how._value_ = value
        how.seen_in = seen_in
        return how


class Door(IntEnum):
    """The ways to put something before the kit, in the order of what they can show."""

    RECORDING = 1
    """A list of events."""
    BLACK_BOX = 2
    """An agent with a model of its own."""
    HARNESS = 3
    """An agent on the kit's model and tools."""
    CHANCE = 4
    """No door: a sound agent may never come to it, and it is judged where it happens to come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One promise of the contract, and what the kit says about it."""

    id: str
    """`FAMILY-number`; never renumbered, never used again."""
    level: Level
    """How binding it is."""
    sentence: str
    """The promise, in one sentence."""
    clause: str
    """Where the specification says it: chapter.number."""
    how: How
    """What has to be seen to judge it."""
    remedy: str
    """How to mend an agent that breaks it, in one sentence."""
    since: str = "1.0"
    """The version of the protocol that brought it."""
    needs: frozenset[str] = frozenset()
    """The capabilities without which it does not apply."""
    shown_by: Door
    """The first door at which every sound agent shows it; beyond a recording, what happens to come is judged too."""
    yields_to: tuple[str, ...] = ()
    """Rules that name the same cause better: where one of them is broken in the same step, this one is silent."""
    presumes: tuple[str, ...] = ()
    """Rules without which nothing can be said of this one: where one of them was seen broken before, it is silent."""
    about: Literal["agent", "library"] = "agent"
    """A rule about a library's helper is never in an agent's verdict."""
    gap: str = ""
    """Why nothing that the kit can see shows the rule; such a rule is never applicable."""
