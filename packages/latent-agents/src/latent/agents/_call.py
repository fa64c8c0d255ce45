"""One call of the model."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from secrets import token_hex
from time import time
from typing import Any

from latent.agents._assembly import Assembler, Response
from latent.agents._closing import closing
from latent.agents._previews import preview, rows_preview
from latent.agents._rows import row
from latent.agents.models import Model
from latent.protocol import AgentEvent, LLMCallEnd, LLMCallStart, Message, Metadata, Usage

__all__ = ["ModelCall"]


class ModelCall:
    """One call of the model: `events()` makes it, `response` is what came of it.

    `taken` holds the tool-call ids of the conversation; the ids of this response are added to it.
    """

    response: Response
    """What the model answered; there once `events()` ended."""

    def __init__(
        self,
        model: Model,
        messages: Iterable[Message],
        *,
        tools: Sequence[dict[str, Any]] = (),
        taken: set[str] | None = None,
    ) -> None:
        self._model = model
        self._rows = [row(message) for message in messages]
        self._tools = tools
        self._taken = set() if taken is None else taken

    async def events(self) -> AsyncIterator[AgentEvent]:
        """Make the call, once: its start, the deltas as they come, its usage, its end, the tool calls.

        When the model fails, the usage and the end come first and then what it raised.
        """
        run_id, model_id, began = f"llm_{token_hex(8)}", self._model.model_id, time()
        yield LLMCallStart(run_id, rows_preview(self._rows), model_id, began)
        assembler = Assembler(model_id, self._taken)
        failure: Exception | None = None
        try:
            async with closing(self._model.stream(self._rows, tools=self._tools)) as chunks:
                async for chunk in chunks:
                    for event in assembler.feed(chunk):
                        yield event
        except Exception as error:
            failure = error
        for event in assembler.finish():  # also of a call that failed: what was held back had been said
            yield event
        response = assembler.response()
        if response.interruption and failure is None:
            yield Metadata({"finish_reason": response.interruption}, target="step")
        usage = response.usage
        spent = (usage.input_tokens, usage.output_tokens) if usage is not None else (0, 0)
        if usage is not None:
            yield usage
        yield LLMCallEnd(run_id, preview(response.text) or None, *spent, model_id, max(began, time()))
        if failure is not None:
            raise failure
        for call in response.calls:
            yield call
        self.response = response

    async def accounting(self) -> AsyncIterator[AgentEvent]:
        """Make the call, once, for its answer alone: its start, its usage, its end.

        An auxiliary call shows so in the step that it serves, and what it says is nobody's answer.
        """
        async with closing(self.events()) as events:
            async for event in events:
                if isinstance(event, (LLMCallStart, Usage, LLMCallEnd)):
                    yield event
