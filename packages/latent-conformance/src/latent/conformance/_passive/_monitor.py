"""The passive engine on a live system, in bounded memory."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Literal, Unpack

from latent.conformance._catalogue import RULES
from latent.conformance._catalogue._rule import Door, Level
from latent.conformance._driving._closing import closing
from latent.conformance._passive._checker import Checker
from latent.conformance._passive._recording import OBSERVED
from latent.conformance._verdict._declarations import DeclarationOptions, Declarations, refuse_unknown
from latent.conformance._verdict._echoes import Echoes
from latent.conformance._verdict._excerpt import NEIGHBOURS, line
from latent.conformance._verdict._judge import binds_anybody, judge
from latent.conformance._verdict._ledger import Ledger
from latent.conformance._verdict._report import Report
from latent.conformance._verdict._violation import Violation
from latent.protocol import AgentEvent

__all__ = ["ConformanceError", "Monitor"]

_MEMORY = 10_000
"""How many ids are remembered of each kind."""
_WINDOW = 100
"""How many events are kept to show the places of findings."""

_MONITORED = (*OBSERVED, RULES["PROTO-6"])

_log = logging.getLogger("latent.conformance")


class ConformanceError(RuntimeError):
    """A monitored stream breaks a MUST rule; `violation` says which and where."""

    def __init__(self, violation: Violation) -> None:
        super().__init__(violation)
        self.violation = violation

    def __str__(self) -> str:
        found = self.violation
        return f"{found.rule}: {found.message} - {found.hint}"


class Monitor:
    """Watches one run as it happens; each run needs a monitor of its own.

    Use it, or its method `wrap`, as the `stream_wrapper` of `invoke`, hand it the iterator of `stream`, add
    it to a list of sinks, or `feed` it. `policy` says what a finding does beside being recorded: nothing, a
    log record (a warning, for SHOULD rules information), or for MUST rules a `ConformanceError`. It says
    nothing of what only repeats a finding that was there by then; the report knows what came later, too.
    Uniqueness of ids is judged over the last 10,000, repeated text over the beginning of a step.
    """

    def __init__(
        self, *, policy: Literal["record", "log", "raise"] = "record", **declarations: Unpack[DeclarationOptions]
    ) -> None:
        if policy not in ("record", "log", "raise"):
            raise ValueError(f"Expected policy 'record', 'log' or 'raise', got {policy!r}")
        refuse_unknown(declarations, "policy")
        self._policy = policy
        self._declared = Declarations.of(**declarations)
        self._ledger = Ledger(RULES)
        self._checker = Checker(self._ledger, self._declared, live=True, memory=_MEMORY)
        self._feed = self._checker.feed
        self._window: deque[object] = deque(maxlen=_WINDOW)
        self._remember = self._window.append
        self._fresh = self._ledger.fresh
        self._echoes = Echoes(RULES, Door.RECORDING)
        self._unillustrated: deque[int] = deque()
        """Findings that wait for the events after theirs."""
        self._finished = False
        self._end = 0
        """How many events had come when the run was over."""

    def feed(self, event: object) -> None:
        """Take the next event. Raises `ConformanceError` under the policy `raise`."""
        self._feed(event)
        self._remember(event)
        if self._fresh or self._unillustrated:
            self._attend()

    async def emit(self, event: AgentEvent) -> None:
        """Take the next event, as a sink."""
        self.feed(event)

    async def wrap(self, stream: AsyncIterator[AgentEvent]) -> AsyncIterator[AgentEvent]:
        """Hand `stream` on unchanged, and watch it; closing this closes `stream`."""
        if self._checker.count or self._finished:
            raise RuntimeError("Expected a fresh Monitor for each run, got one that has seen a run")
        async with closing(stream):
            async for event in stream:
                self.feed(event)
                yield event
            self.finish()

    __call__ = wrap

    def finish(self, *, complete: bool = True) -> None:
        """The run is over; `complete=False` where it was cut off. `wrap` does it at the end of the stream."""
        if not self._finished:
            self._finished, self._end = True, self._checker.count
            self._checker.finish(complete=complete)
            self._attend(at_end=True)

    def report(self) -> Report:
        """What was found. A run that nobody finished counts as cut off; before its first event nothing is said of it.

        It is for the end: events that come after it, or after `finish`, are held against no end of theirs,
        so that a report with such events is `incomplete` where it would pass.
        """
        if self._checker.count:
            policy, self._policy = self._policy, "record"
            self.finish(complete=False)
            self._policy = policy
        report = judge(_MONITORED, self._ledger, self._declared, Door.RECORDING)
        late = self._checker.count - self._end
        if not late or report.verdict == "fail":
            return report
        advice = f"{late} events came after the run was taken for finished: ask for the report when it is over"
        return replace(report, verdict="incomplete", advice=(advice, *report.advice))

    def _attend(self, *, at_end: bool = False) -> None:
        """Draw the places of findings, once their neighbours are there, and act on new findings."""
        fresh = [*self._fresh]
        self._fresh.clear()
        self._unillustrated.extend(fresh)
        while self._unillustrated and (at_end or self._is_past(self._ledger.at(self._unillustrated[0]))):
            at = self._unillustrated.popleft()
            self._ledger.annotate(self._illustrated, since=at, until=at + 1)
        found = [each for each in map(self._ledger.at, fresh) if binds_anybody(RULES[each.rule], self._declared)]
        for each in found:
            self._echoes.hear(each)
        causes = [each for each in found if self._echoes.judge(each) is None]
        for each in sorted(causes, key=lambda each: (each.level is not Level.MUST, each.index or 0)):
            self._act(each)

    def _is_past(self, violation: Violation) -> bool:
        return violation.index is None or self._checker.count > violation.index + NEIGHBOURS

    def _illustrated(self, violation: Violation) -> Violation:
        return replace(violation, excerpt=self._excerpt(violation.index))

    def _excerpt(self, index: int | None) -> tuple[str, ...]:
        first = self._checker.count - len(self._window)
        if index is None or index < first:
            return ()
        return tuple(
            line(at, event, marked=at == index)
            for at, event in enumerate(self._window, first)
            if abs(at - index) <= NEIGHBOURS
        )

    def _act(self, found: Violation) -> None:
        if found.rule in self._declared.known_deviations:
            return
        binding = found.level is Level.MUST
        if self._policy == "log":
            level = logging.WARNING if binding else logging.INFO
            _log.log(level, "%s at event %s: %s", found.rule, found.index, found.message)
        elif self._policy == "raise" and binding:
            raise ConformanceError(found)
