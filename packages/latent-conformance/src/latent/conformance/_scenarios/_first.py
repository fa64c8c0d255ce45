"""What comes before everything else: whether there is something to judge."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial
from traceback import walk_tb

import latent.conformance._scripts as scripts
from latent.conformance._evidence._run import Run
from latent.conformance._scenarios._shape import FAILS_AT_ONCE, has_shape, streams
from latent.conformance._staging._stage import Stage
from latent.conformance._verdict._ledger import Ledger
from latent.conformance.harness import Harness
from latent.protocol import PhaseStarted, ToolCall, VerificationResult

__all__ = ["Stop", "first_contact", "uses_tools"]

_REJECTED = (
    "Mend this first: a verifier turned the answer down. One that asks `harness.aux_model` hears "
    "`harness.aux_answer`: set it to what your verifier accepts."
)
_NO_PHASES = (
    "Mend this first: declare the capability `phases`, so that `harness.model` has an answer for each phase, or give "
    "`harness.aux_model` to all phases but one."
)
_OVER_THE_ANSWER = (
    "Mend this first: the agent failed over an answer of the harness's server. It comes as server-sent events, one of "
    "which may come in two reads, and two in one: find the lines in all that has come, not in each read."
)
_ASKED_AGAIN = (
    "Mend this first: `harness.model` plays the turns of the main loop, and one request was one too many. Give "
    "`harness.aux_model` to a verifier, a matcher or a title; a run ends with an answer without calls."
)
_WITHOUT_THE_WORDS = (
    "Mend this first: send the messages that stream() is given to the model, each with its role and content: the kit "
    "knows by the user's words which script to play."
)
_REFUSED = (
    "Mend this first: the kit's server has /chat/completions below harness.base_url, which ends in /v1. Give that URL "
    "as it is to a client of chat completions."
)


@dataclass(frozen=True, slots=True)
class Stop:
    """Why an agent can be put through nothing more."""

    reason: str
    problems: tuple[str, ...] = ()
    """What is wrong with how it was built, where no rule says so."""


async def first_contact(stage: Stage) -> Stop | None:
    """Judge the shape and a plain answer; gives the reason where nothing else can be judged."""
    agent = stage.make()
    if not has_shape(stage, agent):
        return Stop("the agent is no AgentProtocol")
    if not streams(stage, agent, stage.play(scripts.ANSWER).messages):
        return Stop("stream() gives nothing that could be iterated")
    await asyncio.sleep(0)  # what was given and dropped just now is let go first
    run = await stage.stream(agent, stage.play(scripts.ANSWER))
    if _comes_from_trio(run.raised):
        needs = "the agent needs trio"
        return Stop(needs, (f"{needs}, and the kit runs agents on asyncio",))
    if run.hung:
        stage.judge(run, blame="PROTO-2")
        return Stop("the agent hung on a plain answer")
    if run.failed and await _needs_config(stage, run):
        return Stop("the agent does not run without config")
    misuse = sorted({*stage.harness.playback.misuse})
    if not run.requests and not run.lost and (not run.failed or misuse):
        stage.judge(run, witnessed=False)  # an answer that no script gave
        silent = f"the agent made no request to the harness's model, and {run.last_event}"
        return Stop(silent, (*misuse,) or (f"{silent}: build it on harness.model, or on harness.base_url",))
    stage.judge(run, partial(_answered, harness=stage.harness), blame="PROTO-2")
    return Stop("the agent failed on a plain answer") if run.failed else None


def _answered(ledger: Ledger, run: Run, *, harness: Harness) -> None:
    """A run that fails here fails everywhere; what the stream itself breaks says more."""
    if run.failed and not run.passive.breaks_must():
        asked, hint = _how_to_ask(run, harness)
        message = f"Expected a run that answers a plain question; {run.ending}{asked}"
        ledger.breach("PROTO-2", message, hint=hint)


def _how_to_ask(run: Run, harness: Harness) -> tuple[str, str]:
    """How far the agent came with its first request, and how to mend that."""
    if run.requests:
        return "", _how_to_answer(run, phased=harness.playback.phased)
    if run.lost:
        return ", after a request to the harness's model without what the user said", _WITHOUT_THE_WORDS
    if harness.playback.refused:
        return ", after a request that the harness's server refused", _REFUSED
    return ", before any request to the harness's model", _how_to_answer(run, phased=harness.playback.phased)


def _how_to_answer(run: Run, *, phased: bool) -> str:
    if any(isinstance(event, VerificationResult) and not event.accepted for event in run.events):
        return _REJECTED
    if not run.conversation.overrun:
        served = run.over_http
        return _OVER_THE_ANSWER if served else FAILS_AT_ONCE
    phases = sum(isinstance(event, PhaseStarted) for event in run.events)
    return _NO_PHASES if phases > 1 and not phased else _ASKED_AGAIN


async def _needs_config(stage: Stage, bare: Run) -> bool:
    run = await stage.stream(stage.make(), stage.play(scripts.ANSWER), config={"conversation_id": "c-1"})
    if run.failed or run.hung:
        return False
    stage.ledger.met("PROTO-3")
    stage.ledger.breach(
        "PROTO-3", f"Expected stream(messages) to run without config as it does with one; {bare.ending}"
    )
    return True


async def uses_tools(stage: Stage) -> bool:
    """Whether the agent offers tools to the model, announces calls or runs them; nothing is judged."""
    run = await stage.stream(stage.make(), stage.play(scripts.TALK))
    stage.watch.complaints()
    offered = any(request.tools for request in run.requests)
    return offered or bool(run.runs) or any(isinstance(event, ToolCall) for event in run.events)


def _comes_from_trio(raised: BaseException | None) -> bool:
    """Whether trio itself raised it, as it does where it is not what runs."""
    frames = walk_tb(raised.__traceback__) if raised is not None else ()
    return any(str(frame.f_globals.get("__name__")).partition(".")[0] == "trio" for frame, _ in frames)
