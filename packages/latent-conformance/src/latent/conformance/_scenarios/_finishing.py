"""A scenario about the finish reason: that of an answer beside calls."""

from __future__ import annotations

import latent.conformance._scripts as scripts
from latent.conformance._catalogue._rule import Level
from latent.conformance._evidence._run import Run
from latent.conformance._staging._scenario import TOOLS, Scenario
from latent.conformance._staging._stage import Stage
from latent.conformance._verdict._ledger import Ledger
from latent.protocol import ToolCall

__all__ = ["SCENARIOS"]

_BY_ITS_CALLS = (
    'Take an answer with calls for one that calls tools, whatever its finish reason: the vendor sends "stop" beside '
    "calls where a choice of tool is forced, and other servers always do."
)


async def _stops(stage: Stage) -> None:
    """Calls whose answer ends with "stop": the vendor's wire has them on demand alone, so that it is a hint there."""
    run = await stage.stream(stage.make(), stage.play(scripts.CALLS_THAT_STOP))
    if "odd_wire" in (stage.declared.capabilities or ()):
        stage.judge(run, blame="TOOL-9")
    else:
        _told(stage.ledger, run)


def _told(ledger: Ledger, run: Run) -> None:
    ledger.met("TOOL-9")
    if not any(isinstance(event, ToolCall) for event in run.events):
        message = f'Expected a call to be made though the finish reason is "stop", got none; {run.ending}'
        ledger.breach("TOOL-9", message, level=Level.SHOULD, hint=_BY_ITS_CALLS)


SCENARIOS = (Scenario("calls that end like an answer", ("TOOL-9",), _stops, TOOLS),)
