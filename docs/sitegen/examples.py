"""For each rule a case that keeps it and one that breaks it, taken from the tables of the kit's tests.

A stream is drawn. Where only an agent shows the rule, the sound agent of the tests and the broken one are
compared: what the one does and the other does instead, and what the kit says of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import deepcopy
from difflib import unified_diff
from typing import Any

from cases._evidence import evidence
from cases._helper import HelperCase
from cases._judging import Case, judged
from cases._passive import EventCase
from cases.agent import SoundAgent
from cases.live import LiveCase
from cases.monitored import ChangingCase
from cases.results import ResultCase, buffered

from latent.conformance import Rule, Violation
from latent.conformance._timeline import Mark, timeline
from sitegen.played import result_lines, script_in_words, sound_run
from sitegen.sources import methods_instead, source

__all__ = ["example"]


def example(rule: Rule) -> str:
    """The two cases as MyST text."""
    if rule.gap:
        return f"The kit does not judge it: {rule.gap}"
    found = evidence(rule)
    case: Case | None = next(iter((*found.traces, *found.agents, *found.helpers)), None)
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
    return _joined(
        _declared(case.declared),
        _good(rule, case.passing),
        _bad(rule, case.broken, _finding(rule, case)),
    )


def _results(rule: Rule, case: ResultCase) -> str:
    events = case.broken_run
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
        _said(_finding(rule, case)),
    )


def _agents(rule: Rule, case: LiveCase) -> str:
    finding = _finding(rule, case)
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
    events = case.build(value)
    case.change(value)
    kept = case.build(deepcopy(case.value))
    return _joined(
        _good(rule, kept),
        "The same stream, but the agent changes the event's value after it was yielded:",
        _bad(rule, events, _finding(rule, case)),
    )


def _helpers(rule: Rule, case: HelperCase) -> str:
    return _joined(
        "Keeps it:",
        _code("python", methods_instead(case.broken, case.sound)),
        "Breaks it:",
        _code("python", source(case.broken)),
        _said(_finding(rule, case)),
    )


def _finding(rule: Rule, case: Case) -> Violation:
    return next(each for each in judged(case, rule=rule.id).violations if each.rule == rule.id)


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
