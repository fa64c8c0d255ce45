"""What the kit says of what is broken in a case."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import TypeAlias

from cases._helper import HelperCase
from cases._passive import EventCase
from cases.live import LiveCase
from cases.monitored import ChangingCase
from cases.results import ResultCase

from latent.conformance import RULES, Declarations, Door, Monitor, Report, check_agent, check_events
from latent.conformance._passive._buffered import check_invoked
from latent.conformance._verdict._judge import judge
from latent.conformance._verdict._ledger import Ledger
from latent.protocol import Message

Case: TypeAlias = EventCase | ResultCase | ChangingCase | LiveCase | HelperCase

HISTORY = [Message("user", "Does it rain?")]


def judged(case: Case, *, rule: str | None = None) -> Report:
    """The report about what is broken; a living agent is asked for that `rule` alone, where one is given."""
    match case:
        case EventCase():
            return check_events(case.broken, complete=case.complete, **case.declared)
        case ResultCase():
            return invoked(case, case.broken_run, case.broken)
        case ChangingCase():
            return _changed(case)
        case LiveCase():
            return check_agent(case.make, rule=rule, capabilities=case.capabilities, timeout=2)
        case HelperCase():
            return case.check(case.broken)


def invoked(case: ResultCase, events: Sequence[object], result: object) -> Report:
    """The report about one `invoke`, with what the case declares."""
    ledger, declared = Ledger(RULES), Declarations.of(**case.declared)
    check_invoked(ledger, declared, events, result, HISTORY, received=case.received)
    return judge(RULES.values(), ledger, declared, Door.BLACK_BOX)


def _changed(case: ChangingCase) -> Report:
    value, monitor = deepcopy(case.value), Monitor()
    for event in case.build(value):
        monitor.feed(event)
    case.change(value)
    monitor.finish()
    return monitor.report()
