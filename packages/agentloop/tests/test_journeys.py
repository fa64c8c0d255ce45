"""Conversations that begin on one provider, continue on another, and return."""

import json

import pytest

from agentloop.adapters import AnthropicAdapter
from agentloop.transcript import (
    TextPart,
    ToolResultPart,
    Transcript,
    from_jsonl,
    to_jsonl,
)

from .sdk_types import accept
from .test_adapters import ADAPTERS, SAMPLES

EVERY = list(ADAPTERS)


def _play(transcript: Transcript, api: str) -> None:
    """One round of tools and an answer on `api`, sent for real as far as the SDK's types go."""
    transcript.add_user_message(f"on {api}")
    accept(api, ADAPTERS[api]().to_wire(transcript))
    transcript.add_assistant_message(*ADAPTERS[api]().from_response(SAMPLES[api]))
    transcript.add_tool_results(
        ToolResultPart(call_id=call.call_id, tool_name=call.tool_name, content=f"{api} {call.tool_name}")
        for call in transcript.pending_tool_calls()
    )
    accept(api, ADAPTERS[api]().to_wire(transcript))
    transcript.add_assistant_message([TextPart(text=f"done on {api}")])


@pytest.mark.parametrize("away", EVERY)
@pytest.mark.parametrize("home", EVERY)
def test_a_conversation_goes_away_and_comes_back(home: str, away: str) -> None:
    transcript = Transcript()
    _play(transcript, home)
    first = ADAPTERS[home]().to_wire(transcript)
    _play(transcript, away)
    transcript = from_jsonl(to_jsonl(transcript.messages).splitlines())
    _play(transcript, home)

    returned = ADAPTERS[home]().to_wire(transcript)

    accept(home, returned)
    assert returned[: len(first)] == first
    for api in EVERY:
        wire = ADAPTERS[api]().to_wire(transcript)
        accept(api, wire)
        sent = json.dumps(wire)
        assert sent.count("done on") == 3
        for round_on in (home, away, home):
            assert f"{round_on} weather" in sent
            assert f"{round_on} clock" in sent
        thinks = api in (home, away) and api != "chat"
        assert ("Look it up." in sent) == thinks


def test_a_model_switch_inside_one_provider_leaves_its_thinking_behind() -> None:
    transcript = Transcript()
    _play(transcript, "messages")

    old = json.dumps(AnthropicAdapter(model="claude-opus-4-20250514").to_wire(transcript))
    new = json.dumps(AnthropicAdapter(model="claude-sonnet-5").to_wire(transcript))

    assert "c2ln" in old
    assert "ZGF0YQ==" in old
    assert "c2ln" not in new
    assert "ZGF0YQ==" not in new
    assert "srvtoolu_1" in new
    assert "aWR4" in new


def test_one_signature_never_travels_to_another_vendor_with_the_same_wire() -> None:
    transcript = Transcript()
    _play(transcript, "messages")

    assert "c2ln" not in json.dumps(AnthropicAdapter(provider="bedrock").to_wire(transcript))
    assert "c2ln" in json.dumps(AnthropicAdapter(provider="anthropic").to_wire(transcript))
