"""Scenarios in which the model and the tools take their time, for agents in virtual time."""

from __future__ import annotations

import latent.conformance._scripts as scripts
from latent.conformance._evidence._run import Run
from latent.conformance._staging._scenario import PARALLEL, TOOLS, Scenario
from latent.conformance._staging._stage import Stage
from latent.protocol import ToolResult

__all__ = ["SCENARIOS"]

_VIRTUAL = frozenset({"virtual_time"})


async def _slow_model(stage: Stage) -> None:
    """A model that pauses between two words, for a minute and for an hour."""
    _judge(stage, await stage.stream(stage.make(), stage.play(scripts.SLOW_MODEL)), "TEXT-5")
    _judge(stage, await stage.invoke(stage.make(), stage.play(scripts.SLOW_MODEL)), "TEXT-1")


async def _slow_tool(stage: Stage) -> None:
    """A tool that takes an hour."""
    _judge(stage, await stage.stream(stage.make(), stage.play(scripts.SLOW_TOOL)), "TOOL-16")


async def _slow_batch(stage: Stage) -> None:
    """Parallel tools that end in another order than they are called in, hours apart."""
    _judge(stage, await stage.stream(stage.make(), stage.play(scripts.SLOW_BATCH)), "TOOL-21")


def _judge(stage: Stage, run: Run, blame: str) -> None:
    """An agent may lose patience, if it says so: then it owes neither the text nor the output."""
    gives_up = run.failed or any(isinstance(event, ToolResult) and event.error is not None for event in run.events)
    stage.judge(run, blame=blame, witnessed=not gives_up)


SCENARIOS = (
    Scenario("a model that takes its time", ("TEXT-5",), _slow_model, _VIRTUAL),
    Scenario("a tool that takes an hour", ("TOOL-16",), _slow_tool, _VIRTUAL | TOOLS),
    Scenario("parallel tools that take their time", ("TOOL-21",), _slow_batch, _VIRTUAL | PARALLEL),
)
