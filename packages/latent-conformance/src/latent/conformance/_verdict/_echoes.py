"""One cause, one finding: which findings only repeat what another one says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from latent.conformance._catalogue._rule import Door, Level, Rule
from latent.conformance._verdict._violation import Violation

__all__ = ["Echoes", "binds", "without_echoes"]


class Echoes:
    """Tells findings that name a cause from their echoes: `hear` all that are known, then `judge` each once, in order.

    A rule is silent beside one that it yields to, after one that it presumes, and where another one, which is not
    `excused`, has told before of the same line of the author's code.
    """

    def __init__(self, rules: Mapping[str, Rule], door: Door, excused: Collection[str] = ()) -> None:
        self._rules = rules
        self._door = door
        self._excused = excused
        self._told: dict[tuple[str, Level], str] = {}
        """Cause and level -> the rule that told it first."""
        self._spoken: dict[tuple[str, str | None], set[int | None]] = defaultdict(set)
        """Rule and script -> the steps in which it was broken."""
        self._broken: set[str] = set()

    def hear(self, found: Violation) -> None:
        """Take note of a finding, so that those which it explains can be told."""
        if binds(found, self._rules):
            self._spoken[found.rule, found.scenario].add(found.step)

    def judge(self, found: Violation) -> str | None:
        """The rule that names the cause of this finding, or `None` where it does so itself."""
        rule = self._rules[found.rule]
        beside = (name for name in rule.yields_to if self._meets(found, self._spoken.get((name, found.scenario))))
        cause = next(beside, None) or next((name for name in rule.presumes if name in self._broken), None)
        cause = cause or self._told_before(found)
        if cause is None and binds(found, self._rules):
            self._broken.add(found.rule)
        return cause

    def _told_before(self, found: Violation) -> str | None:
        """Another rule that has told the same cause, at no lower level."""
        if found.cause is None or found.rule in self._excused:
            return None
        before = self._told.get((found.cause, Level.MUST)) or self._told.get((found.cause, found.level))
        if before is None:
            self._told[found.cause, found.level] = found.rule
        return None if before == found.rule else before

    def _meets(self, found: Violation, others: set[int | None] | None) -> bool:
        """Whether they can have one cause with it; one about a whole driven run meets every step of it."""
        if not others:
            return False
        return found.step in others or (self._door is not Door.RECORDING and (found.step is None or None in others))


def without_echoes(
    violations: Sequence[Violation], rules: Mapping[str, Rule], door: Door, excused: Collection[str] = ()
) -> tuple[list[Violation], dict[str, str]]:
    """What is left, and for the rules that were silenced the one that named the cause."""
    echoes = Echoes(rules, door, excused)
    for each in violations:
        echoes.hear(each)
    left: list[Violation] = []
    causes: dict[str, str] = {}
    for each in violations:
        cause = echoes.judge(each)
        if cause is None:
            left.append(each)
        elif binds(each, rules):
            causes[each.rule] = cause
    return left, causes


def binds(found: Violation, rules: Mapping[str, Rule]) -> bool:
    """Whether it breaks its rule, and is no mere sign of that."""
    return found.level is rules[found.rule].level
