"""Scenarios about the `stream_wrapper` of `invoke`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import latent.conformance._scripts as scripts
from latent.conformance._driving._ended import raised_by, returned
from latent.conformance._evidence._run import Run
from latent.conformance._passive._buffered import check_invoked
from latent.conformance._passive._expected import folded
from latent.conformance._staging._scenario import Scenario
from latent.conformance._staging._stage import Stage
from latent.conformance._verdict._excerpt import described
from latent.protocol import ProtocolError, TextDelta

__all__ = ["SCENARIOS", "invoke_without_text"]

_EARLY = 3
_MORE = " and more"


class _WrapperError(Exception):
    """What a wrapper of the kit raises."""


async def _invoked(agent: Any, messages: Any, wrapper: Callable[[AsyncIterator[Any]], Any]) -> Any:
    """What `invoke` returns; what it raises without being a coroutine comes from here too."""
    return await agent.invoke(messages, stream_wrapper=wrapper)


async def _to_the_end(stage: Stage) -> None:
    """A wrapper with code after its loop."""
    begun = ended = False

    async def wrapper(stream: AsyncIterator[Any]) -> AsyncIterator[Any]:
        nonlocal begun, ended
        begun = True
        async for event in stream:
            yield event
        ended = True

    task = asyncio.ensure_future(_invoked(stage.make(), stage.play(scripts.ANSWER).messages, wrapper))
    done = await stage.bounded(task, stage.limits.timeout)
    stage.ledger.met("WRAP-5")
    if begun and not ended and done and returned(task):
        stage.ledger.breach("WRAP-5", "Expected the code after the wrapper's loop to run, got a result without it")


class _Plain:
    """An iterator with nothing but what `async for` needs."""

    def __init__(self, inner: AsyncIterator[Any]) -> None:
        self._inner = inner

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        return await anext(self._inner)


async def _other_wrappers(stage: Stage) -> None:
    """A wrapper that is a plain iterator class, and one that gives the stream back as it is."""
    conversation = stage.play(scripts.ANSWER)
    usual = await stage.invoke(stage.make(), conversation)
    wanted = getattr(usual.result, "text", None)
    if wanted is None:
        return  # what keeps it from a result without such a wrapper is not the wrapper's kind
    for wrapper in (_Plain, lambda stream: stream):
        conversation.rewind()
        task = asyncio.ensure_future(_invoked(stage.make(), conversation.messages, wrapper))
        done = await stage.bounded(task, stage.limits.timeout)
        stage.ledger.met("WRAP-8")
        raised = raised_by(task) if done else None
        if not done or not returned(task) or getattr(task.result(), "text", None) != wanted:
            kind = "a plain iterator class" if wrapper is _Plain else "the stream itself"
            got = described(raised) if raised else "no such result" if done else stage.no_end
            stage.ledger.breach("WRAP-8", f"Expected the text {wanted!r} with a wrapper that gives {kind}, got {got}")


async def _dropping_wrapper(stage: Stage) -> None:
    """A wrapper that keeps the text to itself."""
    await invoke_without_text(stage, stage.make(), stage.new_run(stage.play(scripts.ANSWER)))


async def invoke_without_text(stage: Stage, agent: Any, run: Run) -> None:
    """WRAP-3: the result of an invoke whose wrapper drops the text."""
    received: list[object] = []

    async def wrapper(stream: AsyncIterator[Any]) -> AsyncIterator[Any]:
        async for event in stream:
            received.append(event)
            if not isinstance(event, TextDelta):
                stage.see(run, event)
                yield event

    task = asyncio.ensure_future(_invoked(agent, run.messages, wrapper))
    if await stage.bounded(task, stage.limits.timeout) and returned(task):
        result = task.result()
        check_invoked(stage.ledger, stage.declared, run.events, result, run.messages, received=received)


async def _adding_wrapper(stage: Stage) -> None:
    """A wrapper that says more than the agent does."""
    if stage.is_broken("WRAP-3"):
        return
    run = stage.new_run(stage.play(scripts.ANSWER))

    async def wrapper(stream: AsyncIterator[Any]) -> AsyncIterator[Any]:
        async for event in stream:
            added = [TextDelta(_MORE)] if isinstance(event, TextDelta) else []
            for each in (event, *added):
                run.events.append(each)
                yield each

    task = asyncio.ensure_future(_invoked(stage.make(), run.messages, wrapper))
    if await stage.bounded(task, stage.limits.timeout) and returned(task):
        stage.ledger.met("WRAP-3")
        text = getattr(task.result(), "text", None)
        if not isinstance(text, str) or not run.events:
            return
        wanted = folded(run.events).text
        if stage.declared.own_segmentation:  # which steps there are is the agent's own affair: each has some of it
            wanted = text if not run.text or _MORE in text else f"...{_MORE}"
        if text != wanted:
            stage.ledger.breach("WRAP-3", f"Expected the text that the wrapper gave, {wanted!r}, got {text!r}")


async def _raising_wrapper(stage: Stage) -> None:
    """A wrapper that raises while the model is speaking."""
    if stage.is_broken("LIFE-1"):
        return  # what cannot be closed raises something of its own
    conversation = stage.play(scripts.ANSWER)
    given: list[AsyncIterator[Any]] = []

    async def wrapper(stream: AsyncIterator[Any]) -> AsyncIterator[Any]:
        given.append(stream)
        seen = 0
        async for event in stream:
            seen += 1
            if isinstance(event, TextDelta) or seen == _EARLY:
                raise _WrapperError("the wrapper raises")
            yield event

    before = asyncio.all_tasks()
    task = asyncio.ensure_future(_invoked(stage.make(), conversation.messages, wrapper))
    done = await stage.bounded(task, stage.limits.timeout)
    if not given:
        return
    stage.ledger.met("WRAP-6")
    raised = asyncio.CancelledError() if not done or task.cancelled() else task.exception()
    if isinstance(raised, ProtocolError):
        return  # it refuses a stream that breaks another rule
    if not done or not _came_through(raised):
        got = stage.no_end if not done else described(raised) if raised else "a result"
        stage.ledger.breach("WRAP-6", f"Expected the wrapper's exception to leave invoke, got {got}")
        return
    if len(conversation.requests) > 1:
        message = "Expected the wrapper's exception to leave invoke at once, got another request to the model first"
        stage.ledger.breach("WRAP-6", message)
        return
    await _closed(stage, given[0], "raised what the wrapper raised")
    await stage.nothing_left(before, "after an exception in the wrapper")


def _came_through(raised: BaseException | None) -> bool:
    """Whether it is the wrapper's exception, or one that came of it."""
    while raised is not None:
        if isinstance(raised, _WrapperError):
            return True
        if isinstance(raised, BaseExceptionGroup):
            return any(map(_came_through, raised.exceptions))
        raised = raised.__cause__ or raised.__context__
    return False


async def _closed(stage: Stage, inner: AsyncIterator[Any], when: str) -> None:
    """LIFE-8: an iterator that is closed gives nothing more; one without aclose cannot be closed."""
    stage.ledger.met("LIFE-8")
    if not hasattr(inner, "aclose"):
        return
    task = asyncio.ensure_future(_next(inner))
    if await stage.bounded(task, stage.limits.grace) and returned(task):
        message = f"Expected the stream to be closed when invoke {when}, got another event from it: {task.result()}"
        stage.ledger.breach("LIFE-8", message[:300])


async def _next(iterator: AsyncIterator[Any]) -> Any:
    return await anext(iterator)


async def _not_kept(stage: Stage) -> None:
    """Another run after one with a wrapper."""
    agent = stage.make()
    first = await stage.invoke(agent, stage.play(scripts.ANSWER))
    calls, seen = first.wrapped, len(first.events)
    await stage.invoke(agent, stage.play(scripts.ANSWER), wrapped=False)
    await stage.stream(agent, stage.play(scripts.ANSWER))
    stage.ledger.met("WRAP-9")
    if first.wrapped != calls or len(first.events) > seen:
        message = "Expected a wrapper to serve the call that it was given to, got it in a later run too"
        stage.ledger.breach("WRAP-9", message)


SCENARIOS = (
    Scenario("a wrapper with an end of its own", ("WRAP-5",), _to_the_end),
    Scenario("a wrapper that keeps the text", ("WRAP-3",), _dropping_wrapper),
    Scenario("a wrapper that adds text", ("WRAP-3",), _adding_wrapper),
    Scenario("wrappers of other kinds", ("WRAP-8",), _other_wrappers),
    Scenario("a wrapper that raises", ("WRAP-6", "LIFE-8"), _raising_wrapper),
    Scenario("a later run without a wrapper", ("WRAP-9",), _not_kept),
)
