"""Scenarios about the shape of an agent."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

import latent.conformance._scripts as scripts
from latent.conformance._catalogue._rule import Level
from latent.conformance._driving._closing import let_go
from latent.conformance._driving._place import place_of, tried
from latent.conformance._driving._turns import SETTLED, let_others_run
from latent.conformance._staging._pairing import where_apart
from latent.conformance._staging._scenario import TOOLS, Scenario
from latent.conformance._staging._stage import Stage
from latent.conformance._verdict._excerpt import described, shortened
from latent.conformance.harness import Script
from latent.protocol import AgentProtocol, InvokeResult, ProtocolError, Step

__all__ = ["FAILS_AT_ONCE", "SCENARIOS", "has_shape", "streams"]

FAILS_AT_ONCE = (
    "Mend this first: until the agent answers a plain question, nothing else can be judged. An agent that reaches "
    "for a model of its own is built on harness.model, or on harness.base_url, instead."
)

_UNKNOWN: dict[str, Any] = {"a key nobody knows": {"of": ["some", "use"]}}
_BY_POSITION = inspect.Parameter.POSITIONAL_OR_KEYWORD


def has_shape(stage: Stage, agent: Any) -> bool:
    """PROTO-1: both names are there."""
    stage.ledger.met("PROTO-1")
    if isinstance(agent, AgentProtocol):
        return True
    missing = [name for name in ("stream", "invoke") if not callable(getattr(agent, name, None))]
    stage.ledger.breach(
        "PROTO-1", f"Expected stream and invoke on `{type(agent).__name__}`, got no {', '.join(missing)}"
    )
    return False


def streams(stage: Stage, agent: Any, messages: list[Any]) -> bool:
    """PROTO-2: what stream gives can be iterated; what it gave is let go."""
    stage.ledger.met("PROTO-2")
    given, raised = tried(lambda: agent.stream(messages))
    if raised is not None:
        if _streams_with_config(agent, messages):
            stage.ledger.met("PROTO-3")
            stage.ledger.breach("PROTO-3", f"Expected stream(messages) to run without config, got {described(raised)}")
        else:
            message = f"Expected stream(messages) to give an async iterator, got {described(raised)}{place_of(raised)}"
            stage.ledger.breach("PROTO-2", message, hint=FAILS_AT_ONCE)
        return False
    if hasattr(given, "__aiter__") and hasattr(given, "__anext__"):
        return True
    what = f"a `{type(given).__name__}`"
    if inspect.isawaitable(given):
        what = "something to await first"
        if inspect.iscoroutine(given):
            given.close()
    elif hasattr(given, "__aiter__"):
        what = f"a `{type(given).__name__}`, which has __aiter__ but no __anext__"
    stage.ledger.breach("PROTO-2", f"Expected stream(messages) to give an async iterator, got {what}")
    return False


def _streams_with_config(agent: Any, messages: list[Any]) -> bool:
    given, raised = tried(lambda: agent.stream(messages, config={"conversation_id": "c-1"}))
    return raised is None and hasattr(given, "__aiter__")  # else it is not the config that it lacks


async def options(stage: Stage) -> None:
    """`config` absent, empty and with unknown keys, for both ways to run."""
    sound = False
    _keyword_only(stage, stage.make())
    for config in (None, {}, _UNKNOWN):
        run = await stage.stream(stage.make(), stage.play(scripts.ANSWER), config=config)
        stage.ledger.met("PROTO-3")
        plain = config is None
        if isinstance(run.raised, TypeError) or (run.raised is not None and not plain and sound):
            stage.ledger.breach("PROTO-3", f"Expected stream to take config={config!r}, got {described(run.raised)}")
            continue
        sound = sound or (plain and not run.failed)
        stage.judge(run, blame="PROTO-2")
    for config in (None, {}, _UNKNOWN):
        given = {"config": config, "stream_wrapper": None}
        await _invoked(stage, stage.make(), given)
    await _invoked(stage, stage.make(), {})


def _keyword_only(stage: Stage, agent: Any) -> None:
    """A hint: whoever hands an option over by position binds the agent to its place."""
    for name, options in (("stream", ("config",)), ("invoke", ("stream_wrapper", "config"))):
        try:
            parameters = inspect.signature(getattr(agent, name)).parameters
        except (TypeError, ValueError):
            continue
        loose = [each for each in options if each in parameters and parameters[each].kind is _BY_POSITION]
        if loose:
            message = f"Expected {' and '.join(loose)} of {name} as keyword-only, got them by position too"
            stage.ledger.breach("PROTO-3", message, level=Level.SHOULD)
            return


async def _invoked(stage: Stage, agent: Any, given: dict[str, Any]) -> None:
    stage.ledger.met("PROTO-3")
    run = stage.new_run(stage.play(scripts.ANSWER))
    called = ", ".join(("messages", *(f"{name}={value!r}" for name, value in given.items())))
    pending, raised = tried(lambda: agent.invoke(run.messages, **given))
    if raised is not None:
        stage.ledger.breach("PROTO-3", f"Expected invoke({called}) to give a coroutine, got {described(raised)}")
        return
    if not inspect.isawaitable(pending):
        message = f"Expected invoke({called}) to give a coroutine, got a `{type(pending).__name__}`"
        stage.ledger.breach("PROTO-3", message)
        return
    task = asyncio.ensure_future(pending)
    if not await stage.bounded(task, stage.limits.timeout):
        stage.ledger.breach("PROTO-3", f"Expected invoke({called}) to return, got {stage.no_end}")
    elif not task.cancelled() and isinstance(task.exception(), ProtocolError):
        return  # it refuses a stream that breaks another rule
    elif task.cancelled() or task.exception() is not None:
        got = described(_raised(task))
        stage.ledger.breach("PROTO-3", f"Expected invoke({called}) to return an InvokeResult, got {got}")
    elif wrong := _no_result(task.result()):
        stage.ledger.breach("PROTO-3", f"Expected invoke({called}) to return an InvokeResult, got {wrong}")


def _no_result(result: object) -> str | None:
    """What is wrong with it, in words."""
    if not isinstance(result, InvokeResult):
        return f"a `{type(result).__name__}`"
    text: object = result.text
    steps: object = result.steps
    if not isinstance(text, str):
        return f"one whose text is a `{type(text).__name__}`"
    if not isinstance(steps, list):
        return f"one whose steps are a `{type(steps).__name__}`"
    odd = [type(step).__name__ for step in steps if not isinstance(step, Step)]
    return f"one with a `{odd[0]}` as step" if odd else None


def _raised(task: asyncio.Future[Any]) -> BaseException | None:
    return asyncio.CancelledError() if task.cancelled() else task.exception()


async def lazy(stage: Stage) -> None:
    """An iterator that nobody has asked does nothing."""
    conversation = stage.play(scripts.ANSWER)
    agent = stage.make()
    before = asyncio.all_tasks()
    stream = agent.stream(conversation.messages)
    begun = asyncio.all_tasks() - before
    await let_others_run(SETTLED)
    stage.ledger.met("PROTO-7")
    if conversation.requests or begun:
        got = "a request to the model" if conversation.requests else f"{len(begun)} task that stream() began"
        stage.ledger.breach("PROTO-7", f"Expected no work before the first __anext__, got {got}")
    await let_go(stream)


async def reset(stage: Stage) -> None:
    """`reset` between two runs."""
    await _reset(stage, scripts.ANSWER)


async def reset_with_tools(stage: Stage) -> None:
    """`reset` between two runs with tools."""
    await _reset(stage, scripts.TALK)


async def _reset(stage: Stage, script: Script) -> None:
    agent = stage.make()
    found = getattr(agent, "reset", None)
    if found is None:
        return
    if not callable(found):
        stage.ledger.met("PROTO-8")
        stage.ledger.breach("PROTO-8", f"Expected reset as a method, got {shortened(found)}")
        return
    conversation = stage.play(script)
    before = await stage.stream(agent, conversation)
    stage.ledger.met("PROTO-8")
    given, raised = tried(lambda: agent.reset() or agent.reset())
    if raised is not None:
        got = described(raised)
        stage.ledger.breach("PROTO-8", f"Expected reset() to return None, once and once more, got {got}")
        return
    if inspect.iscoroutine(given):
        given.close()
    if given is not None:
        stage.ledger.breach("PROTO-8", f"Expected reset() to return None, got a `{type(given).__name__}`")
        return
    conversation.rewind()
    after = await stage.stream(agent, conversation)
    if apart := await where_apart(stage, before, after):
        stage.ledger.breach("PROTO-8", f"Expected the same run after reset(): {apart}")


SCENARIOS = (
    Scenario("options", ("PROTO-3", "TEXT-5", "STEP-4"), options),
    Scenario("an iterator that nobody asks", ("PROTO-7",), lazy),
    Scenario("reset", ("PROTO-8",), reset),
    Scenario("reset, with tools", ("PROTO-8",), reset_with_tools, TOOLS),
)
