"""Where checks write down what they saw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from latent.conformance._catalogue._rule import Level, Rule
from latent.conformance._verdict._violation import Violation
from latent.conformance.harness import Script

__all__ = ["Ledger"]


class Ledger:
    """The running account of one judgement: how often each rule was put to the test, and what broke it.

    Of each rule the first `limit` findings of a script are kept, and the rest counted.
    """

    def __init__(self, rules: Mapping[str, Rule], *, limit: int = 100) -> None:
        self.rules = rules
        self.exercised: Counter[str] = Counter()
        self.violations: list[Violation] = []
        self.omitted: Counter[str] = Counter()
        """Rule id -> how many findings were not kept."""
        self.could_not_run: dict[str, str] = {}
        """Rule id -> why."""
        self.internal_errors: list[str] = []
        """Where the kit itself failed; never the agent's fault."""
        self.served: set[str] = set()
        """The capabilities that the agent has shown."""
        self.scenario: str | None = None
        """The script being played; violations carry it."""
        self._script: Script | None = None
        self._events: Sequence[object] = ()
        self.fresh: list[int] = []
        """The positions of findings that came since somebody emptied this."""
        self._limit = limit
        self._kept: Counter[tuple[str, str | None]] = Counter()

    def met(self, rule: str, times: int = 1) -> None:
        """The rule's trigger was met: from here on, no finding means that it holds."""
        if times:
            self.exercised[rule] += times

    def watch(self, script: Script, events: Sequence[object]) -> None:
        """From here on findings are about a run of `script`, whose `events` grow as they come."""
        self._script, self._events = script, events

    def breach(
        self,
        rule: str,
        message: str,
        *,
        index: int | None = None,
        step: int | None = None,
        level: Level | None = None,
        hint: str | None = None,
    ) -> None:
        """The rule was broken; `level` weakens a mere sign of it, `hint` mends this better than the rule's remedy."""
        known = self.rules[rule]
        self._kept[rule, self.scenario] += 1
        if self._kept[rule, self.scenario] > self._limit:
            self.omitted[rule] += 1
            return
        self.fresh.append(len(self.violations))
        self.violations.append(
            Violation(
                rule=rule,
                level=level or known.level,
                message=message,
                hint=hint or known.remedy,
                index=index,
                step=step,
                scenario=self.scenario,
                stream=tuple(self._events),
                script=self._script,
            )
        )

    def drop(self, rule: str, level: Level) -> None:
        """Forget the findings of a rule at that level; where none is left, those that were counted too."""
        self.violations[:] = [each for each in self.violations if (each.rule, each.level) != (rule, level)]
        if all(each.rule != rule for each in self.violations):
            del self.omitted[rule]

    def skip(self, rule: str, reason: str) -> None:
        """The rule could not be tried here."""
        self.could_not_run.setdefault(rule, reason)

    def crash(self, where: str, error: Exception) -> None:
        """The kit itself failed, so that nothing can be said about what it was looking at."""
        if len(self.internal_errors) < self._limit:
            self.internal_errors.append(f"{where}: {type(error).__name__}: {error}")

    def absorb(self, other: Ledger) -> None:
        """Take over what another one holds."""
        self.exercised.update(other.exercised)
        self.violations.extend(other.violations)
        self.omitted.update(other.omitted)
        self.served |= other.served
        self.internal_errors.extend(other.internal_errors)
        for rule, reason in other.could_not_run.items():
            self.skip(rule, reason)
