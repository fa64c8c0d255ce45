"""The search for a conversation that breaks a rule, and for the shortest one that does."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from time import monotonic

from latent.conformance._generator._said import Said, written
from latent.conformance._generator._shorter import shorter
from latent.conformance._judging._drawing import generated
from latent.conformance._verdict._violation import Violation
from latent.conformance.harness import Script

__all__ = ["Search", "Shown"]

_MOST_RUNS = 200
"""How many conversations are tried to make one shorter."""
_MOST_SECONDS = 30.0
"""How long one is made shorter, for slow agents."""
_MOST_FINDINGS = 5
_CONFIRMING = 2
"""How often a finding is looked for again, for it to count."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What one conversation showed."""

    script: Script
    violations: tuple[Violation, ...] = ()
    findings: frozenset[str] = frozenset()
    """What it is worth searching for: rules, or another name for runs that fail for nothing."""
    hung: bool = False
    """Whether the agent did not end in time."""


class Search:
    """Plays generated conversations, and keeps the shortest for each finding.

    `play` plays one to a fresh agent. The same search finds the same, as long as the agent does the same.
    """

    def __init__(
        self, play: Callable[[Script], Shown], capabilities: Collection[str], *, examples: int, seconds: float
    ) -> None:
        self._play = play
        self._conversations = generated(frozenset(capabilities), examples)
        self._until = monotonic() + seconds
        self._known: dict[str, Shown] = {}
        self.hung: Shown | None = None
        """The conversation at which the agent hung, which ends the search."""

    def results(self) -> list[tuple[str, Shown]]:
        """Each finding with the shortest conversation that shows it; one that does not come again is none."""
        first: dict[str, tuple[Said, ...]] = {}
        for said in self._conversations:
            shown = self._shown(said)
            if shown.hung or monotonic() > self._until:
                break
            for finding in sorted(shown.findings):
                first.setdefault(finding, said)
        shortest = {finding: self._shortest(finding, first[finding]) for finding in [*first][:_MOST_FINDINGS]}
        confirmed = (
            (finding, self._again(finding, said))
            for finding, said in shortest.items()
            if not self._comes_of_another(finding, said, first.keys())
        )
        return [(finding, shown) for finding, shown in confirmed if shown is not None]

    def _shortest(self, finding: str, said: tuple[Said, ...]) -> tuple[Said, ...]:
        """Take what is simpler and shows the same, until nothing is."""
        until, runs = monotonic() + _MOST_SECONDS, len(self._known) + _MOST_RUNS
        while self.hung is None:
            for simpler in shorter(said):
                if len(self._known) >= runs or monotonic() > until:
                    return said
                if finding in self._shown(simpler).findings:
                    said = simpler
                    break
            else:
                return said
        return said

    def _comes_of_another(self, finding: str, said: tuple[Said, ...], others: Collection[str]) -> bool:
        """Whether a model that does not break down there shows another finding in its stead."""
        *before, last = said
        if last.failure is None or self.hung is not None:
            return False
        return bool(self._shown((*before, replace(last, failure=None))).findings & {*others} - {finding})

    def _again(self, finding: str, said: tuple[Said, ...]) -> Shown | None:
        again = (self._play(written(said)) for _ in range(_CONFIRMING))
        return next((shown for shown in again if finding in shown.findings), None)

    def _shown(self, said: tuple[Said, ...]) -> Shown:
        """What a conversation shows; none is played twice."""
        script = written(said)
        if (known := repr(script)) not in self._known:
            self._known[known] = shown = self._play(script)
            if shown.hung and self.hung is None:
                self.hung = shown
        return self._known[known]
