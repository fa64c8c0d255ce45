"""Scenarios about what tools give back."""

from __future__ import annotations

import latent.conformance._scripts as scripts
from latent.conformance._evidence._made import handed_over, same_native
from latent.conformance._evidence._run import Run, parsed
from latent.conformance._staging._scenario import PARALLEL, TOOLS, Scenario
from latent.conformance._staging._stage import Stage
from latent.conformance._verdict._excerpt import shortened
from latent.conformance._verdict._ledger import Ledger
from latent.conformance.harness import Script
from latent.protocol import ToolResult

__all__ = ["SCENARIOS"]

_EACH_BY_ITSELF = "Answer a call of an unknown tool with ToolResult(error=...), and go on with the calls beside it."


async def _raising(stage: Stage) -> None:
    """Tools that raise, each in a way of its own."""
    for script in (scripts.RAISING, scripts.RAISING_WHAT_FEW_EXPECT, scripts.CANCELLED_TOOL):
        run = await stage.stream(stage.make(), stage.play(script))
        stage.judge(run, _errors, blame="TOOL-14")
    stage.judge(await stage.invoke(stage.make(), stage.play(scripts.RAISING)), blame="TOOL-14")


def _errors(ledger: Ledger, run: Run) -> None:
    deeds = run.conversation.script.deeds
    for ticket in deeds:
        raised = deeds[ticket].error
        if raised is None or not run.runs[ticket]:
            continue
        ledger.met("TOOL-14")
        result = run.result_of(ticket)
        if result is not None and isinstance(result.error, str) and result.error:
            continue
        if result is not None and (mate := _whose(run, ticket, result)) is not None:
            message = f"Expected the error of the tool that was called with {ticket}, got the output of {mate}"
            ledger.breach("TOOL-21", message, index=run.place(result))
            return
        got = f"no result; {run.ending}" if result is None else f"error={result.error!r}"
        place = run.place(result if result is not None else run.call(ticket))
        message = f"Expected a ToolResult with an error for a tool that raised {raised.exception()!r}, got {got}"
        ledger.breach("TOOL-14", message, index=place)
        return
    asked = len(run.turns_asked)
    if run.failed or asked < len(run.turns):
        ledger.breach("TOOL-14", f"Expected the loop to go on after a tool raised; {run.ending}")


def _whose(run: Run, ticket: str, result: ToolResult) -> str | None:
    """The call beside this one whose output the result holds."""
    deeds = run.conversation.script.deeds
    return next(
        (
            mate
            for mate in sorted(run.mates(ticket) & deeds.keys())
            if deeds[mate].error is None and same_native(result.output, run.conversation.filled(deeds[mate].value))
        ),
        None,
    )


async def _falsy(stage: Stage) -> None:
    """Outputs that look empty, in the stream and in the rows of invoke."""
    stage.judge(await stage.stream(stage.make(), stage.play(scripts.FALSY)), _answered, blame="TOOL-15")
    run = await stage.invoke(stage.make(), stage.play(scripts.FALSY))
    stage.judge(run, _rows, blame="TOOL-15")


def _answered(ledger: Ledger, run: Run) -> None:
    for ticket, deed in run.conversation.script.deeds.items():
        if not run.runs[ticket]:
            continue
        ledger.met("TOOL-15")
        if run.result_of(ticket) is None:
            place = run.place(run.call(ticket))
            message = f"Expected a ToolResult for the output {deed.value!r}, got none; {run.ending}"
            ledger.breach("TOOL-15", message, index=place)
            return


def _rows(ledger: Ledger, run: Run) -> None:
    _answered(ledger, run)
    if run.buffered is None:
        return
    answered = {row.tool_call_id for step in run.buffered.steps for row in step.tool_messages}
    for ticket, deed in run.conversation.script.deeds.items():
        result = run.result_of(ticket)
        if result is not None and result.tool_call_id not in answered:
            ledger.breach(
                "TOOL-15", f"Expected a tool row for the output {deed.value!r}, got none in the result's steps"
            )
            return


async def _native(stage: Stage) -> None:
    """Outputs of every kind, and some that look like something else."""
    for script in (scripts.NATIVE, scripts.ALIKE):
        stage.judge(await stage.stream(stage.make(), stage.play(script)), blame="TOOL-16")


async def _one_fails(stage: Stage) -> None:
    """A batch in which the first tool raises."""
    run = await stage.stream(stage.make(), stage.play(scripts.ONE_FAILS))
    stage.judge(run, _errors, _others_kept, blame="TOOL-22")


def _others_kept(ledger: Ledger, run: Run) -> None:
    if not run.runs["t2"]:
        return
    ledger.met("TOOL-22")
    kept = run.result_of("t2")
    if kept is None or (kept.error is not None and not run.confused):
        got = "none" if kept is None else f"the error {kept.error!r}"
        message = f"Expected the result of the call that did not fail, got {got}; {run.ending}"
        ledger.breach("TOOL-22", message, index=None if kept is None else run.place(kept))
    elif run.conversation.open_tools:
        ledger.breach(
            "TOOL-22", "Expected every tool of the batch to be over at the end of the run, got one still running"
        )


async def _unknown(stage: Stage) -> None:
    """The model calls a tool that nobody has."""
    run = await stage.stream(stage.make(), stage.play(scripts.UNKNOWN_TOOL))
    stage.judge(run, _told, blame="TOOL-18")


def _told(ledger: Ledger, run: Run) -> None:
    ledger.met("TOOL-18")
    error = next((event for event in run.events if isinstance(event, ToolResult) and event.error), None)
    if error is None or run.failed:
        got = "no such result" if error is None else "a failed run"
        ledger.breach("TOOL-18", f"Expected a ToolResult with an error, and another turn, got {got}; {run.ending}")


async def _unknown_beside(stage: Stage) -> None:
    """The model calls a tool that does not exist, beside one that does: that one is run all the same."""
    run = await stage.stream(stage.make(), stage.play(scripts.UNKNOWN_BESIDE_ANOTHER))
    told = run.failed or stage.is_broken("TOOL-18") or stage.is_broken("TOOL-21")
    stage.judge(run, _known_made, witnessed=not told, blame="TOOL-9")


def _known_made(ledger: Ledger, run: Run) -> None:
    ledger.met("TOOL-9")
    if not run.failed and run.call("t1") is None:
        message = "Expected the call of a tool that is there, beside one of a tool that is not, got none"
        ledger.breach("TOOL-9", f"{message}; {run.ending}", hint=_EACH_BY_ITSELF)


async def _malformed(stage: Stage) -> None:
    """The model's arguments are no JSON object, for a tool that needs some and for one that needs none."""
    for script in (scripts.MALFORMED, scripts.MALFORMED_FOR_ANY, *scripts.NO_OBJECTS, *scripts.MENDABLE):
        if stage.is_broken("TOOL-19"):
            return
        await _refused(stage, script)


async def _refused(stage: Stage, script: Script) -> None:
    run = await stage.stream(stage.make(), stage.play(script))
    stage.judge(run, _not_run, blame="TOOL-19")


def _not_run(ledger: Ledger, run: Run) -> None:
    ledger.met("TOOL-19")
    ran = [*run.strays, *run.runs]
    sent = run.conversation.fill(run.conversation.script.turns[0].calls[0].arguments)
    call, result = run.call("t1"), run.result_of("t1")
    if ran:
        message = f"Expected no tool to run for the arguments {sent!r}, got a run with the ticket {ran[0]!r}"
    elif result is None or not result.error or run.failed:
        got = "no result" if result is None else shortened(result)
        message = f"Expected a ToolResult with an error for the arguments {sent!r}, got {got}; {run.ending}"
    elif call is not None and not _keeps(parsed(call.function.arguments), sent):
        message = f"Expected the text {sent!r} to be kept in the call's arguments, got {call.function.arguments!r}"
    else:
        return
    ledger.breach("TOOL-19", message, index=run.place(call if result is None else result))


async def _without_finish(stage: Stage) -> None:
    """Answers with a call that end without a finish reason: the call counts, or the run fails, and is no success."""
    run = await stage.stream(stage.make(), stage.play(scripts.WITHOUT_FINISH))
    stage.judge(run, witnessed=not _gives_up(run), blame="TOOL-9")
    run = await stage.stream(stage.make(), stage.play(scripts.MALFORMED_WITHOUT_FINISH))
    judges = (_not_run,) if run.strays or (run.calls and not _gives_up(run)) else ()
    stage.judge(run, *judges, witnessed=False, blame="TOOL-19")


def _gives_up(run: Run) -> bool:
    """Whether an agent took an answer for one that broke off: it failed, or asked again."""
    return run.failed or bool(run.begins_again)


def _keeps(arguments: object, text: str) -> bool:
    """Whether one of the values is the text, under whatever key."""
    kept = (text, parsed(text))
    return arguments in kept or (isinstance(arguments, dict) and any(value in kept for value in arguments.values()))


async def _rich(stage: Stage) -> None:
    """Arguments with numbers, flags and nested values."""
    stage.judge(await stage.stream(stage.make(), stage.play(scripts.RICH)), handed_over, blame="TOOL-9")


async def _equal_calls(stage: Stage) -> None:
    """The model calls one tool twice with the same arguments."""
    run = await stage.stream(stage.make(), stage.play(scripts.EQUAL_CALLS))
    stage.judge(run, _both_made, blame="TOOL-9", witnessed=False)


def _both_made(ledger: Ledger, run: Run) -> None:
    calls = run.calls
    if not calls or run.confused:
        return
    ledger.met("TOOL-9")
    if len({call.id for call in calls}) < 2:
        message = f"Expected two calls, which differ in nothing but their ids, got {len(calls)}; {run.ending}"
        ledger.breach("TOOL-9", message, index=run.place(calls[0]))


async def _bare_before(stage: Stage) -> None:
    """A call without arguments, and one with some behind it."""
    run = await stage.stream(stage.make(), stage.play(scripts.BARE_BEFORE_ANOTHER))
    stage.judge(run, witnessed=not run.failed and not stage.is_broken("TOOL-21"), blame="TOOL-9")


async def _bare(stage: Stage) -> None:
    """A call for which the model sends no arguments at all."""
    run = await stage.stream(stage.make(), stage.play(scripts.BARE))
    if not (run.failed and stage.is_broken("TOOL-14")):  # a tool without its argument raises
        stage.judge(run, _bore_it, blame="TOOL-6")


def _bore_it(ledger: Ledger, run: Run) -> None:
    """An agent that took the call for one with {} has a tool that raises, for its argument is missing."""
    if not run.failed:
        return
    call = run.call("t1")
    if call is not None and parsed(call.function.arguments) == {}:
        message = f"Expected a ToolResult with an error for a tool that lacks its argument; {run.ending}"
        ledger.breach("TOOL-14", message, index=run.place(call))
    else:
        ledger.breach("TOOL-6", f"Expected a call without arguments to be taken for one with {{}}; {run.ending}")


async def _cut_off(stage: Stage) -> None:
    """The token limit cuts the model's answer off."""
    run = await stage.stream(stage.make(), stage.play(scripts.CUT_OFF))
    stage.judge(run, _not_executed, witnessed=False, blame="TOOL-20")


def _not_executed(ledger: Ledger, run: Run) -> None:
    ledger.met("TOOL-20")
    if any(run.runs.values()):
        message = 'Expected no tool to run for an answer with finish_reason "length", got a run'
        ledger.breach("TOOL-20", message, index=run.place(run.call("t1")))


SCENARIOS = (
    Scenario("two equal calls", ("TOOL-9",), _equal_calls, PARALLEL),
    Scenario("tools that raise", ("TOOL-14",), _raising, TOOLS),
    Scenario("arguments of every kind", ("TOOL-9",), _rich, TOOLS),
    Scenario("outputs that look empty", ("TOOL-15",), _falsy, TOOLS),
    Scenario("outputs of every kind", ("TOOL-16",), _native, TOOLS),
    Scenario("a batch in which one fails", ("TOOL-22",), _one_fails, PARALLEL),
    Scenario("an unknown tool", ("TOOL-18",), _unknown, TOOLS),
    Scenario("an unknown tool beside a known one", ("TOOL-9",), _unknown_beside, PARALLEL),
    Scenario("arguments that do not parse", ("TOOL-19",), _malformed, TOOLS),
    Scenario("a call without arguments", ("TOOL-6",), _bare, TOOLS),
    Scenario("a call without arguments before another", ("TOOL-9",), _bare_before, PARALLEL),
    Scenario("an answer without a finish reason", ("TOOL-9", "TOOL-19"), _without_finish, TOOLS),
    Scenario("an answer cut off", ("TOOL-20",), _cut_off, TOOLS),
)
