"""Calls of tools that are run elsewhere: they are told, and the agent does not run them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from latent.conformance._evidence._run import Run
from latent.conformance._staging._stage import Stage
from latent.conformance._verdict._ledger import Ledger
from latent.conformance.harness import Script, asks, planned, says
from latent.protocol import ToolCall

__all__ = ["Elsewhere", "calls_elsewhere"]

_TOLD = "Yield the ToolCall of a tool that is run elsewhere before the run ends: whoever runs it learns of it by that."


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


def _calls_of(run: Run) -> int:
    """How many of the planned calls are in the stream."""
    (name,) = {call.name for call in run.conversation.script.turns[0].calls}
    return sum(isinstance(event, ToolCall) and event.function.name == name for event in run.events)
