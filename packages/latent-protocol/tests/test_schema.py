from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from latent.protocol import PROTOCOL_VERSION, AgentEvent, UnknownEvent, encode_event, event_schema

VALIDATOR = Draft202012Validator(event_schema())
FILE = Path(__file__).parents[3] / "docs" / "event.schema.json"


def test_schema_is_a_schema_and_carries_the_version() -> None:
    Draft202012Validator.check_schema(event_schema())
    assert event_schema()["$id"] == f"urn:latent:protocol:{PROTOCOL_VERSION}:event"
    assert event_schema()["$schema"] == "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.skipif(not FILE.parent.exists(), reason="the pages are not part of the source distribution")
def test_schema_in_the_pages_is_this_one() -> None:
    assert json.loads(FILE.read_text(encoding="utf-8")) == event_schema()


@given(st.from_type(AgentEvent) | st.from_type(UnknownEvent))
def test_written_events_are_valid(event: AgentEvent) -> None:
    VALIDATOR.validate(json.loads(encode_event(event)))


@pytest.mark.parametrize(
    "envelope",
    [
        {"event": "text_delta", "data": {"text": "x", "tone": "kind"}, "v": 2},
        {"event": "usage", "data": {}},
        {"event": "new_event", "data": {"any": [1]}},
    ],
)
def test_what_a_reader_takes_is_valid(envelope: object) -> None:
    VALIDATOR.validate(envelope)


@pytest.mark.parametrize(
    "envelope",
    [
        [],
        {},
        {"event": "text_delta"},
        {"event": "text_delta", "data": {}},
        {"event": "text_delta", "data": {"text": None}},
        {"event": "new_event", "data": []},
        {"event": 5, "data": {}},
        {"event": "metadata", "data": {"attributes": {"k": None}}},
        {"event": "metadata", "data": {"attributes": {"k": [1]}}},
        {"event": "metadata", "data": {"attributes": {"": 1}}},
        {"event": "metadata", "data": {"attributes": {}, "target": "run"}},
        {"event": "tool_call", "data": {"id": "c", "function": {"name": "f"}}},
    ],
)
def test_what_a_reader_refuses_is_not_valid(envelope: Any) -> None:
    assert not VALIDATOR.is_valid(envelope)


def test_each_schema_is_a_fresh_dict() -> None:
    event_schema().clear()

    assert event_schema()
