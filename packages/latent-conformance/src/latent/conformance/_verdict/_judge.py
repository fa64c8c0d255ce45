"""What was seen, added up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from typing import Literal

from latent.conformance._catalogue._rule import Door, Level, Rule
from latent.conformance._verdict._declarations import BASE_CAPABILITIES, CAPABILITIES, Declarations
from latent.conformance._verdict._echoes import binds, without_echoes
from latent.conformance._verdict._ledger import Ledger
from latent.conformance._verdict._report import Report, Status
from latent.conformance._verdict._violation import Violation

__all__ = ["binds_anybody", "judge"]

_EXAMPLES = 3
"""How many findings of one rule the report on a driven agent holds."""
_BY_EVENT = {"usage": "Usage"}
"""Capabilities whose rules hold for one event, when what they are called after may be told in others too."""
_BOUNDARIES = frozenset({"STEP-2", "STEP-3", "STEP-4", "STEP-5"})
"""What holds for the boundaries that there are: a stream with a segmentation of its own may have none."""
_SEGMENTATION = frozenset({"STEP-1", "STEP-6", "STEP-9", "TEXT-1", "TEXT-2", "TEXT-3", "TEXT-4", "PHASE-6"})


def judge(
    rules: Iterable[Rule],
    ledger: Ledger,
    declared: Declarations,
    door: Door,
    *,
    about: Literal["agent", "library"] = "agent",
    whole: bool = True,
) -> Report:
    """Add up what the ledger holds on `rules`; rules about libraries are no part of an agent's judgement.

    What is not `whole` says nothing of what an agent can do, and gives no advice on what to declare.
    """
    judged = {rule.id: rule for rule in rules if rule.about == about}
    bound = {rule.id for rule in judged.values() if binds_anybody(rule, declared)}
    found = [each for each in ledger.violations if each.rule in bound]
    violations, causes = without_echoes(found, judged, door, declared.known_deviations)
    broken = {each.rule for each in violations if binds(each, judged)}
    statuses = {rule.id: _status(rule, broken, ledger, declared) for rule in judged.values()}
    violations = [each for each in violations if statuses[each.rule] != "not-applicable"]
    # Beside its cause nothing can be said of an echo: it neither fails once more nor passes.
    silent = {echo: cause for echo, cause in causes.items() if statuses[echo] == "pass"}
    statuses |= dict.fromkeys(silent, "untested")
    silent |= _hidden(judged, statuses)
    required = frozenset(rule.id for rule in judged.values() if _required(rule, statuses[rule.id], declared, door))
    failed = any(status == "fail" and judged[name].level is Level.MUST for name, status in statuses.items())
    broke_off = failed and any(each.cause for each in violations)  # such runs show less than the agent can do
    unserved = () if broke_off else _unserved(ledger, declared, door)
    problems = (*_deviation_problems(statuses, ledger, declared, about), *unserved)
    lacking = sorted(
        name for name in required if statuses[name] in ("untested", "could-not-run") and name not in silent
    )
    complete = not lacking and not ledger.internal_errors and "pass" in statuses.values()
    served = ledger.served | ledger.excused if door is Door.HARNESS else CAPABILITIES
    gaps = {rule.id: rule.gap for rule in judged.values() if rule.gap}
    explained = {echo: f"silent: {cause} names what broke it" for echo, cause in silent.items()}
    violations, more = _folded(violations, door)
    shown = {each.rule for each in violations}
    return Report(
        verdict="fail" if failed or problems else "pass" if complete else "incomplete",
        violations=_in_order(violations),
        statuses=statuses,
        exercised={name: ledger.exercised[name] for name in judged},
        required=required,
        problems=problems,
        advice=()
        if failed or problems
        else _advice(lacking, judged, _shown(required, lacking, judged, served), declared if whole else None),
        reasons={**gaps, **ledger.could_not_run, **explained, **declared.known_deviations},
        door=door,
        omitted={name: number for name, number in (more + ledger.omitted).items() if name in shown},
        internal_errors=tuple(ledger.internal_errors),
    )


def _hidden(rules: Mapping[str, Rule], statuses: Mapping[str, Status]) -> dict[str, str]:
    """Rules that cannot be told apart from a declared deviation: rule -> the deviation that hides it."""
    return {
        name: cause
        for name, status in statuses.items()
        if status == "untested"
        for cause in rules[name].yields_to
        if statuses.get(cause) == "deviation"
    }


def _in_order(violations: list[Violation]) -> tuple[Violation, ...]:
    """MUST before SHOULD; in each group script by script as they were played, and by position in the stream."""
    played = {scenario: at for at, scenario in enumerate(dict.fromkeys(each.scenario for each in violations))}
    return tuple(
        sorted(
            violations,
            key=lambda each: (
                each.level is not Level.MUST,
                played[each.scenario],
                each.index is None,
                each.index or 0,
            ),
        )
    )


def binds_anybody(rule: Rule, declared: Declarations) -> bool:
    """Whether there is something that the rule holds for, whatever is seen."""
    return not rule.gap and not (declared.own_segmentation and rule.id in _SEGMENTATION)


def _status(rule: Rule, broken: set[str], ledger: Ledger, declared: Declarations) -> Status:
    """What was seen counts, whatever was declared; a declaration only explains what was not seen."""
    if not binds_anybody(rule, declared):
        return "not-applicable"
    if rule.id in broken:
        return "deviation" if rule.id in declared.known_deviations else "fail"
    if ledger.exercised[rule.id]:
        return "pass"
    if declared.own_segmentation and rule.id in _BOUNDARIES:
        return "not-applicable"
    if not rule.needs <= (BASE_CAPABILITIES if declared.capabilities is None else declared.capabilities):
        return "not-applicable"
    return "could-not-run" if rule.id in ledger.could_not_run else "untested"


def _required(rule: Rule, status: Status, declared: Declarations, door: Door) -> bool:
    """A recording shows what happened to happen, so it owes only what its author claims."""
    claimed = declared.capabilities
    if claimed is None:
        claimed = BASE_CAPABILITIES if door is Door.HARNESS else frozenset()
    return rule.level is Level.MUST and status != "not-applicable" and rule.shown_by <= door and rule.needs <= claimed


def _deviation_problems(
    statuses: Mapping[str, Status], ledger: Ledger, declared: Declarations, about: Literal["agent", "library"]
) -> list[str]:
    problems = []
    for rule in declared.known_deviations:
        if about == "agent" and ledger.rules[rule].about == "library":
            problems.append(f"known deviation {rule!r} is about a library's helper, never about an agent: take it out")
        elif statuses.get(rule) in ("pass", "not-applicable"):
            problems.append(f"known deviation {rule!r} is stale: the rule was not broken, so take it out")
    return problems


def _unserved(ledger: Ledger, declared: Declarations, door: Door) -> list[str]:
    if declared.capabilities is None or door is not Door.HARNESS:
        return []
    missing = sorted(declared.capabilities - ledger.served - ledger.excused)
    return [f"capability {name!r} is declared, but the agent never showed it" for name in missing]


def _shown(required: frozenset[str], lacking: list[str], rules: Mapping[str, Rule], served: Set[str]) -> set[str]:
    """The capabilities that were served, and for which at least one required rule was put to the test."""
    return {need for name in required if name not in lacking for need in rules[name].needs & served}


def _advice(
    lacking: list[str], rules: Mapping[str, Rule], shown: set[str], declared: Declarations | None
) -> tuple[str, ...]:
    """What was not put to the test, and what to show or to declare then, beside what is `declared` so far."""
    lines = [f"not put to the test: {', '.join(lacking)}"] if lacking else []
    needs = sorted({need for name in lacking for need in rules[name].needs} - shown)
    if needs and declared is not None:
        claimed = BASE_CAPABILITIES if declared.capabilities is None else declared.capabilities
        names = ", ".join(map(repr, sorted(claimed - set(needs))))
        rest = f"{{{names}}}" if names else "set()"
        showed = ", ".join(f"{need} (no {_BY_EVENT[need]} event came)" if need in _BY_EVENT else need for need in needs)
        others = "".join(f"yield a {_BY_EVENT[need]} for each model call, or " for need in needs if need in _BY_EVENT)
        lines.append(f"the agent showed no {showed}: {others}declare capabilities={rest}")
    return tuple(lines)


def _folded(violations: list[Violation], door: Door) -> tuple[list[Violation], Counter[str]]:
    """Of a driven agent, the first findings of each rule, and how many more there were: every script shows them."""
    if door is Door.RECORDING:
        return violations, Counter()
    seen: Counter[tuple[str, Level]] = Counter()
    left, more = [], Counter[str]()
    for each in violations:
        seen[each.rule, each.level] += 1
        if seen[each.rule, each.level] <= _EXAMPLES:
            left.append(each)
        else:
            more[each.rule] += 1
    return left, more
