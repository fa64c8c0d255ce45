"""What may come when, found out by asking the checker about every short sequence of events.

For each lifecycle a few kinds of events are put one after the other in every order. Two sequences are in
the same state where the checker answers every continuation of up to three more in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from latent.conformance import Level, check_events
from latent.protocol import AgentEvent

__all__ = ["END", "Lifecycle", "Machine", "explore"]

END = "end"
_DEPTH = 3

Word: TypeAlias = tuple[str, ...]
"""Kinds of events, in order."""
Make: TypeAlias = Callable[[int], list[AgentEvent]]
"""The events that stand for a kind, given how often it came before."""


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """What is put in every order, and what its states are called, each by its shortest sequence."""

    title: str
    about: str
    kinds: dict[str, Make]
    names: dict[Word, str]
    before: tuple[AgentEvent, ...] = ()
    """What every sequence begins with."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What was found: for each state, what each event leads to."""

    lifecycle: Lifecycle
    moves: dict[str, dict[str, str]]
    """State -> event -> the next state."""
    refusals: dict[str, dict[str, str]]
    """State -> event -> the MUST rule that it breaks there."""
    hints: dict[str, dict[str, str]]
    """State -> event -> the SHOULD rule that the move breaks."""


def explore(lifecycle: Lifecycle) -> Machine:
    """Find the states, and give each the name that `names` has for its shortest sequence."""
    refused = cache(lambda word: _broken(lifecycle, word))
    found: dict[object, Word] = {}
    moves: dict[Word, dict[str, Word]] = {}
    pending: list[Word] = [()]
    for word in pending:
        if _answers(lifecycle, refused, word, _DEPTH) not in found:
            found[_answers(lifecycle, refused, word, _DEPTH)] = word
            pending += [(*word, kind) for kind in _next(lifecycle, word) if not refused((*word, kind))]
    for word in found.values():
        longer = {kind: (*word, kind) for kind in _next(lifecycle, word)}
        moves[word] = {
            kind: found[_answers(lifecycle, refused, each, _DEPTH)]
            for kind, each in longer.items()
            if not refused(each)
        }
    live = _live(moves)
    words = {lifecycle.names[word]: word for word in sorted(live, key=list(lifecycle.names).index)}
    named = {
        name: {kind: lifecycle.names[to] for kind, to in moves[word].items() if to in live}
        for name, word in words.items()
    }
    broken = {
        name: {
            kind: refused((*word, kind)) or refused((*moves[word][kind], END))
            for kind in _next(lifecycle, word)
            if moves[word].get(kind) not in live
        }
        for name, word in words.items()
    }
    hints = {name: _hints(lifecycle, word, moves[word]) for name, word in words.items()}
    return Machine(lifecycle, named, broken, hints)


def _live(moves: dict[Word, dict[str, Word]]) -> set[Word]:
    """The states from which the stream can still end well; no stream recovers from the others."""
    live = {word for word in moves if word[-1:] == (END,)}
    while more := {word for word, own in moves.items() if live & {*own.values()}} - live:
        live |= more
    return live


def _answers(lifecycle: Lifecycle, refused: Callable[[Word], str], word: Word, depth: int) -> object:
    """Which continuations are accepted."""
    return tuple(
        bool(refused((*word, kind))) or (depth > 1 and _answers(lifecycle, refused, (*word, kind), depth - 1))
        for kind in _next(lifecycle, word)
    )


def _next(lifecycle: Lifecycle, word: Word) -> tuple[str, ...]:
    return () if word[-1:] == (END,) else (*lifecycle.kinds, END)


def _broken(lifecycle: Lifecycle, word: Word, level: Level = Level.MUST) -> str:
    """The rule of that level which these events break first, or nothing."""
    ended = word[-1:] == (END,)
    events = list(lifecycle.before)
    for at, kind in enumerate(word[:-1] if ended else word):
        events += lifecycle.kinds[kind](word[:at].count(kind))
    violations = check_events(events, complete=ended).violations
    return next((each.rule for each in violations if each.level is level), "")


def _hints(lifecycle: Lifecycle, word: Word, kinds: Iterable[str]) -> dict[str, str]:
    broken = {kind: _broken(lifecycle, (*word, kind), Level.SHOULD) for kind in kinds}
    return {kind: rule for kind, rule in broken.items() if rule and not _broken(lifecycle, word, Level.SHOULD)}
