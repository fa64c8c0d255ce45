"""The first door: a list of events."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Unpack

from latent.conformance._catalogue import RULES
from latent.conformance._catalogue._rule import Door, How, Rule
from latent.conformance._passive._checker import Checker
from latent.conformance._verdict._declarations import DeclarationOptions, Declarations, refuse_unknown
from latent.conformance._verdict._excerpt import excerpt
from latent.conformance._verdict._judge import judge
from latent.conformance._verdict._ledger import Ledger
from latent.conformance._verdict._report import Report
from latent.conformance._verdict._violation import Violation

__all__ = ["OBSERVED", "assert_conforms", "check_events"]

_HINTED = ("STEP-4", "TEXT-5", "TEXT-9")
OBSERVED: tuple[Rule, ...] = tuple(
    rule for rule in RULES.values() if (rule.how is How.EVENTS and rule.id != "PROTO-6") or rule.id in _HINTED
)
"""The rules that a list of events can show, or hint at."""


def check_events(
    events: Iterable[object], *, complete: bool = True, **declarations: Unpack[DeclarationOptions]
) -> Report:
    """Judge a run's events; needs no agent.

    `complete=False` says that the recording was cut off, so that nothing is missing at its end. Never
    raises for what the events hold; wrong declarations raise `TypeError` or `ValueError`.
    """
    refuse_unknown(declarations, "complete")
    declared = Declarations.of(**declarations)
    ledger = Ledger(RULES)
    items = _listed(events, ledger)
    checker = Checker(ledger, declared)
    for item in items:
        checker.feed(item)
    checker.finish(complete=complete)
    stream = tuple(items) if ledger.violations else ()
    ledger.annotate(lambda each: _illustrated(each, stream))
    return judge(OBSERVED, ledger, declared, Door.RECORDING)


def assert_conforms(
    events: Iterable[object], *, complete: bool = True, **declarations: Unpack[DeclarationOptions]
) -> None:
    """Raise `AssertionError` with the findings where `check_events` finds a breach of a MUST rule.

    A recording without events proves nothing and fails too; rules that it does not come to do not.
    """
    __tracebackhide__ = True
    report = check_events(events, complete=complete, **declarations)
    if report.verdict == "fail" or report.internal_errors or not any(report.exercised.values()):
        raise AssertionError(str(report))


def _listed(events: Iterable[object], ledger: Ledger) -> list[object]:
    """The items that can be had; what stops the iteration is a finding about whoever gave them."""
    items: list[object] = []
    try:
        items.extend(events)
    except Exception as error:  # whatever the iterable does, it is not ours
        hint = " (collect an async stream first)" if hasattr(type(events), "__aiter__") else ""
        kind = type(events).__name__
        got = (
            f"{kind}{hint}" if not hasattr(type(events), "__iter__") else f"{kind}, which raises {type(error).__name__}"
        )
        ledger.breach("PROTO-4", f"Expected an iterable of events, got {got}", index=len(items))
    return items


def _illustrated(violation: Violation, stream: tuple[object, ...]) -> Violation:
    shown = () if violation.index is None else excerpt(stream, violation.index)
    return replace(violation, excerpt=shown, stream=stream)
