"""A scenario with tools that return what JSON has no form for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from latent.conformance._evidence._made import same_native
from latent.conformance._evidence._run import Run
from latent.conformance._scripts._parts import one_by_one, values
from latent.conformance._staging._scenario import TOOLS, Scenario
from latent.conformance._staging._stage import Stage
from latent.conformance._verdict._excerpt import shortened
from latent.conformance._verdict._ledger import Ledger

__all__ = ["SCENARIOS"]


@dataclass(frozen=True, slots=True)
class Record:
    """What a tool may return."""

    name: str
    open: bool


_OUTPUTS = (("one", 2, None), {1: "one", "remark": None}, datetime(2026, 1, 2, 3, 4, tzinfo=UTC), {1, 2})
# Not among the scripts that are kept as files: no file could hold it.
_SCRIPT = one_by_one("outputs beyond JSON", values(*_OUTPUTS, Record("one", open=True)))


async def _beyond_json(stage: Stage) -> None:
    """Outputs that JSON has no form for: an agent may fail over them, though it may not make others of them."""
    run = stage.new_run(stage.play(_SCRIPT))
    await stage.consume(stage.make(), run, quiet=False)
    stage.watch.complaints()
    confused = run.confused
    run.passive.keep(lambda found: False)  # that an event has no JSON form is due to the outputs, as a failure is
    if not confused and not stage.is_broken("TOOL-16"):
        stage.judge(run, _kept, witnessed=False, blame="TOOL-16")


def _kept(ledger: Ledger, run: Run) -> None:
    for ticket, deed in run.conversation.script.deeds.items():
        result = run.result_of(ticket)
        if result is None or result.error is not None or run.runs[ticket] != 1:
            continue
        ledger.met("TOOL-16")
        if not same_native(result.output, deed.value):
            message = f"Expected the output {shortened(deed.value)} for its call, got {shortened(result.output)}"
            ledger.breach("TOOL-16", message, index=run.place(result))
            return


SCENARIOS = (Scenario("outputs beyond JSON", ("TOOL-16",), _beyond_json, TOOLS),)
