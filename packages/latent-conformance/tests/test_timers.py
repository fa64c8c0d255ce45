from __future__ import annotations

import asyncio

from latent.conformance._driving._timers import Timers
from latent.conformance._driving._virtual import VirtualLoop


def test_what_the_task_sets_runs_out_at_once_and_once() -> None:
    async def main() -> list[str]:
        rung: list[str] = []
        loop, timers = asyncio.get_running_loop(), Timers()
        with timers.noted():
            loop.call_later(300, rung.append, "later")
            loop.call_at(loop.time() + 300, rung.append, "at")
            loop.call_later(300, rung.append, "cancelled").cancel()
            await asyncio.create_task(_set(rung))
            timers.run_out()
            timers.run_out()
        return rung

    async def _set(rung: list[str]) -> None:
        asyncio.get_running_loop().call_later(300, rung.append, "by another task")

    assert asyncio.run(main()) == ["later", "at"]


def test_what_is_over_does_not_run_out_again() -> None:
    async def main() -> list[str]:
        rung: list[str] = []
        timers = Timers()
        with timers.noted():
            asyncio.get_running_loop().call_later(300, rung.append, "in time")
            await asyncio.sleep(301)
            timers.run_out()
        return rung

    loop = VirtualLoop()
    try:
        assert loop.run_until_complete(main()) == ["in time"]
    finally:
        loop.close()


def test_a_timer_that_raises_keeps_no_other_from_running_out_and_the_loop_is_as_it_was() -> None:
    async def main() -> list[str]:
        rung: list[str] = []
        loop, timers = asyncio.get_running_loop(), Timers()
        usual = loop.call_at
        with timers.noted():
            loop.call_later(300, rung.remove, "nothing")
            loop.call_later(300, rung.append, "next")
            timers.run_out()
        assert loop.call_at == usual
        return rung

    assert asyncio.run(main()) == ["next"]
