"""The calls of a run and their results against what the script gave: which were made, and what their tools returned."""

from __future__ import annotations

from typing import Any

from latent.conformance._catalogue._rule import Level
from latent.conformance._evidence._run import Run, parsed, ticket_of
from latent.conformance._verdict._excerpt import shortened
from latent.conformance._verdict._ledger import Ledger
from latent.conformance.harness import PlannedCall
from latent.protocol import ToolCall

__all__ = ["ENDS_EARLY", "all_calls_made", "handed_over", "is_sound", "made_once", "outputs_kept", "same_native"]

ENDS_EARLY = (
    "Go round the loop as long as the model calls tools: run its calls, whatever text stands beside them, and send "
    "the results back."
)
"""How to mend a loop that does not go on though the model asked for tools."""

_AS_GIVEN = (
    "Put the model's arguments into ToolCall as they came: convert them, and fill in defaults, where the tool is run."
)
_UNCHANGED = "Give the tool what the call's arguments are as JSON: convert, fill in and drop nothing."
_FORM = {"ticket": "", "count": 0, "amount": 0.0, "urgent": False, "notes": None, "remark": "none"}
"""What `submit` is given where the model says nothing."""


def same_native(given: object, wanted: object) -> bool:
    """Equality that tells `False` from `0`, and a list from a tuple, at every depth."""
    if type(given) is not type(wanted):
        return False
    match given, wanted:
        case dict(), dict():
            return given.keys() == wanted.keys() and all(same_native(given[name], wanted[name]) for name in wanted)
        case list(), list():
            return len(given) == len(wanted) and all(map(same_native, given, wanted))
        case _:
            return given == wanted


def all_calls_made(ledger: Ledger, run: Run) -> None:
    emitted = [event for event in run.events if isinstance(event, ToolCall)]
    asked = run.turns_asked - _without_tools(run)
    for at, turn in enumerate(run.turns):
        planned = [call for call in turn.calls if isinstance(parsed(call.arguments), dict)]
        if at not in asked or turn.fails:
            continue
        ledger.met("TOOL-9", bool(planned))
        number = run.steps[at][0] if at < len(run.steps) else None
        for call in planned:
            if any(_is(event, call, run) for event in emitted):
                continue
            wanted = f"{call.name}({run.conversation.fill(call.arguments)})"
            got = ", ".join(f"{each.function.name}({each.function.arguments})" for each in emitted) or "no call"
            instead = run.call(call.ticket)
            early = run.runs[call.ticket] > 0 and instead is not None and ticket_of(instead, run.conversation) is None
            rule = "TOOL-8" if early else "TOOL-9"  # a tool that ran with what its call did not say yet
            place = None if instead is None else run.place(instead)
            hint = None if emitted or run.failed else ENDS_EARLY
            hint = _AS_GIVEN if _is_changed(instead, call, run) else hint
            message = f"Expected the call {wanted}, got {got}; {run.ending}"
            ledger.breach(rule, message, index=place, step=number, hint=hint)


def _is_changed(event: ToolCall | None, call: PlannedCall, run: Run) -> bool:
    """Whether the call is whole, though with other values than the model gave, or with more of them."""
    if event is None or ticket_of(event, run.conversation) != call.ticket:
        return False
    given, wanted = parsed(event.function.arguments), parsed(call.arguments)
    return isinstance(given, dict) and isinstance(wanted, dict) and given.keys() >= wanted.keys()


def _without_tools(run: Run) -> set[int]:
    """Turns that called tools when none were on offer any more: an agent that wants an answer may fail over it."""
    offered = {request.turn for request in run.requests if request.tools}
    return run.turns_asked - offered if offered and run.failed else set()


def made_once(ledger: Ledger, run: Run) -> None:
    """No call is yielded again under another id; the same id twice is seen in the stream itself."""
    if any(found.rule == "TOOL-5" and found.level is Level.MUST for found in run.passive.violations):
        return
    fill = run.conversation.fill
    planned = [(call.name, _given(fill(call.arguments))) for turn in run.turns for call in turn.calls]
    for at, event in enumerate(run.events):
        if not isinstance(event, ToolCall):
            continue
        made = (event.function.name, _given(event.function.arguments))
        if made in planned:
            planned.remove(made)
        elif any(_is(event, call, run) for turn in run.turns for call in turn.calls):
            message = f"Expected the call {made[0]}({event.function.arguments}) once, got it again as {event.id!r}"
            ledger.breach("TOOL-5", message, index=at, step=_step_of(run, event))
            return


def is_sound(call: PlannedCall) -> bool:
    """Whether a tool can be run with what the call says."""
    arguments = parsed(call.arguments)
    return isinstance(arguments, dict) and "ticket" in arguments


def _given(arguments: object) -> Any:
    """What a tool is given: no arguments are an empty object."""
    return parsed((arguments.strip() or "{}") if isinstance(arguments, str) else arguments)


def _is(event: ToolCall, call: PlannedCall, run: Run) -> bool:
    wanted = parsed(run.conversation.fill(call.arguments))
    return event.function.name == call.name and same_native(parsed(event.function.arguments), wanted)


def handed_over(ledger: Ledger, run: Run) -> None:
    """Whether `submit` was given what the model said."""
    calls = {call.ticket: call for turn in run.turns for call in turn.calls}
    for ticket, given in run.conversation.forms.items():
        wanted = _FORM | parsed(run.conversation.fill(calls[ticket].arguments))
        ledger.met("TOOL-9")
        if not same_native(dict(given), wanted):
            message = f"Expected the tool to be given {shortened(wanted)}, got {shortened(dict(given))}"
            ledger.breach("TOOL-9", message, index=run.place(run.call(ticket)), hint=_UNCHANGED)
            return


def outputs_kept(ledger: Ledger, run: Run) -> bool:
    """Whether the results are what the tools gave."""
    before = len(ledger.violations)
    conversation, deeds = run.conversation, run.conversation.script.deeds
    values = {ticket: conversation.filled(deed.value) for ticket, deed in deeds.items() if deed.error is None}
    for ticket, times in run.runs.items():
        ledger.met("TOOL-23")
        if times > 1:
            ledger.breach(
                "TOOL-23", f"Expected the tool to run once for its call, got {times} runs", **_where(run, ticket)
            )
    for ticket, value in values.items():
        result = run.result_of(ticket)
        if result is None or not run.runs[ticket]:
            continue
        ledger.met("TOOL-16")
        ledger.met("TOOL-21", len(values) > 1)
        if same_native(result.output, value) and result.error is None:
            continue
        mates = run.mates(ticket)
        if result.error is not None and mates & _failing(run):
            message = f"Expected the result of a call beside one that failed, got the error {result.error!r}"
            ledger.breach("TOOL-22", message, index=run.place(result), step=_step_of(run, result))
            continue
        swapped = not same_native(result.output, value) and any(
            same_native(result.output, values[mate]) and (_is_marked(values[mate], run) or _has(run, mate, value))
            for mate in mates & values.keys()
        )
        rule = "TOOL-21" if swapped else "TOOL-16"
        got = f"{shortened(result.output)}" if result.error is None else f"the error {result.error!r}"
        message = f"Expected the output {shortened(value)} for its call, got {got}"
        ledger.breach(rule, message, index=run.place(result), step=_step_of(run, result))
    return len(ledger.violations) == before


def _is_marked(value: object, run: Run) -> bool:
    """Whether an output tells whose it is; `None` or 0 may come from anywhere."""
    return f"{run.conversation.token}-o" in repr(value)


def _has(run: Run, ticket: str, value: object) -> bool:
    """Whether a call has the value for its result."""
    result = run.result_of(ticket)
    return result is not None and same_native(result.output, value)


def _failing(run: Run) -> set[str]:
    """The tickets of calls that cannot but fail: their tool raises, or their arguments lack what it needs."""
    script = run.conversation.script
    unsound = {call.ticket for turn in script.turns for call in turn.calls if not is_sound(call)}
    return unsound | {ticket for ticket, deed in script.deeds.items() if deed.error is not None}


def _where(run: Run, ticket: str) -> dict[str, Any]:
    call = run.call(ticket)
    return {"index": run.place(call), "step": _step_of(run, call)}


def _step_of(run: Run, event: object) -> int | None:
    return next((number for number, events in run.steps if any(each is event for each in events)), None)
