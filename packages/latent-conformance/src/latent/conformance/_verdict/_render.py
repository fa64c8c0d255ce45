"""The judgement as text for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from textwrap import fill
from types import MappingProxyType

from latent.conformance._catalogue import RULES
from latent.conformance._catalogue._rule import Door
from latent.conformance._verdict._excerpt import spot
from latent.conformance._verdict._report import Report, replay_alone, standing
from latent.conformance._verdict._violation import Violation
from latent.conformance.harness import told

__all__ = ["again_lines", "finding_lines", "render", "rule_lines"]

_WIDTH = 110
_VERDICTS = {
    "pass": "PASS",
    "fail": "FAIL",
    "incomplete": "INCOMPLETE: nothing failed, but not everything that is required was put to the test",
}


def render(
    report: Report, name: str, rerun: Callable[[str], str], replays: Mapping[str, str] = MappingProxyType({})
) -> list[str]:
    """The whole judgement of `name`; `rerun` gives the command that runs one rule again, `replays` one script."""
    lines = [f"{name}: {_VERDICTS[report.verdict]}", *_replay_lines(report)]
    for rule in dict.fromkeys(found.rule for found in report.violations):
        lines += ["", *rule_lines(report, rule), *again_lines(rule, rerun, replays)]
    counts = Counter(report.statuses.values())
    lines += ["", "rules: " + ", ".join(f"{counts[status]} {status}" for status in sorted(counts))]
    lines += [f"problem: {problem}" for problem in report.problems]
    lines += [f"the kit itself failed: {error}" for error in report.internal_errors]
    lines += [f"advice: {line}" for line in report.advice]
    return lines


def _replay_lines(report: Report) -> Iterator[str]:
    """What was played, where that was one script; a finding tells its conversation itself."""
    if report.replayed is None:
        return
    yield from _wrapped(f"replayed: {replay_alone(report)}")
    if not report.violations:
        yield from (f"    {line}" for line in told(report.replayed))


def rule_lines(report: Report, rule: str) -> list[str]:
    """What was found of one rule: what it says, the first finding, and how to mend it."""
    known = RULES[rule]
    found = [each for each in report.violations if each.rule == rule]
    level = found[0].level if found else known.level
    lines = [f"{rule} {level} ({standing(report.statuses[rule], known.level, level)}): {known.sentence}"]
    if report.statuses[rule] == "deviation":
        lines.append(f"  known:  {report.reasons[rule]}")
    lines += finding_lines(found[0]) if found else []
    if others := len(found) - 1 + report.omitted.get(rule, 0):
        scripts = ", ".join(dict.fromkeys(repr(each.scenario) for each in found[1:] if each.scenario))
        same = "the same stream" if report.door is Door.RECORDING else "the same script"
        lines += _wrapped(f"  more:   {others} of the same kind in {scripts or same}")
    return [*lines, *_wrapped(f"  mend:   {found[0].hint if found else known.remedy}")]


def again_lines(rule: str, rerun: Callable[[str], str], replays: Mapping[str, str]) -> Iterator[str]:
    """The commands to paste: one for the rule, and one for the script that broke it where that was kept."""
    yield f"  again:  {rerun(rule)}"
    if rule in replays:
        yield f"  replay: {replays[rule]}"


def finding_lines(found: Violation) -> Iterator[str]:
    """One finding, with its place in the stream."""
    yield from _wrapped(f"  found:  {found.message}")
    if place := spot(found.index, found.step, found.scenario):
        yield f"  where:  {place}"
    for line in found.excerpt:
        yield f"    {line}"
    if found.conversation:
        yield "  the conversation that shows it:"
    for line in found.conversation:
        yield f"    {line}"


def _wrapped(text: str) -> Sequence[str]:
    return fill(text, _WIDTH, subsequent_indent=" " * 10, break_long_words=False, break_on_hyphens=False).split("\n")
