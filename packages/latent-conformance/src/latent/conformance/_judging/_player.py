"""What plays scenarios to one agent, each on a loop of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

from latent.conformance._driving._driver import Intrusion, LoopWatch, drive
from latent.conformance._driving._factory import FactoryError
from latent.conformance._driving._place import place_of
from latent.conformance._driving._virtual import VirtualLoop
from latent.conformance._driving._watchdog import LoopBlockedError
from latent.conformance._staging._here import NotHereError
from latent.conformance._staging._stage import Limits, Stage
from latent.conformance._verdict._declarations import Declarations
from latent.conformance._verdict._excerpt import described
from latent.conformance._verdict._ledger import Ledger
from latent.conformance.harness import Harness

__all__ = ["Player"]

_RESTLESS = 100
"""How many timers a run that waits for something in vain hardly sets."""
_BUILDING = 6
"""How many times what a run may take it may take to build an agent: weights are read, clients are opened."""


_LOOP = (
    "Neither stop the event loop nor raise SystemExit in a task: end the stream, yield Error, or raise an Exception."
)


class Player:
    """Plays scenarios, and keeps count of what came of them beside findings."""

    def __init__(
        self,
        make: Callable[[], Any],
        harness: Harness,
        declared: Declarations,
        limits: Limits,
        ledger: Ledger,
        *,
        virtual: bool,
    ) -> None:
        self._make = make
        self._harness = harness
        self._declared = declared
        self._limits = limits
        self._ledger = ledger
        self.virtual = virtual
        """Whether the agent is in virtual time."""
        self.strayed: str | None = None
        """Why virtual time cannot be kept."""
        self.hangs = 0
        """How often a run did not end in time."""
        self.problems: list[str] = []
        """Why there can be no pass, whatever is found."""

    def play(
        self,
        name: str,
        play: Callable[[Stage], Coroutine[Any, Any, None]],
        *,
        blame: str = "PROTO-2",
        ledger: Ledger | None = None,
    ) -> None:
        """Play a scenario; what comes of it is written into `ledger`, by default that of the whole judgement.

        What the agent raises in the middle of the kit's own code breaks the rule `blame`. Raises `FactoryError`.
        """
        ledger = self._ledger if ledger is None else ledger
        hung = self.hangs
        intrusions: list[Intrusion] = []

        async def main(watch: LoopWatch) -> None:
            nonlocal intrusions
            intrusions = watch.intrusions

            def make() -> Any:
                with watch.watchdog.patient(_BUILDING * self._limits.timeout):
                    return self._make()

            stage = Stage(make, self._harness, self._declared, ledger, watch, self._limits)
            stage.hangs = hung
            try:
                await play(stage)
            finally:
                self.hangs = stage.hangs

        ledger.scenario = name
        loop = VirtualLoop() if self.virtual else None
        with self._own_faults(name, blame, ledger):
            drive(main, grace=self._limits.grace, limit=self._limits.timeout * 2, loop=loop)
        for intrusion in intrusions:
            if not any(intrusion.what in found.message for found in ledger.violations):
                message = f"Expected a run to leave the event loop to whoever drives it, got {intrusion}"
                ledger.breach("LIFE-2", message, hint=_LOOP)
        if loop is not None and loop.strays:
            self._stray(name, " and ".join(loop.strays))
        elif loop is not None and self.hangs > hung and loop.jumps > _RESTLESS:
            told = f"in the scenario {name!r} the agent hung, and woke up {loop.jumps} times meanwhile"
            clocks = "an agent that measures time by time.monotonic or time.time does not keep to 'virtual_time'"
            self.problems.append(f"{told}: {clocks}")
        self._harness.playback.release()
        ledger.scenario = None

    def _stray(self, name: str, how: str) -> None:
        """An agent that waits for more than the loop: what was seen of it, on a clock that jumps, is no finding."""
        self._ledger.keep(lambda each: each.scenario != name)
        self._ledger.excused |= self._declared.capabilities or set()  # what is not played cannot be shown
        self.strayed = "the agent does not keep to virtual time"
        reason = f"in the scenario {name!r} it {how}, and only what waits on the event loop's own timers can be hurried"
        if self._harness.serves:
            reason = "it uses harness.base_url, whose server is a thread in real time: build it on harness.model"
        claim = "capability 'virtual_time' is declared, but the agent does not keep to it"
        self.problems = [f"{claim}: {reason}, or leave it out of the capabilities"]

    @contextmanager
    def _own_faults(self, name: str, blame: str, ledger: Ledger) -> Iterator[None]:
        """A crash of the kit is the kit's own fault, and never a pass; what an agent raises breaks the rule `blame`."""
        try:
            yield
        except FactoryError:
            raise
        except NotHereError:
            return
        except asyncio.CancelledError:
            message = "Expected a run to leave tasks alone that are not its own, got the one cancelled that drives it"
            ledger.breach("LIFE-2", message)
        except LoopBlockedError as blocked:
            self.problems.append(f"the agent blocked the event loop in the scenario {name!r}{place_of(blocked)}")
        except KeyboardInterrupt:
            raise
        except BaseException as crash:
            if where := place_of(crash):
                ledger.breach(blame, f"Expected the agent to go through this script, got {described(crash)}{where}")
            elif not isinstance(crash, Exception):
                raise  # somebody ends the process, or the test
            else:
                self._ledger.crash(f"scenario {name!r}", crash)
