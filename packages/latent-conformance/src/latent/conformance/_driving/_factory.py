"""How an author hands over an agent."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeAlias

from latent.conformance._driving._place import place_of, tried, unset
from latent.conformance._driving._watchdog import LoopBlockedError
from latent.conformance._verdict._excerpt import described
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
        given = f"{_name(factory)}({names})"
        raise FactoryError(
            f"Expected a factory that takes the harness or nothing, got {given}: write a function around it"
        )
    return bool(required)


def build(factory: AgentFactory, harness: Harness, *, takes_harness: bool) -> Any:
    """A fresh agent; raises `FactoryError` that says what came instead."""
    name = _name(factory)
    try:
        agent = factory(harness) if takes_harness else factory()
    except KeyboardInterrupt:
        raise
    except LoopBlockedError as blocked:
        got = f"no end{place_of(blocked)}: a longer timeout gives it more"
        raise FactoryError(f"Expected the factory {name} to return in time, got {got}") from blocked
    except BaseException as raised:  # whatever a factory raises, its author has to read it
        got = f"{described(raised)}{place_of(raised)}{unset(raised)}"
        raise FactoryError(f"Expected the factory {name} to build an agent, got {got}") from raised
    wrong, unseen = tried(lambda: _no_agent(agent))
    if unseen is not None:
        wrong = f"one that cannot be looked at: {described(unseen)}{place_of(unseen)}"
    if wrong:
        raise FactoryError(f"Expected an agent with stream and invoke from the factory {name}, got {wrong}")
    return agent


def _no_agent(given: object) -> str | None:
    """What a factory gave instead of an agent, and what to do about it."""
    if inspect.iscoroutine(given):
        given.close()
        return "a coroutine: write it without async"
    if inspect.isasyncgen(given):
        return (
            "an async generator: that is a stream; give an object whose stream(messages) it is, with invoke beside it"
        )
    if inspect.isgenerator(given):
        return "a generator: return the agent instead of yield"
    if inspect.isclass(given):
        return f"the class {given.__qualname__}: call it"
    return None if hasattr(given, "stream") or hasattr(given, "invoke") else _described(given)


def _name(factory: AgentFactory) -> str:
    return str(getattr(factory, "__qualname__", repr(factory)))


def _described(value: object) -> str:
    return "None" if value is None else f"a `{type(value).__name__}`"
