"""Agents whose fault shows where much goes on at once: several runs on one instance, many calls in one turn."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from typing import Any

from cases.agent import Answer, SoundAgent

from latent.protocol import AgentEvent, InvokeResult, LLMCallEnd, Message, ToolCall, ToolResult, Usage


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
                        yield Usage(told.input, told.output, event.model_id, cache_read_input_tokens=told.cached)
                    case LLMCallEnd():
                        yield LLMCallEnd(event.run_id, None, told.input, told.output, event.model_id)
                    case _:
                        yield event


class SortsCallsById(SoundAgent):
    def calls(self, answer: Answer, step: int) -> Iterator[ToolCall]:
        yield from sorted(super().calls(answer, step), key=lambda call: call.id)


class SortsSlotsAsText(SoundAgent):
    def calls(self, answer: Answer, step: int) -> Iterator[ToolCall]:
        answer.slots.sort(key=lambda slot: str(slot["index"]))
        yield from super().calls(answer, step)


class GroupsCallsByTool(SoundAgent):
    def calls(self, answer: Answer, step: int) -> Iterator[ToolCall]:
        calls = list(super().calls(answer, step))
        yield from sorted(calls, key=lambda call: call.function.name) if len(calls) > 3 else calls


class SendsCallsSortedById(SoundAgent):
    def turn_rows(self, answer: Answer, results: list[ToolResult]) -> list[dict[str, Any]]:
        answer.calls.sort(key=lambda call: call.id)
        return super().turn_rows(answer, results)


class SendsResultsSortedById(SoundAgent):
    def turn_rows(self, answer: Answer, results: list[ToolResult]) -> list[dict[str, Any]]:
        calls, *rows = super().turn_rows(answer, results)
        return [calls, *sorted(rows, key=lambda row: row["tool_call_id"])]


class GivesRowsSortedById(SoundAgent):
    async def invoke(self, messages: list[Message], **options: Any) -> InvokeResult:
        result = await super().invoke(messages, **options)
        for step in result.steps:
            step.tool_messages.sort(key=lambda row: str(row.tool_call_id))
        return result


class RefusesWhatWasReset(SoundAgent):
    """Its runs are known until a reset, and a tool asks whether its own is."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._known: list[Answer] = []

    def reset(self) -> None:
        self._known.clear()

    def calls(self, answer: Answer, step: int) -> Iterator[ToolCall]:
        self._known.append(answer)
        return super().calls(answer, step)

    async def run(self, call: ToolCall, answer: Answer) -> ToolResult:
        known = any(each is answer for each in self._known)
        return await super().run(call, answer) if known else ToolResult(call.id, error="there was a reset")


ROWS: tuple[tuple[Any, ...], ...] = (
    ("STATE-1", CountsForAll),
    ("TOOL-13", SortsCallsById),
    ("TOOL-13", SortsSlotsAsText),
    ("TOOL-13", GroupsCallsByTool),
    ("TOOL-13", SendsCallsSortedById),
    ("TOOL-13", SendsResultsSortedById),
    ("TOOL-13", GivesRowsSortedById),
    ("STATE-9", RefusesWhatWasReset),
)
