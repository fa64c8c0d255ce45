"""Where checks write down what they saw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from latent.conformance._rule import Level, Rule
from latent.conformance._violation import Violation

__all__ = ["Ledger"]


class Ledger:
    """The running account of one judgement: how often each rule was put to the test, and what broke it."""

    def __init__(self, rules: Mapping[str, Rule]) -> None:
        self._rules = rules
        self.exercised: Counter[str] = Counter()
        self.violations: list[Violation] = []
        self.could_not_run: dict[str, str] = {}
        """Rule id -> why."""
        self.served: set[str] = set()
        """The capabilities that the agent has shown."""
        self.scenario: str | None = None
        """The script being played; violations carry it."""

    def met(self, rule: str, times: int = 1) -> None:
        """The rule's trigger was met: from here on, no finding means that it holds."""
        if times:
            self.exercised[rule] += times

    def breach(
        self,
        rule: str,
        message: str,
        *,
        index: int | None = None,
        step: int | None = None,
        level: Level | None = None,
    ) -> None:
        """The rule was broken; `level` weakens a finding that is a hint only."""
        known = self._rules[rule]
        self.violations.append(
            Violation(
                rule=rule,
                level=level or known.level,
                message=message,
                hint=known.remedy,
                index=index,
                step=step,
                scenario=self.scenario,
            )
        )

    def skip(self, rule: str, reason: str) -> None:
        """The rule could not be tried here."""
        self.could_not_run.setdefault(rule, reason)
