"""What generated conversations show of an agent beyond the fixed scripts."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TypeAlias

from latent.conformance._catalogue import RULES
from latent.conformance._catalogue._rule import Door, Level
from latent.conformance._judging._search import Search, Shown
from latent.conformance._judging._went import Went
from latent.conformance._verdict._declarations import Declarations
from latent.conformance._verdict._echoes import binds, without_echoes
from latent.conformance._verdict._ledger import Ledger
from latent.conformance._verdict._violation import Violation
from latent.conformance.harness import Script, told

__all__ = ["GENERATED", "Exploration", "Play"]

GENERATED = "a generated conversation"
_IN_PROCESS, _OVER_HTTP = 100, 25
"""How many conversations are enough by default; over HTTP one takes many times as long."""
_PATIENCE = 20.0
"""How many seconds a slow agent is given for them, unless its author asks for a number."""
_FAILED = "a run that fails for nothing"
"""What such runs are searched for under, for only the shortest of them tells the rule."""

Play: TypeAlias = Callable[[Script, Ledger], Went]
"""Plays a script, and writes down what it finds."""


class Exploration:
    """Searches for broken rules that the fixed scripts did not find, and writes each into the ledger."""

    def __init__(self, ledger: Ledger, declared: Declarations, rule: str | None) -> None:
        self._ledger = ledger
        self._declared = declared
        self._only = rule
        self._agents = {rule.id: rule for rule in RULES.values() if rule.about == "agent"}
        about = [each for each in ledger.violations if each.rule in self._agents]
        self._broken = _sure(without_echoes(about, self._agents, Door.HARNESS)[0])

    def run(self, play: Play, capabilities: Collection[str], *, examples: int | None, over_http: bool) -> None:
        """Play so many conversations, or a number that fits the way they are played.

        None where the fixed scripts found a MUST broken that its author does not declare: what else goes
        wrong then may come of that.
        """
        if self._only in self._broken or self._spoiled(self._broken):
            return
        usual = _OVER_HTTP if over_http else _IN_PROCESS
        seconds = _PATIENCE if examples is None else float("inf")
        number = usual if examples is None else examples
        if not number:
            return
        search = Search(lambda script: self._shown(play, script), capabilities, examples=number, seconds=seconds)
        for finding, shown in search.results():
            self._take(finding, shown)
        if search.hung is not None:
            self._take(_FAILED, search.hung)

    def _shown(self, play: Play, script: Script) -> Shown:
        ledger = Ledger(RULES)
        ledger.scenario = GENERATED
        ledger.served |= self._ledger.served
        went = play(script, ledger)
        self._ledger.exercised.update(ledger.exercised)
        self._ledger.served |= ledger.served
        violations = tuple(without_echoes(ledger.violations, self._agents, Door.HARNESS)[0])
        return Shown(script, violations, self._findings(violations, failed=went.failed), went.last)

    def _findings(self, violations: Collection[Violation], *, failed: bool) -> frozenset[str]:
        rules = _sure(violations)
        if failed:
            return frozenset({_FAILED}) if rules else frozenset()
        return frozenset(rule for rule in rules - self._broken if self._only in (None, rule))

    def _spoiled(self, rules: Collection[str]) -> bool:
        return any(RULES[rule].level is Level.MUST for rule in {*rules} - self._declared.known_deviations.keys())

    def _take(self, finding: str, shown: Shown) -> None:
        """Write a finding down, unless it is one of a rule that is found broken already."""
        rules = _sure(shown.violations) - self._broken
        wanted = [each for each in shown.violations if each.rule in rules and finding in (_FAILED, each.rule)]
        if not wanted or self._only not in (None, wanted[0].rule):
            return
        found, name = wanted[0], f"generated for {wanted[0].rule}"
        script = replace(found.script or shown.script, name=name)
        self._ledger.add(replace(found, scenario=name, conversation=told(script), script=script))
        self._broken |= {found.rule}


def _sure(violations: Collection[Violation]) -> frozenset[str]:
    """The rules that are broken for sure, of findings without echoes."""
    return frozenset(each.rule for each in violations if binds(each, RULES))
