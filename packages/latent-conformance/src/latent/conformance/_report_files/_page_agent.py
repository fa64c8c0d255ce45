"""One agent on the page: its verdict, what is broken, and what became of each rule."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from xml.etree.ElementTree import Element

from latent.conformance._report_files._outcome import Finding, Outcome, RuleOutcome
from latent.conformance._report_files._page_finding import Run, broken_rule
from latent.conformance._report_files._streams import restored
from latent.conformance._timeline._markup import element

__all__ = ["agent_section"]

_VERDICTS = {
    "pass": "Every required rule was put to the test, and no MUST is broken.",
    "fail": "A MUST is broken, or something is wrong with the declarations.",
    "incomplete": "Nothing failed, but a required rule was not put to the test.",
}
_REPLAY_PASSED = "No MUST is broken in the one script that was played."
_DOORS = {
    "recording": "judged from a recording",
    "black box": "judged with a model of its own",
    "harness": "judged on the kit's model and tools",
}
_ORDER = ("fail", "deviation", "could-not-run", "untested", "pass", "not-applicable")


def agent_section(agent: Outcome, name: str) -> Element:
    """The section; `name` is its id and begins all others in it."""
    return element(
        "section",
        element("h2", agent.name, " ", element("span", agent.verdict, class_=f"verdict {agent.verdict}")),
        *_manner(agent),
        *_notes(agent),
        *([_bar(agent)] if agent.counts else []),
        *_findings(agent, name),
        *_rules(agent, name),
        id=name,
        class_="agent",
    )


def _manner(agent: Outcome) -> Iterator[Element]:
    if agent.door is not None:
        meaning = _REPLAY_PASSED if agent.replayed and agent.verdict == "pass" else _VERDICTS[agent.verdict]
        told = f"{meaning} It was {_DOORS[agent.door]}."
        yield element("p", told, class_="meaning")


def _notes(agent: Outcome) -> Iterator[Element]:
    lines = [
        *([("Replayed", agent.replayed)] if agent.replayed else []),
        *(("Problem", line) for line in agent.problems),
        *(("The kit itself failed", line) for line in agent.internal_errors),
        *(("Advice", line) for line in agent.advice),
        *(("Warning", line) for line in agent.warnings),
    ]
    if lines:
        listed = (element("li", element("strong", f"{kind}:"), f" {line}") for kind, line in lines)
        yield element("ul", *listed, class_="notes")


def _bar(agent: Outcome) -> Element:
    """How many rules have which status, as one bar and in words."""
    shown = [(status, agent.counts[status]) for status in _ORDER if agent.counts.get(status)]
    total = sum(number for _, number in shown)
    pieces, at = [], 0.0
    for status, number in shown:
        width = 100 * number / total
        pieces.append(element("rect", x=f"{at:.3f}", y="0", width=f"{width:.3f}", height="10", class_=status))
        at += width
    words = (
        element("li", element("i", class_=status, aria_hidden="true"), f"{number} {status}") for status, number in shown
    )
    return element(
        "div",
        element("svg", *pieces, viewBox="0 0 100 10", preserveAspectRatio="none", aria_hidden="true"),
        element("ul", *words),
        class_="counts",
    )


def _findings(agent: Outcome, name: str) -> Iterator[Element]:
    rules = {rule.rule: rule for rule in agent.rules}
    groups: dict[str, list[Finding]] = {}
    for found in agent.findings:
        groups.setdefault(found.rule, []).append(found)
    shown = {findings[0].stream for findings in groups.values()}
    runs = {at: Run(stream, restored(stream)) for at, stream in enumerate(agent.streams) if at in shown}
    for rule, findings in groups.items():
        run = None if (at := findings[0].stream) is None else runs[at]
        yield broken_rule(rules[rule], findings, run, f"{name}-{rule}")


def _rules(agent: Outcome, name: str) -> Iterator[Element]:
    if not agent.rules:
        return
    found = {finding.rule for finding in agent.findings}
    yield element("h3", "All rules")
    for family, rules in groupby(agent.rules, lambda rule: rule.rule.partition("-")[0]):
        yield element("h4", family)
        listed = (_rule(rule, f"#{name}-{rule.rule}" if rule.rule in found else None) for rule in rules)
        yield element("ul", *listed, class_="rules")


def _rule(rule: RuleOutcome, findings: str | None) -> Element:
    told = [f"put to the test {_times(rule.exercised)}"] if rule.exercised else []
    told += [rule.reason] if rule.reason else []
    told += ["required"] if rule.required and rule.status not in ("pass", "fail") else []
    return element(
        "li",
        element("a" if findings else "span", rule.rule, href=findings, class_="rule"),
        " ",
        element("span", rule.status, class_=f"status {rule.status}"),
        " ",
        element("span", f"{rule.level}. {rule.sentence} ", element("small", "; ".join(told)), class_="sentence"),
        class_=f"is-{rule.status}",
    )


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"
