"""Sound agents that choose where they may: what they take for broken off, shorten, rename or refuse."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from cases.agent import Answer, SoundAgent

from latent.protocol import AgentEvent, Message, ToolCall, ToolResult

Rows = list[dict[str, Any]]


class TakesAnEndWithoutAReasonForAFailure(SoundAgent):
    async def ask(self, rows: Rows, answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                yield event
        if answer.finish is None and answer.calls:
            answer.failure = answer.failure or "the model's answer broke off"


class AsksAgainWhereAnAnswerHasNoReason(SoundAgent):
    async def ask(self, rows: Rows, answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        for attempt in range(2):
            again = Answer()
            async with aclosing(super().ask(rows, again, step + 100 * attempt)) as events:
                async for event in events:
                    yield event
            vars(answer).update(vars(again))
            if again.finish or again.text or again.failure:
                return


class RunsNoCallWithoutAReason(SoundAgent):
    async def run(self, call: ToolCall, answer: Answer) -> ToolResult:
        if answer.finish is None:
            return ToolResult(call.id, error="the answer broke off")
        return await super().run(call, answer)


class MakesTwentyCallsAndRefusesTheRest(SoundAgent):
    async def run(self, call: ToolCall, answer: Answer) -> ToolResult:
        if call in answer.calls[20:]:
            return ToolResult(call.id, error="too many calls at once")
        return await super().run(call, answer)


class RefusesABatchWithAnUnknownTool(SoundAgent):
    async def run(self, call: ToolCall, answer: Answer) -> ToolResult:
        if any(each.function.name not in self.tools for each in answer.calls):
            return ToolResult(call.id, error="not run: one of the calls names no tool that there is")
        return await super().run(call, answer)


class ShortensOutputsAndSaysSo(SoundAgent):
    def row(self, result: ToolResult) -> dict[str, Any]:
        row = super().row(result)
        left = len(row["content"]) - 1000
        return row if left <= 0 else {**row, "content": f"{row['content'][:1000]} [{left} characters are left out]"}


class NamesCallsAsItsProviderWants(SoundAgent):
    """Every id of the history is a short one."""

    def rows(self, messages: list[Message]) -> Rows:
        rows = super().rows(messages)
        names: dict[str, str] = {}
        for row in rows:
            for call in row.get("tool_calls") or ():
                known = len(call["id"]) <= 40 and call["id"].isidentifier()
                call["id"] = names.setdefault(call["id"], call["id"] if known else f"call_{len(names)}")
            if "tool_call_id" in row:
                row["tool_call_id"] = names.get(row["tool_call_id"], row["tool_call_id"])
        return rows


class SpeaksToTheModelInTurns(SoundAgent):
    """Neighbouring rows of the user go as one, for providers that want the roles to take turns."""

    def rows(self, messages: list[Message]) -> Rows:
        rows: Rows = []
        for row in super().rows(messages):
            both = [rows[-1]["content"], row["content"]] if rows and row["role"] == rows[-1]["role"] == "user" else []
            if both and all(isinstance(each, str) for each in both):
                rows[-1] = {**row, "content": "\n\n".join(both)}
            else:
                rows.append(row)
        return rows


class OffersItsToolsInAnyOrder(SoundAgent):
    def definitions(self) -> list[dict[str, Any]]:
        return random.sample(super().definitions(), len(self.tools))


CHOICES: tuple[type[SoundAgent], ...] = (
    TakesAnEndWithoutAReasonForAFailure,
    AsksAgainWhereAnAnswerHasNoReason,
    RunsNoCallWithoutAReason,
    MakesTwentyCallsAndRefusesTheRest,
    RefusesABatchWithAnUnknownTool,
    ShortensOutputsAndSaysSo,
    NamesCallsAsItsProviderWants,
    SpeaksToTheModelInTurns,
    OffersItsToolsInAnyOrder,
)

REFUSE_ODD_ENDS = frozenset({TakesAnEndWithoutAReasonForAFailure, AsksAgainWhereAnAnswerHasNoReason})
"""Those of them that would not declare `odd_wire`: it promises to take the calls of such an answer."""
