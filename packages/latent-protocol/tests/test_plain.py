"""The glances agree with the types: right values pass, and nothing passes that would not read back."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from latent.protocol import AgentEvent, AnyEvent, Metadata, decode_event
from latent.protocol._encoder import encode_event
from latent.protocol._plain import IS_PLAIN

ODD = st.sampled_from(
    [None, True, 1, 1.5, "x", b"x", [], ["x"], [None], (), {"x"}, {}, {"k": "x"}, {1: 2}, float("nan"), object(), 2**70]
)
KINDS = get_args(AnyEvent)


def test_every_event_has_its_glance() -> None:
    assert set(IS_PLAIN) == set(KINDS)


@given(st.from_type(AgentEvent))
def test_right_event_is_plain(event: AgentEvent) -> None:
    assert IS_PLAIN[type(event)](event)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind is not Metadata])
@given(data=st.data())
def test_what_passes_the_glance_reads_back_equal(kind: type[AgentEvent], data: st.DataObject) -> None:
    event: Any = data.draw(st.from_type(kind))
    name = data.draw(st.sampled_from(kind.__struct_fields__))
    event = replace(event, **{name: data.draw(ODD)})

    if IS_PLAIN[kind](event):
        assert decode_event(encode_event(event)) == event
