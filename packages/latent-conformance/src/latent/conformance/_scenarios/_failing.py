"""Scenarios in which the run cannot succeed."""

from __future__ import annotations

from collections.abc import Iterator

import latent.conformance._scripts as scripts
from latent.conformance._evidence._fallback import answered_elsewhere, glued_to
from latent.conformance._evidence._run import Run, text_of
from latent.conformance._staging._pairing import asked_no_oftener
from latent.conformance._staging._scenario import TOOLS, Scenario
from latent.conformance._staging._stage import Stage
from latent.conformance._verdict._excerpt import described, shortened
from latent.conformance._verdict._ledger import Ledger
from latent.conformance.harness import Fail, ModelError
from latent.protocol import InvokeResult, LLMCallEnd, PhaseStarted, Usage

__all__ = ["SCENARIOS", "no_success", "visible"]

_LOWER = 3
_LIMIT = "Count a request to the model as one iteration, and make no more of them than the limit says."
_ERROR_IN_STREAM = (
    "Where a chunk of the answer has the key `error`, and no choices, raise what it says: providers that fail in the "
    "middle of an answer send such a chunk, and then end the stream in order."
)
_MUTE = (
    "Yield Error with the name of an exception whose text is empty, and ask whether there was one by `is not None`: "
    "clients of models raise TimeoutError() and the like."
)


async def _model_fails(stage: Stage) -> None:
    """The model fails before its first word, and between two."""
    for script in (scripts.FAILS_AT_ONCE, scripts.FAILS_MIDWAY):
        streamed = await stage.stream(stage.make(), stage.play(script))
        stage.judge(streamed, visible, _first_cause)
        invoked = await _invoked_too(stage, streamed, wrapped=True)
        if streamed.errors and invoked.drained and not invoked.errors:
            message = f"Expected the wrapper to see what stream yields, Error({streamed.errors[0]!r}) too, got none"
            stage.ledger.breach("WRAP-2", message)
        await _without_wrapper(stage, streamed)


async def _without_wrapper(stage: Stage, streamed: Run) -> None:
    """Where nobody looks on; a stream that hides its failure has a finding of its own."""
    if streamed.failed:
        await _invoked_too(stage, streamed, wrapped=False)


async def _invoked_too(stage: Stage, streamed: Run, *, wrapped: bool) -> Run:
    """The script of `streamed` through `invoke`; where the words of a call wait, it may be tried again behind them."""
    script = streamed.conversation.script
    invoked = await stage.invoke(stage.make(), stage.play(script), wrapped=wrapped)
    if stage.judge(invoked, no_success) and script is not scripts.FAILS_MIDWAY:
        asked_no_oftener(stage, streamed, invoked)
    return invoked


async def _fails_aloud(stage: Stage) -> None:
    """A server says in the stream that it fails, and ends it in order."""
    if "loopback" in stage.harness.playback.ways:
        stage.judge(await stage.stream(stage.make(), stage.play(scripts.FAILS_ALOUD)), _heard)


def _heard(ledger: Ledger, run: Run) -> None:
    _must_fail(ledger, run, how=', as `data: {"error": ...}`', hint=_ERROR_IN_STREAM)


async def _fails_behind_usage(stage: Stage) -> None:
    """The model fails behind all that it has to say: an agent that has its answer then need not care."""
    stage.judge(await stage.stream(stage.make(), stage.play(scripts.FAILS_BEHIND_USAGE)))


async def _retried(stage: Stage) -> None:
    """A model that fails once, for agents that try again."""
    stage.judge(await stage.stream(stage.make(), stage.play(scripts.RETRIED)), _not_glued)


def _not_glued(ledger: Ledger, run: Run) -> None:
    if len(run.requests) < 2 or run.errors:
        return
    ledger.met("TEXT-11")
    broken, whole = (run.conversation.fill(turn.text) for turn in run.conversation.script.turns)
    steps = run.steps[: len(run.steps) - run.conversation.further]  # behind them come later phases
    text = text_of(steps[-1][1]) if steps else run.text
    if text != whole and text.startswith(broken[:6]):
        ledger.breach("TEXT-11", f"Expected the text of the second attempt alone, {whole!r}, got {shortened(text)}")


async def _fails_later(stage: Stage) -> None:
    """The model fails after a tool has run."""
    run = await stage.stream(stage.make(), stage.play(scripts.FAILS_LATER))
    stage.judge(run, visible, _delivered)
    await _invoked_too(stage, run, wrapped=True)
    await _without_wrapper(stage, run)


async def _fails_in_a_call(stage: Stage) -> None:
    """The model fails when a call is complete, and its answer is not."""
    run = await stage.stream(stage.make(), stage.play(scripts.FAILS_IN_A_CALL))
    stage.judge(run, _not_hidden)


def _not_hidden(ledger: Ledger, run: Run) -> None:
    if run.runs or len(run.requests) < 2:
        hint = "Run no call of an answer that broke off: it may not be what the model was about to ask for."
        _must_fail(ledger, run, hint=hint if run.runs else None)
    else:
        ledger.met("ERR-3")


async def _endless(stage: Stage) -> None:
    """The model always calls a tool."""
    run = await stage.stream(stage.make(), stage.play(scripts.ENDLESS))
    if stage.judge(run, _capped, _delivered, blame="ERR-4"):
        stage.judge(await stage.invoke(stage.make(), stage.play(scripts.ENDLESS)), no_success, blame="ERR-4")
        await _with_a_lower_limit(stage, run)


async def _with_a_lower_limit(stage: Stage, usual: Run) -> None:
    """Once more with another limit: whoever heeds it asks so many times, one more to bring the run to an end."""
    harness = stage.harness
    limit = harness.max_iterations
    try:
        harness.max_iterations = limit - _LOWER
        run = await stage.stream(stage.make(), stage.play(scripts.ENDLESS_TALK))
    finally:
        harness.max_iterations = limit

    def heeded(ledger: Ledger, run: Run) -> None:
        before, now = (len(made.turns_asked) for made in (usual, run))
        if run.first(PhaseStarted) is not None:
            return  # each attempt of each phase has the limit for itself
        if before - now > _LOWER and now > limit - _LOWER + 1:  # a limit of the agent's own is not lowered with it
            message = f"Expected at most {limit - _LOWER} iterations where that is the limit, got {now}"
            ledger.breach("ERR-4", message, hint=_LIMIT)

    stage.judge(run, _capped, heeded, _delivered, blame="ERR-4")


def visible(ledger: Ledger, run: Run) -> None:
    """Hold a run whose model broke down against ERR-3: one that never came to that, or past it, is left alone."""
    asked = [turn for _, turn in run.answered]
    if asked and asked[-1].fails:
        _must_fail(ledger, run)
    elif any(turn.fails for turn in asked):
        ledger.met("ERR-3")


def _must_fail(ledger: Ledger, run: Run, *, how: str = "", hint: str | None = None) -> None:
    """ERR-3, for a run that came to what fails."""
    ledger.met("ERR-3")
    if (glued := glued_to(run)) is not None:
        message = f"Expected the text of the other model alone, {run.aux_answer!r}, got {shortened(glued)}"
        ledger.breach("TEXT-11", message)
    elif not run.failed and not answered_elsewhere(run):
        failure, hint = _failure(run, hint)
        what = f"{run.conversation.script.name}{how or failure}"
        ledger.breach("ERR-3", f"Expected Error or an exception for {what}, got a stream that {_end(run)}", hint=hint)


def _failure(run: Run, hint: str | None) -> tuple[str, str | None]:
    """What a model in process raised, for a message; and how to mend it, where that has no text."""
    asked = [turn for request, turn in run.answered if request.way == "in-process"]
    failed = next((piece for turn in reversed(asked) for piece in turn.pieces if isinstance(piece, Fail)), None)
    if failed is None:
        return "", hint
    raised = ModelError(run.conversation.fill(failed.message), raises=failed.raises).exception()
    return f" with {described(raised)}", hint or (None if str(raised) else _MUTE)


def _first_cause(ledger: Ledger, run: Run) -> None:
    """In process alone: over HTTP a broken connection does not say what broke it."""
    if not run.failed or run.over_http:
        return
    ledger.met("ERR-8")
    (cause,) = (piece.message for piece in run.conversation.script.turns[0].pieces if isinstance(piece, Fail))
    if cause not in "".join([*run.errors, *_chain(run.raised)]):
        ledger.breach("ERR-8", f"Expected the model's own message {cause!r}; {run.ending}")


def _chain(raised: BaseException | None) -> Iterator[str]:
    while raised is not None:
        yield str(raised)
        raised = raised.__cause__ or raised.__context__


def no_success(ledger: Ledger, run: Run) -> None:
    """ERR-6; where the stream itself hides the failure, that is the matter of ERR-3."""
    ledger.met("ERR-6")
    told = run.raised is not None or (isinstance(run.result, InvokeResult) and run.result.error is not None)
    hidden = run.wrapped and not run.errors and not run.broken
    if not told and not hidden:
        message = f"Expected invoke to raise, or a result with an error, for {run.conversation.script.name}"
        ledger.breach("ERR-6", f"{message}, got {shortened(run.result)}")


def _capped(ledger: Ledger, run: Run) -> None:
    ledger.met("ERR-4")
    if run.conversation.overrun:
        message = f"Expected the loop to stop by itself, got {len(run.requests)} requests to the model"
        ledger.breach("ERR-4", message)
    elif not run.failed:
        ledger.breach("ERR-4", f"Expected Error after {len(run.requests)} iterations, got a stream that {_end(run)}")


def _delivered(ledger: Ledger, run: Run) -> None:
    """What had happened before the failure is in the stream."""
    for ticket in run.runs:
        ledger.met("ERR-5")
        if run.result_of(ticket) is None:
            ledger.breach("ERR-5", f"Expected the ToolResult of a tool that had run, got none; {run.ending}")
    results = [result for ticket in run.runs if (result := run.result_of(ticket)) is not None]
    place = next((at for at, event in enumerate(run.events) if any(event is each for each in results)), None)
    if place is None or "usage" not in ledger.served:
        return
    ledger.met("USAGE-8")
    told = [event for event in run.events if isinstance(event, (LLMCallEnd, Usage)) and event.input_tokens]
    early = {type(event) for event in told if event in run.events[:place]}
    if not told:
        ledger.breach("USAGE-8", f"Expected the usage of the call that had ended, got none; {run.ending}")
    elif {type(event) for event in told} - early:
        ledger.breach("USAGE-8", "Expected the usage before the results of the tools, got it after them", index=place)


def _end(run: Run) -> str:
    return f"ends like a success; {run.last_event}"


_LATER = ("ERR-3", "ERR-5", "ERR-6", "USAGE-8", "STATE-5")

SCENARIOS = (
    Scenario("a model that fails once", ("TEXT-11",), _retried),
    Scenario("a model that fails", ("ERR-3", "ERR-8", "ERR-6", "CALL-3", "STATE-5"), _model_fails),
    Scenario("a server that says in the stream that it fails", ("ERR-3",), _fails_aloud, frozenset({"odd_wire"})),
    Scenario("a model that fails after a tool", _LATER, _fails_later, TOOLS),
    Scenario("a model that fails behind its tokens", ("ERR-1",), _fails_behind_usage),
    Scenario("a model that fails behind a call", ("ERR-3",), _fails_in_a_call, TOOLS),
    Scenario("a model that never ends", ("ERR-4", "ERR-5"), _endless, TOOLS),
)
