"""Runs of one script against one another: `stream` and `invoke`, with a wrapper and without one."""

from __future__ import annotations

from latent.conformance._evidence._likeness import difference, events_likeness, requests_likeness, results_apart
from latent.conformance._evidence._run import Run
from latent.conformance._staging._stage import Judge, Stage
from latent.conformance._verdict._ledger import Ledger

__all__ = ["asked_no_oftener", "same_events", "same_input", "same_result"]

_BEGUN_ONCE = (
    "Run the agent once in invoke: its caller decides whether a run that failed is begun again, for tools may have "
    "run. Try a model call again where it is made, so that stream does it too."
)


def same_input(stage: Stage, streamed: Run, invoked: Run) -> bool:
    """STATE-5: the model was sent the same."""
    stage.ledger.met("STATE-5")
    if apart := difference(requests_likeness(streamed), requests_likeness(invoked)):
        stage.ledger.breach("STATE-5", f"Expected invoke to send to the model what stream sends: {apart}")
        return False
    return True


def asked_no_oftener(stage: Stage, streamed: Run, invoked: Run) -> None:
    """STATE-5, where the model fails: what is tried again is tried in both, and no run is begun again."""
    stage.ledger.met("STATE-5")
    usual, got = len(streamed.requests), len(invoked.requests)
    if got > usual and not streamed.hung:
        message = f"Expected as many requests to a model that fails as stream makes, {usual}, got {got} from invoke"
        stage.ledger.breach("STATE-5", message, hint=_BEGUN_ONCE)


def same_events(streamed: Run) -> Judge:
    """WRAP-2: the wrapper saw what `streamed` yielded; a model that was sent something else has other things to say."""

    def look(ledger: Ledger, wrapped: Run) -> None:
        ledger.met("WRAP-2")
        if not wrapped.drained or difference(requests_likeness(streamed), requests_likeness(wrapped)):
            return
        if apart := difference(events_likeness(streamed), events_likeness(wrapped)):
            ledger.breach("WRAP-2", f"Expected the wrapper to see what stream yields: {apart}")

    return look


def same_result(stage: Stage, wrapped: Run, plain: Run) -> None:
    """WRAP-4: both came to the same."""
    stage.ledger.met("WRAP-4")
    if apart := results_apart(plain, wrapped):
        stage.ledger.breach("WRAP-4", f"Expected the result of a run without a wrapper: {apart}")
    elif type(wrapped.raised) is not type(plain.raised):
        ends = f"with it {wrapped.ending}, without it {plain.ending}"
        stage.ledger.breach("WRAP-4", f"Expected the same end with a wrapper as without one; {ends}")
