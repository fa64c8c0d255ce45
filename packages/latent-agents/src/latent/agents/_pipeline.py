"""An agent made of phases."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any

from latent.agents._aside import Aside
from latent.agents._base import BaseAgent
from latent.agents._closing import closing
from latent.agents._embedding import Embedding, StepCount
from latent.agents._ledger import Ledger
from latent.agents._phase import END, Phase
from latent.agents._previews import failure_text, preview
from latent.protocol import (
    AgentEvent,
    AgentProtocol,
    Error,
    Message,
    PhaseCompleted,
    PhaseRouted,
    PhaseStarted,
    StepBoundary,
    TextDelta,
)

__all__ = ["PipelineAgent"]


class PipelineAgent(BaseAgent):
    """Runs phases one after the other, in one stream with one numbering of steps.

    Each phase sees the history, the texts of the phases before it as assistant rows, and, except the
    first, a user row that asks it to go on. A phase that fails is tried again as often as it allows;
    `PhaseStarted.retry_count` counts how often that phase was started before. A failure that the
    pipeline survives shows as that restart, one that ends it as `Error`. A run of more than
    `max_phases` starts fails. Raises `ValueError` for no phases and for two of one name.
    """

    def __init__(self, name: str, phases: Iterable[Phase], *, max_phases: int = 50) -> None:
        super().__init__(name)
        given = list(phases)
        self._phases = {phase.name: phase for phase in given}
        if not given or len(self._phases) < len(given):
            raise ValueError(f"Expected phases with different names, got {[phase.name for phase in given]}")
        if max_phases < 1:
            raise ValueError(f"Expected max_phases of at least 1, got {max_phases!r}")
        self._max_phases = max_phases

    async def run(self, messages: list[Message], config: Mapping[str, Any]) -> AsyncIterator[AgentEvent]:
        """Start each phase, until the last one is completed, a route ends the run, or a phase fails for good."""
        history, count, starts = list(messages), StepCount(), Counter[str]()
        phase: Phase | None = next(iter(self._phases.values()))
        while phase is not None:
            seen = history if not starts else [*history, Message("user", phase.prompt or f"Go on with: {phase.name}")]
            for attempts_left in range(phase.retries, -1, -1):
                if starts.total() == self._max_phases:
                    yield Error(f"No end within {self._max_phases} starts of phases")
                    return
                yield PhaseStarted(phase.name, starts[phase.name])
                starts[phase.name] += 1
                attempt = _Attempt(phase, seen, config, count)
                async with closing(attempt.events()) as events:
                    async for event in events:
                        yield event
                if attempt.failure is None:
                    break
                if not attempts_left:
                    yield Error(f"Phase {phase.name!r} failed: {attempt.failure}")
                    return
            yield PhaseCompleted(phase.name, preview(attempt.text) or None)
            if attempt.text:
                history = [*history, Message("assistant", attempt.text)]
            routed, phase = self._route(phase, history, attempt.text)
            if routed is not None:
                yield routed

    def _route(self, phase: Phase, history: list[Message], text: str) -> tuple[PhaseRouted | None, Phase | None]:
        chosen = None if phase.route is None else phase.route(list(history), text)
        if chosen is None:
            names = list(self._phases)
            rest = names[names.index(phase.name) + 1 :]
            return None, self._phases[rest[0]] if rest else None
        name, reason = chosen if isinstance(chosen, tuple) else (chosen, None)
        if name == END:
            return None, None
        if name not in self._phases:
            raise ValueError(f"Expected one of the phases {list(self._phases)} after {phase.name!r}, got {name!r}")
        return PhaseRouted(phase.name, name, reason), self._phases[name]


class _Attempt:
    """One attempt at a phase: its events, and how it went."""

    def __init__(self, phase: Phase, messages: list[Message], config: Mapping[str, Any], count: StepCount) -> None:
        self._phase = phase
        self._messages = messages
        self._config = config
        self._embedding = Embedding(count)
        self._ledger = Ledger()

    @property
    def failure(self) -> str | None:
        return self._ledger.failure

    @property
    def text(self) -> str:
        return self._embedding.text

    async def events(self) -> AsyncIterator[AgentEvent]:
        """The child's events, but for an `Error`, which is the pipeline's to give."""
        agent, ledger = self._phase.agent, self._ledger
        if isinstance(agent, AgentProtocol):
            child = agent.stream(list(self._messages), config=dict(self._config))
        else:
            child = self._called()
        try:
            async with closing(child) as events:
                async for event in events:
                    if isinstance(event, Error):
                        ledger.note(event)
                        break
                    for fitted in self._embedding.fit(event):
                        ledger.note(fitted)
                        yield fitted
        except Exception as error:
            ledger.failure = failure_text(error)
        for event in [*self._embedding.finish(), *ledger.closing()[:-1]]:
            yield event

    async def _called(self) -> AsyncIterator[AgentEvent]:
        """The events of a function: one step with its text, where it gives one."""
        aside: Aside[str | None] = Aside(self._phase.agent, list(self._messages))
        async with closing(aside.events()) as events:
            async for event in events:
                yield event
        text = aside.value
        if text is not None and not isinstance(text, str):
            raise TypeError(f"Expected a str or None from the phase, got `{type(text).__name__}`")
        if text:
            yield StepBoundary(0, label="function")
            yield TextDelta(text)
