"""What makes queries show in the stream of the run that makes them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

from latent.conformance._library._trial import Trial
from latent.conformance._verdict._excerpt import shortened
from latent.conformance._verdict._report import Report
from latent.protocol import AgentEvent, RetrieverEnd, RetrieverStart

__all__ = ["RetrieverDecorator", "RunCollector", "check_retriever"]

RetrieverDecorator: TypeAlias = Callable[[Callable[[str], Awaitable[list[str]]]], Any]
"""Takes `async def search(query) -> list[str]`, and gives what an author calls in its place."""

RunCollector: TypeAlias = Callable[[Callable[[], Awaitable[None]]], Awaitable[Sequence[AgentEvent]]]
"""Takes `work`, awaits `work()` inside of one run, and gives the events of that run's stream."""


def check_retriever(decorate: RetrieverDecorator, collect: RunCollector) -> Report:
    """Judge a decorator for retrieval functions, with what runs them: RETR-2, RETR-6 and RETR-7."""
    trial = Trial("RETR-2", "RETR-6", "RETR-7")
    trial.play(
        "check_retriever",
        ("RETR-7", partial(_outside, trial, decorate, collect)),
        ("RETR-2", partial(_fails, trial, decorate, collect)),
        ("RETR-6", partial(_side_by_side, trial, decorate, collect)),
    )
    return trial.report()


async def _outside(trial: Trial, decorate: RetrieverDecorator, collect: RunCollector) -> None:
    """Called where there is no run; a run that comes later shows nothing of it."""
    search = decorate(_found)
    trial.equal("RETR-7", "outside of any run the documents", ["about rain"], await search("rain"))

    async def work() -> None:
        """Queries nothing."""

    late = _queries(await collect(work))
    trial.hold("RETR-7", not late, f"Expected nothing of a query outside of any run, got {shortened(late)}")


async def _fails(trial: Trial, decorate: RetrieverDecorator, collect: RunCollector) -> None:
    failure = LookupError("the index is gone")
    raised: list[BaseException] = []

    async def search(query: str) -> list[str]:
        raise failure

    async def work() -> None:
        try:
            await decorate(search)("rain")
        except LookupError as error:
            raised.append(error)

    events = _queries(await collect(work))
    trial.hold("RETR-2", raised == [failure], f"Expected the retriever's own exception, got {shortened(raised)}")
    match events:
        case [RetrieverStart(run_id=started), RetrieverEnd(run_id=ended, documents=[])]:
            closed = started == ended
        case _:
            closed = False
    message = "Expected RetrieverStart and a RetrieverEnd without documents of a query that fails, got "
    trial.hold("RETR-2", closed, message + shortened(events))


async def _side_by_side(trial: Trial, decorate: RetrieverDecorator, collect: RunCollector) -> None:
    """Two runs at once, with three queries at once in each, which end in another order than they began."""
    gates = {name: asyncio.Event() for name in _NAMES}
    begun: list[str] = []

    async def search(query: str) -> list[str]:
        begun.append(query)
        if len(begun) == len(_NAMES):
            gates[_NAMES[-1]].set()
        await gates[query].wait()
        before = _NAMES.index(query) - 1
        gates[_NAMES[before]].set()  # from the last to the first
        return await _found(query)

    async def work(own: Sequence[str]) -> None:
        query = decorate(search)
        await asyncio.gather(*(query(name) for name in own))

    runs = [_NAMES[::2], _NAMES[1::2]]
    streams = await asyncio.gather(*(collect(partial(work, own)) for own in runs))
    for own, events in zip(runs, streams, strict=True):
        asked = {each.run_id: each.query for each in events if isinstance(each, RetrieverStart)}
        ended = [each for each in events if isinstance(each, RetrieverEnd)]
        trial.equal("RETR-6", "in each stream the queries of its run,", sorted(own), sorted(asked.values()))
        pairs = sorted((asked.get(each.run_id, ""), *each.documents) for each in ended)
        trial.equal("RETR-6", "pairs of query and documents", [(name, f"about {name}") for name in sorted(own)], pairs)


_NAMES = ("a1", "b1", "a2", "b2", "a3", "b3")


async def _found(query: str) -> list[str]:
    return [f"about {query}"]


def _queries(events: Sequence[AgentEvent]) -> list[RetrieverStart | RetrieverEnd]:
    return [event for event in events if isinstance(event, (RetrieverStart, RetrieverEnd))]
