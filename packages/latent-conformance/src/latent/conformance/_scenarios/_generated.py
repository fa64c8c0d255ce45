"""A conversation that nobody wrote: what holds for any script."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import NoneType

from latent.conformance._catalogue._rule import Level
from latent.conformance._evidence._blame import LEAST, blamed
from latent.conformance._evidence._characters import spoiled
from latent.conformance._evidence._made import handed_over, is_sound
from latent.conformance._evidence._run import Run, parsed, text_of
from latent.conformance._scenarios._failing import no_success, visible
from latent.conformance._scenarios._streaming import streams
from latent.conformance._scenarios._talking import reasoned
from latent.conformance._staging._stage import Judge, Stage
from latent.conformance._verdict._excerpt import shortened, unlike
from latent.conformance._verdict._ledger import Ledger
from latent.conformance.harness import Finish, Script
from latent.protocol import TextDelta, ToolResult

__all__ = ["play_generated"]

_FAILS_FOR_NOTHING = "Find what raised in the agent: nothing that the model or a tool did here is a reason to fail."
_WORDS_FIRST = (
    "Hand on each delta before you look at what comes next; what waits for more (a buffer, a tag that may begin) is "
    "yielded before Error where no more comes."
)
_UNDECIDED = re.compile(r"\s*<[/\w]*\Z")
"""The end of a text that may be the beginning of a tag: whoever splits reasoning waits there for more."""


async def play_generated(stage: Stage, script: Script) -> bool:
    """Through `stream`, and where that is in order, through `invoke`; tells whether a run ended early for nothing."""
    fails = any(turn.fails for turn in script.turns)
    blame = "ERR-3" if fails else "PROTO-2"
    streamed = await stage.stream(stage.make(), stage.play(script))
    excused = streamed.failed and (fails or _may_fail(streamed))
    judges = await _failing(stage, streamed) if fails else _judges(script)
    clean = stage.judge(streamed, *judges, blame=blame, witnessed=fails or not excused)
    if excused and not fails:
        _without_hints(stage.ledger)
        return False
    if not clean:
        return _ends_early(streamed)
    invoked = await stage.invoke(stage.make(), stage.play(script))
    stage.judge(invoked, no_success if fails else _same_end, blame=blame)
    return False


async def _failing(stage: Stage, run: Run) -> tuple[Judge, ...]:
    """Words that got lost are asked of an agent that streams alone: others tell an answer when it is whole."""
    if run.hung or _words_before(run) in _words(run) or await streams(stage):
        return (visible, _results_told, _comes_to_the_end, _said_before, _results_before)
    return (visible, _results_told, _comes_to_the_end, _results_before)


def _without_hints(ledger: Ledger) -> None:
    """An agent that gives up on what may be given up is held to what it must do alone."""
    ledger.keep(lambda found: found.level is Level.MUST)


def _judges(script: Script) -> Iterator[Judge]:
    yield from (_nothing_invented, _results_told, _comes_to_the_end, handed_over, _characters)
    if all(turn.meaning is None for turn in script.turns):  # else reasoning stands in the text
        yield reasoned


def _may_fail(run: Run) -> bool:
    """Whether an agent may give up on the script: it is sound to fail where it is visible."""
    script = run.conversation.script
    last = script.turns[-1]
    cut_off = any(
        isinstance(piece, Finish) and piece.reason == "length" for turn in script.turns for piece in turn.pieces
    )
    mute = not last.text.strip() and not last.calls
    flawed = any(not is_sound(call) for turn in script.turns for call in turn.calls)
    return cut_off or mute or flawed


def _ends_early(run: Run) -> bool:
    """Whether a run did not come to the end of its script, and the script does not say why, nor the stream itself."""
    asked, turns = run.turns_asked, run.turns
    last = turns[min(max(asked, default=0), len(turns) - 1)]
    gave_up = run.failed and last.fails  # whether a call that failed is made again is the agent's own affair
    early = not gave_up and (len(asked) < len(turns) or (run.failed and not turns[-1].fails))
    explained = run.hung or run.lost or run.passive.breaks_must()
    return early and not explained and not _may_fail(run)


def _comes_to_the_end(ledger: Ledger, run: Run) -> None:
    if not _ends_early(run):
        return
    at = max((request.turn for request in run.requests), default=0)
    turn = run.turns[min(at, len(run.turns) - 1)]
    blank = bool(turn.calls) and bool(turn.text) and not turn.text.strip() and not run.failed
    rule = "TEXT-12" if blank else blamed(run.conversation.script, run.turns, at)
    requests = "one request" if len(run.requests) == 1 else f"{len(run.requests)} requests"
    message = f"Expected the run to come to the model's last answer, got {requests}; {run.ending}"
    ledger.breach(rule, message, hint=_FAILS_FOR_NOTHING if rule == LEAST and run.failed else None)


def _same_end(ledger: Ledger, run: Run) -> None:
    """The stream of the same script came to its end."""
    ledger.met("STATE-5")
    if _ends_early(run):
        ledger.breach("STATE-5", f"Expected invoke to end as the stream of the same conversation, got: {run.ending}")


def _characters(ledger: Ledger, run: Run) -> None:
    """Characters that are not plain, and were lost or changed."""
    wanted = run.conversation.fill("".join(turn.text for turn in run.turns))
    text = run.text
    ledger.met("TEXT-9")
    if (text and spoiled(wanted, text)) or ("\ufffd" in text and "\ufffd" not in wanted):
        ledger.breach("TEXT-9", unlike(wanted, text), index=run.first(TextDelta))


def _words_before(run: Run) -> str:
    """What the model said before it broke down, as far as it has to be told.

    Nothing where an agent asked twice, for it may have kept the first to itself, nor over HTTP, where the client
    may lose what it had not read yet.
    """
    turns = run.turns
    if len(run.requests) != len(turns) or run.over_http:
        return ""
    words = _UNDECIDED.sub("", run.conversation.fill(turns[-1].text))
    return words if words.strip() else ""


def _words(run: Run) -> str:
    """What was told behind the last result of a tool: `Error` may stand in a step of its own."""
    last = max((at for at, event in enumerate(run.events) if isinstance(event, ToolResult)), default=-1)
    return text_of(run.events[last + 1 :])


def _said_before(ledger: Ledger, run: Run) -> None:
    """Text that came before the model broke down."""
    wanted, text = _words_before(run), _words(run)
    ledger.met("ERR-5", bool(wanted))
    if wanted not in text:
        message = f"Expected the text {shortened(wanted)} that came before the failure, got {shortened(text)}"
        ledger.breach("ERR-5", f"{message}; {run.ending}", hint=_WORDS_FIRST)


def _results_before(ledger: Ledger, run: Run) -> None:
    for ticket in run.runs:
        ledger.met("ERR-5")
        if run.result_of(ticket) is None:
            ledger.breach("ERR-5", f"Expected the ToolResult of a tool that had run, got none; {run.ending}")
            return


def _results_told(ledger: Ledger, run: Run) -> None:
    """What a tool raised is in its result, and an output that looks empty has one too."""
    for ticket, deed in run.conversation.script.deeds.items():
        if not run.runs[ticket] or run.confused:
            continue
        result = run.result_of(ticket)
        rule = "TOOL-15" if deed.error is None else "TOOL-14"
        ledger.met(rule, deed.error is not None or not deed.value)
        expected = f"the output {deed.value!r}" if deed.error is None else f"{deed.error.exception()!r}"
        if result is None and (deed.error is not None or not deed.value):
            place = run.place(run.call(ticket))
            ledger.breach(rule, f"Expected a ToolResult for {expected}, got none; {run.ending}", index=place)
        elif result is not None and deed.error is not None and not (isinstance(result.error, str) and result.error):
            message = f"Expected a ToolResult with an error for {expected}, got {shortened(result)}"
            ledger.breach(rule, message, index=run.place(result))
        else:
            continue
        return


def _nothing_invented(ledger: Ledger, run: Run) -> None:
    """No tool runs for arguments that are no JSON object, neither with the call's ticket nor without one."""
    calls = [call for turn in run.conversation.script.turns for call in turn.calls]
    malformed = [call for call in calls if not isinstance(parsed(call.arguments.strip() or "null"), (dict, NoneType))]
    bare = len([call for call in calls if call not in malformed and not is_sound(call)])
    for call in malformed:
        ledger.met("TOOL-19")
        if run.runs[call.ticket] or len(run.strays) > bare:
            sent, place = run.conversation.fill(call.arguments), run.place(run.call(call.ticket))
            ledger.breach("TOOL-19", f"Expected no tool to run for the arguments {sent!r}, got a run", index=place)
            return
