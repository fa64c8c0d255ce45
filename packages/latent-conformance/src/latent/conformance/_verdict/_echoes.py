"""One cause, one finding: which findings only repeat what another one says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from latent.conformance._catalogue._rule import Door, Rule
from latent.conformance._verdict._violation import Violation

__all__ = ["Echoes", "binds", "without_echoes"]


class Echoes:
    """Tells findings that name a cause from their echoes: `hear` all that are known, then `judge` each once, in order.

    A rule is silent beside one that it yields to, and after one that it presumes.
    """

    def __init__(self, rules: Mapping[str, Rule], door: Door) -> None:
        self._rules = rules
        self._door = door
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
        if cause is None and binds(found, self._rules):
            self._broken.add(found.rule)
        return cause

    def _meets(self, found: Violation, others: set[int | None] | None) -> bool:
        """Whether they can have one cause with it; one about a whole driven run meets every step of it."""
        if not others:
            return False
        return found.step in others or (self._door is not Door.RECORDING and (found.step is None or None in others))


def without_echoes(
    violations: Sequence[Violation], rules: Mapping[str, Rule], door: Door
) -> tuple[list[Violation], dict[str, str]]:
    """What is left, and for the rules that were silenced the one that named the cause."""
    echoes = Echoes(rules, door)
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
