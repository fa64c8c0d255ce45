"""Runs of one script against one another: `stream` and `invoke`, with a wrapper and without one."""

from __future__ import annotations

from typing import Any

from latent.conformance._evidence._likeness import (
    Likeness,
    apart,
    apart_by_nature,
    events_likeness,
    requests_likeness,
    results_apart,
)
from latent.conformance._evidence._run import Run
from latent.conformance._staging._stage import Judge, Stage
from latent.conformance._staging._unheld import unheld
from latent.conformance._verdict._ledger import Ledger

__all__ = ["asked_no_oftener", "same_events", "same_input", "same_result", "where_apart"]

_BEGUN_ONCE = (
    "Run the agent once in invoke: its caller decides whether a run that failed is begun again, for tools may have "
    "run. Try a model call again where it is made, so that stream does it too."
)

_DRAGS = (0.01, 0.03)
"""Seconds, more than what two runs of a script differ in by themselves: what an agent measures differs then."""


async def where_apart(stage: Stage, one: Run, other: Run, *likenesses: Likeness) -> str | None:
    """Where two runs part in what is no time, measure or id; `one` is the first run of an instance.

    What may be one of these is looked for in a run of another fresh instance: where that differs from `one` too, the
    difference tells of nothing that was kept. It comes last, so that a clock that went on between the two shows.
    """
    for drag in _DRAGS:
        if apart_by_nature(one, other, *likenesses):
            one.others.append(await _once_more(stage, one, drag))
            stage.ledger.watch(other.conversation.script, other.events)
    return apart(one, other, *likenesses)


async def _once_more(stage: Stage, run: Run, drag: float) -> Run:
    """The conversation of `run` on another instance, with a model and tools that take a little longer."""
    conversation = stage.play(unheld(run.conversation.script), earlier=run.conversation.earlier)
    conversation.drags = drag
    config = _own(run.configured, run.conversation.token, conversation.token)
    again = stage.new_run(conversation, config=config)
    if run.streamed:
        await stage.consume(stage.make(), again)
    else:
        await stage.call(stage.make(), again, wrapped=run.wrapped is not None)
    return again


def _own(config: dict[str, Any] | None, token: str, own: str) -> dict[str, Any] | None:
    """The config with the run's own token where it holds that of the other run."""
    if config is None:
        return None
    return {name: each.replace(token, own) if isinstance(each, str) else each for name, each in config.items()}


async def same_input(stage: Stage, streamed: Run, invoked: Run) -> bool:
    """STATE-5: the model was sent the same."""
    stage.ledger.met("STATE-5")
    if found := await where_apart(stage, streamed, invoked, requests_likeness):
        stage.ledger.breach("STATE-5", f"Expected invoke to send to the model what stream sends: {found}")
        return False
    return True


def asked_no_oftener(stage: Stage, streamed: Run, invoked: Run) -> None:
    """STATE-5, where the model fails: what is tried again is tried in both, and no run is begun again."""
    stage.ledger.met("STATE-5")
    usual, got = len(streamed.requests), len(invoked.requests)
    if got > usual and not streamed.hung:
        message = f"Expected as many requests to a model that fails as stream makes, {usual}, got {got} from invoke"
        stage.ledger.breach("STATE-5", message, hint=_BEGUN_ONCE)


async def same_events(stage: Stage, streamed: Run, wrapped: Run) -> Judge:
    """WRAP-2: the wrapper saw what `streamed` yielded; a model that was sent something else has other things to say."""
    alike = wrapped.drained and not await where_apart(stage, streamed, wrapped, requests_likeness)
    found = await where_apart(stage, streamed, wrapped, events_likeness) if alike else None

    def look(ledger: Ledger, run: Run) -> None:
        ledger.met("WRAP-2")
        if found:
            ledger.breach("WRAP-2", f"Expected the wrapper to see what stream yields: {found}")

    return look


def same_result(stage: Stage, wrapped: Run, plain: Run) -> None:
    """WRAP-4: both came to the same."""
    stage.ledger.met("WRAP-4")
    if found := results_apart(plain, wrapped):
        stage.ledger.breach("WRAP-4", f"Expected the result of a run without a wrapper: {found}")
    elif type(wrapped.raised) is not type(plain.raised):
        ends = f"with it {wrapped.ending}, without it {plain.ending}"
        stage.ledger.breach("WRAP-4", f"Expected the same end with a wrapper as without one; {ends}")
