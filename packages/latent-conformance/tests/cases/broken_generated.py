"""Broken agents that come through every fixed script; only a conversation that nobody wrote shows what is wrong."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from cases.agent import Answer, SoundAgent
from cases.broken_wire import ForgivesMissingKeys
from cases.live import ODD_WIRE

from latent.conformance.harness import Harness
from latent.protocol import AgentEvent, InvokeResult, Message, TextDelta, ToolCall, ToolResult

Config = dict[str, Any] | None


class TakesABraceForACall(SoundAgent):
    """Text that is one brace never comes out."""

    def text(self, piece: str, answer: Answer) -> Iterator[AgentEvent]:
        if piece != "{":
            yield from super().text(piece, answer)


class FlattensLists(SoundAgent):
    """A list within a list is taken apart."""

    async def result(self, call: ToolCall, arguments: dict[str, Any]) -> ToolResult:
        result = await super().result(call, arguments)
        match result.output:
            case [list() as first, *rest]:
                return ToolResult(result.tool_call_id, [*first, *rest])
            case _:
                return result


class RoundsNumbers(SoundAgent):
    """A float without a fraction becomes an int."""

    async def result(self, call: ToolCall, arguments: dict[str, Any]) -> ToolResult:
        result = await super().result(call, arguments)
        if isinstance(result.output, float) and result.output.is_integer():
            return ToolResult(result.tool_call_id, int(result.output))
        return result


class ChokesOnNothingInside(SoundAgent):
    """A list with `None` in it ends the run."""

    async def result(self, call: ToolCall, arguments: dict[str, Any]) -> ToolResult:
        result = await super().result(call, arguments)
        if isinstance(result.output, list):
            assert None not in result.output, "there is nothing in it"
        return result

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event


class MixesThreeCalls(SoundAgent):
    """A fragment of the second call right after one of the third is added to the third."""

    def slot(self, fragment: dict[str, Any], answer: Answer) -> dict[str, Any]:
        slot = super().slot(fragment, answer)
        last, answer.finish = answer.finish, str(fragment.get("index"))
        return answer.slots[2] if (last, answer.finish) == ("2", "1") else slot


class EndsOnTimeouts(SoundAgent):
    """A tool that runs out of time ends the run."""

    async def result(self, call: ToolCall, arguments: dict[str, Any]) -> ToolResult:
        try:
            return ToolResult(call.id, await self.tools[call.function.name](**arguments))
        except TimeoutError:
            raise
        except BaseException as failure:
            if isinstance(failure, Exception) or "cancelled" in repr(failure).lower():
                return ToolResult(call.id, error=str(failure) or type(failure).__name__)
            raise


class ForgetsTheLastWords(SoundAgent):
    """Each delta waits for the next one; where none comes, because the model broke down, it is lost."""

    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        kept: TextDelta | None = None
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                if kept is not None and answer.failure is None:
                    yield kept
                kept = event if isinstance(event, TextDelta) else None
                if kept is None:
                    yield event


class TakesAQuoteForNothing(SoundAgent):
    """The result of `invoke` has no text where that would be one quote."""

    async def invoke(
        self, messages: list[Message], *, stream_wrapper: Any = None, config: Config = None
    ) -> InvokeResult:
        result = await super().invoke(messages, stream_wrapper=stream_wrapper, config=config)
        result.text = "" if result.text == '"' else result.text
        return result


class ReadsUsageInItsOwnChunk(SoundAgent):
    """Usage that comes with the finish reason is overlooked."""

    def take(self, chunk: dict[str, Any], answer: Answer) -> Iterator[AgentEvent]:
        if chunk["choices"]:
            chunk = {**chunk, "usage": None}
        yield from super().take(chunk, answer)


class RefusesIdsUsedAgain(SoundAgent):
    """An id that an earlier step had ends the run."""

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        taken: set[str] = set()
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                if isinstance(event, ToolCall):
                    if event.id in taken:
                        raise KeyError(event.id)
                    taken.add(event.id)
                yield event


class DropsASecondBrace(SoundAgent):
    """A brace too many at the end of the arguments is taken for a slip."""

    def parse(self, arguments: str) -> dict[str, Any] | None:
        slipped = arguments.endswith("}}") and super().parse(arguments) is None
        return super().parse(arguments[:-1] if slipped else arguments)

    def call_of(self, slot: dict[str, Any]) -> ToolCall:
        meant = self.parse(slot["arguments"])
        return super().call_of(slot if meant is None else {**slot, "arguments": json.dumps(meant)})


@dataclass(frozen=True)
class GeneratedCase:
    """A broken agent, what the kit has to say about it, and how short the conversation is that shows it."""

    rule: str
    broken: type[SoundAgent]
    turns: int
    pieces: int
    capabilities: frozenset[str] | None = None

    def make(self, harness: Harness) -> SoundAgent:
        """The factory."""
        return self.broken(harness.model, harness.tools, harness.max_iterations)


GENERATED: tuple[GeneratedCase, ...] = (
    GeneratedCase("TEXT-5", TakesABraceForACall, turns=1, pieces=3),
    GeneratedCase("TOOL-16", FlattensLists, turns=2, pieces=6),
    GeneratedCase("TOOL-16", RoundsNumbers, turns=2, pieces=6),
    GeneratedCase("TOOL-16", ChokesOnNothingInside, turns=2, pieces=6),
    GeneratedCase("TOOL-9", MixesThreeCalls, turns=2, pieces=11),
    GeneratedCase("TOOL-14", EndsOnTimeouts, turns=2, pieces=6),
    GeneratedCase("ERR-5", ForgetsTheLastWords, turns=1, pieces=2),
    GeneratedCase("ERR-3", ForgivesMissingKeys, turns=1, pieces=2),
    GeneratedCase("TOOL-19", DropsASecondBrace, turns=2, pieces=6),
    GeneratedCase("TEXT-1", TakesAQuoteForNothing, turns=1, pieces=3),
    GeneratedCase("USAGE-5", ReadsUsageInItsOwnChunk, turns=1, pieces=2, capabilities=ODD_WIRE),
    GeneratedCase("TOOL-2", RefusesIdsUsedAgain, turns=3, pieces=9, capabilities=ODD_WIRE),
)
