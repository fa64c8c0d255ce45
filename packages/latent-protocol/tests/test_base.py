from __future__ import annotations

import pytest

from latent.events._base import tag_of
from latent.protocol import AgentEvent


@pytest.mark.parametrize(
    ("name", "tag"),
    [
        ("TextDelta", "text_delta"),
        ("LLMCallStart", "llm_call_start"),
        ("Error", "error"),
        ("HTTPRequest", "http_request"),
        ("MyLLM", "my_llm"),
        ("GPT4Call", "gpt4_call"),
        ("Already_snake", "already_snake"),
        ("A", "a"),
        ("ÄnderungDa", "änderung_da"),
    ],
)
def test_tag_is_the_class_name_in_snake_case(name: str, tag: str) -> None:
    assert tag_of(type(AgentEvent)(name, (AgentEvent,), {"__module__": "x"})) == tag


def test_base_event_can_be_built() -> None:
    assert AgentEvent() == AgentEvent()
    assert repr(AgentEvent()) == "AgentEvent()"
