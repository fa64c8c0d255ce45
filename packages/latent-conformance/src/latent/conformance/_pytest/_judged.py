"""A judgement under pytest: what each rule's test has to say."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import pytest

from latent.conformance._catalogue import RULES
from latent.conformance._catalogue._rule import Level
from latent.conformance._driving._factory import AgentFactory, FactoryError
from latent.conformance._judging._suite import check_agent
from latent.conformance._pytest._unraisable import gathered, unraisable
from latent.conformance._report_files import Outcome, outcome, refused
from latent.conformance._verdict._report import Report, again_lines, render, rule_lines

__all__ = ["Judged"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """The outcome of one agent's run: a report, or the reason why there is none."""

    name: str
    rerun: Callable[[str], str]
    """Rule id -> the command that runs it again."""
    report: Report | None = None
    refusal: str = ""
    """Why nothing could be judged."""
    warnings: tuple[str, ...] = ()
    """What the author's code could not raise meanwhile."""
    replays: Mapping[str, str] = field(default_factory=dict)
    """Rule id -> the command that plays the one script again that broke it."""

    @classmethod
    def of(
        cls,
        factory: AgentFactory,
        *,
        name: str,
        rerun: Callable[[str], str],
        options: Mapping[str, Any],
        keep: Callable[[Report], Mapping[str, str]],
    ) -> Self:
        """Judge an agent; what is wrong with the factory or the declarations becomes the refusal.

        `keep` keeps the scripts of the report, and gives the commands that play them again.
        """
        with unraisable() as told:
            try:
                report, refusal = check_agent(factory, **options), ""
            except (FactoryError, TypeError, ValueError) as wrong:
                report, refusal = None, str(wrong)
        replays = {} if report is None else keep(report)
        warned = tuple(gathered(told))
        return cls(name=name, rerun=rerun, report=report, refusal=refusal, warnings=warned, replays=replays)

    def hold(self, rule: str, *, brief: bool = False) -> None:
        """Pass, fail or skip for one rule; only a broken MUST fails. `brief` where a summary tells the rest."""
        if self.report is None:
            pytest.skip(f"nothing was judged: {self.refusal}")
        match self.report.statuses[rule]:
            case "pass":
                return
            case "fail" if RULES[rule].level is Level.MUST:
                lines = [*rule_lines(self.report, rule), *again_lines(rule, self.rerun, self.replays)]
                pytest.fail("\n".join(lines[:1] if brief else lines), pytrace=False)
            case "fail" | "deviation":
                pytest.xfail("\n".join(rule_lines(self.report, rule)))
            case status:
                reason = self.report.reasons.get(rule)
                pytest.skip(f"{status}: {reason}" if reason else status)

    def hold_verdict(self) -> None:
        """Fail unless the verdict is a pass; warn of what could not be raised."""
        if self.report is None:
            pytest.fail(f"nothing was judged: {self.refusal}", pytrace=False)
        if self.report.verdict != "pass":
            pytest.fail("\n".join([*self._verdict(), *self.warnings]), pytrace=False)
        for line in self.warnings:
            warnings.warn(pytest.PytestUnraisableExceptionWarning(line), stacklevel=2)

    @property
    def passed(self) -> bool:
        """Whether the verdict is a pass."""
        return self.report is not None and self.report.verdict == "pass"

    def summary(self) -> list[str]:
        """The judgement as text."""
        if self.report is None:
            return [f"{self.name}: nothing was judged", f"problem: {self.refusal}"]
        return render(self.report, self.name, self.rerun, self.replays)

    def outcome(self) -> Outcome:
        """The judgement as the plain data of report files."""
        if self.report is None:
            return refused(self.name, self.refusal, self.warnings)
        return outcome(self.report, self.name, self.rerun, self.replays, self.warnings)

    def _verdict(self) -> list[str]:
        """The verdict in short: the findings stand with their rules."""
        assert self.report is not None
        broken = [rule for rule, status in self.report.statuses.items() if status == "fail"]
        must = [rule for rule in broken if RULES[rule].level is Level.MUST]
        lines = [f"verdict: {self.report.verdict}"]
        lines += [f"broken: {', '.join(must)}"] if must else []
        lines += [f"problem: {problem}" for problem in self.report.problems]
        lines += [f"the kit itself failed: {error}" for error in self.report.internal_errors]
        return [*lines, *self.report.advice]
