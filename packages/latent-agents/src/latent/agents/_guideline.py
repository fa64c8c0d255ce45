"""Guidelines, and which of them apply to a turn."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from re import escape, search
from typing import TypeAlias

from msgspec import Struct

from latent.agents._call import ModelCall
from latent.agents._closing import closing
from latent.agents._previews import content_text
from latent.agents.models import Model
from latent.protocol import AgentEvent, Message

__all__ = ["Guideline", "GuidelineMatching", "Predicate"]

Predicate: TypeAlias = Callable[[list[Message]], bool]
"""A plain function of the messages so far; it must depend on nothing else."""

_MATCHER = (
    "You decide which conditions hold for the last turn of a conversation. "
    "Answer with the ids of those that hold, one on each line, and with NONE where none does."
)
_LAST_MESSAGES = 20


class Guideline(Struct, frozen=True):
    """What the agent is told to do under a condition."""

    id: str
    """The guideline's id."""
    when: str
    """The condition, in words."""
    then: str
    """The instruction."""
    matches: Predicate | None = None
    """Decides in place of a model."""


class GuidelineMatching:
    """Finds the guidelines that apply: by their predicates, and by one call of a model for the others."""

    matched: list[Guideline]
    """The guidelines that apply, in the order given; there once `events()` ended."""

    def __init__(self, guidelines: Sequence[Guideline], model: Model, messages: list[Message]) -> None:
        self._guidelines = guidelines
        self._model = model
        self._messages = messages

    async def events(self) -> AsyncIterator[AgentEvent]:
        """Decide, once: the start, the usage and the end of the model call, where one is made."""
        asked = [guideline for guideline in self._guidelines if guideline.matches is None]
        answer = ""
        if asked:
            call = ModelCall(self._model, _question(asked, self._messages))
            async with closing(call.accounting()) as events:
                async for event in events:
                    yield event
            answer = call.response.text
        self.matched = [guideline for guideline in self._guidelines if self._applies(guideline, answer)]

    def _applies(self, guideline: Guideline, answer: str) -> bool:
        if guideline.matches is not None:
            return bool(guideline.matches(list(self._messages)))
        return search(rf"(?<![\w-]){escape(guideline.id)}(?![\w-])", answer) is not None


def _question(guidelines: Sequence[Guideline], messages: list[Message]) -> list[Message]:
    said = [f"{message.role}: {content_text(message.content)}" for message in messages[-_LAST_MESSAGES:]]
    conditions = [f"{guideline.id}: {guideline.when}" for guideline in guidelines]
    text = "\n".join(["Conversation:", *said, "", "Conditions:", *conditions])
    return [Message("system", _MATCHER), Message("user", text)]
