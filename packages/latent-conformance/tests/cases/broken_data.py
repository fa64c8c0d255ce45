"""Agents that take data for something else than it is, or lose it where it is long, many or rare."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, suppress
from html import unescape
from typing import Any

from cases.agent import Answer, SoundAgent
from cases.broken_rarely import DropsWhenTheReaderIsSlow
from cases.loopback import HttpModel

from latent.protocol import AgentEvent, Message, TextDelta, ToolCall, ToolResult

Rows = list[dict[str, Any]]


class _Converts(SoundAgent):
    """Gives its tools something else for a text."""

    def converted(self, text: str) -> Any:
        raise NotImplementedError

    async def result(self, call: ToolCall, arguments: dict[str, Any]) -> ToolResult:
        given = {name: self.converted(each) if isinstance(each, str) else each for name, each in arguments.items()}
        return await super().result(call, given)


class TakesDigitsForNumbers(_Converts):
    def converted(self, text: str) -> Any:
        return int(text) if text.isdigit() else text


class TakesWordsForConstants(_Converts):
    def converted(self, text: str) -> Any:
        return {"true": True, "false": False}.get(text, text)


class TakesNullForNone(_Converts):
    def converted(self, text: str) -> Any:
        return None if text == "null" else text


class TakesTextForJson(_Converts):
    def converted(self, text: str) -> Any:
        with suppress(ValueError):
            return json.loads(text) if text.startswith("{") else text
        return text


class DecodesEntities(_Converts):
    def converted(self, text: str) -> Any:
        return unescape(text)


class DropsArgumentsBehindNone(SoundAgent):
    """Behind a call without arguments, no call has any."""

    def calls(self, answer: Answer, step: int) -> Iterator[ToolCall]:
        bare = False
        for slot in answer.slots:
            slot["arguments"] = "" if bare else slot["arguments"]
            bare = bare or not slot["arguments"]
        yield from super().calls(answer, step)


class MakesCallsThatAreFinished(SoundAgent):
    def calls(self, answer: Answer, step: int) -> Iterator[ToolCall]:
        yield from super().calls(answer, step) if answer.finish else ()


class MakesThirtyTwoCallsAtMost(SoundAgent):
    def calls(self, answer: Answer, step: int) -> Iterator[ToolCall]:
        yield from list(super().calls(answer, step))[:32]


class MakesNoCallBesideAnUnknownOne(SoundAgent):
    def calls(self, answer: Answer, step: int) -> Iterator[ToolCall]:
        made = list(super().calls(answer, step))
        unknown = [call for call in made if call.function.name not in self.tools]
        yield from made if len(made) == 1 or not unknown else ()


class TakesUnfinishedArgumentsForNone(SoundAgent):
    def calls(self, answer: Answer, step: int) -> Iterator[ToolCall]:
        for slot in answer.slots:
            if answer.finish is None and self.parse(slot["arguments"]) is None:
                slot["arguments"] = "{}"
        yield from super().calls(answer, step)


class _Told(SoundAgent):
    """Tells of an output what it takes it for."""

    def taken(self, call: ToolCall, output: Any) -> ToolResult:
        raise NotImplementedError

    async def result(self, call: ToolCall, arguments: dict[str, Any]) -> ToolResult:
        result = await super().result(call, arguments)
        return result if result.error is not None else self.taken(call, result.output)


class ParsesOutputs(_Told):
    def taken(self, call: ToolCall, output: Any) -> ToolResult:
        is_json = isinstance(output, str) and output.startswith("{")
        return ToolResult(call.id, json.loads(output) if is_json else output)


class TakesNumbersOutOfOutputs(_Told):
    def taken(self, call: ToolCall, output: Any) -> ToolResult:
        return ToolResult(call.id, int(output) if isinstance(output, str) and output.isdigit() else output)


class TakesAKeyForAnError(_Told):
    def taken(self, call: ToolCall, output: Any) -> ToolResult:
        if isinstance(output, dict) and output.get("error"):
            return ToolResult(call.id, error=str(output["error"]))
        return ToolResult(call.id, output)


class TakesAWordForAnError(_Told):
    def taken(self, call: ToolCall, output: Any) -> ToolResult:
        if isinstance(output, str) and output.startswith("Error"):
            return ToolResult(call.id, error=output)
        return ToolResult(call.id, output)


class _TakesOut(SoundAgent):
    """Takes out of each chunk what looks like markup."""

    markup: str

    def text(self, piece: str, answer: Answer) -> Iterator[AgentEvent]:
        if kept := re.sub(self.markup, "", piece):
            yield TextDelta(kept)


class TakesOutSpecialTokens(_TakesOut):
    markup = r"<\|[^|]*\|>"


class TakesOutTagsOfCalls(_TakesOut):
    markup = r"</?tool_call>"


class TakesOffFences(_TakesOut):
    markup = r"```(json)?"


class CutsOutputsForTheModel(SoundAgent):
    def row(self, result: ToolResult) -> dict[str, Any]:
        row = super().row(result)
        return {**row, "content": row["content"][:30_000]}


class DropsWhenMuchIsDue(DropsWhenTheReaderIsSlow):
    places = 64


class CleansIdsOfCalls(SoundAgent):
    def rows(self, messages: list[Message]) -> Rows:
        rows = super().rows(messages)
        for call in (each for row in rows for each in row.get("tool_calls") or ()):
            call["id"] = re.sub(r"\W", "_", call["id"])
        return rows


class CutsIdsOfResults(SoundAgent):
    def rows(self, messages: list[Message]) -> Rows:
        rows = super().rows(messages)
        return [{**row, "tool_call_id": row["tool_call_id"][:40]} if "tool_call_id" in row else row for row in rows]


class SendsPartsAsJson(SoundAgent):
    def rows(self, messages: list[Message]) -> Rows:
        rows = super().rows(messages)
        texts = [each["content"] if isinstance(each["content"], str) else json.dumps(each["content"]) for each in rows]
        return [{**row, "content": text} for row, text in zip(rows, texts, strict=True)]


class SendsAHundredRows(SoundAgent):
    def rows(self, messages: list[Message]) -> Rows:
        return super().rows(messages)[-100:]


class OffersMoreEachTime(SoundAgent):
    """Each run adds the definition of its last answer to a list of the instance's own."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._more: list[dict[str, Any]] = []

    def rows(self, messages: list[Message]) -> Rows:
        self._more.append({"type": "function", "function": {"name": "final_answer", "parameters": {}}})
        return super().rows(messages)

    def definitions(self) -> list[dict[str, Any]]:
        return [*super().definitions(), *self._more]


class OffersNoToolThatWasCalledWrongly(SoundAgent):
    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._confusing: set[str] = set()

    async def run(self, call: ToolCall, answer: Answer) -> ToolResult:
        if "raw_arguments" in call.function.arguments:
            self._confusing.add(call.function.name)
        return await super().run(call, answer)

    def definitions(self) -> list[dict[str, Any]]:
        return [each for each in super().definitions() if each["function"]["name"] not in self._confusing]


class TellsMoreOfTheCache(SoundAgent):
    def take(self, chunk: dict[str, Any], answer: Answer) -> Iterator[AgentEvent]:
        yield from super().take(chunk, answer)
        if chunk.get("usage"):
            answer.cached += 7


class EndsWhereTextSaysSo(SoundAgent):
    """Its client does."""


class ReadsNoFieldName(SoundAgent):
    """Its client does."""


class DoneModel(HttpModel):
    """Takes a text that speaks of the end of a stream for the end."""

    async def stream(self, *given: Any, **options: Any) -> AsyncIterator[dict[str, Any]]:
        async with aclosing(super().stream(*given, **options)) as chunks:
            async for chunk in chunks:
                if "[DONE]" in json.dumps(chunk):
                    return
                yield chunk


class ReplacingModel(HttpModel):
    """Takes the name of the field out of the whole line."""

    def chunks(self, data: str) -> Iterator[dict[str, Any]]:
        yield from super().chunks(data.replace("data: ", ""))


ROWS: tuple[tuple[Any, ...], ...] = (
    ("TOOL-9", TakesDigitsForNumbers),
    ("TOOL-9", TakesWordsForConstants),
    ("TOOL-9", TakesNullForNone),
    ("TOOL-9", TakesTextForJson),
    ("TOOL-9", DecodesEntities),
    ("TOOL-9", DropsArgumentsBehindNone),
    ("TOOL-9", MakesCallsThatAreFinished),
    ("TOOL-9", MakesThirtyTwoCallsAtMost),
    ("TOOL-9", MakesNoCallBesideAnUnknownOne),
    ("TOOL-19", TakesUnfinishedArgumentsForNone),
    ("TOOL-16", ParsesOutputs),
    ("TOOL-16", TakesNumbersOutOfOutputs),
    ("TOOL-16", TakesAKeyForAnError),
    ("TOOL-16", TakesAWordForAnError),
    ("TEXT-9", TakesOutSpecialTokens),
    ("TEXT-9", TakesOutTagsOfCalls),
    ("TEXT-9", TakesOffFences),
    ("MSG-5", CutsOutputsForTheModel),
    ("TEXT-5", DropsWhenMuchIsDue),
    ("MSG-4", CleansIdsOfCalls),
    ("MSG-4", CutsIdsOfResults),
    ("STATE-8", SendsPartsAsJson),
    ("STATE-8", SendsAHundredRows),
    ("STATE-2", OffersMoreEachTime),
    ("STATE-2", OffersNoToolThatWasCalledWrongly),
    ("USAGE-5", TellsMoreOfTheCache),
)

OVER_HTTP: tuple[tuple[Any, ...], ...] = (
    ("TEXT-5", EndsWhereTextSaysSo, DoneModel, "USAGE-5"),
    ("TEXT-5", ReadsNoFieldName, ReplacingModel),
)
