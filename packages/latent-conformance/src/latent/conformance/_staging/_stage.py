"""Where scenarios are played: it drives the agent, and holds what was seen against the rules."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, TypeAlias

from latent.conformance._catalogue import RULES
from latent.conformance._catalogue._rule import Level
from latent.conformance._driving._closing import closing
from latent.conformance._driving._driver import LoopWatch
from latent.conformance._driving._stuck import Stuck, waiting
from latent.conformance._driving._turns import let_others_run
from latent.conformance._driving._watchdog import LoopBlockedError
from latent.conformance._evidence._run import Run
from latent.conformance._evidence._witness import witness
from latent.conformance._passive._buffered import check_invoked
from latent.conformance._passive._checker import Checker
from latent.conformance._staging._broken_off import broke_off
from latent.conformance._staging._here import played_here
from latent.conformance._staging._shown import shown
from latent.conformance._staging._telltale import carrier
from latent.conformance._staging._wrapper import recorder, wrapped_once
from latent.conformance._verdict._declarations import Declarations
from latent.conformance._verdict._ledger import Ledger
from latent.conformance.harness import Conversation, Harness, Script
from latent.protocol import Message

__all__ = ["Judge", "Limits", "Stage"]

Judge: TypeAlias = Callable[[Ledger, Run], None]
"""Looks at a run for what the scenario is about."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long the kit waits, in seconds."""

    timeout: float = 10.0
    """For what has to happen: the end of a run."""
    grace: float = 2.0
    """For what a sound agent does at once."""


class Stage:
    """One scenario's place: a loop, a harness, and the ledger."""

    def __init__(
        self,
        make: Callable[[], Any],
        harness: Harness,
        declared: Declarations,
        ledger: Ledger,
        watch: LoopWatch,
        limits: Limits,
    ) -> None:
        self.make = make
        """Builds a fresh agent."""
        self.harness = harness
        self.declared = declared
        self.ledger = ledger
        self.watch = watch
        self.limits = limits
        self.hangs = 0
        """How often a run did not end in time."""
        self.stuck: Stuck | None = None
        """Where the last task that was waited for was stuck, if it did not end in time."""

    def play(self, script: Script, *, token: str | None = None, earlier: Sequence[Message] = ()) -> Conversation:
        """Begin a conversation; raises `NotHereError` where the agent has no tool for one of its calls."""
        script = played_here(script, self.harness.tool_names, self.declared.external_tools)
        return self.harness.play(script, token=token, earlier=earlier)

    async def stream(self, agent: Any, conversation: Conversation, *, config: dict[str, Any] | None = None) -> Run:
        """Consume a whole stream."""
        run = self.new_run(conversation, config=config)
        await self.consume(agent, run)
        return run

    async def consume(self, agent: Any, run: Run, *, quiet: bool = True, pace: int = 0) -> None:
        """Consume the stream of `run`, with so many turns of the loop (`pace`) after each event.

        With `quiet`, nothing of it may be left on the loop.
        """
        checker = Checker(run.passive, self.declared, live=True)
        run.streamed = True

        async def work() -> None:
            stream = agent.stream(run.messages, **run.options)
            async with closing(stream):
                async for event in stream:
                    self.see(run, event)
                    checker.feed(event)
                    await let_others_run(pace)
                run.drained = True

        await self._watched(run, work, quiet)
        checker.finish(complete=run.drained)

    async def invoke(
        self, agent: Any, conversation: Conversation, *, config: dict[str, Any] | None = None, wrapped: bool = True
    ) -> Run:
        """Await one `invoke`, with a `stream_wrapper` that records or without one."""
        run = self.new_run(conversation, config=config)
        await self.call(agent, run, wrapped=wrapped)
        return run

    async def call(self, agent: Any, run: Run, *, wrapped: bool = True, quiet: bool = True, pace: int = 0) -> None:
        """Await the `invoke` of `run`; the rest is as in `consume`."""
        options = run.options
        if wrapped:
            options["stream_wrapper"] = recorder(run, self.see, pace)

        async def work() -> None:
            run.result = await agent.invoke(run.messages, **options)

        await self._watched(run, work, quiet)
        if run.wrapped:
            result = getattr(run.raised, "result", None) if run.result is None else run.result
            check_invoked(run.passive, self.declared, run.events, result, run.given)
            self._keep_what_the_stream_does_not_explain(run)

    def _keep_what_the_stream_does_not_explain(self, run: Run) -> None:
        """A result cannot be better than its stream: there, the stream's own finding is enough."""
        stream = Ledger(RULES)
        checker = Checker(stream, self.declared)
        for event in run.events:
            checker.feed(event)
        checker.finish(complete=run.drained)
        broken = {found.rule for found in stream.violations}
        run.passive.keep(lambda each: not broken & {*RULES[each.rule].yields_to})
        run.suspect = stream.breaks_must(excused=self.declared.known_deviations)

    def judge(self, run: Run, *judges: Judge, blame: str = "ERR-3", witnessed: bool = True) -> bool:
        """Hold a run that nobody disturbed against its script and against the rules.

        Tells whether other runs can be held against it: a SHOULD, or what the author declares, spoils nothing.
        Where one of `judges`, which know what the scenario is about, finds something, the next ones
        and the rest would only echo it. What a wrapper saw is held against the result alone: the
        stream is judged where it was consumed itself. A run that hung breaks the rule `blame`.
        """
        before = len(self.ledger.violations)
        self.ledger.watch(run.conversation.script, run.events)
        if broke_off(self.ledger, run, blame):
            return False
        for look in (wrapped_once, *judges):
            if len(self.ledger.violations) == before:
                look(self.ledger, run)
        if run.turns:  # the script says which calls are equal; a mere sign of it is not needed
            run.passive.drop("TOOL-5", Level.SHOULD)
        if not self.ledger.breaks_must(since=before):  # a SHOULD hides nothing
            if witnessed and run.streamed and len(self.ledger.violations) == before:
                witness(self.ledger, self.declared, run)
            self.ledger.absorb(run.passive)
        self.ledger.annotate(lambda each: shown(each, run, self.harness.max_iterations), since=before)
        return not self.ledger.breaks_must(since=before, excused=self.declared.known_deviations)

    def is_broken(self, rule: str) -> bool:
        """Whether the agent was seen to break the rule."""
        return any(found.rule == rule for found in self.ledger.violations)

    @property
    def forgets(self) -> bool:
        """Whether the agent was not seen to remember earlier runs: else they differ, whatever else is between them."""
        return not self.is_broken("STATE-2") and not self.is_broken("STATE-6")

    @property
    def conversation_config(self) -> dict[str, Any] | None:
        """A config under which runs are of one conversation, made anew each time; None for an agent that takes none."""
        return None if self.is_broken("PROTO-3") else {"conversation_id": "c-1", "otel_context": carrier()}

    def new_run(self, conversation: Conversation, *, config: dict[str, Any] | None = None) -> Run:
        """A run of the conversation, with nothing seen yet."""
        passive = Ledger(RULES)
        passive.scenario = self.ledger.scenario
        messages = conversation.messages
        run = Run(
            conversation=conversation,
            messages=messages,
            given=deepcopy(messages),
            requests=conversation.requests,
            turns=conversation.turns,
            runs=conversation.runs,
            passive=passive,
            config=config,
            configured=deepcopy(config),
        )
        self.ledger.watch(conversation.script, run.events)
        return run

    def see(self, run: Run, event: object) -> None:
        """Take an event as the consumer."""
        run.events.append(event)
        if run.messages != run.given:
            run.touched.setdefault("messages", f"{run.messages} behind {event}")
        if run.config != run.configured:
            run.touched.setdefault("config", f"{run.config} behind {event}")
        self.harness.playback.saw(event, run.conversation)

    async def bounded(self, task: asyncio.Task[Any], seconds: float) -> bool:
        """Whether the task ended in time; it is cancelled where it did not.

        What it raised counts as seen: the task is the kit's own, and the loop shall not complain of it.
        """
        watchdog, before = self.watch.watchdog, asyncio.all_tasks()
        watchdog.blocked = None
        await asyncio.wait({task}, timeout=seconds)
        in_time = task.done()
        self.stuck = None if watchdog.blocked is None else Stuck(True, watchdog.blocked)
        if not in_time:
            self.stuck = self.stuck or waiting(task, asyncio.all_tasks() - before)
            self.harness.playback.release()
            task.cancel()
            await asyncio.wait({task}, timeout=self.limits.grace)
        if task.done() and not task.cancelled():
            task.exception()
        return in_time

    def trace(self, run: Run) -> None:
        """From here on, findings that tell where the run broke off for no reason are known to come of that."""
        if run.origin is not None:
            self.ledger.know(*run.origin)

    @property
    def no_end(self) -> str:
        """That the last task that was waited for did not end in time, and where it was stuck, for a message."""
        return "no end in time" if self.stuck is None else f"no end in time; {self.stuck}"

    async def nothing_left(self, before: set[asyncio.Task[Any]], after: str, *, thorough: bool = False) -> bool:
        """Hold what is left on the loop against LIFE-2; tells whether there is nothing."""
        self.ledger.met("LIFE-2")
        found = len(self.ledger.violations)
        if left := await self.watch.left_tasks(before, thorough=thorough):
            self.ledger.breach("LIFE-2", f"Expected no task of the run {after}, got {', '.join(left)}")
        for complaint in self.watch.complaints()[:1]:
            self.ledger.breach("LIFE-2", f"Expected a silent loop {after}, got: {complaint}")
        return len(self.ledger.violations) == found

    @property
    def _patience(self) -> float:
        """How long a run may take, without its script: one that hung will hang again, and nobody waits for that."""
        return max(self.limits.grace, self.limits.timeout / 4) if self.hangs else self.limits.timeout

    async def _watched(self, run: Run, work: Callable[[], Any], quiet: bool) -> None:
        before = asyncio.all_tasks()
        playback = self.harness.playback
        lost, strays = len(playback.lost), len(playback.strays)
        aux, inside = playback.aux_calls, playback.aux_calls_in_tools

        async def guarded() -> None:
            try:
                await work()
            except KeyboardInterrupt:
                raise
            except BaseException as raised:  # whatever an agent lets out is what the kit came to see
                run.raised = raised

        in_time = await self.bounded(asyncio.create_task(guarded()), self._patience + run.conversation.script.seconds)
        run.hung = not in_time or isinstance(run.raised, LoopBlockedError)
        run.stuck = (self.stuck or Stuck(True, ())) if run.hung else None
        self.hangs += run.hung
        self.trace(run)
        run.lost = len(playback.lost) - lost
        run.strays = [ticket for _, ticket in playback.strays[strays:]]
        run.aux, run.aux_in_tools = playback.aux_calls - aux, playback.aux_calls_in_tools - inside
        run.aux_answer = playback.aux_answer
        self._unchanged(run)
        if quiet and not run.hung:
            await self.nothing_left(before, "after its end")

    def _unchanged(self, run: Run) -> None:
        self.ledger.met("STATE-3")
        messages = str(run.messages) if run.messages != run.given else run.touched.get("messages")
        if messages is not None:
            self.ledger.breach("STATE-3", f"Expected the messages as they were given, {run.given}, got {messages}")
        config = str(run.config) if run.config != run.configured else run.touched.get("config")
        if config is not None:
            self.ledger.breach("STATE-3", f"Expected the config as it was given, {run.configured}, got {config}")
