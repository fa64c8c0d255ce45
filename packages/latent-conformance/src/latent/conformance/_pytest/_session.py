"""A pytest run with `--latent-conformance`."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from msgspec.json import decode, encode
from msgspec.structs import replace

from latent.conformance._catalogue import RULES
from latent.conformance._pytest._items import AgentCollector, judged_item, load_factory
from latent.conformance._pytest._options import read_rule, read_script
from latent.conformance._pytest._testcase import AgentConformance
from latent.conformance._report_files import Filed, Outcome, Target, append_step_summary, gathered, publish

__all__ = ["JudgingSession"]

_NOTHING = (
    "--latent-conformance found nothing to judge: give an agent with --latent-agent=package.module:factory "
    "(or in the ini setting latent_conformance_agents), or collect a test class made from "
    "latent.conformance.AgentConformance"
)

_NOTHING_SELECTED = (
    "--latent-conformance judged nothing: none of the tests of an agent was run; name one with -k or by its path, "
    "or take the selection out"
)


class JudgingSession:
    """Adds the agents of the command line, and tells at the end what was found."""

    def __init__(self, config: pytest.Config) -> None:
        given, settled = config.getoption("latent_agent"), config.getini("latent_conformance_agents")
        self._factories = {spec: load_factory(spec, config) for spec in given}
        for spec in settled:
            if spec not in self._factories:
                self._factories[spec] = load_factory(spec, config, of_settings=True)
        self._rule = read_rule(config)
        read_script(config)
        self._targets = [_target(text) for text in config.getoption("latent_report")]
        self._step_summary = os.environ.get("GITHUB_STEP_SUMMARY")
        self._told: set[str] = set()
        self._all_passed = True
        """Whether every verdict is a pass that the summary tells, its test may have been selected or not."""
        self._summaries: dict[str, tuple[str, list[str]]] = {}
        self._names: defaultdict[str, set[str]] = defaultdict(set)
        self._filed: list[Filed] = []
        self._outcomes: dict[str, Outcome] = {}
        """By where the judgement stands in the run, as the summaries are."""
        self._is_worker = hasattr(config, "workerinput")  # of xdist: what it collects, the others do too

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        for spec, factory in self._factories.items():
            settled = spec not in session.config.getoption("latent_agent")
            agent = AgentCollector.from_parent(session, name=spec, nodeid=spec, factory=factory, of_settings=settled)
            added: list[pytest.Item | pytest.Collector] = [*agent.collect()]
            items.extend(each for each in added if isinstance(each, pytest.Item))
            report = pytest.CollectReport(nodeid=spec, outcome="passed", longrepr=None, result=added)
            session.config.hook.pytest_collectreport(report=report)  # else nobody counts them
        rules = {item.nodeid: _rule_of(item) for item in items if _judges(item)}
        if not rules and not self._is_worker:
            raise pytest.UsageError(_NOTHING)
        if self._rule is not None:
            dropped = [item for item in items if rules.get(item.nodeid) != self._rule]
            session.config.hook.pytest_deselected(items=dropped)
            items[:] = [item for item in items if item not in dropped]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        judged = judged_item(item) if call.when == "call" else None
        if judged is not None:
            node = item.nodeid.rpartition("::")[0]
            if node not in self._told:
                self._told.add(node)
                filed = encode(judged.outcome()).decode() if self._targets or self._step_summary else None
                # Plain texts: under xdist they go from the worker to the process that reports.
                vars(report)["latent_judgement"] = [node, judged.name, judged.summary(), judged.passed, filed]
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if (judgement := vars(report).get("latent_judgement")) is not None:
            node, name, lines, passed, filed = judgement
            self._all_passed = self._all_passed and passed
            self._names[name].add(node)
            self._summaries[node] = (name, lines)
            if filed is not None:
                self._outcomes[node] = decode(filed, type=Outcome)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """A run that judged nothing is no success, whatever else it ran, and a verdict that is no pass is none either.

        Only here xdist's controller knows.
        """
        idle = not self._summaries and not self._is_worker and not session.config.option.collectonly
        if idle and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            self._summaries["nothing"] = ("nothing", [_NOTHING_SELECTED if self._factories else _NOTHING])
            session.exitstatus = pytest.ExitCode.USAGE_ERROR
        self._filed = list(self._publish())
        if not self._all_passed or any(each.problem for each in self._filed):
            session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED

    def _publish(self) -> Iterator[Filed]:
        """Write the files, in the one process that knows of all agents."""
        if self._is_worker or not self._outcomes:
            return
        outcomes = gathered(
            replace(outcome, name=node) if len(self._names[outcome.name]) > 1 else outcome
            for node, outcome in self._outcomes.items()
        )
        yield from publish(self._targets, outcomes)
        if self._step_summary:
            yield append_step_summary(Path(self._step_summary), outcomes)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for node, (name, lines) in self._summaries.items():
            terminalreporter.section("latent conformance")
            if len(self._names[name]) > 1:  # classes of one name in several files
                terminalreporter.line(node)
            for line in lines:
                terminalreporter.line(line)
        for each in self._filed:
            terminalreporter.line(str(each))


def _target(text: str) -> Target:
    try:
        return Target.of(text)
    except ValueError as wrong:
        raise pytest.UsageError(f"--latent-report: {wrong}") from wrong


def _judges(item: pytest.Item) -> bool:
    cls = getattr(item, "cls", None)
    return isinstance(item.parent, AgentCollector) or (isinstance(cls, type) and issubclass(cls, AgentConformance))


def _rule_of(item: pytest.Item) -> str | None:
    """The rule that an item is about; None for a verdict."""
    if isinstance(item.parent, AgentCollector):
        return item.name if item.name in RULES else None
    callspec = getattr(item, "callspec", None)
    return None if callspec is None else callspec.params.get("rule")
