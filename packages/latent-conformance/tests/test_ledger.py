from __future__ import annotations

from typing import Any

from latent.conformance import RULES, Level
from latent.conformance._verdict._ledger import Ledger


def held(ledger: Ledger) -> dict[str, Any]:
    """All that it holds."""
    return {
        "exercised": dict(ledger.exercised),
        "violations": [(each.rule, each.level, each.message, each.scenario) for each in ledger.violations],
        "omitted": dict(ledger.omitted),
        "served": ledger.served,
        "excused": ledger.excused,
        "could_not_run": ledger.could_not_run,
        "internal_errors": ledger.internal_errors,
    }


def filled(*, name: str, limit: int) -> Ledger:
    """A ledger with something in each account, and more of a rule than it keeps."""
    ledger = Ledger(RULES, limit=limit)
    ledger.scenario = name
    ledger.met("TOOL-3", 4)
    for at in range(3):
        ledger.breach("TOOL-3", f"{name} {at}")
    ledger.breach("TOOL-5", f"{name} hint", level=Level.SHOULD)
    ledger.skip("STEP-4", f"{name} has no model")
    ledger.crash(name, LookupError("here"))
    ledger.served.add(name)
    ledger.excused.add(f"{name} untried")
    return ledger


def test_what_another_one_holds_is_taken_over_whole() -> None:
    ledger = filled(name="one", limit=2)

    ledger.absorb(filled(name="two", limit=1))

    assert held(ledger) == {
        "exercised": {"TOOL-3": 8},
        "violations": [
            ("TOOL-3", Level.MUST, "one 0", "one"),
            ("TOOL-3", Level.MUST, "one 1", "one"),
            ("TOOL-5", Level.SHOULD, "one hint", "one"),
            ("TOOL-3", Level.MUST, "two 0", "two"),
            ("TOOL-5", Level.SHOULD, "two hint", "two"),
        ],
        "omitted": {"TOOL-3": 1 + 2},
        "served": {"one", "two"},
        "excused": {"one untried", "two untried"},
        "could_not_run": {"STEP-4": "one has no model"},
        "internal_errors": ["one: LookupError: here", "two: LookupError: here"],
    }


def test_findings_that_are_dropped_are_no_longer_counted() -> None:
    ledger = filled(name="one", limit=2)

    ledger.drop("TOOL-3", Level.SHOULD)
    kept = held(ledger)
    ledger.drop("TOOL-3", Level.MUST)

    assert kept == held(filled(name="one", limit=2))
    assert held(ledger) == {
        **kept,
        "violations": [("TOOL-5", Level.SHOULD, "one hint", "one")],
        "omitted": {},
    }


def test_each_script_has_room_for_its_own_findings() -> None:
    ledger = Ledger(RULES, limit=1)
    for name in ("one", "two"):
        ledger.scenario = name
        ledger.breach("TOOL-3", "first")
        ledger.breach("TOOL-3", "second")

    assert held(ledger) == {
        **held(Ledger(RULES)),
        "violations": [("TOOL-3", Level.MUST, "first", "one"), ("TOOL-3", Level.MUST, "first", "two")],
        "omitted": {"TOOL-3": 2},
    }
