"""Agents of the command line as items of pytest."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from operator import attrgetter
from typing import Any

import pytest

from latent.conformance._catalogue import RULES
from latent.conformance._factory import AgentFactory
from latent.conformance._judged import DECLARATIONS, Judged
from latent.conformance._testcase import judged_class

__all__ = ["AgentCollector", "judged_item", "load_factory"]


def load_factory(spec: str, config: pytest.Config) -> AgentFactory:
    """The factory that `package.module:factory` names; raises `UsageError` that says what is wrong with it."""
    module, _, name = spec.partition(":")
    if not module or not name:
        raise pytest.UsageError(f"--latent-agent: Expected package.module:factory, got {spec!r}")
    if (here := str(config.invocation_params.dir)) not in sys.path:
        sys.path.insert(0, here)  # as `python -m pytest` does
    try:
        factory: AgentFactory = attrgetter(name)(import_module(module))
    except Exception as wrong:  # whatever an author's module raises, its author has to read it
        raise pytest.UsageError(f"--latent-agent={spec}: {type(wrong).__name__}: {wrong}") from wrong
    if not callable(factory):
        raise pytest.UsageError(f"--latent-agent={spec}: Expected a factory, got a `{type(factory).__name__}`")
    return factory


class AgentCollector(pytest.Collector):
    """One agent: an item for each rule, and one for the verdict."""

    def __init__(self, *, factory: AgentFactory, **node: Any) -> None:
        super().__init__(**node)
        self._factory = factory
        self._judged: Judged | None = None

    def collect(self) -> Iterator[pytest.Item]:
        for rule in RULES.values():
            if rule.about == "agent":
                yield RuleItem.from_parent(self, name=rule.id)
        yield VerdictItem.from_parent(self, name="verdict")

    @property
    def judged(self) -> Judged:
        """The judgement, made at the first look; the factory may carry declarations as attributes."""
        if self._judged is None:
            spec, option = self.name, self.config.getoption
            named = (*DECLARATIONS, "prompts", "timeout")
            options = {name: getattr(self._factory, name) for name in named if hasattr(self._factory, name)}
            if option("latent_timeout") is not None:
                options["timeout"] = option("latent_timeout")
            self._judged = Judged.of(
                self._factory,
                name=spec,
                rerun=lambda rule: f"pytest --latent-conformance --latent-agent={spec} --latent-rule={rule}",
                options={**options, "rule": option("latent_rule")},
            )
        return self._judged


class _Item(pytest.Item):
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
