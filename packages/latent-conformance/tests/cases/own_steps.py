"""Sound agents with steps of their own: functions, and calls of a model beside the main one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from itertools import count
from typing import Any, Literal

from cases.agent import SoundAgent
from cases.loopback import HttpModel
from msgspec.structs import replace

from latent.conformance import AgentFactory
from latent.conformance.harness import Harness
from latent.protocol import (
    AgentEvent,
    LLMCallEnd,
    LLMCallStart,
    Message,
    PhaseCompleted,
    PhaseStarted,
    ReasoningDelta,
    StepBoundary,
    TextDelta,
    ToolCall,
    ToolResult,
    Usage,
)

Config = dict[str, Any] | None
Place = Literal["before", "between", "after"]
Own = Callable[[], AsyncIterator[AgentEvent]]


class WithOwnSteps(SoundAgent):
    """Has steps of its own before the loop, behind each round of tools, or behind the answer."""

    def __init__(self, harness: Harness, own: Own, places: frozenset[Place]) -> None:
        super().__init__(harness.model, harness.tools, harness.max_iterations)
        self.own = own
        self.places = places

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        steps, calls = count(), count()
        async with aclosing(self.unnumbered(messages, config)) as events:
            async for event in events:
                match event:
                    case StepBoundary():
                        yield replace(event, step=next(steps))
                    case LLMCallStart():
                        at = next(calls)
                        yield replace(event, run_id=f"call-{at}")
                    case LLMCallEnd():
                        yield replace(event, run_id=f"call-{at}")
                    case _:
                        yield event

    async def unnumbered(self, messages: list[Message], config: Config) -> AsyncIterator[AgentEvent]:
        last: AgentEvent | None = None
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                place: Place = "between" if isinstance(last, ToolResult) else "before"
                if isinstance(event, StepBoundary) and place in self.places and (last is None or place == "between"):
                    async with aclosing(self.own()) as steps:
                        async for each in steps:
                            yield each
                last = event
                yield event
        if "after" in self.places and isinstance(last, LLMCallEnd):
            async with aclosing(self.own()) as steps:
                async for each in steps:
                    yield each


def asking(model: Any, *, name: str | None, silent: bool = False) -> Own:
    """A step in which another model is asked, under the name that the events give it."""

    async def own() -> AsyncIterator[AgentEvent]:
        yield StepBoundary(0)
        yield LLMCallStart("", "", name)
        spent = {"prompt_tokens": 0, "completion_tokens": 0}
        async with aclosing(model.stream([{"role": "user", "content": "What next?"}])) as chunks:
            async for chunk in chunks:
                spent = chunk.get("usage") or spent
                for choice in chunk["choices"]:
                    if choice["delta"].get("content") and not silent:
                        yield TextDelta(choice["delta"]["content"])
        yield Usage(spent["prompt_tokens"], spent["completion_tokens"], name)
        yield LLMCallEnd("", None, spent["prompt_tokens"], spent["completion_tokens"], name)

    return own


async def speaking() -> AsyncIterator[AgentEvent]:
    """A step with a text that no model gave, and no label."""
    yield StepBoundary(0)
    yield TextDelta("On we go. ")


async def thinking() -> AsyncIterator[AgentEvent]:
    """A step with a thought that no model had."""
    yield StepBoundary(0, label="plan")
    yield ReasoningDelta("First things first.")


class Calling:
    """A step with a call that the agent made by itself."""

    def __init__(self) -> None:
        self.numbers = count()

    async def __call__(self) -> AsyncIterator[AgentEvent]:
        yield StepBoundary(0, label="gather")
        for event in own_call(f"own-{next(self.numbers)}"):
            yield event


def own_call(name: str) -> tuple[AgentEvent, AgentEvent]:
    """A call of a tool that the model does not know, and what it gave."""
    return ToolCall.from_arguments(name, "search_notes", {"about": "this"}), ToolResult(name, ["a note"])


async def calling_in_a_phase() -> AsyncIterator[AgentEvent]:
    """The same in a phase of a pipeline, in front of the others."""
    yield PhaseStarted("gather")
    yield StepBoundary(0)
    for event in own_call("own"):
        yield event
    yield PhaseCompleted("gather")


class LooksItUpFirst(SoundAgent):
    """Calls a tool by itself in the first step, before the model is asked."""

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event
                if event == StepBoundary(0):
                    for each in own_call("own"):
                        yield each


def _looks_it_up_first(harness: Harness) -> LooksItUpFirst:
    return LooksItUpFirst(harness.model, harness.tools, harness.max_iterations)


async def in_a_phase() -> AsyncIterator[AgentEvent]:
    """The same in a phase of a pipeline."""
    yield PhaseStarted("tidy")
    yield StepBoundary(0, label="function")
    yield TextDelta("All tidy.")
    yield PhaseCompleted("tidy")


def _with(own: Callable[[Harness], Own], *places: Place) -> AgentFactory:
    def make(harness: Harness) -> WithOwnSteps:
        return WithOwnSteps(harness, own(harness), frozenset(places))

    return make


class Pipeline(WithOwnSteps):
    """A function, the loop and a function, each in a phase of its own."""

    async def unnumbered(self, messages: list[Message], config: Config) -> AsyncIterator[AgentEvent]:
        if not messages:
            raise ValueError("Expected at least one message")
        done = False
        async for each in self.own():
            yield each
        yield PhaseStarted("answer")
        async with aclosing(super().unnumbered(messages, config)) as events:
            async for event in events:
                done = isinstance(event, LLMCallEnd)
                yield event
        if not done:
            return
        yield PhaseCompleted("answer")
        yield PhaseStarted("tidy", 1)
        yield StepBoundary(0)
        yield TextDelta("All is done.")
        yield PhaseCompleted("tidy")


def _pipeline(harness: Harness) -> Pipeline:
    return Pipeline(harness, in_a_phase, frozenset())


def _named(harness: Harness) -> Own:
    return asking(harness.aux_model, name=harness.aux_model_id)


def _nameless(harness: Harness) -> Own:
    return asking(harness.aux_model, name=None)


def _silent(harness: Harness) -> Own:
    return asking(harness.aux_model, name=harness.aux_model_id, silent=True)


def _over_http(harness: Harness) -> Own:
    return asking(HttpModel(harness, harness.aux_model_id), name="latent/auxiliary")


OWN_STEPS: dict[str, AgentFactory] = {
    "another model before": _with(_named, "before"),
    "another model between": _with(_named, "between"),
    "another model after": _with(_named, "after"),
    "another model everywhere": _with(_named, "before", "between", "after"),
    "a nameless model before": _with(_nameless, "before"),
    "a nameless model between": _with(_nameless, "between"),
    "a nameless model after": _with(_nameless, "after"),
    "a silent model everywhere": _with(_silent, "before", "between", "after"),
    "another model over http": _with(_over_http, "before", "between", "after"),
    "a function before": _with(lambda _: speaking, "before"),
    "a function between": _with(lambda _: speaking, "between"),
    "a function in a phase after": _with(lambda _: in_a_phase, "after"),
    "a pipeline with functions": _pipeline,
    "a thought before": _with(lambda _: thinking, "before"),
    "a call before": _with(lambda _: Calling(), "before"),
    "a call between": _with(lambda _: Calling(), "before", "between"),
    "a call in a phase before": _with(lambda _: calling_in_a_phase, "before"),
    "a call in the first step": _looks_it_up_first,
}
