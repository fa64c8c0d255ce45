"""Agents whose fault is in what becomes of a history: in a later request, in a batch of calls, in a row's form."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from html import escape, unescape
from typing import Any

from cases.agent import Answer, SoundAgent

from latent.protocol import AgentEvent, Message, ReasoningDelta, TextDelta, ToolCall, ToolResult

Config = dict[str, Any] | None
Rows = list[dict[str, Any]]


class SendsTheHistoryOnce(SoundAgent):
    def kept(self, rows: Rows, step: int) -> Rows:
        asked = max(at for at, row in enumerate(rows) if row["role"] == "user")
        return rows[asked:] if step else rows

    async def ask(self, rows: Rows, answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().ask(self.kept(rows, step), answer, step)) as events:
            async for event in events:
                yield event


class ForgetsInTheThirdStep(SendsTheHistoryOnce):
    def kept(self, rows: Rows, step: int) -> Rows:
        return super().kept(rows, step) if step == 2 else rows


class InstructsOnce(SendsTheHistoryOnce):
    def kept(self, rows: Rows, step: int) -> Rows:
        return [row for row in rows if not step or row["role"] != "system"]


class ForgetsEarlierResults(SendsTheHistoryOnce):
    """From the second step on, an earlier run's calls and their results are gone."""

    def kept(self, rows: Rows, step: int) -> Rows:
        asked = max(at for at, row in enumerate(rows) if row["role"] == "user")
        earlier = [row for row in rows[:asked] if row["role"] != "tool" and not row.get("tool_calls")]
        return [*earlier, *rows[asked:]] if step else rows


class SendsOneCallOfEach(SoundAgent):
    def calls_in(self, calls: list[Any]) -> list[Any]:
        return calls[:1]

    def rows(self, messages: list[Message]) -> Rows:
        rows = super().rows(messages)
        return [{**row, "tool_calls": self.calls_in(row["tool_calls"])} if "tool_calls" in row else row for row in rows]


class SendsCallsTurnedRound(SendsOneCallOfEach):
    def calls_in(self, calls: list[Any]) -> list[Any]:
        return calls[::-1]


class SendsOneResultOfEach(SoundAgent):
    def rows(self, messages: list[Message]) -> Rows:
        rows = super().rows(messages)
        return [row for at, row in enumerate(rows) if not (at and row["role"] == rows[at - 1]["role"] == "tool")]


class SortsTheCallsItIsGiven(SoundAgent):
    def rows(self, messages: list[Message]) -> Rows:
        for message in messages:
            (message.tool_calls or []).sort(key=lambda call: call.id, reverse=True)
        return super().rows(messages)


class SendsPicturesAlone(SoundAgent):
    def content(self, parts: list[dict[str, Any]]) -> Any:
        return [part for part in parts if part["type"] != "text"]

    def rows(self, messages: list[Message]) -> Rows:
        rows = super().rows(messages)
        return [
            {**row, "content": self.content(row["content"])} if isinstance(row["content"], list) else row
            for row in rows
        ]


class MarksTheParts(SoundAgent):
    """A part of the caller's own list is told to be kept in the provider's cache."""

    def rows(self, messages: list[Message]) -> Rows:
        for message in messages:
            if isinstance(message.content, list):
                message.content[-1]["cache_control"] = {"type": "ephemeral"}
        return super().rows(messages)


class SendsFalsyOutputsAsNothing(SoundAgent):
    def row(self, result: ToolResult) -> dict[str, Any]:
        return {**super().row(result), "content": str(result.error or result.output or "")}


class SendsFlagsAsWords(SoundAgent):
    """An output that is a flag or a number goes to the model as a word of its own."""

    def row(self, result: ToolResult) -> dict[str, Any]:
        unmarked = isinstance(result.output, (bool, float))
        return {**super().row(result), "content": "done"} if unmarked else super().row(result)


class LeavesOutNulls(SoundAgent):
    async def result(self, call: ToolCall, arguments: dict[str, Any]) -> ToolResult:
        return await super().result(call, {name: value for name, value in arguments.items() if value is not None})


class StripsFragments(SoundAgent):
    def assemble(self, fragment: dict[str, Any], answer: Answer) -> None:
        function = fragment["function"]
        super().assemble({**fragment, "function": {**function, "arguments": function["arguments"].strip()}}, answer)


class SaysWhatItThought(SoundAgent):
    """Where the model said nothing beside its calls, what it thought stands in the row."""

    def take(self, chunk: dict[str, Any], answer: Answer) -> Iterator[AgentEvent]:
        for event in super().take(chunk, answer):
            if isinstance(event, ReasoningDelta):
                vars(answer)["thought"] = vars(answer).get("thought", "") + event.text
            yield event

    def turn_rows(self, answer: Answer, results: list[ToolResult]) -> Rows:
        said, *rows = super().turn_rows(answer, results)
        return [{**said, "content": answer.text or vars(answer).get("thought", "")}, *rows]


class TakesMarkupAway(SoundAgent):
    def text(self, piece: str, answer: Answer) -> Iterator[AgentEvent]:
        yield TextDelta(piece.replace("**", ""))


class EscapesMarkup(SoundAgent):
    def text(self, piece: str, answer: Answer) -> Iterator[AgentEvent]:
        yield TextDelta(escape(piece))


class ReadsEntities(SoundAgent):
    def text(self, piece: str, answer: Answer) -> Iterator[AgentEvent]:
        yield TextDelta(unescape(piece))


ROWS: tuple[tuple[Any, ...], ...] = (
    ("STATE-8", SendsTheHistoryOnce),
    ("STATE-8", ForgetsInTheThirdStep),
    ("STATE-8", InstructsOnce),
    ("MSG-4", ForgetsEarlierResults),
    ("MSG-4", SendsOneCallOfEach),
    ("MSG-4", SendsCallsTurnedRound),
    ("MSG-4", SendsOneResultOfEach),
    ("STATE-3", SortsTheCallsItIsGiven),
    ("STATE-8", SendsPicturesAlone),
    ("STATE-3", MarksTheParts),
    ("MSG-5", SendsFalsyOutputsAsNothing),
    ("MSG-5", SendsFlagsAsWords),
    ("TOOL-9", LeavesOutNulls),
    ("TOOL-9", StripsFragments),
    ("MSG-6", SaysWhatItThought),
    ("TEXT-9", TakesMarkupAway),
    ("TEXT-9", EscapesMarkup),
    ("TEXT-9", ReadsEntities),
)
