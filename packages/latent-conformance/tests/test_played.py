from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from time import sleep
from typing import Any

import pytest
from cases.agent import Answer, SoundAgent, sound
from cases.phases import Polishes

from latent.conformance._driving import _played
from latent.conformance._driving._played import play
from latent.conformance._scripts import ANSWER
from latent.conformance.harness import Deed, Harness, Script, asks, planned, says
from latent.protocol import AgentEvent, InvokeResult, Message, TextDelta, ToolResult

TALK = Script("talk", (asks(planned("t1")), says("Done.")), {"t1": Deed(value={"a": 1}, announced=True)})
"""Its tool waits for its call to be seen, as `invoke` shows it to nobody."""


def test_stream_and_invoke_are_played_and_kept_apart() -> None:
    with Harness(grace=0.05) as harness:
        played = play(sound, harness, TALK, config={"conversation_id": "c"})

    assert [event.output for event in played.events if isinstance(event, ToolResult)] == [{"a": 1}]
    assert played.result is not None
    assert (played.result.text, played.raised, len(played.requests)) == ("Done.", None, 2)


def test_a_later_phase_is_answered_though_the_script_does_not_know_of_it() -> None:
    def polishes(harness: Harness) -> Polishes:
        return Polishes(harness.model, harness.tools, harness.max_iterations)

    with Harness(grace=0.05) as harness:
        played = play(polishes, harness, TALK)

    assert played.result is not None
    texts = [step.text for step in played.result.steps]
    assert (texts[:2], texts[2][:10], played.raised) == (["", "Done."], "Further on", None)
    assert "".join(event.text for event in played.events if isinstance(event, TextDelta)) == "".join(texts)


def test_an_agent_that_hangs_is_told_with_its_last_event() -> None:
    class Hangs(SoundAgent):
        async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
            yield TextDelta("wait")
            await asyncio.Event().wait()

    with Harness() as harness, pytest.raises(TimeoutError, match=r"the last event was TextDelta\(text='wait'\)"):
        play(lambda h: Hangs(h.model, h.tools, 8), harness, TALK, timeout=0.1)


class Blocks(SoundAgent):
    """Waits without letting the loop turn for longer than anybody does."""

    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        yield TextDelta("wait")
        sleep(60.0)

    async def invoke(self, messages: list[Message], **options: Any) -> InvokeResult:
        sleep(60.0)
        raise AssertionError


class BlocksInInvoke(Blocks):
    ask = SoundAgent.ask


@pytest.mark.parametrize(
    ("kind", "place", "last"),
    [
        (Blocks, "Blocks.ask", "TextDelta(text='wait')"),
        (BlocksInInvoke, "Blocks.invoke", "LLMCallEnd("),
    ],
)
def test_an_agent_that_blocks_the_loop_is_broken_off_in_time(kind: type[Blocks], place: str, last: str) -> None:
    with Harness() as harness, pytest.raises(TimeoutError) as late:
        play(lambda h: kind(h.model, h.tools, 8), harness, ANSWER, timeout=0.5)

    assert str(late.value).startswith(
        f"Expected the agent to end within 0.5 s; it blocked the event loop (from {place}"
    )
    assert last in str(late.value)


def test_a_long_timeout_bears_an_agent_that_blocks_the_loop_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[float] = []
    monkeypatch.setattr(_played, "drive", lambda main, *, grace, limit: limits.append(limit))

    with Harness() as harness:
        play(sound, harness, ANSWER, timeout=120.0)

    assert limits == [120.0]


def test_inside_a_running_loop_it_is_named_that_was_called() -> None:
    async def inside() -> None:
        with Harness() as harness:
            play(sound, harness, ANSWER)

    with pytest.raises(RuntimeError, match="latent_run cannot run inside a running event loop: use a test that is a"):
        asyncio.run(inside())
