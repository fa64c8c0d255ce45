"""Agents that lose white space, or characters that are not printed, on the way to the consumer or to the model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from cases.agent import Answer, SoundAgent

from latent.protocol import AgentEvent, FunctionCall, InvokeResult, Message, TextDelta, ToolCall, ToolResult

Rows = list[dict[str, Any]]


class StripsTheFront(SoundAgent):
    """An answer begins with its first letter."""

    def text(self, piece: str, answer: Answer) -> Iterator[AgentEvent]:
        before = answer.text.removesuffix(piece)
        if kept := piece if before.strip() else piece.lstrip():
            yield TextDelta(kept)


class StripsTheEnd(SoundAgent):
    """White space waits for a letter behind it."""

    def text(self, piece: str, answer: Answer) -> Iterator[AgentEvent]:
        before = answer.text.removesuffix(piece)
        if piece.strip():
            yield TextDelta(before[len(before.rstrip()) :] + piece.rstrip())


class StripsEachDelta(SoundAgent):
    def text(self, piece: str, answer: Answer) -> Iterator[AgentEvent]:
        yield TextDelta(piece.lstrip() or piece)


class StripsWhatItSendsBack(SoundAgent):
    def turn_rows(self, answer: Answer, results: list[ToolResult]) -> Rows:
        said, *rows = super().turn_rows(answer, results)
        return [{**said, "content": answer.text.strip()}, *rows]


class StripsEarlierAnswers(SoundAgent):
    def rows(self, messages: list[Message]) -> Rows:
        rows = super().rows(messages)
        return [{**row, "content": row["content"].lstrip()} if row["role"] == "assistant" else row for row in rows]


class TrimsTheResult(SoundAgent):
    """The result of `invoke` has no white space around its text."""

    async def invoke(
        self, messages: list[Message], *, stream_wrapper: Any = None, config: dict[str, Any] | None = None
    ) -> InvokeResult:
        result = await super().invoke(messages, stream_wrapper=stream_wrapper, config=config)
        result.text = result.text.strip()
        return result


class _Cleaning(SoundAgent):
    """Takes characters out of a text that are not printed."""

    unwanted = re.compile("[\ufeff\0\u2028]")

    def cleaned(self, value: Any) -> Any:
        match value:
            case str():
                return self.unwanted.sub("", value)
            case list():
                return [self.cleaned(each) for each in value]
            case dict():
                return {name: self.cleaned(each) for name, each in value.items()}
            case _:
                return value


class CleansText(_Cleaning):
    def text(self, piece: str, answer: Answer) -> Iterator[AgentEvent]:
        if kept := self.cleaned(piece):
            yield TextDelta(kept)


class DropsByteOrderMarks(CleansText):
    unwanted = re.compile("\ufeff")


class DropsNul(CleansText):
    unwanted = re.compile("\0")


class BreaksLines(SoundAgent):
    def text(self, piece: str, answer: Answer) -> Iterator[AgentEvent]:
        yield TextDelta(re.sub("[\x85\u2028\u2029]", "\n", piece))


class CleansCalls(_Cleaning):
    def call_of(self, slot: dict[str, Any]) -> ToolCall:
        call = super().call_of(slot)
        arguments = call.function.arguments.replace("\\u0000", "")
        return ToolCall(call.id, FunctionCall(call.function.name, self.cleaned(arguments)))


class CleansWhatToolsGet(_Cleaning):
    async def result(self, call: ToolCall, arguments: dict[str, Any]) -> ToolResult:
        return await super().result(call, self.cleaned(arguments))


class CleansOutputs(_Cleaning):
    async def result(self, call: ToolCall, arguments: dict[str, Any]) -> ToolResult:
        result = await super().result(call, arguments)
        return ToolResult(call.id, self.cleaned(result.output), result.error)


class CleansToolRows(_Cleaning):
    def row(self, result: ToolResult) -> dict[str, Any]:
        return {name: self.cleaned(value) for name, value in super().row(result).items()}


class CleansSentCalls(_Cleaning):
    def turn_rows(self, answer: Answer, results: list[ToolResult]) -> Rows:
        said, *rows = super().turn_rows(answer, results)
        for call in said["tool_calls"]:
            call["function"]["arguments"] = self.cleaned(call["function"]["arguments"])
        return [said, *rows]


class CleansTheHistory(_Cleaning):
    def rows(self, messages: list[Message]) -> Rows:
        return [self.cleaned(row) for row in super().rows(messages)]


class SendsBareLists(SoundAgent):
    """A list of strings, which no vendor takes for content."""

    def row(self, result: ToolResult) -> dict[str, Any]:
        row = super().row(result)
        return {**row, "content": [row["content"]]}


class SendsTheLastPart(SoundAgent):
    """Text in parts is sound, and the first of them is text too."""

    def turn_rows(self, answer: Answer, results: list[ToolResult]) -> Rows:
        said, *rows = super().turn_rows(answer, results)
        half = len(answer.text) // 2
        return [{**said, "content": [{"type": "text", "text": answer.text[half:]}]}, *rows]


class SendsTheSystemFirst(SoundAgent):
    def rows(self, messages: list[Message]) -> Rows:
        return sorted(super().rows(messages), key=lambda row: row["role"] != "system")


class SendsTheFirstOfTheSystem(SoundAgent):
    def rows(self, messages: list[Message]) -> Rows:
        return [row for at, row in enumerate(super().rows(messages)) if at == 0 or row["role"] != "system"]


class EndsLinesAtSeparators(SoundAgent):
    """Its client does."""


class SkipsBrokenLines(SoundAgent):
    """Its client does."""


ROWS: tuple[tuple[Any, ...], ...] = (
    ("TEXT-5", StripsTheFront),
    ("TEXT-5", StripsTheEnd),
    ("TEXT-5", StripsEachDelta),
    ("TEXT-1", TrimsTheResult),
    ("MSG-7", StripsWhatItSendsBack),
    ("MSG-4", StripsEarlierAnswers),
    ("TEXT-9", CleansText),
    ("TEXT-9", DropsByteOrderMarks),
    ("TEXT-9", DropsNul),
    ("TEXT-9", BreaksLines),
    ("TOOL-9", CleansCalls),
    ("TOOL-9", CleansWhatToolsGet),
    ("TOOL-16", CleansOutputs),
    ("MSG-5", CleansToolRows),
    ("MSG-5", CleansSentCalls),
    ("MSG-4", CleansTheHistory),
    ("MSG-2", SendsBareLists),
    ("MSG-7", SendsTheLastPart),
    ("STATE-8", SendsTheSystemFirst),
    ("STATE-8", SendsTheFirstOfTheSystem),
)
