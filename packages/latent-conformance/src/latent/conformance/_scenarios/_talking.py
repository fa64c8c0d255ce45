"""Scenarios in which the agent is led through whole conversations."""

from __future__ import annotations

import latent.conformance._scripts as scripts
from latent.conformance._catalogue._rule import Level
from latent.conformance._evidence._characters import survived
from latent.conformance._evidence._rows import plain_rows
from latent.conformance._evidence._run import Run, text_of, ticket_in, ticket_of
from latent.conformance._evidence._witness import OWN_WORDS
from latent.conformance._scenarios._histories import (
    batch_back,
    foreign_rows,
    histories,
    histories_of_each_step,
    odd_rows,
    round_trip,
)
from latent.conformance._staging._pairing import same_events, same_result
from latent.conformance._staging._scenario import PARALLEL, TOOLS, Scenario
from latent.conformance._staging._stage import Stage
from latent.conformance._verdict._excerpt import shortened
from latent.conformance._verdict._ledger import Ledger
from latent.conformance.harness import Script
from latent.protocol import ReasoningDelta, TextDelta, ToolCall, Usage

__all__ = ["SCENARIOS", "reasoned"]

_AS_MADE = "Keep calls in the order of the model's indexes, as numbers: sorted as text, 10 comes before 2."

_SLOW = 10
"""Turns of the loop in which a model says several of its chunks."""
_MUTE = "Let an answer without text stay without text."


async def _played(stage: Stage, script: Script) -> Run:
    return await stage.stream(stage.make(), stage.play(script))


async def _reasoning(stage: Stage) -> None:
    """Reasoning before text."""
    if (wrapped := await _thought(stage, scripts.THINKING)) is not None:
        plain = await stage.invoke(stage.make(), stage.play(scripts.THINKING), wrapped=False)
        same_result(stage, wrapped, plain)


async def _second_thoughts(stage: Stage) -> None:
    """Reasoning before text and behind it."""
    await _thought(stage, scripts.SECOND_THOUGHTS)


async def _reasoning_to_call(stage: Stage) -> None:
    """Reasoning and text before a call, and again after it."""
    await _thought(stage, scripts.THINKING_TO_CALL)


async def _thought(stage: Stage, script: Script) -> Run | None:
    """Through `stream` and through `invoke`; gives the latter, where both are in order."""
    streamed = await _played(stage, script)
    clean = stage.judge(streamed, reasoned, blame="TEXT-7")
    wrapped = await stage.invoke(stage.make(), stage.play(script))
    judges = (await same_events(stage, streamed, wrapped),) if clean else ()
    return wrapped if stage.judge(wrapped, *judges, blame="TEXT-7") and clean else None


def reasoned(ledger: Ledger, run: Run) -> None:
    """An agent that hands on reasoning hands on all of it, in its place."""
    turns = run.turns
    if not any(isinstance(event, ReasoningDelta) for event in run.events) or len(run.steps) != len(turns):
        return
    if run.too_early:
        return  # reasoning before the first step, which is told of by the rule about that
    ledger.met("TEXT-7")
    for (number, events), turn in zip(run.steps, turns, strict=True):
        deltas = [event for event in events if isinstance(event, ReasoningDelta)]
        wanted, got = run.conversation.fill(turn.reasoning), "".join(str(delta.text) for delta in deltas)
        place = run.place(deltas[-1]) if deltas else None
        if got != wanted and not _leaked(run):
            message = f"Expected the reasoning {shortened(wanted)}, got {shortened(got)}"
            ledger.breach("TEXT-7", message, index=place, step=number)
            return
        kinds = [type(event) for event in events if isinstance(event, (ReasoningDelta, TextDelta))]
        ledger.met("CALL-4")
        in_order = kinds == sorted(kinds, key=lambda kind: kind is TextDelta)
        alone = text_of(events) == run.conversation.fill(turn.text)  # words of the agent's own are the matter of TEXT-5
        if alone and not _leaked(run) and not in_order and not turn.thinks_again:
            message = "Expected the deltas in the order of the model, reasoning before text, got them in another"
            ledger.breach("CALL-4", message, index=place, step=number)
            return


def _leaked(run: Run) -> bool:
    """Whether reasoning stands in the text, which is the matter of the rule about that."""
    return f"{run.conversation.token}*" in run.text


async def _characters(stage: Stage) -> None:
    """Text cut between the parts of what a reader sees as one character, and text that looks like markup."""
    for script in (scripts.CHARACTERS, scripts.MARKUP):
        stage.judge(await _played(stage, script), survived, blame="TEXT-9")


async def _long(stage: Stage) -> None:
    """A long answer in many chunks, more than a small buffer holds for a consumer that is slower than the model."""
    run = stage.new_run(stage.play(scripts.LONG))
    await stage.consume(stage.make(), run, pace=_SLOW)
    stage.judge(run, blame="TEXT-5")
    stage.judge(await stage.invoke(stage.make(), stage.play(scripts.LONG)), blame="TEXT-1")


async def _think_tags(stage: Stage) -> None:
    """Reasoning between tags in the text, cut within the tags."""
    stage.ledger.served.add("think_tags")
    stage.judge(await _played(stage, scripts.THINK_TAGS), blame="TEXT-7")


async def _odd_layouts(stage: Stage) -> None:
    """Calls as some servers send them: ids missing or repeated, fragments without an index, arguments twice encoded."""
    stage.ledger.served.add("odd_wire")
    for script in scripts.ODD:
        stage.judge(await _played(stage, script), blame="TOOL-9")


async def _talk(stage: Stage) -> None:
    """Two turns with a tool each, then an answer."""
    stage.judge(await _played(stage, scripts.TALK), blame="STEP-4")
    stage.judge(await stage.invoke(stage.make(), stage.play(scripts.TALK)), blame="TEXT-3")


async def _same_words(stage: Stage) -> None:
    """The model says the same in each of its steps, and twice in two of them."""
    stage.judge(await _played(stage, scripts.SAME_WORDS), blame="TEXT-5")


async def _announced(stage: Stage) -> None:
    """A tool that does not go on until its call was seen."""
    stage.judge(await _played(stage, scripts.ANNOUNCED), _before_the_tool, blame="TOOL-8")


def _before_the_tool(ledger: Ledger, run: Run) -> None:
    for ticket in run.runs:
        ledger.met("TOOL-8")
        if ticket in run.conversation.unannounced:
            message = "Expected the ToolCall before the tool runs, got none while the tool was waiting for it"
            ledger.breach("TOOL-8", message, index=run.place(run.call(ticket)))


async def _afterthought(stage: Stage) -> None:
    """Text before and behind the fragments of a call."""
    stage.judge(await _played(stage, scripts.AFTERTHOUGHT), blame="TEXT-5")
    stage.judge(await stage.invoke(stage.make(), stage.play(scripts.AFTERTHOUGHT)), blame="TEXT-1")


async def _batch(stage: Stage) -> None:
    """Three calls in one turn, their fragments interleaved; the tools end in reverse order."""
    stage.judge(await _played(stage, scripts.BATCH), blame="TOOL-9")
    if not stage.is_broken("TOOL-8"):
        stage.judge(await _played(stage, scripts.ALL_ANNOUNCED), _before_the_tool, blame="TOOL-8")


async def _crowd(stage: Stage) -> None:
    """Thirty-six calls in one turn: an agent may say that these are too many for it, and may drop none."""
    run = await _played(stage, scripts.CROWD)
    if stage.judge(run, blame="TOOL-9", witnessed=not run.failed) and not run.failed:
        stage.judge(await stage.invoke(stage.make(), stage.play(scripts.CROWD)), _in_order, blame="TOOL-9")


def _in_order(ledger: Ledger, run: Run) -> None:
    """Whether the calls stand as the model made them, in the stream and in what goes back to it."""
    made = [call.ticket for turn in run.turns for call in turn.calls]
    calls = [event for event in run.events if isinstance(event, ToolCall)]
    told = [("the stream", [ticket_of(call, run.conversation) for call in calls])]
    for number, request in enumerate(run.requests):
        sent = [arguments for row in plain_rows(request.messages) for _, _, arguments in row.calls]
        told.append((f"request {number}", [ticket_in(arguments, run.conversation) for arguments in sent]))
    for where, tickets in told:
        ledger.met("TOOL-13", len(tickets) > 1)
        wanted = [ticket for ticket in made if ticket in tickets]
        if tickets != wanted and sorted(map(str, tickets)) == sorted(wanted):
            message = f"Expected the calls in {where} in the order of the model, {wanted}, got {tickets}"
            ledger.breach("TOOL-13", message, index=run.place(calls[0]) if calls else None, hint=_AS_MADE)
            return


async def _blank(stage: Stage) -> None:
    """Whitespace before a call."""
    stage.judge(await _played(stage, scripts.BLANK), _went_on, blame="TEXT-12")


def _went_on(ledger: Ledger, run: Run) -> None:
    ledger.met("TEXT-12")
    if len(run.requests) < 2:
        got = f"no second request; {run.ending}"
        ledger.breach("TEXT-12", f"Expected the tool's result to go back to the model, got {got}")


async def _mute_end(stage: Stage) -> None:
    """A last step without text."""
    stage.judge(await _played(stage, scripts.MUTE_END), _stayed_mute, blame="TEXT-4")
    stage.judge(await stage.invoke(stage.make(), stage.play(scripts.MUTE_END)), blame="TEXT-4")


def _stayed_mute(ledger: Ledger, run: Run) -> None:
    if len(run.steps) != len(run.turns):
        return
    ledger.met("TEXT-4")
    run.passive.drop("STEP-5", Level.MUST)  # a step for a turn in which the model said nothing
    mute = next(at for at, turn in enumerate(run.turns) if not turn.text and not turn.calls)
    number, events = run.steps[mute]
    if text := text_of(events):
        place = next(run.place(event) for event in events if isinstance(event, TextDelta))
        message = f"Expected no text in a last step in which the model said nothing, got {shortened(text)}"
        ledger.breach("TEXT-4", message, index=place, step=number, hint=f"{_MUTE} {OWN_WORDS}")


async def _cumulative(stage: Stage) -> None:
    """Usage in several chunks, each for all so far."""
    stage.judge(await _played(stage, scripts.CUMULATIVE), _last_figure, blame="USAGE-5")


def _last_figure(ledger: Ledger, run: Run) -> None:
    """Of Usage; what LLMCallEnd says is looked at in every run."""
    told = run.turns[0].tokens
    figures = [(turn.tokens.input, turn.tokens.output) for turn in run.turns if turn.tokens]
    spent = [event for event in run.events if isinstance(event, Usage)]
    wrong = [each for each in spent if (each.input_tokens, each.output_tokens) not in figures]
    if wrong and told:
        got = ", ".join(f"{each.input_tokens}+{each.output_tokens}" for each in spent)
        message = f"Expected one Usage with the last figures that the model told, {told.input}+{told.output}, got {got}"
        ledger.breach("USAGE-5", message, index=run.place(wrong[0]))


async def _padded(stage: Stage) -> None:
    """Text with white space around it, beside a call and as the answer."""
    stage.judge(await _played(stage, scripts.PADDED), blame="TEXT-5")
    stage.judge(await stage.invoke(stage.make(), stage.play(scripts.PADDED)), blame="TEXT-1")


_TALK_RULES = ("TEXT-3", "STEP-4", "TEXT-5", "TEXT-6", "TOOL-16", "TOOL-23", "MSG-5", "CALL-10", "USAGE-7")

SCENARIOS = (
    Scenario("characters", ("TEXT-9",), _characters),
    Scenario("a long answer", ("TEXT-5",), _long),
    Scenario("reasoning", ("TEXT-7", "WRAP-2", "WRAP-4"), _reasoning, frozenset({"reasoning"})),
    Scenario("reasoning behind text", ("TEXT-7",), _second_thoughts, frozenset({"reasoning"})),
    Scenario("reasoning between tags", ("TEXT-7",), _think_tags, frozenset({"think_tags"})),
    Scenario("a history", ("STATE-8",), histories),
    Scenario("usage told several times", ("USAGE-5",), _cumulative, frozenset({"usage", "odd_wire"})),
    Scenario("a history at each step", ("STATE-8",), histories_of_each_step, TOOLS),
    Scenario("tools one by one", _TALK_RULES, _talk, TOOLS),
    Scenario("the same words in each step", ("TEXT-5", "TOOL-9"), _same_words, TOOLS),
    Scenario("reasoning before a call", ("TEXT-7", "CALL-4", "WRAP-2"), _reasoning_to_call, TOOLS | {"reasoning"}),
    Scenario("white space around text", ("TEXT-5", "MSG-7"), _padded, TOOLS),
    Scenario("text behind a call", ("TEXT-5",), _afterthought, TOOLS),
    Scenario("a tool that waits for its call", ("TOOL-8",), _announced, TOOLS),
    Scenario("parallel tools", ("TOOL-9", "TOOL-21", "TOOL-8"), _batch, PARALLEL),
    Scenario("many calls at once", ("TOOL-9", "TOOL-13"), _crowd, PARALLEL),
    Scenario("calls as some servers send them", ("TOOL-9",), _odd_layouts, TOOLS | {"odd_wire"}),
    Scenario("blank text before a call", ("TEXT-12",), _blank, TOOLS),
    Scenario("a last step without text", ("TEXT-3", "TEXT-4"), _mute_end, TOOLS),
    Scenario("a history of its own steps", ("MSG-4",), round_trip, TOOLS),
    Scenario("a history with parallel tools", ("MSG-4",), batch_back, PARALLEL),
    Scenario("a history of another model's calls", ("MSG-4",), foreign_rows, TOOLS),
    Scenario("a history with rows that look empty", ("MSG-4",), odd_rows, TOOLS),
)
