"""Where checks write down what they saw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

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
        self.omitted: Counter[str] = Counter()
        """Rule id -> how many findings were not kept."""
        self.could_not_run: dict[str, str] = {}
        """Rule id -> why."""
        self.internal_errors: list[str] = []
        """Where the kit itself failed; never the agent's fault."""
        self.served: set[str] = set()
        """The capabilities that the agent has shown."""
        self.excused: set[str] = set()
        """The capabilities that it could not show: what shows them was not played."""
        self.scenario: str | None = None
        """The scenario being played; violations carry it."""
        self._script: Script | None = None
        self._events: Sequence[object] = ()
        self.fresh: list[int] = []
        """The positions of findings that came since somebody emptied this."""
        self._violations: list[Violation] = []
        self._causes: dict[str, str] = {}
        self._limit = limit
        self._kept: Counter[tuple[str, str | None]] = Counter()

    @property
    def violations(self) -> tuple[Violation, ...]:
        """What was found, in the order in which it came."""
        return tuple(self._violations)

    def at(self, position: int) -> Violation:
        """The finding at a position."""
        return self._violations[position]

    def met(self, rule: str, times: int = 1) -> None:
        """The rule's trigger was met: from here on, no finding means that it holds."""
        if times:
            self.exercised[rule] += times

    def watch(self, script: Script, events: Sequence[object]) -> None:
        """From here on findings, those of an absorbed ledger too, are about a run of `script`.

        Its `events` grow as they come.
        """
        self._script, self._events = script, events

    def know(self, words: str, cause: str) -> None:
        """From here on findings that say `words` come of `cause`."""
        self._causes[words] = cause

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
        self.fresh.append(len(self._violations))
        self._violations.append(
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
                cause=next((cause for words, cause in self._causes.items() if words in message), None),
            )
        )

    def drop(self, rule: str, level: Level) -> None:
        """Forget the findings of a rule at that level."""
        self.keep(lambda each: (each.rule, each.level) != (rule, level))

    def keep(self, wanted: Callable[[Violation], bool]) -> None:
        """Forget all other findings; of a rule of which none is left, those that were counted too."""
        self._violations = [each for each in self._violations if wanted(each)]
        left = {each.rule for each in self._violations}
        self.omitted = Counter({rule: number for rule, number in self.omitted.items() if rule in left})

    def annotate(self, change: Callable[[Violation], Violation], *, since: int = 0, until: int | None = None) -> None:
        """Put what `change` gives in the place of the findings from one position up to before another."""
        self._violations[since:until] = map(change, self._violations[since:until])

    def add(self, found: Violation) -> None:
        """Write down a finding that is complete."""
        self._violations.append(found)

    def breaks_must(self, *, since: int = 0, excused: Collection[str] = ()) -> bool:
        """Whether there is a finding at the level MUST from that position on, but for those of `excused` rules."""
        return any(each.level is Level.MUST and each.rule not in excused for each in self._violations[since:])

    def skip(self, rule: str, reason: str) -> None:
        """The rule could not be tried here."""
        self.could_not_run.setdefault(rule, reason)

    def crash(self, where: str, error: Exception) -> None:
        """The kit itself failed, so that nothing can be said about what it was looking at."""
        if len(self.internal_errors) < self._limit:
            self.internal_errors.append(f"{where}: {type(error).__name__}: {error}")

    def absorb(self, other: Ledger) -> None:
        """Take over what another one holds; its findings are about what is watched here."""
        self.exercised.update(other.exercised)
        stream, script = tuple(self._events), self._script
        self._violations.extend(replace(each, stream=stream, script=script) for each in other.violations)
        self.omitted.update(other.omitted)
        self.served |= other.served
        self.excused |= other.excused
        self.internal_errors.extend(other.internal_errors)
        for rule, reason in other.could_not_run.items():
            self.skip(rule, reason)
