"""Writes the kill matrix: what breaks each rule, what the kit says of it, and what survives.

`kill_matrix.py PAGE` holds the page against what comes of it now, and exits 1 where they differ;
`kill_matrix.py PAGE --write` keeps it anew.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from difflib import unified_diff
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from cases._evidence import NO_TRACE, evidence, lacking
from cases._fixed import fixed_traces
from cases._helper import HelperCase
from cases._judging import Case, judged
from cases._mutations import OPERATORS, Mutant
from cases._survivors import excuse
from cases.live import LiveCase

from latent.conformance import RULES, How, check_events

TRACES = 60
FAMILIES = list(dict.fromkeys(rule.id.partition("-")[0] for rule in RULES.values()))
UNSEEN = (How.SHAPE, How.SCRIPT, How.PAIR, How.LIFECYCLE, How.CALL)
"""The ways to see a rule that show more than a trace does."""


class Kill(NamedTuple):
    """What the kit said of one broken thing."""

    rule: str
    name: str
    found: tuple[str, ...]
    """The rules that it named, each once, in the order of the report."""

    @property
    def good(self) -> bool:
        return self.found[:1] == (self.rule,)

    def __str__(self) -> str:
        if self.found == (self.rule,):
            return self.name
        first, *more = self.found or ("nothing",)
        told = [f"first {first}"] * (first != self.rule) + [f"also {', '.join(more)}"] * bool(more)
        return f"{self.name} ({'; '.join(told)})"


def killed(case: Case) -> Kill:
    """Let the kit judge what is broken in the case."""
    found = tuple(dict.fromkeys(each.rule for each in judged(case).violations))
    match case:
        case LiveCase():
            name = f"`{case.broken.__name__}`"
        case HelperCase():
            name = f"`{getattr(case.broken, '__name__', case.name)}`"
        case _:
            name = case.name or "plain"
    return Kill(case.rule, name, found)


def rule_pages(kills: Sequence[Kill], kinds: Sequence[str]) -> Iterator[str]:
    """One table for each family: which cases the kit named the rule for."""
    by_rule: dict[tuple[str, str], list[str]] = {}
    for kill, kind in zip(kills, kinds, strict=True):
        by_rule.setdefault((kill.rule, kind), []).append(str(kill))
    for family in FAMILIES:
        yield from ("", f"### {family}", "", "| rule | level | traces | agents or helpers |", "|---|---|---|---|")
        for rule in RULES.values():
            if rule.id.partition("-")[0] == family:
                cells = ["<br>".join(by_rule.get((rule.id, kind), ["none"])) for kind in ("trace", "object")]
                yield f"| {_unbroken(rule.id)} | {rule.level} | {' | '.join(cells)} |"


class Fates(NamedTuple):
    """What became of the mutants."""

    made: Counter[tuple[str, str]]
    rejected: Counter[tuple[str, str]]
    excused: Counter[tuple[str, str, str]]
    unexplained: list[str]


def mutants() -> Fates:
    """Spoil each of the fixed traces in every way."""
    fates = Fates(Counter(), Counter(), Counter(), [])
    for trace in fixed_traces(TRACES):
        for operator, make in OPERATORS.items():
            for mutant in make(trace):
                _judge(fates, operator, mutant)
    return fates


def _judge(fates: Fates, operator: str, mutant: Mutant) -> None:
    kind = type(mutant.event).__name__
    fates.made[operator, kind] += 1
    if check_events(mutant.trace).violations:
        fates.rejected[operator, kind] += 1
    elif reason := excuse(operator, mutant):
        fates.excused[operator, kind, reason] += 1
    else:
        fates.unexplained.append(f"{operator} of {kind} {mutant.note} at {mutant.index}: {mutant.original}")


def mutant_pages(fates: Fates) -> Iterator[str]:
    """The operators against the kinds of events, and the mutants that are valid runs too."""
    kinds = sorted({kind for _, kind in fates.made})
    words = {operator: operator.replace("_", " ") for operator in OPERATORS}
    yield from (f"| kind of event | {' | '.join(words.values())} |", "|---" * (len(words) + 1) + "|")
    for kind in kinds:
        yield f"| `{kind}` | {' | '.join(_cell(fates, operator, kind) for operator in words)} |"
    totals = [
        f"{sum(fates.rejected[operator, kind] for kind in kinds)}/{sum(fates.made[operator, kind] for kind in kinds)}"
        for operator in words
    ]
    yield f"| all | {' | '.join(totals)} |"
    yield from ("", "### Mutants that are valid runs too", "", "| operator | why | of | mutants |", "|---|---|---|---|")
    reasons = dict.fromkeys((operator, reason) for operator, _, reason in sorted(fates.excused))
    for operator, reason in reasons:
        of = {kind: n for (op, kind, why), n in sorted(fates.excused.items()) if (op, why) == (operator, reason)}
        yield f"| {words[operator]} | {reason} | {', '.join(f'`{kind}`' for kind in of)} | {sum(of.values())} |"


def _cell(fates: Fates, operator: str, kind: str) -> str:
    made = fates.made[operator, kind]
    return f"{fates.rejected[operator, kind]}/{made}" if made else ""


def survivor_pages() -> Iterator[str]:
    """Rules that something cannot kill, and why."""
    yield from ("| rules | not killed by | why |", "|---|---|---|")
    for rule in RULES.values():
        if rule.gap:
            yield f"| {_unbroken(rule.id)} | anything | {rule.gap} |"
        elif rule.id in NO_TRACE:
            yield f"| {_unbroken(rule.id)} | a trace | {NO_TRACE[rule.id]} |"
    for how in UNSEEN:
        rules = [rule for rule in RULES.values() if rule.how is how and not rule.gap and not evidence(rule).traces]
        if rules:
            yield f"| {', '.join(_unbroken(rule.id) for rule in rules)} | a trace | it is seen in {how.seen_in} |"


def _unbroken(id: str) -> str:
    return id.replace("-", "\N{NON-BREAKING HYPHEN}")


def page(kills: Sequence[Kill], kinds: Sequence[str], fates: Fates) -> str:
    """The whole page."""
    counted = Counter(kinds)
    exact = sum(kill.found == (kill.rule,) for kill in kills)
    made, rejected = fates.made.total(), fates.rejected.total()
    lines = [
        "# The kill matrix",
        "",
        "What breaks each rule, and what the kit says of it. `nox -s matrix` makes this page anew and fails where it",
        "differs from the one that is kept; `nox -s matrix -- --write` keeps it.",
        "",
        f"{counted['trace']} broken traces and results and {counted['object']} broken agents and helpers stand",
        f"against {len(RULES)} rules. Each one is named first by the rule that it breaks, and {exact} of them by that",
        f"rule alone. Of {made} mutants of {TRACES} valid traces {rejected} are rejected; the other",
        f"{made - rejected} are valid runs too.",
        "",
        "## Rules",
        "",
        "A case stands by its name alone where exactly this rule was named; what else was found stands in brackets.",
        *rule_pages(kills, kinds),
        "",
        "## Mutants",
        "",
        "How many mutants of each kind of event were rejected, of how many that were made. What is cut off is counted",
        "under the first event that is missing.",
        "",
        *mutant_pages(fates),
        "",
        "## Survivors",
        "",
        *survivor_pages(),
    ]
    return "\n".join(lines) + "\n"


def main(path: str, *options: str) -> int:
    """Make the page; gives the exit status."""
    cases: list[tuple[Case, str]] = []
    for rule in RULES.values():
        found = evidence(rule)
        cases += [(case, "trace") for case in found.traces]
        cases += [(case, "object") for case in (*found.agents, *found.helpers)]
    with ProcessPoolExecutor() as pool:
        spoiling = pool.submit(mutants)
        kills = list(pool.map(_killed_at, range(len(cases)), chunksize=4))
        fates = spoiling.result()
    wrong = [f"{rule.id} lacks {', '.join(what)}" for rule in RULES.values() if (what := lacking(rule))]
    wrong += [f"{kill.rule} is not named first for {kill}" for kill in kills if not kill.good]
    wrong += [f"survived without a reason: {each}" for each in fates.unexplained]
    made, kept = page(kills, [kind for _, kind in cases], fates), Path(path)
    if "--write" in options:
        kept.write_text(made, encoding="utf-8")
    elif made != (old := kept.read_text(encoding="utf-8")):
        wrong += unified_diff(old.splitlines(), made.splitlines(), "kept", "made", lineterm="", n=0)
    print(*wrong, sep="\n")
    return int(bool(wrong))


def _killed_at(place: int) -> Kill:
    """The case at this place: a case itself does not go from one process to another."""
    at = place
    for rule in RULES.values():
        found = evidence(rule)
        cases: tuple[Case, ...] = (*found.traces, *found.agents, *found.helpers)
        if at < len(cases):
            return killed(cases[at])
        at -= len(cases)
    raise IndexError(place)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
