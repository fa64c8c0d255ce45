"""What the checks of helpers share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, TypeVar

from latent.conformance._catalogue import RULES
from latent.conformance._catalogue._rule import Door
from latent.conformance._driving._driver import LoopWatch, drive, refuse_running_loop
from latent.conformance._verdict._declarations import Declarations
from latent.conformance._verdict._excerpt import shortened
from latent.conformance._verdict._judge import judge
from latent.conformance._verdict._ledger import Ledger
from latent.conformance._verdict._report import Report

__all__ = ["GRACE", "Trial"]

GRACE = 2.0
"""How many seconds a helper has for what a sound one does at once."""

_T = TypeVar("_T")


class Trial:
    """One helper before the rules that it has to keep; a helper that raises breaks the rule it was tried for."""

    def __init__(self, *rules: str) -> None:
        self._rules = rules
        self._ledger = Ledger(RULES)

    def hold(self, rule: str, holds: bool, message: str) -> None:
        """The rule was put to the test."""
        self._ledger.met(rule)
        if not holds:
            self._ledger.breach(rule, message)

    def equal(self, rule: str, what: str, expected: object, got: object) -> None:
        """The rule was put to the test by a value."""
        self.hold(rule, expected == got, f"Expected {what} {shortened(expected)}, got {shortened(got)}")

    def call(self, rule: str, what: str, helper: Callable[[], _T]) -> _T | None:
        """What the helper gives, or `None` where it raises."""
        try:
            return helper()
        except Exception as error:  # whatever it raises, it is a finding about the helper
            self.hold(rule, False, f"Expected {what} to return, got {type(error).__name__}: {error}"[:500])
            return None

    def play(self, called: str, *scenarios: tuple[str, Callable[[], Coroutine[Any, Any, None]]]) -> None:
        """Await each scenario on a loop of its own; where it raises or takes too long, its rule is broken.

        `called` names the check for the `RuntimeError` inside a running loop.
        """
        refuse_running_loop(called, f"await asyncio.to_thread({called}, ...)")
        for rule, scenario in scenarios:
            drive(partial(self._play, rule, scenario), grace=GRACE)

    async def _play(self, rule: str, scenario: Callable[[], Coroutine[Any, Any, None]], watch: LoopWatch) -> None:
        try:
            await asyncio.wait_for(scenario(), GRACE)
        except Exception as error:  # whatever it raises, it is a finding about the helper
            self.hold(rule, False, f"Expected a run to the end, got {type(error).__name__}: {error}"[:500])

    def report(self) -> Report:
        """The judgement of the helper."""
        return judge(
            [RULES[name] for name in self._rules], self._ledger, Declarations(), Door.RECORDING, about="library"
        )
