"""Calls of tools that are run elsewhere: they are told, and the agent does not run them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import latent.conformance._scripts as scripts
from latent.conformance._catalogue._rule import Level
from latent.conformance._evidence._run import Run
from latent.conformance._staging._stage import Stage
from latent.conformance._verdict._ledger import Ledger
from latent.conformance.harness import Script, asks, planned, says
from latent.protocol import ToolCall

__all__ = ["Elsewhere", "calls_elsewhere", "calls_nobodys_tool"]

_TOLD = "Yield the ToolCall of a tool that is run elsewhere before the run ends: whoever runs it learns of it by that."

_NOBODYS = (
    "Answer a call of a tool that nobody has with ToolResult(error=...), and leave to others those alone that are "
    "declared by name: in a recording, where nobody knows which tools there are, a call without a result breaks TOOL-4."
)


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What became of calls of tools that an author declares as run elsewhere."""

    shown: frozenset[str] = frozenset()
    """The capabilities that the calls show."""
    ran: tuple[str, ...] = ()
    """The tools that the agent ran itself."""


async def calls_elsewhere(stage: Stage, tools: Iterable[str], *, several: bool) -> Elsewhere:
    """Have the model call each of them alone, and then, with `several`, the first one twice in one answer."""
    shown, ran = set(), []
    names = sorted(tools)
    for name, number in [*((name, 1) for name in names), *((name, 2) for name in names[:1] if several)]:
        calls = (planned(f"t{at + 1}", name) for at in range(number))
        conversation = stage.harness.play(Script("a tool that is run elsewhere", (asks(*calls), says("Done."))))
        run = await stage.stream(stage.make(), conversation)
        stage.judge(run, _told, blame="TOOL-9", witnessed=False)
        if run.runs:
            ran.append(name)
        if _calls_of(run) >= number:
            shown.add("tools" if number == 1 else "parallel_tools")
    return Elsewhere(frozenset(shown), tuple(dict.fromkeys(ran)))


def _told(ledger: Ledger, run: Run) -> None:
    calls = run.conversation.script.turns[0].calls
    ledger.met("TOOL-9", len(calls))
    if (told := _calls_of(run)) < len(calls):
        expected = f"Expected {len(calls)} ToolCall of {calls[0].name}, which is run elsewhere"
        ledger.breach("TOOL-9", f"{expected}, got {told}; {run.ending}", hint=_TOLD)


async def calls_nobodys_tool(stage: Stage) -> None:
    """Have the model call a tool that nobody has, of an agent all of whose tools are run elsewhere."""
    run = await stage.stream(stage.make(), stage.play(scripts.UNKNOWN_TOOL))
    stage.judge(run, _answered, blame="TOOL-18", witnessed=False)


def _answered(ledger: Ledger, run: Run) -> None:
    """A hint: whoever runs the tools may answer this call too."""
    ledger.met("TOOL-18")
    call = run.call("t1")
    if call is not None and run.result_of("t1") is None and not run.failed:
        run.passive.drop("TOOL-4", Level.MUST)
        message = f"Expected a ToolResult with an error for a call of {call.function.name}, which nobody has, got none"
        ledger.breach("TOOL-18", message, index=run.place(call), hint=_NOBODYS)


def _calls_of(run: Run) -> int:
    """How many of the planned calls are in the stream."""
    (name,) = {call.name for call in run.conversation.script.turns[0].calls}
    return sum(isinstance(event, ToolCall) and event.function.name == name for event in run.events)
