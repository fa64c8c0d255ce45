"""Histories that agents really produce, as transcripts."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentloop.transcript import Transcript

pytest.importorskip("latent.agents")

from agentloop.adapters import AnthropicAdapter, GeminiAdapter, OpenAIChatAdapter, OpenAIResponsesAdapter
from agentloop.adapters.latent import from_latent, to_invoke_result, to_latent
from latent.agents import ReActAgent, ScriptedModel, ScriptedTurn
from latent.protocol import AgentError, InvokeResult, Message, ToolCall

from .sdk_types import accept

WIRES: list[tuple[str, Any]] = [
    ("chat", OpenAIChatAdapter()),
    ("responses", OpenAIResponsesAdapter()),
    ("messages", AnthropicAdapter()),
    ("generate_content", GeminiAdapter()),
]


async def echo(text: str = "") -> str:
    """Give the text back."""
    return text


async def fail() -> str:
    """Never work."""
    raise RuntimeError("no luck")


calls = st.builds(
    ToolCall.from_arguments,
    id=st.sampled_from(["a", "b", "", "call with a long id " * 5]),
    name=st.sampled_from(["echo", "fail", "nowhere"]),
    arguments=st.sampled_from(['{"text": "x"}', '{"text":"x"}', "{}", "", "{", "[1]", '{"wrong": 1}']),
)
turns = st.builds(
    ScriptedTurn,
    text=st.sampled_from(["", " ", "Let me see.", "é\u2028😀"]),
    reasoning=st.sampled_from(["", "Hm."]),
    tool_calls=st.lists(calls, max_size=3).map(tuple),
    error=st.sampled_from([None, None, None, RuntimeError("line down")]),
)


def _run(script: Sequence[Any], history: list[Message]) -> InvokeResult:
    agent = ReActAgent(name="a", model=ScriptedModel(script), tools=[echo, fail], max_iterations=4)
    try:
        return asyncio.run(agent.invoke(history))
    except AgentError as error:
        return error.result


@given(st.lists(turns, min_size=1, max_size=4))
@settings(max_examples=60)
def test_every_history_an_agent_produces_passes(script: list[ScriptedTurn]) -> None:
    asked = [Message(role="system", content="Be brief."), Message(role="user", content="go")]

    result = _run(script, asked)

    run = from_latent(result)
    run.check_invariants()
    assert to_invoke_result(run) == result
    assert to_latent(run) == result.to_messages()
    history = [*asked, *result.to_messages()]
    transcript = from_latent(history)
    transcript.check_invariants()
    assert to_latent(transcript) == history
    for api, adapter in WIRES:
        accept(api, adapter.to_wire(transcript))


def test_a_run_goes_on_from_what_a_transcript_gives_back() -> None:
    script = [ScriptedTurn(tool_calls=(ToolCall.from_arguments("a", "echo", {"text": "x"}),)), "one", "two"]
    asked = [Message(role="user", content="go")]
    first = _run(script, asked)
    transcript: Transcript = from_latent([*asked, *first.to_messages()])
    transcript.add_user_message("again")

    second = _run(script, to_latent(transcript))

    assert (first.text, second.text) == ("one", "two")
    assert "again" not in json.dumps(OpenAIChatAdapter().to_wire(from_latent(second)))
