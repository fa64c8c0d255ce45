"""Agents that make something else of what the model said: mended arguments, words that were said before, clean text."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, suppress
from typing import Any

from cases.agent import Answer, SoundAgent
from cases.broken_characters import CleansText

from latent.protocol import AgentEvent, Message, TextDelta, ToolCall, ToolResult

Config = dict[str, Any] | None


class TakesFalsyForNothing(SoundAgent):
    def parse(self, arguments: str) -> dict[str, Any] | None:
        with suppress(ValueError):
            return super().parse(arguments) if json.loads(arguments) else {}
        return None


class _Mends(SoundAgent):
    """Reads arguments that do not parse once more, mended."""

    def mended(self, arguments: str) -> str:
        raise NotImplementedError

    def parse(self, arguments: str) -> dict[str, Any] | None:
        value = super().parse(arguments)
        return value if value is not None else super().parse(self.mended(arguments))


class ClosesTheQuotes(_Mends):
    def mended(self, arguments: str) -> str:
        return f'{arguments}"}}'


class TakesOffTheFence(_Mends):
    def mended(self, arguments: str) -> str:
        return arguments.removeprefix("```json").removesuffix("```")


class ReadsPython(_Mends):
    def mended(self, arguments: str) -> str:
        with suppress(ValueError, SyntaxError):
            return json.dumps(ast.literal_eval(arguments))
        return ""


class SaysNothingTwice(SoundAgent):
    """A longer delta that came before in the run is taken for a repetition."""

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        said: set[str] = set()
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                if not isinstance(event, TextDelta) or event.text not in said:
                    yield event
                if isinstance(event, TextDelta) and len(event.text) > 8:
                    said.add(event.text)


class TakesLaterTextForTheAnswer(SoundAgent):
    """From the second step on, text ends the run, whatever stands beside it."""

    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                yield event
        if step and answer.text.strip():
            answer.calls = []


class DropsControls(CleansText):
    unwanted = re.compile("[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]")


class DropsWhatHasNoWidth(CleansText):
    unwanted = re.compile("\u200b")


class DropsCitations(CleansText):
    unwanted = re.compile(r"\[\d+\]")


class KnowsItsExceptions(SoundAgent):
    """What is none of these leaves the run."""

    known = (ValueError, TypeError, LookupError, RuntimeError, OSError, ArithmeticError, ExceptionGroup)

    async def result(self, call: ToolCall, arguments: dict[str, Any]) -> ToolResult:
        strange: list[Exception] = []

        async def tool(**given: Any) -> Any:
            try:
                return await self.tools[call.function.name](**given)
            except Exception as failure:
                strange.extend([] if isinstance(failure, self.known) else [failure])
                raise

        agent = SoundAgent(self.model, (), 1)
        agent.tools[call.function.name] = tool
        result = await agent.result(call, arguments)
        if strange:
            raise strange[0]
        return result


class _Keeps(SoundAgent):
    """Makes something of an output."""

    def made(self, output: Any) -> Any:
        raise NotImplementedError

    async def result(self, call: ToolCall, arguments: dict[str, Any]) -> ToolResult:
        result = await super().result(call, arguments)
        return ToolResult(call.id, self.made(result.output), result.error)


class KeepsWhatJsonHolds(_Keeps):
    def made(self, output: Any) -> Any:
        return json.loads(json.dumps(output, default=str))


class KeepsListsOfAll(_Keeps):
    def made(self, output: Any) -> Any:
        return list(output) if isinstance(output, (tuple, set)) else output


class KeepsTextOfWhatJsonLacks(_Keeps):
    def made(self, output: Any) -> Any:
        with suppress(TypeError):
            json.dumps(output)
            return output
        return str(output)


class KeepsNoNone(_Keeps):
    def made(self, output: Any) -> Any:
        return {name: each for name, each in output.items() if each is not None} if isinstance(output, dict) else output


class _Reads(SoundAgent):
    """Reads what is left of a delta."""

    def kept(self, delta: dict[str, Any], choice: dict[str, Any]) -> dict[str, Any]:
        raise NotImplementedError

    def take(self, chunk: dict[str, Any], answer: Answer) -> Iterator[AgentEvent]:
        choices = [{**choice, "delta": self.kept(choice["delta"], choice)} for choice in chunk["choices"]]
        yield from super().take({**chunk, "choices": choices}, answer)


class ReadsCallsOrText(_Reads):
    def kept(self, delta: dict[str, Any], choice: dict[str, Any]) -> dict[str, Any]:
        return {"tool_calls": delta["tool_calls"]} if "tool_calls" in delta else delta


class ReadsReasoningOrText(_Reads):
    def kept(self, delta: dict[str, Any], choice: dict[str, Any]) -> dict[str, Any]:
        return {"reasoning_content": delta["reasoning_content"]} if "reasoning_content" in delta else delta


class ReadsNoTextAtTheFinish(_Reads):
    def kept(self, delta: dict[str, Any], choice: dict[str, Any]) -> dict[str, Any]:
        return {**delta, "content": None} if choice["finish_reason"] else delta


class ReadsOneFragmentOfAChunk(_Reads):
    def kept(self, delta: dict[str, Any], choice: dict[str, Any]) -> dict[str, Any]:
        return {**delta, "tool_calls": delta.get("tool_calls", [])[:1]}


class AsksTheFinishForCalls(SoundAgent):
    """Without odd_wire that is a hint."""

    def calls(self, answer: Answer, step: int) -> Iterator[ToolCall]:
        return super().calls(answer, step) if answer.finish != "stop" else iter(())


ROWS: tuple[tuple[Any, ...], ...] = (
    ("TOOL-19", TakesFalsyForNothing),
    ("TOOL-19", ClosesTheQuotes),
    ("TOOL-19", TakesOffTheFence),
    ("TOOL-19", ReadsPython),
    ("TEXT-5", SaysNothingTwice),
    ("TOOL-9", TakesLaterTextForTheAnswer),
    ("TEXT-9", DropsControls),
    ("TEXT-9", DropsWhatHasNoWidth),
    ("TEXT-5", DropsCitations),
    ("TOOL-14", KnowsItsExceptions),
    ("TOOL-16", KeepsWhatJsonHolds),
    ("TOOL-16", KeepsListsOfAll),
    ("TOOL-16", KeepsTextOfWhatJsonLacks),
    ("TOOL-16", KeepsNoNone),
)

ODD: tuple[tuple[Any, ...], ...] = (
    ("TEXT-5", ReadsCallsOrText, "MSG-7"),
    ("TEXT-5", ReadsReasoningOrText),
    ("TEXT-5", ReadsNoTextAtTheFinish, "MSG-7"),
    ("TOOL-9", ReadsOneFragmentOfAChunk),
    ("TOOL-9", AsksTheFinishForCalls),
)
"""Found where an answer comes as only some servers send it."""
HINTS: tuple[tuple[str, type[SoundAgent]], ...] = (("TOOL-9", AsksTheFinishForCalls),)
"""What weakens an agent without failing it, where nothing odd is declared."""
