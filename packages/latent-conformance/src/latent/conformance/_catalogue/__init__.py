"""The rules, as data: one module for each family, each with its `ROWS`.

Rules that only a driven agent shows have their rows in `live`. A row stands where the part of it that
a list of events shows is checked, also where a driven run adds to it (STEP-4, TEXT-5, TEXT-9, CALL-3).
"""

from __future__ import annotations

from collections.abc import Iterable

from latent.conformance._catalogue import (
    call,
    err,
    guide,
    library,
    live,
    msg,
    phase,
    proto,
    retr,
    step,
    text,
    tool,
    usage,
    wrap,
)
from latent.conformance._catalogue._row import CHAPTERS
from latent.conformance._catalogue._rule import Rule

__all__ = ["CHAPTERS", "RULES"]

_FAMILIES = (proto, step, text, tool, call, usage, retr, phase, guide, err, msg, wrap, live, library)


def _place(rule: Rule) -> tuple[int, int]:
    chapter, _, number = rule.clause.partition(".")
    return int(chapter), int(number)


def _by_id(rows: Iterable[Rule]) -> dict[str, Rule]:
    rules: dict[str, Rule] = {}
    for rule in sorted(rows, key=_place):
        if rule.id in rules:
            raise ValueError(f"Expected one row for each rule, got two of {rule.id}")
        rules[rule.id] = rule
    return rules


RULES: dict[str, Rule] = _by_id(rule for family in _FAMILIES for rule in family.ROWS)
"""Every rule by its id, in the order of the specification."""
