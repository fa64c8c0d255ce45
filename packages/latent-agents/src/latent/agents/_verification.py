"""Self-verification."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from copy import deepcopy
from typing import TypeAlias

from latent.agents._aside import Aside
from latent.agents._closing import closing
from latent.protocol import AgentEvent, Message, VerificationResult

__all__ = ["Verification", "Verifier"]

Verifier: TypeAlias = Callable[[list[Message], str], VerificationResult | Awaitable[VerificationResult]]
"""Judges an answer: takes the conversation without it, and its text."""

_NO_FEEDBACK = "The answer was not accepted. Answer again."


class Verification:
    """One judgement of one answer."""

    accepted: bool
    """Whether the answer stands; there once `events()` ended."""
    feedback: str
    """What the model is told where it does not."""

    def __init__(self, verifier: Verifier, conversation: Sequence[Message], text: str) -> None:
        self._aside: Aside[VerificationResult] = Aside(verifier, deepcopy(list(conversation)), text)

    async def events(self) -> AsyncIterator[AgentEvent]:
        """Ask the verifier, once: what it reports, then its `VerificationResult`."""
        async with closing(self._aside.events()) as events:
            async for event in events:
                yield event
        result = self._aside.value
        if not isinstance(result, VerificationResult):
            raise TypeError(f"Expected a VerificationResult from the verifier, got `{type(result).__name__}`")
        self.accepted = result.accepted
        self.feedback = result.feedback or _NO_FEEDBACK
        yield result
