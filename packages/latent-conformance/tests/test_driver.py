from __future__ import annotations

import asyncio
import warnings
from contextlib import suppress
from typing import Any

import pytest

from latent.conformance._driving._driver import LoopWatch, drive


def test_the_loop_never_becomes_the_threads_own() -> None:
    async def main(watch: LoopWatch) -> None:
        await asyncio.sleep(0)

    mine = asyncio.new_event_loop()
    asyncio.set_event_loop(mine)
    try:
        drive(main, grace=1)
        assert asyncio.get_event_loop() is mine
    finally:
        asyncio.set_event_loop(None)
        mine.close()


def test_what_main_raises_comes_out() -> None:
    async def main(watch: LoopWatch) -> None:
        raise LookupError("here")

    with pytest.raises(LookupError, match="here"):
        drive(main, grace=1)


def test_a_task_that_waits_is_left_and_one_that_ends_is_not() -> None:
    seen: list[list[str]] = []

    async def main(watch: LoopWatch) -> None:
        before = asyncio.all_tasks()
        tasks = [asyncio.ensure_future(asyncio.sleep(0)), asyncio.ensure_future(asyncio.Event().wait())]
        tasks[1].set_name("waits")
        seen.append(await watch.left_tasks(before))
        tasks[1].cancel()
        seen.append(await watch.left_tasks(before))

    drive(main, grace=0.1)

    assert seen == [["waits running Event.wait"], []]


def test_complaints_of_the_loop_are_kept_and_told_once() -> None:
    seen: list[list[str]] = []

    async def fail() -> None:
        raise ValueError("nobody asks")

    async def main(watch: LoopWatch) -> None:
        asyncio.ensure_future(fail())  # noqa: RUF006 - nobody asks for it, which is the matter
        await watch.left_tasks(set(), thorough=True)
        seen.extend((watch.complaints(), watch.complaints()))

    drive(main, grace=0.1)

    assert seen == [["Task exception was never retrieved (ValueError('nobody asks'))"], []]


def test_what_is_left_is_ended_without_a_word() -> None:
    ended: list[str] = []

    async def wait() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("task")

    async def generate() -> Any:
        try:
            yield 1
        finally:
            ended.append("generator")

    async def main(watch: LoopWatch) -> None:
        main.kept = asyncio.ensure_future(wait()), generate()  # type: ignore[attr-defined]
        await anext(main.kept[1])  # type: ignore[attr-defined]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drive(main, grace=0.1)

    assert ended == ["task", "generator"]


def test_a_task_that_refuses_to_end_does_not_hold_the_kit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("latent.conformance._driving._driver._LAST_WAIT", 0.05)
    go_on = True

    async def refuse() -> None:
        while go_on:
            with suppress(asyncio.CancelledError):
                await asyncio.Event().wait()

    async def main(watch: LoopWatch) -> None:
        main.kept = asyncio.ensure_future(refuse())  # type: ignore[attr-defined]
        await asyncio.sleep(0)

    drive(main, grace=0.1)

    assert not main.kept.done()  # type: ignore[attr-defined]
    go_on = False
