"""The judgement as Markdown, in GitHub's flavour: short, and safe whatever an agent says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape

from latent.conformance._report_files._outcome import Finding, Outcome, Outcomes
from latent.conformance._timeline._markup import visible
from latent.conformance._verdict._report import standing

__all__ = ["markdown"]

_VERDICTS = {"pass": "✅ pass", "fail": "❌ fail", "incomplete": "⚠️ incomplete"}
_MOST_RULES = 30
"""How many broken rules are told at length; a step summary may not grow beyond a megabyte."""
_LONGEST = 2000
_MARKED = re.compile(r"([\\`*_\[\]#|~$@:])")


def markdown(outcomes: Outcomes) -> str:
    """A table of the agents, and for each broken rule what was found and how to mend it."""
    lines = [
        "## Latent conformance",
        "",
        "| agent | verdict | broken | pass | untested | other |",
        "|---|---|---|--:|--:|--:|",
        *map(_row, outcomes.agents),
    ]
    for agent in outcomes.agents:
        lines += _agent(agent)
    return "\n".join([*lines, ""])


def _row(agent: Outcome) -> str:
    broken = [rule.rule for rule in agent.rules if rule.status == "fail"]
    told, passed, untested = ", ".join(broken[:5]), agent.counts.get("pass", 0), agent.counts.get("untested", 0)
    more = f" and {len(broken) - 5} more" if len(broken) > 5 else ""
    other = sum(agent.counts.values()) - passed - untested - len(broken)
    return f"| {_text(agent.name)} | {_VERDICTS[agent.verdict]} | {told}{more} | {passed} | {untested} | {other} |"


def _agent(agent: Outcome) -> Iterator[str]:
    broken = list(dict.fromkeys(found.rule for found in agent.findings))
    notes = [
        *([f"replayed: {agent.replayed}"] if agent.replayed else []),
        *(f"problem: {problem}" for problem in agent.problems),
        *(f"the kit itself failed: {error}" for error in agent.internal_errors),
        *(f"advice: {line}" for line in agent.advice),
        *(f"warning: {line}" for line in agent.warnings),
    ]
    if not broken and not notes:
        return
    yield from ("", f"### {_text(agent.name)}")
    if notes:
        yield from ("", *(f"- {_text(note)}" for note in notes))
    for rule in broken[:_MOST_RULES]:
        yield from _rule(agent, [found for found in agent.findings if found.rule == rule])
    if len(broken) > _MOST_RULES:
        yield from ("", f"{len(broken) - _MOST_RULES} more rules are broken.")


def _rule(agent: Outcome, findings: list[Finding]) -> Iterator[str]:
    first = findings[0]
    known = next(rule for rule in agent.rules if rule.rule == first.rule)
    stands = standing(known.status, known.level, first.level)
    yield from (
        "",
        f"<details><summary><b>{first.rule}</b> {first.level} ({stands}): {escape(first.sentence)}</summary>",
        "",
    )
    if known.status == "deviation" and known.reason:
        yield f"- **known:** {_text(known.reason)}"
    yield f"- **found:** {_text(first.message)}"
    if first.place:
        yield f"- **where:** {_text(first.place)}"
    if others := len(findings) - 1 + known.omitted:
        yield f"- **more:** {others} of the same kind"
    yield f"- **mend:** {_text(first.hint)}"
    yield f"- **again:** {_code(first.again)}"
    if first.replay:
        yield f"- **replay:** {_code(first.replay)}"
    if first.excerpt:
        yield from ("", *_block(first.excerpt))
    if first.replay and first.stream is not None and (script := agent.streams[first.stream].script):
        yield from ("", "The conversation that shows it:", "", *_block(script.splitlines()))
    yield from ("", "</details>")


def _text(text: str) -> str:
    """The text on one line, with nothing in it that Markdown or HTML takes for its own."""
    shown = " ".join(visible(text[:_LONGEST]).split())
    return escape(_MARKED.sub(r"\\\1", shown), quote=False)


def _code(text: str) -> str:
    """The text as inline code, between more backticks than it has in a row."""
    shown = " ".join(visible(text).split())
    fence = "`" * (1 + _most_backticks([shown]))
    return f"{fence} {shown} {fence}"


def _block(lines: Iterable[str]) -> Iterator[str]:
    shown = [visible(line).replace("\n", " ") for line in lines]
    fence = "`" * max(3, 1 + _most_backticks(shown))
    yield f"{fence}text"
    yield from shown
    yield fence


def _most_backticks(lines: Iterable[str]) -> int:
    return max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
