"""Scenarios in which a chunk carries several things, as servers send them that wait for a whole answer."""

from __future__ import annotations

import latent.conformance._scripts as scripts
from latent.conformance._scenarios._talking import reasoned
from latent.conformance._staging._scenario import Scenario
from latent.conformance._staging._stage import Stage

__all__ = ["SCENARIOS"]


async def _answer(stage: Stage) -> None:
    """An answer that comes in one chunk, with the finish in it."""
    stage.judge(await stage.stream(stage.make(), stage.play(scripts.WHOLE_ANSWER)), blame="TEXT-5")


async def _thought(stage: Stage) -> None:
    """Reasoning and text that come in one chunk."""
    stage.judge(await stage.stream(stage.make(), stage.play(scripts.WHOLE_THOUGHT)), reasoned, blame="TEXT-7")


async def _calls(stage: Stage) -> None:
    """Text and two calls that come in one chunk."""
    stage.judge(await stage.stream(stage.make(), stage.play(scripts.WHOLE_CALLS)), blame="TOOL-9")


SCENARIOS = (
    Scenario("an answer in one chunk", ("TEXT-5",), _answer, frozenset({"odd_wire"})),
    Scenario("reasoning in one chunk", ("TEXT-5", "TEXT-7"), _thought, frozenset({"reasoning", "odd_wire"})),
    Scenario("calls in one chunk", ("TEXT-5", "TOOL-9"), _calls, frozenset({"tools", "odd_wire"})),
)
