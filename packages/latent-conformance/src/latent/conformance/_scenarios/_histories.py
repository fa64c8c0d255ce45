"""What the model sees of the history that an agent is given."""

from __future__ import annotations

from collections.abc import Iterator

import latent.conformance._scripts as scripts
from latent.conformance._evidence._rows import (
    content_text,
    fault_of_history,
    fault_of_instructions,
    plain_rows,
    without_ids,
)
from latent.conformance._evidence._run import Run
from latent.conformance._staging._stage import Stage
from latent.conformance._verdict._ledger import Ledger
from latent.conformance.harness import Request, Script
from latent.protocol import PhaseStarted

__all__ = ["batch_back", "foreign_rows", "histories", "histories_of_each_step", "odd_rows", "round_trip"]

_PART_BY_PART = (
    "Content may be a list of parts: send it as it is, or make of each part what the framework has for it. Where the "
    "model takes no such part, say so by Error or ValueError."
)
_IDS = (
    "Send ids of calls as they are; where the provider refuses one (for its length, for a sign in it), put the same "
    "other one on the call and on its result."
)
_SYSTEM_IN_PLACE = (
    "Leave the system's rows of the history where they are: one in the midst of it speaks of what comes behind it."
)


async def histories(stage: Stage) -> None:
    """Earlier rows go to the model as they are, once each."""
    for earlier, look in ((scripts.EARLIER, _sent_once), (scripts.LONG_AGO, _all_sent), (scripts.NOTED, _instructed)):
        run = await stage.stream(stage.make(), stage.play(scripts.ANSWER, earlier=earlier))
        if not stage.judge(run, look, blame="STATE-8"):
            return
    run = await stage.stream(stage.make(), stage.play(scripts.ANSWER, earlier=scripts.PICTURED))
    if run.hung or not run.failed:  # an agent may say that its model takes no pictures
        stage.judge(run, _parts_sent, blame="STATE-8")


async def histories_of_each_step(stage: Stage) -> None:
    """The rows of the history go with each request of a run, and not with its first alone."""
    if not stage.is_broken("STATE-8"):
        run = await stage.stream(stage.make(), stage.play(scripts.TALK, earlier=scripts.EARLIER))
        stage.judge(run, _sent_once, _instructed, blame="STATE-8")


def _asked(run: Run) -> Iterator[tuple[str, Request]]:
    """The requests that hold the whole history; what a later phase of a pipeline asks is its own affair."""
    in_phases = run.first(PhaseStarted) is not None
    for number, request in enumerate(run.requests[:1] if in_phases else run.requests):
        yield f"Expected the model to see in request {number}", request


def _instructed(ledger: Ledger, run: Run) -> None:
    for expected, request in _asked(run):
        if fault := fault_of_instructions(run.given, request.messages):
            got = ", ".join(f"{row.get('role')}: {content_text(row.get('content'))!r}" for row in request.messages)
            ledger.breach("STATE-8", f"{expected} {fault}, got [{got}]", hint=_SYSTEM_IN_PLACE)
            return


def _all_sent(ledger: Ledger, run: Run) -> None:
    for expected, request in _asked(run):
        given, sent = plain_rows(run.given), plain_rows(request.messages)
        asked, told = [row.text for row in given], "\n".join(row.text for row in sent)
        missing = [row for row in given if told.count(row.text) < asked.count(row.text)]
        if missing:
            message = f"{expected} all {len(given)} rows that were given, got {len(sent)}"
            ledger.breach("STATE-8", f"{message}: the first that is missing is {missing[0].role}: {missing[0].text!r}")
            return


def _sent_once(ledger: Ledger, run: Run) -> None:
    ledger.met("STATE-8")
    given = plain_rows(run.given)
    system = str(scripts.EARLIER[0].content)
    for expected, request in _asked(run):
        if not any(system in content_text(row.get("content")) for row in request.messages):
            ledger.breach("STATE-8", f"{expected} the system's row that was given, {system!r}, got none")
            return
        if named := [row["id"] for row in request.messages if str(row.get("id", "")).startswith("m-")]:
            ledger.breach("STATE-8", f"{expected} no Message.id, got {named}")
            return
        sent = plain_rows(request.messages)
        if fault := fault_of_history(given, sent):
            got = ", ".join(f"{row.role}: {row.text!r}" for row in sent)
            ledger.breach("STATE-8", f"{expected} {fault}, got [{got}]")
            return


def _parts_sent(ledger: Ledger, run: Run) -> None:
    """Content that is a list of parts: its texts, as parts or in one; what no model of text takes is left out."""
    for expected, request in _asked(run):
        contents = [row.get("content") for row in request.messages]
        sent = "\n".join(f"{content_text(each)}\n{each if isinstance(each, list) else ''}" for each in contents)
        for part in scripts.ABOUT_IT:
            if part not in sent:
                message = f"{expected} {part!r}, which is a part of row 0, got none"
                ledger.breach("STATE-8", message, hint=_PART_BY_PART)
                return


async def round_trip(stage: Stage) -> None:
    """The rows that a run adds to the history come back unchanged in the next."""
    await _back_again(stage, scripts.TALK)


async def batch_back(stage: Stage) -> None:
    """The calls of one turn and their results come back unchanged in each request of a run with a call of its own."""
    if not stage.is_broken("MSG-4"):
        await _back_again(stage, scripts.BATCH, scripts.ONCE_MORE)


async def foreign_rows(stage: Stage) -> None:
    """Calls that another model made, under ids that the agent's provider may refuse."""
    if not stage.is_broken("MSG-4"):
        run = await stage.stream(stage.make(), stage.play(scripts.ANSWER, earlier=scripts.FOREIGN))
        stage.judge(run, _paired_alike, blame="MSG-4")


def _paired_alike(ledger: Ledger, run: Run) -> None:
    """An id may be another in the request, on a call and on its result alike."""
    ledger.met("MSG-4")
    for expected, request in _asked(run):
        given, sent = without_ids(plain_rows(run.given)), without_ids(plain_rows(request.messages))
        if fault := fault_of_history(given, sent):
            ids = [row.get("tool_call_id") for row in request.messages if row.get("role") == "tool"]
            ledger.breach("MSG-4", f"{expected} {fault}, got {sent}, with the ids {ids} on the results", hint=_IDS)
            return


async def odd_rows(stage: Stage) -> None:
    """Rows come back unchanged that are empty or look so, with white space, with characters that are not printed."""
    for script in (scripts.FALSY, scripts.PADDED, scripts.CHARACTERS, scripts.NATIVE, scripts.RICH):
        if not stage.is_broken("MSG-4"):
            await _back_again(stage, script)


async def _back_again(stage: Stage, script: Script, then: Script = scripts.ANSWER) -> None:
    first = await stage.invoke(stage.make(), stage.play(script))
    if not stage.judge(first) or first.suspect or first.buffered is None:
        return
    rows = [*first.given, *first.buffered.to_messages()]
    conversation = stage.play(then, token=first.conversation.token, earlier=rows)
    second = await stage.stream(stage.make(), conversation)
    stage.judge(second, _unchanged_rows, blame="MSG-4")


def _unchanged_rows(ledger: Ledger, run: Run) -> None:
    ledger.met("MSG-4")
    if not run.requests:
        ledger.breach("MSG-4", f"Expected the history to go to the model, got no request; {run.ending}")
        return
    for expected, request in _asked(run):
        given, sent = plain_rows(run.given), plain_rows(request.messages)
        if fault := fault_of_history(given, sent):
            ledger.breach("MSG-4", f"{expected} {fault}, got {sent}")
            return
