"""The judgement, and how it reads in a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import fill
from types import MappingProxyType
from typing import Literal, TypeAlias

from latent.conformance._catalogue import RULES
from latent.conformance._catalogue._rule import Door
from latent.conformance._verdict._excerpt import spot
from latent.conformance._verdict._violation import Violation
from latent.conformance.harness import Script, told

__all__ = [
    "Report",
    "Status",
    "Verdict",
    "again_lines",
    "finding_lines",
    "render",
    "replay_alone",
    "rule_lines",
    "standing",
]

Status: TypeAlias = Literal["pass", "fail", "deviation", "untested", "not-applicable", "could-not-run"]
Verdict: TypeAlias = Literal["pass", "fail", "incomplete"]

_WIDTH = 110
_VERDICTS = {
    "pass": "PASS",
    "fail": "FAIL",
    "incomplete": "INCOMPLETE: nothing failed, but not everything that is required was put to the test",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What the kit found, and what that adds up to."""

    verdict: Verdict
    """`"incomplete"`: nothing failed, but a required rule was not put to the test."""
    violations: tuple[Violation, ...]
    """Every finding, MUST before SHOULD, each group in the order of the stream."""
    statuses: Mapping[str, Status]
    """Rule id -> what became of it."""
    exercised: Mapping[str, int]
    """Rule id -> how often its trigger was met."""
    required: frozenset[str]
    """The rules without which there is no pass."""
    problems: tuple[str, ...] = ()
    """What is wrong with the declarations themselves."""
    advice: tuple[str, ...] = ()
    """What to declare or to provide so that the judgement becomes complete."""
    reasons: Mapping[str, str]
    """Rule id -> why it could not be tried, why it is broken knowingly, or which finding names its cause."""
    door: Door
    """How the agent was put before the kit."""
    omitted: Mapping[str, int] = field(default_factory=dict)
    """Rule id -> how many further findings there were."""
    internal_errors: tuple[str, ...] = ()
    """Where the kit itself failed: no fault of the agent, and no pass either."""
    replayed: Script | None = None
    """The script that was played alone; `None` for a whole judgement."""

    def __str__(self) -> str:
        """The judgement in words, as the terminal shows it."""
        return "\n".join(_told(self, _VERDICTS[self.verdict], lambda rule: ()))


def standing(status: Status, rule: str, found: str) -> str:
    """The status beside a finding; `rule` and `found` are the levels of the rule and of the finding."""
    if found == rule or status in ("fail", "deviation"):
        return status
    return f"a hint; the {rule} {'holds' if status == 'pass' else f'is {status}'}"


def replay_alone(report: Report) -> str | None:
    """What there was of a judgement that is none of the whole agent, in words; `None` for one that is."""
    if report.replayed is None:
        return None
    judged = sum(status in ("pass", "fail", "deviation") for status in report.statuses.values())
    script = f"the script {report.replayed.name!r} alone"
    return f"{script}, which put {judged} of {len(report.statuses)} rules to the test"


def render(
    report: Report, name: str, rerun: Callable[[str], str], replays: Mapping[str, str] = MappingProxyType({})
) -> list[str]:
    """The whole judgement of `name`; `rerun` gives the command that runs one rule again, `replays` one script."""
    return _told(report, f"{name}: {_VERDICTS[report.verdict]}", lambda rule: again_lines(rule, rerun, replays))


def _told(report: Report, heading: str, again: Callable[[str], Iterable[str]]) -> list[str]:
    lines = [heading, *_replay_lines(report)]
    for rule in dict.fromkeys(found.rule for found in report.violations):
        lines += ["", *rule_lines(report, rule), *again(rule)]
    counts = Counter(report.statuses.values())
    lines += ["", "rules: " + ", ".join(f"{counts[status]} {status}" for status in sorted(counts))]
    lines += _skipped(report)
    lines += [f"problem: {problem}" for problem in report.problems]
    lines += [f"the kit itself failed: {error}" for error in report.internal_errors]
    if report.door is Door.RECORDING and not any(report.exercised.values()):
        lines.append("there was nothing to judge")
    return [*lines, *(f"advice: {line}" for line in report.advice)]


def _skipped(report: Report) -> Iterator[str]:
    """How many rules were not put to the test, and why."""
    idle = [rule for rule, status in report.statuses.items() if status == "could-not-run"]
    for reason, number in Counter(report.reasons[rule] for rule in idle if rule in report.reasons).items():
        yield from _wrapped(f"could not run: {number} {'rule' if number == 1 else 'rules'}, for {reason}")


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
        scenarios = ", ".join(dict.fromkeys(repr(each.scenario) for each in found[1:] if each.scenario))
        same = "the same stream" if report.door is Door.RECORDING else "the same scenario"
        lines += _wrapped(f"  more:   {others} of the same kind in {scenarios or same}")
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
