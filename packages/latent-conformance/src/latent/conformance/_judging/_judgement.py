"""One agent before the kit: what it is put through, and what that adds up to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from latent.conformance._catalogue import RULES
from latent.conformance._catalogue._rule import Door, Rule
from latent.conformance._driving._factory import AgentFactory, build, wants_harness
from latent.conformance._judging._advice import not_offered, why_not
from latent.conformance._judging._player import Player
from latent.conformance._judging._went import Went
from latent.conformance._scenarios._all import SCENARIOS
from latent.conformance._scenarios._blackbox import black_box
from latent.conformance._scenarios._elsewhere import Elsewhere, calls_elsewhere, calls_nobodys_tool
from latent.conformance._scenarios._first import Stop, first_contact, uses_tools
from latent.conformance._scenarios._generated import play_generated
from latent.conformance._staging._scenario import Scenario
from latent.conformance._staging._stage import Limits, Stage
from latent.conformance._verdict._declarations import BASE_CAPABILITIES, Declarations
from latent.conformance._verdict._judge import judge
from latent.conformance._verdict._ledger import Ledger
from latent.conformance._verdict._report import Report, Status, Verdict
from latent.conformance.harness import Harness, Script, told

__all__ = ["Judgement"]

_TOOLS = frozenset({"tools", "parallel_tools"})
_MOST_HANGS = 3


class Judgement:
    """One agent before the kit."""

    def __init__(self, factory: AgentFactory, harness: Harness, declared: Declarations, limits: Limits) -> None:
        self.takes_harness = wants_harness(factory)
        self._harness = harness
        self._declared = declared
        harness.playback.phased = declared.capabilities is None or "phases" in declared.capabilities
        self._ledger = Ledger(RULES)
        make = partial(build, factory, harness, takes_harness=self.takes_harness)
        virtual = self.takes_harness and "virtual_time" in (declared.capabilities or ())
        self._player = Player(make, harness, declared, limits, self._ledger, virtual=virtual)
        self._advice: list[str] = []
        self._told: frozenset[str] = frozenset()
        """What calls showed whose tools are all run elsewhere."""
        self._tried: frozenset[str] | None = None
        """The capabilities that the agent is put to the test with; None where there is nothing to judge."""
        self._replayed: Script | None = None

    def play_all(self, rule: str | None) -> None:
        """Play every scenario that the agent can be put through."""
        stop: Stop | None = Stop("the agent broke off what drove it to a plain answer")
        tools = False

        async def begin(stage: Stage) -> None:
            nonlocal stop, tools
            stop = await first_contact(stage)
            tools = stop is None and await uses_tools(stage)

        self._player.play("a plain answer", begin)
        if stop is not None and self._player.strayed is None:
            self._player.problems = [*self._player.problems, *stop.problems]
        tried = self._to_try(tools=tools and stop is None)
        for scenario in _chosen(rule):
            if stop is None and self._player.hangs >= _MOST_HANGS:
                stop = Stop(f"the agent hung {self._player.hangs} times before")
            if self._player.strayed is not None:
                stop = Stop(self._player.strayed)
            if stop is not None:
                self._skip(scenario, stop.reason)
            elif scenario.needs <= tried:
                self._player.play(scenario.name, scenario.play, blame=scenario.rules[0])
        if stop is not None:
            self._ledger.excused |= self._declared.capabilities or set()  # what is not played cannot be shown
        elif self._player.virtual and self._player.strayed is None:
            self._ledger.served.add("virtual_time")
        self._tried = tried if stop is None and self._player.strayed is None else None

    def _to_try(self, *, tools: bool) -> frozenset[str]:
        """The capabilities that the agent is put to the test with, after what its author says of its tools."""
        tried = BASE_CAPABILITIES if self._declared.capabilities is None else self._declared.capabilities
        own = {*self._harness.tool_names}
        elsewhere = self._declared.external_tools & own
        if elsewhere and tools:
            self._call_elsewhere(elsewhere)
        return tried if tools and elsewhere != own else tried - _TOOLS

    def _call_elsewhere(self, tools: frozenset[str]) -> None:
        """Calls of tools that are run elsewhere; where all are, telling them is what there is to show."""
        several = "parallel_tools" in (self._declared.capabilities or ())
        found = Elsewhere()

        async def call(stage: Stage) -> None:
            nonlocal found
            found = await calls_elsewhere(stage, tools, several=several)

        self._player.play("a tool that is run elsewhere", call, blame="TOOL-9")
        self._player.problems += [f"{name!r} is in external_tools, but the agent runs it itself" for name in found.ran]
        if tools == {*self._harness.tool_names}:
            self._player.play("an unknown tool", calls_nobodys_tool, blame="TOOL-18")
            self._told = found.shown

    def explore(self, rule: str | None, examples: int | None) -> None:
        """Play generated conversations, where the agent can be judged at all."""
        if self._tried is None or self._player.hangs or examples == 0:
            return
        # Not at the top: hypothesis takes longer to import than all the rest.
        from latent.conformance._judging._exploration import Exploration

        over_http = "loopback" in self._harness.playback.ways
        exploration = Exploration(self._ledger, self._declared, rule)
        exploration.run(self._generated, self._tried, examples=examples, over_http=over_http)

    def replay(self, script: Script) -> None:
        """Play one script alone; raises `ValueError` for an agent that has its own model."""
        if not self.takes_harness:
            raise ValueError(
                "Expected a factory that takes the harness, to play a script to its agent, got one without"
            )
        self._replayed = script
        self._generated(script, self._ledger)
        lines = told(script)
        self._ledger.annotate(lambda each: replace(each, conversation=lines))

    def _generated(self, script: Script, ledger: Ledger) -> Went:
        """Play a conversation that has no scenario of its own."""
        early = False
        hangs, problems = self._player.hangs, len(self._player.problems)

        async def play(stage: Stage) -> None:
            nonlocal early
            early = await play_generated(stage, script)

        self._player.play(script.name, play, ledger=ledger)
        if self._player.strayed is not None:
            ledger.keep(lambda each: False)
        return Went(failed=early, last=self._player.hangs > hangs or len(self._player.problems) > problems)

    def ask(self, prompts: Sequence[str]) -> None:
        """Ask an agent that has its own model."""

        async def asked(stage: Stage) -> None:
            if (failure := await black_box(stage, prompts)) is not None:
                self._advice.append(failure)

        self._player.play("the author's prompts", asked)
        for scenario in SCENARIOS:
            self._skip(scenario, "the factory takes no harness, so that the kit does not know what the model said")

    def report(self, rule: str | None) -> Report:
        """What it adds up to."""
        declared, rules = self._declared, list(RULES.values())
        if declared.capabilities is not None:  # of calls that are told, what follows them is no matter here
            declared = replace(declared, capabilities=declared.capabilities - self._told)
        if rule is not None:
            rules = [RULES[rule]]
            kept = {name: reason for name, reason in declared.known_deviations.items() if name == rule}
            claimed = None if declared.capabilities is None else declared.capabilities & RULES[rule].needs
            declared = replace(declared, known_deviations=kept, capabilities=claimed)
            self._ledger.excused |= RULES[rule].needs  # a rule alone shows little of what its author claims
        if self._replayed is not None:
            return self._about_what_was_seen(rules, declared)
        door = Door.HARNESS if self.takes_harness else Door.BLACK_BOX
        report = judge(rules, self._ledger, declared, door, whole=rule is None)
        if not self._player.problems:
            advice = self._advice if report.verdict == "incomplete" else []
            if rule is not None and report.statuses[rule] == "not-applicable":
                advice = [*advice, why_not(RULES[rule])]
            if rule is None and self._tried is not None:
                advice = [*advice, *not_offered(self._harness, self._declared)]
            return replace(report, advice=(*advice, *report.advice))
        return replace(report, verdict="fail", problems=(*report.problems, *self._player.problems), advice=())

    def _about_what_was_seen(self, rules: Sequence[Rule], declared: Declarations) -> Report:
        """One script owes nothing of what it does not show."""
        ledger = self._ledger
        broken = {each.rule for each in ledger.violations}
        seen = [rule for rule in rules if ledger.exercised[rule.id] or rule.id in broken]
        served = None if declared.capabilities is None else declared.capabilities & ledger.served
        deviations = {rule: reason for rule, reason in declared.known_deviations.items() if rule in broken}
        declared = replace(declared, capabilities=served, known_deviations=deviations)
        report = judge(seen, ledger, declared, Door.HARNESS)
        unseen: dict[str, Status] = {rule.id: "untested" for rule in rules if rule.about == "agent"}
        verdict: Verdict = "fail" if self._player.problems else report.verdict
        statuses, problems = unseen | dict(report.statuses), tuple(self._player.problems)
        return replace(report, statuses=statuses, problems=problems, verdict=verdict, replayed=self._replayed)

    def _skip(self, scenario: Scenario, reason: str) -> None:
        for rule in scenario.rules:
            self._ledger.skip(rule, reason)


def _chosen(rule: str | None) -> tuple[Scenario, ...]:
    """The scenarios about a rule; all of them for a rule that any stream shows."""
    about = tuple(scenario for scenario in SCENARIOS if rule in scenario.rules)
    return about or SCENARIOS
