"""From reports to the plain data of a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from types import MappingProxyType

from latent.conformance._catalogue import RULES
from latent.conformance._catalogue._rule import Door
from latent.conformance._report_files._outcome import DoorName, Finding, Outcome, Outcomes, RuleOutcome
from latent.conformance._report_files._streams import streams_of, writable
from latent.conformance._verdict._report import Report, replay_alone
from latent.conformance._verdict._violation import Violation
from latent.protocol import PROTOCOL_VERSION

__all__ = ["gathered", "kit_version", "outcome", "refused"]

_DOORS: dict[Door, DoorName] = {
    Door.RECORDING: "recording",
    Door.BLACK_BOX: "black box",
    Door.HARNESS: "harness",
}


def outcome(
    report: Report,
    name: str,
    rerun: Callable[[str], str],
    replays: Mapping[str, str] = MappingProxyType({}),
    warnings: Iterable[str] = (),
) -> Outcome:
    """The report on `name` as plain data; `rerun` gives the command that runs one rule again, `replays` one script."""
    streams, places = streams_of(report.violations)
    replayed = replay_alone(report)
    return Outcome(
        name=writable(name),
        verdict=report.verdict,
        door=_DOORS[report.door],
        counts=dict(sorted(Counter(report.statuses.values()).items())),
        problems=tuple(map(writable, report.problems)),
        advice=report.advice,
        internal_errors=tuple(map(writable, report.internal_errors)),
        warnings=tuple(map(writable, warnings)),
        replayed=None if replayed is None else writable(replayed),
        findings=tuple(
            _finding(each, rerun(each.rule), replays.get(each.rule), place)
            for each, place in zip(report.violations, places, strict=True)
        ),
        rules=tuple(_rule(report, rule) for rule in report.statuses),
        streams=streams,
    )


def refused(name: str, reason: str, warnings: Iterable[str] = ()) -> Outcome:
    """What there is to say of an agent that could not be judged."""
    return Outcome(
        name=writable(name),
        verdict="fail",
        door=None,
        counts={},
        problems=(writable(f"nothing was judged: {reason}"),),
        advice=(),
        internal_errors=(),
        warnings=tuple(map(writable, warnings)),
        replayed=None,
        findings=(),
        rules=(),
        streams=(),
    )


def gathered(outcomes: Iterable[Outcome]) -> Outcomes:
    """All that one run has judged."""
    agents = tuple(outcomes)
    verdicts = {each.verdict for each in agents}
    return Outcomes(
        format="latent-conformance-report",
        version=1,
        protocol=PROTOCOL_VERSION,
        kit=kit_version(),
        verdict="fail" if "fail" in verdicts else "incomplete" if "incomplete" in verdicts else "pass",
        agents=agents,
    )


def kit_version() -> str | None:
    """The version of the kit; `None` where it was not installed as a distribution."""
    try:
        return version("latent-conformance")
    except PackageNotFoundError:
        return None


def _finding(found: Violation, again: str, replay: str | None, stream: int | None) -> Finding:
    return Finding(
        rule=found.rule,
        level=found.level.value,
        sentence=RULES[found.rule].sentence,
        message=writable(found.message),
        hint=writable(found.hint),
        again=writable(again),
        replay=None if replay is None else writable(replay),
        index=found.index,
        step=found.step,
        scenario=found.scenario,
        excerpt=tuple(map(writable, found.excerpt)),
        stream=stream,
    )


def _rule(report: Report, name: str) -> RuleOutcome:
    rule = RULES[name]
    return RuleOutcome(
        rule=name,
        level=rule.level.value,
        sentence=rule.sentence,
        clause=rule.clause,
        status=report.statuses[name],
        reason=writable(reason) if (reason := report.reasons.get(name)) else None,
        required=name in report.required,
        exercised=report.exercised.get(name, 0),
        omitted=report.omitted.get(name, 0),
    )
