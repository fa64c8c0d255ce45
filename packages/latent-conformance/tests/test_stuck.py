from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import aclosing
from typing import Any

import pytest

from latent.conformance._driving._driver import LoopWatch, drive
from latent.conformance._driving._stuck import Stuck, waiting


async def forever() -> None:
    await asyncio.Event().wait()


async def innermost() -> AsyncIterator[int]:
    yield 1
    await forever()


async def through() -> AsyncIterator[int]:
    async with aclosing(innermost()) as numbers:
        async for number in numbers:
            yield number


async def iterated() -> None:
    async for _ in through():
        pass


async def asked_for() -> None:
    numbers = innermost()
    await anext(numbers)
    await anext(numbers, None)


async def by_task() -> None:
    await asyncio.create_task(forever())


class Waits:
    def __await__(self) -> Any:
        return (yield from forever().__await__())


async def by_hand() -> None:
    await Waits()


async def by_queue() -> None:
    work = asyncio.create_task(forever())
    await asyncio.Queue[int]().get()
    await work


async def sleeps() -> None:
    time.sleep(0.7)


def functions(stuck: Stuck | None) -> tuple[str, ...]:
    return () if stuck is None else tuple(line.within for line in stuck.lines)


def looked_at(work: Callable[[], Coroutine[Any, Any, None]]) -> Stuck:
    async def look() -> Stuck:
        before = asyncio.all_tasks()
        task = asyncio.create_task(work())
        for _ in range(10):
            await asyncio.sleep(0)
        stuck = waiting(task, asyncio.all_tasks() - before)
        for each in asyncio.all_tasks() - before:
            each.cancel()
        return stuck

    return asyncio.run(look())


@pytest.mark.parametrize("work", [forever, iterated, asked_for, by_task, by_hand])
def test_a_task_waits_in_the_innermost_line_of_its_author(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    stuck = looked_at(work)

    assert (stuck.blocked, functions(stuck)) == (False, ("forever",))
    assert str(stuck).endswith(f"test_stuck.py, line {forever.__code__.co_firstlineno + 1}, in forever")
    assert str(stuck).startswith("it waits at ")


def test_tasks_beside_the_one_that_waits_are_told_too() -> None:
    assert functions(looked_at(by_queue)) == ("by_queue", "forever")


def held(work: Callable[[], Awaitable[None]]) -> tuple[str, ...] | None:
    """Where the loop was kept from turning, in a second in which it is asked eight times."""
    blocked: tuple[str, ...] | None = None

    async def main(watch: LoopWatch) -> None:
        nonlocal blocked
        await work()
        lines = watch.watchdog.blocked
        blocked = None if lines is None else tuple(line.within for line in lines)

    drive(main, grace=1.0, limit=1.0)
    return blocked


def test_a_loop_that_was_blocked_for_less_than_the_limit_is_remembered_with_the_line() -> None:
    assert held(sleeps) == ("sleeps",)


def test_a_loop_that_turns_is_not_blocked() -> None:
    async def turns() -> None:
        await asyncio.sleep(0.7)

    assert held(turns) is None
