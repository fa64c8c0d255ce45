"""The loop of reasoning and acting.

Read `ReActAgent.run` to see what an agent is: everything else in this distribution serves it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from typing import Any, TypedDict

from latent.agents._base import BaseAgent
from latent.agents._call import ModelCall
from latent.agents._closing import closing
from latent.agents._verification import Verification, Verifier
from latent.agents.models import Model, check_available, resolve_model
from latent.agents.tools import Tool, ToolBatch, ToolBox
from latent.protocol import AgentEvent, Error, InvokeResult, Message, StepBoundary

__all__ = ["ReActAgent", "ReActOptions"]


class ReActOptions(TypedDict, total=False):
    """What a `ReActAgent` and its subclasses take by name."""

    tools: Iterable[Tool | Callable[..., Any]]
    """The tools."""
    instructions: str | None
    """The beginning of the system row."""
    max_iterations: int
    """The limit of the loop."""
    verifier: Verifier | None
    """The judge of each answer."""


class ReActAgent(BaseAgent):
    """Calls the model, runs the tools that it asks for, and calls it again until it answers.

    `model` is anything with the shape of `latent.agents.models.Model`; a plain string is a model of
    LiteLLM. `tools` are annotated functions, sync or async, or `Tool`s. `instructions` go before the
    history as a system row. `verifier(messages, text)` judges each answer that has a text;
    its feedback becomes the next user row, and the loop goes on.

    Raises `TypeError` and `ValueError` for arguments that cannot work; a missing package is reported
    at the first use.
    """

    def __init__(
        self,
        name: str,
        model: Model | str,
        *,
        tools: Iterable[Tool | Callable[..., Any]] = (),
        instructions: str | None = None,
        max_iterations: int = 10,
        verifier: Verifier | None = None,
    ) -> None:
        super().__init__(name)
        if isinstance(max_iterations, bool) or not isinstance(max_iterations, int) or max_iterations < 1:
            raise ValueError(f"Expected max_iterations of at least 1, got {max_iterations!r}")
        if verifier is not None and not callable(verifier):
            raise TypeError(f"Expected a callable as verifier, got `{type(verifier).__name__}`")
        self._model = resolve_model(model)
        self._tools = ToolBox(tools)
        self._instructions = instructions
        self._max_iterations = max_iterations
        self._verifier = verifier
        self._asked: list[Message] = []
        self._asking = False

    async def run(self, messages: list[Message], config: Mapping[str, Any]) -> AsyncIterator[AgentEvent]:
        """One step for each iteration: call the model, then run its calls, or end with its answer."""
        conversation = list(messages)
        guidance = [self._instructions] if self._instructions else []
        taken = {call.id for message in messages for call in message.tool_calls or ()}
        for step in range(self._max_iterations):
            yield StepBoundary(step)

            if step == 0:
                async with closing(self.guide(guidance, messages, config)) as events:
                    async for event in events:
                        yield event
                system = [Message("system", "\n\n".join(guidance))] if guidance else []

            call = ModelCall(self._model, [*system, *conversation], tools=self._tools.definitions(), taken=taken)
            async with closing(call.events()) as events:
                async for event in events:
                    yield event
            response = call.response

            if response.calls:
                batch = ToolBatch(self._tools, response.calls, response.unrunnable)
                async with closing(batch.events()) as events:
                    async for event in events:
                        yield event
                conversation += [response.message(), *batch.messages()]
                continue

            if self._verifier is None or not response.text:
                return
            verification = Verification(self._verifier, conversation, response.text)
            async with closing(verification.events()) as events:
                async for event in events:
                    yield event
            if verification.accepted:
                return
            conversation += [response.message(), Message("user", verification.feedback)]

        yield Error(f"No final answer within {self._max_iterations} iterations")

    async def guide(
        self, guidance: list[str], messages: list[Message], config: Mapping[str, Any]
    ) -> AsyncIterator[AgentEvent]:
        """What shapes a turn: add to `guidance`, the texts of the system row, and yield what to report of it."""
        for event in list[AgentEvent]():  # a plain agent has nothing to say
            yield event

    async def ask(self, text: str) -> InvokeResult:
        """One turn of a conversation that this instance keeps, for use at a prompt.

        A turn that fails leaves the conversation as it was. Raises `RuntimeError` while another `ask`
        is under way, and what `invoke` raises.
        """
        if self._asking:
            raise RuntimeError("Expected one ask() at a time: the conversation it keeps has one order")
        self._asking = True
        before = self._asked
        try:
            question = [*before, Message("user", text)]
            result = await self.invoke(question)
            if self._asked is before:  # not reset meanwhile
                self._asked = [*question, *result.to_messages()]
            return result
        finally:
            self._asking = False

    def reset(self) -> None:
        """Forget the conversation that `ask` keeps; `stream` and `invoke` never see it."""
        self._asked = []

    def check(self, messages: list[Message], config: Mapping[str, Any]) -> None:
        """Raise for a call that cannot be right, and what the model raises where it cannot work at all."""
        super().check(messages, config)
        check_available(self._model)
