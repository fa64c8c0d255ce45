"""For each rule a case that keeps it and one that breaks it, taken from the tables of the kit's tests.

A stream is drawn. Where only an agent shows the rule, the sound agent of the tests and the broken one are
compared: what the one does and the other does instead, and what the kit says of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import deepcopy
from difflib import unified_diff
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import cases
from cases._helper import HelperCase
from cases._passive import EventCase
from cases.agent import SoundAgent
from cases.live import LiveCase
from cases.monitored import ChangingCase
from cases.results import ResultCase, buffered

from latent.conformance import RULES, Declarations, Door, Monitor, Report, Rule, Violation, check_events
from latent.conformance._buffered import check_invoked
from latent.conformance._ledger import Ledger
from latent.conformance._report import judge
from latent.conformance._timeline import Mark, timeline
from latent.protocol import Message
from sitegen.played import judged, result_lines, script_in_words, sound_run
from sitegen.sources import methods_instead, source

__all__ = ["example"]

_TABLES = [import_module(f"cases.{each.name}") for each in iter_modules(cases.__path__) if each.name[0] != "_"]
_CASES = [case for table in _TABLES for case in getattr(table, "CASES", ())]
_KINDS = (EventCase, ResultCase, LiveCase, ChangingCase, HelperCase)
"""What is shown where there are several: what is seen at a glance comes first."""
_ASKED = [Message("user", "Does it rain?")]


def example(rule: Rule) -> str:
    """The two cases as MyST text."""
    if rule.gap:
        return f"The kit does not judge it: {rule.gap}"
    fitting = [each for each in _CASES if each.rule == rule.id and getattr(each, "level", rule.level) is rule.level]
    case = min(fitting, key=lambda each: _KINDS.index(type(each)), default=None)
    match case:
        case EventCase():
            return _streams(rule, case)
        case ResultCase():
            return _results(rule, case)
        case LiveCase():
            return _agents(rule, case)
        case ChangingCase():
            return _changes(rule, case)
        case HelperCase():
            return _helpers(rule, case)
    raise LookupError(f"no case shows {rule.id}")


def _streams(rule: Rule, case: EventCase) -> str:
    report = check_events(case.broken, complete=case.complete, **case.declared)
    return _joined(
        _declared(case.declared),
        _good(rule, case.passing),
        _bad(rule, case.broken, _finding(report, rule)),
    )


def _results(rule: Rule, case: ResultCase) -> str:
    events = case.events if case.broken_events is None else case.broken_events
    ledger, declared = Ledger(RULES), Declarations.of(**case.declared)
    check_invoked(ledger, declared, events, case.broken, _ASKED, received=case.received)
    finding = _finding(judge(RULES.values(), ledger, declared, Door.BLACK_BOX), rule)
    told = "The wrapper handed this on" if case.received is not None else "The run"
    changes = unified_diff(
        result_lines(buffered(events)),
        result_lines(case.broken),
        "what it is",
        "what invoke returned",
        n=99,
        lineterm="",
    )
    return _joined(
        _declared(case.declared),
        _drawn(events, f"{rule.id}-good", f"{told}, and its buffered view is the one that keeps {rule.id}"),
        _code("diff", list(changes)),
        _said(finding),
    )


def _agents(rule: Rule, case: LiveCase) -> str:
    finding = _finding(judged(case, rule), rule)
    sound = sound_run(finding.script)
    return _joined(
        f"The kit plays the script *{finding.scenario}*. {script_in_words(finding.script, str(finding.stream))}",
        "A sound agent:",
        _good(rule, sound) if sound else "",
        _code("python", methods_instead(case.broken, SoundAgent)),
        "One that breaks the rule:",
        _code("python", source(case.broken)),
        _bad(rule, finding.stream, finding) if finding.stream else _said(finding),
    )


def _changes(rule: Rule, case: ChangingCase) -> str:
    value = deepcopy(case.value)
    monitor, events = Monitor(), case.build(value)
    for event in events:
        monitor.feed(event)
    case.change(value)
    monitor.finish()
    kept = case.build(deepcopy(case.value))
    return _joined(
        _good(rule, kept),
        "The same stream, but the agent changes the event's value after it was yielded:",
        _bad(rule, events, _finding(monitor.report(), rule)),
    )


def _helpers(rule: Rule, case: HelperCase) -> str:
    report = case.check(case.broken)
    return _joined(
        "Keeps it:",
        _code("python", methods_instead(case.broken, case.sound)),
        "Breaks it:",
        _code("python", source(case.broken)),
        _said(_finding(report, rule)),
    )


def _finding(report: Report, rule: Rule) -> Violation:
    return next(each for each in report.violations if each.rule == rule.id)


def _joined(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def _declared(declared: Any) -> str:
    words = ", ".join(f"`{name}={value!r}`" for name, value in declared.items())
    return f"Declared: {words}." if words else ""


def _good(rule: Rule, events: Sequence[object]) -> str:
    return _drawn(events, f"{rule.id}-good", f"Keeps {rule.id}")


def _bad(rule: Rule, events: Sequence[object], finding: Violation) -> str:
    mark = Mark(finding.index, rule.id, steady(finding.message))
    return _drawn(events, f"{rule.id}-bad", f"Breaks {rule.id}", [mark])


def _drawn(events: Sequence[object], name: str, title: str, marks: Sequence[Mark] = ()) -> str:
    html = timeline(events, marks, name=name.lower(), title=title, styled=False, limit=24)
    return f"`````{{raw}} html\n{steady(html)}\n`````"


def _said(finding: Violation) -> str:
    return _joined("The kit says:", _code("text", [steady(finding.message)]))


def _code(language: str, lines: Sequence[str]) -> str:
    # Not a plain fence for Python: the blocks of the pages are run, and these do not stand by themselves.
    opening = "{code-block} python" if language == "python" else language
    return "\n".join([f"`````{opening}", *lines, "`````"]) if lines else ""


def steady(text: str) -> str:
    """The text without what differs from run to run: addresses and numbers of tasks."""
    return re.sub(r"Task-\d+", "Task-1", re.sub(r"0x[0-9a-f]{6,}", "0x…", text))
