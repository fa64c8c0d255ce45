"""How an author hands over an agent."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeAlias

from latent.conformance.harness import Harness

__all__ = ["AgentFactory", "FactoryError", "build", "wants_harness"]

AgentFactory: TypeAlias = Callable[..., Any]
"""`factory(harness)`, or `factory()` for an agent that has its own model."""

_EMPTY = inspect.Parameter.empty


class FactoryError(ValueError):
    """The factory gave nothing that could be judged."""


def wants_harness(factory: AgentFactory) -> bool:
    """Whether the factory has a required parameter, which then is the harness; raises `FactoryError`."""
    if not callable(factory):
        raise FactoryError(f"Expected a factory, a callable that builds an agent, got {_described(factory)}")
    try:
        parameters = inspect.signature(factory).parameters.values()
    except (TypeError, ValueError) as unknown:
        raise FactoryError(f"Expected a factory with a signature, got {factory!r}: {unknown}") from None
    required = [
        each
        for each in parameters
        if each.default is _EMPTY and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    ]
    keyword = [each.name for each in required if each.kind is each.KEYWORD_ONLY]
    if len(required) > 1 or keyword:
        names = ", ".join(each.name for each in required)
        raise FactoryError(f"Expected a factory that takes the harness or nothing, got {factory!r} with ({names})")
    return bool(required)


def build(factory: AgentFactory, harness: Harness, *, takes_harness: bool) -> Any:
    """A fresh agent; raises `FactoryError` that says what came instead."""
    name = getattr(factory, "__qualname__", repr(factory))
    try:
        agent = factory(harness) if takes_harness else factory()
    except KeyboardInterrupt:
        raise
    except BaseException as raised:  # whatever a factory raises, its author has to read it
        raise FactoryError(f"Expected the factory {name} to build an agent, got {raised!r}") from raised
    if inspect.iscoroutine(agent):
        agent.close()
        raise FactoryError(f"Expected an agent from the factory {name}, got a coroutine: write it without async")
    if inspect.isasyncgen(agent) or inspect.isgenerator(agent):
        raise FactoryError(f"Expected an agent from the factory {name}, got a generator: return it instead of yield")
    if inspect.isclass(agent):
        raise FactoryError(f"Expected an agent from the factory {name}, got the class {agent.__qualname__}: call it")
    if not (hasattr(agent, "stream") or hasattr(agent, "invoke")):
        raise FactoryError(f"Expected an agent with stream and invoke from the factory {name}, got {_described(agent)}")
    return agent


def _described(value: object) -> str:
    return "None" if value is None else f"a `{type(value).__name__}`"
