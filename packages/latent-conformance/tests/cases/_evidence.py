"""What proves each rule: traces, agents and helpers that break it, all of them with a sound twin."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from cases import (
    events_calls,
    events_failure,
    events_guided,
    events_pipelines,
    events_retrieval,
    events_shape,
    events_steps,
    events_text,
    events_tools,
    helpers,
    helpers_runs,
    helpers_sinks,
    live,
    monitored,
    results,
)
from cases._helper import HelperCase
from cases._passive import EventCase
from cases.live import LiveCase
from cases.monitored import ChangingCase
from cases.results import ResultCase

from latent.conformance import How, Rule

EVENT_TABLES = (
    *(events_shape, events_steps, events_text, events_tools, events_calls),
    *(events_retrieval, events_pipelines, events_guided, events_failure),
)
HELPER_TABLES = (helpers, helpers_runs, helpers_sinks)

NO_TRACE = {
    "WRAP-8": "that a wrapper may be of any kind is no matter of one run's events and result",
}
"""Rules that events, or events and a result, are to show, and why no broken trace can be kept."""


class Evidence(NamedTuple):
    """The cases in which something breaks one rule at its own level."""

    traces: tuple[EventCase | ResultCase | ChangingCase, ...]
    agents: tuple[LiveCase, ...]
    helpers: tuple[HelperCase, ...]


def evidence(rule: Rule) -> Evidence:
    """Of this rule."""
    return Evidence(
        tuple(each for each in _traces() if each.rule == rule.id and getattr(each, "level", rule.level) is rule.level),
        tuple(each for each in live.CASES if each.rule == rule.id),
        tuple(each for table in HELPER_TABLES for each in table.CASES if each.rule == rule.id),
    )


def lacking(rule: Rule) -> list[str]:
    """What a rule lacks of its proof."""
    found = evidence(rule)
    if rule.gap:
        return ["nothing, for it has a gap"] if any(found) else []
    if rule.about == "library":
        return [] if found.helpers else ["a broken helper"]
    shown_by_events = rule.how in (How.EVENTS, How.INVOKE) and rule.id not in NO_TRACE
    missing = [] if found.agents else ["a broken agent"]
    if shown_by_events and not found.traces:
        missing.append("a broken trace")
    if rule.id in NO_TRACE and found.traces:
        missing.append("no reason for a missing trace, for there is one")
    return missing


def _traces() -> Iterator[EventCase | ResultCase | ChangingCase]:
    for table in EVENT_TABLES:
        yield from table.CASES
    yield from results.CASES
    yield from monitored.CASES
