"""Agents of the command line as items of pytest."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from latent.conformance._catalogue import RULES
from latent.conformance._driving._factory import AgentFactory, FactoryError
from latent.conformance._driving._locate import locate
from latent.conformance._judging._carried import CARRIED
from latent.conformance._pytest._judged import Judged
from latent.conformance._pytest._keeping import kept_scripts
from latent.conformance._pytest._options import command_line
from latent.conformance._pytest._testcase import judged_class

__all__ = ["AgentCollector", "judged_item", "load_factory"]


def load_factory(spec: str, config: pytest.Config, *, of_settings: bool = False) -> AgentFactory:
    """The factory that an option or the settings name; raises `UsageError` that says what is wrong with it.

    What stands in a file of settings is looked for from there, and not from where pytest was started.
    """
    folder = config.invocation_params.dir
    if of_settings and config.inipath is not None:
        folder = config.inipath.parent
    try:
        return locate(spec, folder)
    except FactoryError as wrong:
        source = "latent_conformance_agents: " if of_settings else "--latent-agent="
        raise pytest.UsageError(f"{source}{spec}: {wrong}") from wrong


class AgentCollector(pytest.Collector):
    """One agent: an item for each rule, and one for the verdict."""

    def __init__(self, *, factory: AgentFactory, of_settings: bool, **node: Any) -> None:
        super().__init__(**node)
        self._of_settings = of_settings
        self._factory = factory
        self._judged: Judged | None = None

    def collect(self) -> Iterator[pytest.Item]:
        for rule in RULES.values():
            if rule.about == "agent":
                yield RuleItem.from_parent(self, name=rule.id)
        yield VerdictItem.from_parent(self, name="verdict")

    @property
    def judged(self) -> Judged:
        """The judgement, made at the first look."""
        if self._judged is None:
            self._judged = Judged.of(
                self._factory,
                name=self.name,
                rerun=self._again,
                options=command_line(self.config, {name for name in CARRIED if hasattr(self._factory, name)}),
                keep=partial(kept_scripts, name=self.name, command=shlex.join(self._command()), config=self.config),
            )
        return self._judged

    def _again(self, rule: str) -> str:
        """The command that judges this rule of this agent alone, from where pytest was started."""
        return shlex.join([*self._command(), f"--latent-rule={rule}"])

    def _command(self) -> list[str]:
        """The command that judges this agent alone."""
        settled = self.config.getini("latent_conformance_agents")
        command = ["pytest", "--latent-conformance"]
        if (settings := self.config.getoption("inifilename", None)) is not None:
            command += ["-c", str(settings)]
        if self._of_settings:
            command += ["-o", f"latent_conformance_agents={self.name}"]  # it is looked for from where they are
        else:
            command += [f"--latent-agent={self.name}", *(["-o", "latent_conformance_agents="] if settled else ())]
        if (seconds := self.config.getoption("latent_timeout")) is not None:
            command.append(f"--latent-timeout={seconds:g}")
        if (examples := self.config.getoption("latent_examples")) is not None:
            command.append(f"--latent-examples={examples}")
        return command


class _Item(pytest.Item):
    obj = None
    """No function: plugins that look for one in every item (pytest-trio does) find that there is none."""

    @property
    def judged(self) -> Judged:
        assert isinstance(self.parent, AgentCollector)
        return self.parent.judged

    def reportinfo(self) -> tuple[Any, int | None, str]:
        return self.config.rootpath, None, self.nodeid


class RuleItem(_Item):
    """One rule."""

    def runtest(self) -> None:
        self.judged.hold(self.name, brief=True)


class VerdictItem(_Item):
    """What it adds up to."""

    def runtest(self) -> None:
        self.judged.hold_verdict()


def judged_item(item: pytest.Item) -> Judged | None:
    """The judgement that an item belongs to, where there is one."""
    if isinstance(item, _Item):
        return item.judged
    cls = getattr(item, "cls", None)
    return judged_class(cls) if isinstance(cls, type) else None
