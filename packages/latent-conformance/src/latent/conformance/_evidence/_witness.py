"""A run against its script: what the kit knows because it was the model and the tools."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import takewhile

from latent.conformance._evidence._made import ENDS_EARLY, all_calls_made, made_once, outputs_kept
from latent.conformance._evidence._rows import SYSTEM, content_text
from latent.conformance._evidence._run import Run, text_of
from latent.conformance._evidence._sent import sent_back
from latent.conformance._evidence._tokens import tokens_told
from latent.conformance._passive._history import pairing_faults
from latent.conformance._verdict._declarations import Declarations
from latent.conformance._verdict._excerpt import shortened, unlike
from latent.conformance._verdict._ledger import Ledger
from latent.protocol import (
    AgentEvent,
    GuidelineMatched,
    JourneyStepAdvanced,
    LLMCallEnd,
    LLMCallStart,
    PhaseStarted,
    ReasoningDelta,
    RetrieverStart,
    StepBoundary,
    TextDelta,
    ToolCall,
    Usage,
    VerificationResult,
)

__all__ = ["OWN_WORDS", "witness"]

_BOUNDARIES = frozenset({"STEP-2", "STEP-5", "STEP-9", "PHASE-7"})
_ASKED_AGAIN = (
    "Turn off what asks again by itself (the client's `max_retries`, a transport that retries), or do that in the "
    "agent: an LLMCallEnd for the call that failed, and an LLMCallStart for the next."
)
_SYSTEM_ONCE = (
    "Put the system's text in front once, when the run begins, on a copy of the messages; where the history "
    "has it already, leave it as it is."
)
_LOST = (
    "Hand on every delta as it comes: do not strip it, do not skip blank ones, take it also where a call or the finish "
    "stands in the same chunk, and read the model's answer to its end."
)
OWN_WORDS = (
    "Take out what the model did not say. Words of your own go into a step of their own, labelled 'fast_response', "
    "before the model's (a greeting), or into an event class of your own (a status, a footer)."
)
"""How to mend a step in which the agent speaks beside the model."""
_OF_NO_TURN = (
    "Open a step for each main call of the model alone, none for a tool, a verdict or a last word. A prepared answer "
    "is a step labelled 'fast_response'; a function, or a model beside the main one, may be a phase with a step."
)
_SHOWN_BY: dict[str, tuple[type[AgentEvent], ...]] = {
    "reasoning": (ReasoningDelta,),
    "retrievers": (RetrieverStart,),
    "phases": (PhaseStarted,),
    "guided": (GuidelineMatched, JourneyStepAdvanced),
    "verification": (VerificationResult,),
}
"""Capability -> the events that show it."""


def witness(ledger: Ledger, declared: Declarations, run: Run) -> None:
    """Hold a run that nobody disturbed against its script.

    What the passive engine saw in the stream itself is told by it alone: a second finding for the same
    cause would hide it.
    """
    seen = {found.rule for found in run.passive.violations}
    script = run.conversation.script
    _served(ledger, run)
    if "PROTO-4" in seen:
        return
    _requests(ledger, run, safe=not run.confused)
    _system_rows(ledger, run)
    _foreign_text(ledger, run)
    ends_well = not script.endless and not any(turn.fails for turn in script.turns)
    if ends_well and (seen & _BOUNDARIES or _steps(ledger, declared, run)):  # what lacks steps lacks text with them
        _text(ledger, run)
    all_calls_made(ledger, run)
    made_once(ledger, run)
    if not run.confused and outputs_kept(ledger, run):
        sent_back(ledger, run)
    if _model_calls(ledger, run) and "USAGE-1" not in seen:
        tokens_told(ledger, declared, run)


def _requests(ledger: Ledger, run: Run, *, safe: bool) -> None:
    if run.lost:
        ledger.breach("STATE-8", "Expected the user's message in each request, got a request without it")
    for number, request in enumerate(run.requests):
        ledger.met("MSG-5", bool(number))
        if request.stray_tokens:
            strays = ", ".join(sorted(request.stray_tokens))
            ledger.breach(
                "STATE-1", f"Expected one conversation in request {number}, got also what belongs to {strays}"
            )
        for fault in pairing_faults(request.messages) if safe else ():
            ledger.breach("MSG-5", f"Request {number}, row {fault.index}: {fault.sentence}")


def _system_rows(ledger: Ledger, run: Run) -> None:
    """Each of the system's texts that the caller gave comes once, and so does each that opens a request."""
    given = Counter(content_text(row.content) for row in run.given if row.role in SYSTEM)
    for number, request in enumerate(run.requests):
        own = [row for row in request.messages if row.get("role") in SYSTEM]
        opening = list(takewhile(lambda row: row.get("role") in SYSTEM, request.messages))
        texts = Counter(content_text(row.get("content")) for row in opening)
        texts |= Counter({text: sum(content_text(row.get("content")) == text for row in own) for text in given})
        for text, times in texts.items():
            if times > max(given[text], 1):
                message = f"Request {number}: expected the system's row {shortened(text)} once, got it {times} times"
                ledger.breach("STATE-8", message, hint=_SYSTEM_ONCE)
                return


def _foreign_text(ledger: Ledger, run: Run) -> None:
    """Tickets and outputs are marked with the token and a hyphen, reasoning with an asterisk."""
    token, script = run.conversation.token, run.conversation.script
    ledger.met("TEXT-6", sum(bool(turn.calls) for turn in script.turns))
    ledger.met("TEXT-7", sum(isinstance(event, ReasoningDelta) for event in run.events))
    for number, events in run.steps:
        text = text_of(events)
        place = next((run.place(event) for event in events if isinstance(event, TextDelta)), None)
        if f"{token}-" in text:
            message = f"Expected the model's text alone, got what belongs to a tool in it: {shortened(text)}"
            ledger.breach("TEXT-6", message, index=place, step=number)
        if f"{token}*" in text:
            message = f"Expected reasoning in ReasoningDelta alone, got it as text: {shortened(text)}"
            ledger.breach("TEXT-7", message, index=place, step=number)


def _steps(ledger: Ledger, declared: Declarations, run: Run) -> bool:
    """Whether each turn of the model has a step."""
    asked = len(run.turns_asked)
    turns = max(len(run.turns), asked)  # an agent may ask again after an answer without text
    if declared.own_segmentation:
        return True
    ledger.met("STEP-4", turns)
    opened = len(run.steps)
    if opened == asked < turns and not _all_announced(run, asked):
        return False  # it stopped at calls that it never made, which is the matter of TOOL-9
    if opened != turns:
        hint = _OF_NO_TURN if opened > turns else ENDS_EARLY if opened == asked else None
        counts = f"got {opened} for a model that was asked {asked} times; {run.ending}"
        message = f"Expected {turns} StepBoundary events for {turns} turns of the model, {counts}"
        ledger.breach("STEP-4", message, index=_not_opened(run), hint=hint)
    return opened == turns


def _all_announced(run: Run, asked: int) -> bool:
    """Whether the calls of the last turn that was played are in the stream, however they look."""
    played = run.turns[:asked]
    emitted = sum(isinstance(event, ToolCall) for event in run.events)
    return emitted >= sum(len(turn.calls) for turn in played)


def _not_opened(run: Run) -> int | None:
    """The first call of the model that has no boundary of its own before it."""
    open_step = False
    for at, event in enumerate(run.events):
        if isinstance(event, LLMCallStart) and not open_step:
            return at
        open_step = isinstance(event, StepBoundary) or (open_step and not isinstance(event, LLMCallStart))
    return None


def _text(ledger: Ledger, run: Run) -> None:
    fill, turns = run.conversation.fill, run.turns
    ledger.met("TEXT-5", sum(len(turn.text) > 0 for turn in turns))
    if {found.rule for found in ledger.violations if found.scenario == ledger.scenario} & {"TEXT-6", "TEXT-7"}:
        return
    steps = run.steps
    pairs: list[tuple[int | None, Sequence[object], str]]
    if len(steps) != len(turns):
        pairs = [(None, run.events, "".join(turn.text for turn in turns))]
    else:
        pairs = [(number, events, turn.text) for (number, events), turn in zip(steps, turns, strict=True)]
    for number, events, wanted in pairs:
        text = run.text if number is None else text_of(events)
        if text != fill(wanted) and (text or wanted.strip()):  # white text alone need not be handed on
            how = f"{shortened(text)}; {run.ending}"
            place = next((run.place(event) for event in reversed(events) if isinstance(event, TextDelta)), None)
            calls = any(isinstance(event, ToolCall) for event in events)
            added = _added(text, fill(wanted))
            rule = "TEXT-6" if calls and added else "TEXT-5"
            hint = OWN_WORDS if added else _LOST if len(text) < len(fill(wanted)) else None
            message = f"Expected the text {shortened(fill(wanted))}, got {how}"
            if shortened(text) == shortened(fill(wanted)):
                message = f"{unlike(fill(wanted), text)}; {run.ending}"
            ledger.breach(rule, message, index=place, step=number, hint=hint)


def _added(text: str, wanted: str) -> bool:
    """Whether the model's text is all there, beside some that the model did not say."""
    more = text.replace(wanted, "", 1) if wanted in text else ""
    return not {*more.split()} <= {*wanted.split()} and not {*more} <= {*wanted}


def _model_calls(ledger: Ledger, run: Run) -> bool:
    """Starts under several names may be calls of several models, and the kit knows of its own one alone.

    What an agent inside a tool asks stays in that one's stream. A client that asks again by itself makes a call too.
    """
    made = len(run.requests) + run.aux
    least = made - run.aux_in_tools
    named = Counter(str(event.model_id) for event in run.events if isinstance(event, LLMCallStart))
    announced = named.total()
    ledger.met("CALL-10", made)
    if least <= announced and max(named.values(), default=0) <= made:
        return True
    again = len(run.requests) > len(run.turns_asked)
    message = f"Expected an LLMCallStart for each of {made} calls of the model, got {announced}"
    ledger.breach("CALL-10", message, hint=_ASKED_AGAIN if again else None)
    if not announced:  # a step in which the model said nothing is empty for want of them
        run.passive.keep(lambda each: each.rule != "STEP-5")
    return False


def _served(ledger: Ledger, run: Run) -> None:
    kinds = Counter(type(event) for event in run.events)
    emitted = sum(isinstance(event, ToolCall) for event in run.events)
    several = any(len(turn.calls) > 1 for turn in run.turns)
    ends = [event for event in run.events if isinstance(event, LLMCallEnd)]
    shown = {
        **{name: any(kinds[kind] for kind in shows) for name, shows in _SHOWN_BY.items()},
        "tools": any(run.runs.values()),
        "parallel_tools": several and emitted > 1,
        "usage": any(end.input_tokens for end in ends)
        or any(event.input_tokens for event in run.events if isinstance(event, Usage)),
    }
    ledger.served.update(name for name, served in shown.items() if served)
