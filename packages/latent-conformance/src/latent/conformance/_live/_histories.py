"""What the model sees of the history that an agent is given."""

from __future__ import annotations

import latent.conformance._live._scripts as scripts
from latent.conformance._ledger import Ledger
from latent.conformance._live._rows import content_text, fault_of_history, fault_of_instructions, plain_rows
from latent.conformance._live._run import Run
from latent.conformance._live._stage import Stage
from latent.conformance.harness import Script

__all__ = ["histories", "odd_rows", "round_trip"]

_SYSTEM_IN_PLACE = (
    "Leave the system's rows of the history where they are: one in the midst of it speaks of what comes behind it."
)


async def histories(stage: Stage) -> None:
    """Earlier rows go to the model as they are, once each."""
    run = await stage.stream(stage.make(), stage.play(scripts.ANSWER, earlier=scripts.EARLIER))
    clean = stage.judge(run, _sent_once, blame="STATE-8")
    for earlier, look in ((scripts.LONG_AGO, _all_sent), (scripts.NOTED, _instructed)):
        if not clean:
            return
        run = await stage.stream(stage.make(), stage.play(scripts.ANSWER, earlier=earlier))
        clean = stage.judge(run, look, blame="STATE-8")


def _instructed(ledger: Ledger, run: Run) -> None:
    for request in run.requests[:1]:
        if fault := fault_of_instructions(run.given, request.messages):
            got = ", ".join(f"{row.get('role')}: {content_text(row.get('content'))!r}" for row in request.messages)
            message = f"Expected the model to see {fault}, got [{got}]"
            ledger.breach("STATE-8", message, hint=_SYSTEM_IN_PLACE)


def _all_sent(ledger: Ledger, run: Run) -> None:
    for request in run.requests[:1]:
        given, sent = plain_rows(run.given), plain_rows(request.messages)
        asked, told = [row.text for row in given], "\n".join(row.text for row in sent)
        missing = [row for row in given if told.count(row.text) < asked.count(row.text)]
        if missing:
            message = f"Expected the model to see all {len(given)} rows that were given, got {len(sent)}"
            ledger.breach("STATE-8", f"{message}: the first that is missing is {missing[0].role}: {missing[0].text!r}")


def _sent_once(ledger: Ledger, run: Run) -> None:
    ledger.met("STATE-8")
    given = plain_rows(run.given)
    system = str(scripts.EARLIER[0].content)
    for request in run.requests[:1]:
        if not any(system in content_text(row.get("content")) for row in request.messages):
            ledger.breach("STATE-8", f"Expected the model to see the system's row that was given, {system!r}, got none")
            return
        if named := [row["id"] for row in request.messages if str(row.get("id", "")).startswith("m-")]:
            ledger.breach("STATE-8", f"Expected no Message.id in what the model sees, got {named}")
            return
        sent = plain_rows(request.messages)
        if fault := fault_of_history(given, sent):
            got = ", ".join(f"{row.role}: {row.text!r}" for row in sent)
            ledger.breach("STATE-8", f"Expected the model to see {fault}, got [{got}]")


async def round_trip(stage: Stage) -> None:
    """The rows that a run adds to the history come back unchanged in the next."""
    await _back_again(stage, scripts.TALK)


async def odd_rows(stage: Stage) -> None:
    """The same for rows that are empty or look so, for white space, for characters that are not printed."""
    for script in (scripts.FALSY, scripts.PADDED, scripts.CHARACTERS, scripts.NATIVE, scripts.RICH):
        if not stage.is_broken("MSG-4"):
            await _back_again(stage, script)


async def _back_again(stage: Stage, script: Script) -> None:
    first = await stage.invoke(stage.make(), stage.play(script))
    if not stage.judge(first) or first.suspect or first.buffered is None:
        return
    rows = [*first.given, *first.buffered.to_messages()]
    conversation = stage.play(scripts.ANSWER, token=first.conversation.token, earlier=rows)
    second = await stage.stream(stage.make(), conversation)
    stage.judge(second, _unchanged_rows, blame="MSG-4")


def _unchanged_rows(ledger: Ledger, run: Run) -> None:
    ledger.met("MSG-4")
    if not run.requests:
        ledger.breach("MSG-4", f"Expected the history to go to the model, got no request; {run.ending}")
        return
    given, sent = plain_rows(run.given), plain_rows(run.requests[0].messages)
    if fault := fault_of_history(given, sent):
        ledger.breach("MSG-4", f"Expected the model to see {fault}, got {sent}")
