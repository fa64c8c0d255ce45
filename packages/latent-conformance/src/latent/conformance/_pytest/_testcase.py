"""The kit as a test class of the author's own."""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest

from latent.conformance._catalogue import RULES
from latent.conformance._judging._carried import CARRIED
from latent.conformance._judging._suite import PROMPTS
from latent.conformance._pytest._judged import Judged
from latent.conformance._pytest._keeping import kept_scripts
from latent.conformance._pytest._options import command_line
from latent.conformance.harness import Harness

__all__ = ["AgentConformance", "judged_class"]

_JUDGED = [rule.id for rule in RULES.values() if rule.about == "agent"]


class AgentConformance:
    """Inherit from it in a test file, and every rule becomes a test of your agent::

        class TestMyAgent(AgentConformance):
            def make_agent(self, harness):
                return MyAgent(model=harness.model, tools=harness.tools)

    The agent is driven once for the class; `test_rule[STEP-4]` tells what became of one rule, and
    `test_verdict` what it all adds up to. A rule that was not put to the test is skipped, and skips
    never add up to a pass: the verdict fails then. The class attributes are the declarations.
    """

    capabilities: ClassVar[Collection[str] | None] = None
    """What the agent can do; None tries what a tool-using agent has."""
    external_tools: ClassVar[Collection[str]] = ()
    """Names of tools that are run elsewhere."""
    own_segmentation: ClassVar[bool] = False
    """Whether invoke tells steps apart by something else than StepBoundary."""
    step_scope: ClassVar[Literal["run", "phase"]] = "run"
    """Within what the numbers of steps are unique."""
    parallel_phases: ClassVar[bool] = False
    """Whether phases may overlap."""
    known_deviations: ClassVar[Mapping[str, str]] = {}
    """Rule id -> the reason for breaking it knowingly."""
    prompts: ClassVar[Sequence[str]] = PROMPTS
    """What an agent with its own model is asked."""
    timeout: ClassVar[float] = 10.0
    """How many seconds a run may take."""
    examples: ClassVar[int | None] = None
    """How many generated conversations are played; None for as many as fit, 0 for none."""

    def make_agent(self, harness: Harness, /) -> Any:
        """Build a fresh agent on the harness; without the parameter, one that has its own model."""
        raise NotImplementedError(f"{type(self).__name__} needs `def make_agent(self, harness)`")

    __test__ = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if any((kind.__module__, kind.__name__) == ("unittest.case", "TestCase") for kind in cls.__mro__):
            wrong = "one made from unittest.TestCase too, whose tests take no parameters: take that out"
            raise TypeError(f"Expected {cls.__name__} as a plain class, got {wrong}")
        if "__test__" not in vars(cls):
            cls.__test__ = True

    @pytest.mark.parametrize("rule", _JUDGED)
    def test_rule(self, rule: str, request: pytest.FixtureRequest) -> None:
        """One rule."""
        self._judged(request).hold(rule)

    def test_verdict(self, request: pytest.FixtureRequest) -> None:
        """What it adds up to."""
        self._judged(request).hold_verdict()

    def _judged(self, request: pytest.FixtureRequest) -> Judged:
        cls = type(self)
        if cls not in _RUNS:
            place = Path(os.path.relpath(request.path, request.config.invocation_params.dir)).as_posix()
            names = request.node.nodeid.partition("::")[2].rpartition("::")[0]
            options = {name: getattr(self, name) for name in CARRIED} | command_line(request.config, _declared(cls))
            command = shlex.join(["pytest", "--latent-conformance", f"{place}::{names}"])
            _RUNS[cls] = Judged.of(
                self.make_agent,
                name=cls.__name__,
                rerun=lambda rule: shlex.join(["pytest", f"{place}::{names}::test_rule[{rule}]"]),
                options=options,
                keep=partial(kept_scripts, name=cls.__name__, command=command, config=request.config),
            )
        return _RUNS[cls]


def _declared(cls: type[AgentConformance]) -> set[str]:
    """The options that the author's classes set: those which they share with `AgentConformance` say nothing."""
    own = [kind for kind in cls.__mro__ if kind is not AgentConformance]
    return {name for name in CARRIED for kind in own if name in vars(kind)}


_RUNS: dict[type, Judged] = {}


def judged_class(cls: type) -> Judged | None:
    """The judgement of a class, where it was made in this process."""
    return _RUNS.get(cls)
