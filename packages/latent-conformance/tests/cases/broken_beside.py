"""Agents whose fault shows where much goes on at once: several runs on one instance, many calls in one turn."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from typing import Any

from cases.agent import Answer, SoundAgent

from latent.protocol import AgentEvent, LLMCallEnd, Usage


class CountsForAll(SoundAgent):
    """What the model told last is the usage of whoever ends next."""

    told = Answer()

    def take(self, chunk: dict[str, Any], answer: Answer) -> Iterator[AgentEvent]:
        yield from super().take(chunk, answer)
        self.told = answer if answer.input else self.told

    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                told = self.told if answer.input else answer
                match event:
                    case Usage():
                        yield Usage(told.input, told.output, event.model_id)
                    case LLMCallEnd():
                        yield LLMCallEnd(event.run_id, None, told.input, told.output, event.model_id)
                    case _:
                        yield event


ROWS: tuple[tuple[Any, ...], ...] = (("STATE-1", CountsForAll),)
