"""Scenarios for an agent that has its own model."""

from __future__ import annotations

from collections.abc import Sequence

from latent.conformance._evidence._run import Run
from latent.conformance._scenarios._closing import close_and_look
from latent.conformance._scenarios._shape import has_shape, streams
from latent.conformance._scenarios._wrapping import invoke_without_text
from latent.conformance._staging._stage import Stage
from latent.conformance._verdict._excerpt import shortened
from latent.conformance._verdict._ledger import Ledger
from latent.conformance.harness import Script
from latent.protocol import InvokeResult, Message

__all__ = ["black_box"]

_EXITS = (0, 1, 3)


async def black_box(stage: Stage, prompts: Sequence[str]) -> str | None:
    """Judge what can be seen of an agent whose model is not the kit's; gives what kept it from showing more."""
    agent = stage.make()
    if not has_shape(stage, agent):
        return "the agent is no AgentProtocol"
    if not streams(stage, agent, [Message("user", prompts[0])]):
        return "stream() gives nothing that could be iterated"
    failure = None
    for prompt in prompts:
        run = _run(stage, prompt)
        await stage.consume(agent, run)
        stage.judge(run, witnessed=False, blame="PROTO-2")
        if run.hung:
            return "the agent hung"
        if run.failed and failure is None:
            failure = f"asked {shortened(prompt)}, {run.ending}: a run that succeeds shows more"
        run = _run(stage, prompt)
        await stage.call(agent, run, wrapped=True)
        stage.judge(run, _result, witnessed=False, blame="PROTO-3")
    await invoke_without_text(stage, agent, _run(stage, prompts[0]))
    for count in _EXITS:
        await close_and_look(stage, agent, _run(stage, prompts[0]), count)
    return failure


def _run(stage: Stage, prompt: str) -> Run:
    run = stage.new_run(stage.play(Script("a prompt", ())))
    run.messages, run.given = [Message("user", prompt)], [Message("user", prompt)]
    return run


def _result(ledger: Ledger, run: Run) -> None:
    ledger.met("PROTO-3")
    if run.raised is None and not isinstance(run.result, InvokeResult):
        ledger.breach("PROTO-3", f"Expected invoke to return an InvokeResult, got a `{type(run.result).__name__}`")
