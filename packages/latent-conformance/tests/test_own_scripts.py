"""What an author's own script may leave to the agent."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import pytest
from cases.agent import Answer, SoundAgent
from cases.broken_runs import EndsQuietlyOnFailure
from cases.sound import RetriesOnce, SpeaksWhenItIsSure

from latent.conformance import Report, check_agent
from latent.conformance.harness import (
    Deed,
    Fail,
    Finish,
    Fragment,
    Reasoning,
    Script,
    Text,
    Turn,
    asks,
    planned,
    says,
)
from latent.protocol import AgentEvent

ANSWER = says("Case § ", "is fine.")
DEEDS = {"t1": Deed(value="§-o1")}
ONCE = (
    Script("fails once", (Turn((Fail(),), fails_once=True), ANSWER)),
    Script("fails once behind words", (Turn((Text("Broken § "), Fail()), fails_once=True), ANSWER)),
    Script("fails once behind a thought", (Turn((Reasoning("Weighing §*. "), Fail()), fails_once=True), ANSWER)),
    Script(
        "fails once within a call",
        (Turn((Fragment(0, "call_§_t1", "lookup", '{"tic'), Fail()), fails_once=True), asks(planned("t1")), ANSWER),
        DEEDS,
    ),
    Script("fails once behind a tool", (asks(planned("t1")), Turn((Fail(),), fails_once=True), ANSWER), DEEDS),
)
EMPTY = (
    Script("nothing", (Turn((Finish("stop"),)),)),
    Script("nothing behind a tool", (asks(planned("t1")), Turn((Finish("stop"),))), DEEDS),
)


class WantsWords(SoundAgent):
    """Takes an answer without a word for a failure."""

    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                yield event
        if not answer.text and not answer.calls and answer.failure is None:
            answer.failure = "The model said nothing"


def judged(kind: type[SoundAgent], script: Script) -> Report:
    return check_agent(lambda h: kind(h.model, h.tools, h.max_iterations), script=script, timeout=2)


@pytest.mark.parametrize("kind", [SoundAgent, RetriesOnce, SpeaksWhenItIsSure])
@pytest.mark.parametrize("script", ONCE, ids=lambda script: script.name)
def test_a_model_that_fails_once_may_be_asked_again_and_need_not(kind: type[SoundAgent], script: Script) -> None:
    report = judged(kind, script)

    assert (report.verdict, report.violations, report.problems) == ("pass", (), ())


@pytest.mark.parametrize("script", ONCE, ids=lambda script: script.name)
def test_a_failure_that_is_not_tried_again_shows(script: Script) -> None:
    assert [found.rule for found in judged(EndsQuietlyOnFailure, script).violations] == ["ERR-3"]


@pytest.mark.parametrize("kind", [SoundAgent, WantsWords])
@pytest.mark.parametrize("script", EMPTY, ids=lambda script: script.name)
def test_an_answer_without_words_may_be_an_error(kind: type[SoundAgent], script: Script) -> None:
    report = judged(kind, script)

    assert (report.verdict, report.violations, report.problems) == ("pass", (), ())
