"""One finding."""

from __future__ import annotations

from dataclasses import dataclass, field

from latent.conformance._catalogue._rule import Level
from latent.conformance._verdict._excerpt import spot
from latent.conformance.harness import Script

__all__ = ["Violation"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """A rule that was broken: where, how, and what to do about it."""

    rule: str
    """The rule's id."""
    level: Level
    """The rule's level, or SHOULD where what was seen is a strong hint only."""
    message: str
    """What was expected and what came."""
    hint: str
    """How to mend it."""
    index: int | None = None
    """The event's position in the stream, from 0."""
    step: int | None = None
    """The number of the step it belongs to, as the agent counts."""
    scenario: str | None = None
    """The scenario in which it came up: a few runs under one name, of one script or of several."""
    excerpt: tuple[str, ...] = ()
    """The event and its neighbours, one line each, the event itself marked with `>`."""
    stream: tuple[object, ...] = field(default=(), repr=False, compare=False)
    """The events of the run in which it came up, as far as they had come; empty where they were not kept."""
    conversation: tuple[str, ...] = ()
    """The script in words, one line each, where its name alone says nothing: it was generated, or an author's own."""
    script: Script | None = field(default=None, repr=False, compare=False)
    """What the model and the tools did in that run, where the kit played them."""
    cause: str | None = field(default=None, repr=False, compare=False)
    """What it comes of, where the message tells a line of the author's code for that; others may come of the same."""

    def __str__(self) -> str:
        """The finding in one line: the rule, the place, and what was expected and came."""
        place = spot(self.index, self.step, self.scenario)
        return f"{self.rule} {self.level}{f' at {place}' if place else ''}: {self.message}"
