"""An agent with guidelines and journeys."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any, Unpack

from latent.agents._closing import closing
from latent.agents._guideline import Guideline, GuidelineMatching
from latent.agents._journey import Journey, progress_of
from latent.agents._react import ReActAgent, ReActOptions
from latent.agents.models import Model, check_available, resolve_model
from latent.protocol import AgentEvent, GuidelineMatched, Message

__all__ = ["GuidedAgent"]


class GuidedAgent(ReActAgent):
    """A `ReActAgent` that is told, in each turn, what applies to that turn.

    `guidelines` whose predicates hold, or which `matcher` (by default the agent's own model) finds to
    hold, go into the system row of every model call of the turn, and so does the step at which each of
    the `journeys` stands. Where a journey stands is worked out from the messages. Raises `ValueError`
    for two guidelines with one id and two journeys with one name, and for a journey without steps.
    """

    def __init__(
        self,
        name: str,
        model: Model | str,
        *,
        guidelines: Iterable[Guideline] = (),
        journeys: Iterable[Journey] = (),
        matcher: Model | str | None = None,
        **options: Unpack[ReActOptions],
    ) -> None:
        super().__init__(name, model, **options)
        self._guidelines = tuple(guidelines)
        self._journeys = tuple(journeys)
        self._matcher = self._model if matcher is None else resolve_model(matcher)
        _unique("guideline id", [guideline.id for guideline in self._guidelines])
        _unique("journey name", [journey.name for journey in self._journeys])
        for journey in self._journeys:
            if not journey.steps:
                raise ValueError(f"Expected steps in the journey {journey.name!r}, got none")

    def check(self, messages: list[Message], config: Mapping[str, Any]) -> None:
        """Raise for a call that cannot be right, and where the model or the matcher cannot work at all."""
        super().check(messages, config)
        check_available(self._matcher)

    async def guide(
        self, guidance: list[str], messages: list[Message], config: Mapping[str, Any]
    ) -> AsyncIterator[AgentEvent]:
        """Find what applies: the markers of this turn come before the call that is told."""
        if self._guidelines:
            matching = GuidelineMatching(self._guidelines, self._matcher, messages)
            async with closing(matching.events()) as events:
                async for event in events:
                    yield event
            for guideline in matching.matched:
                guidance.append(f"When {guideline.when}: {guideline.then}")
                yield GuidelineMatched(guideline.id, guideline.when, guideline.then)
        conversation_id = config.get("conversation_id") or ""
        for journey in self._journeys:
            progress = progress_of(journey, messages)
            for marker in progress.events(conversation_id):
                yield marker
            if instruction := progress.instruction():
                guidance.append(instruction)


def _unique(kind: str, names: list[str]) -> None:
    for name in names:
        if not name or names.count(name) > 1:
            raise ValueError(f"Expected each {kind} once and not empty, got {name!r}")
