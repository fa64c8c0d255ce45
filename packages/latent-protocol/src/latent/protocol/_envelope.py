"""The envelope around each event, and the tags it carries.

The tag lives in the envelope and never in the type, because a tag inside a `ToolCall` would travel
into `Message.tool_calls` and from there to a provider.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import or_
from typing import get_args

from msgspec import Struct, defstruct
from msgspec.json import Decoder

from latent.events import AgentEvent, AnyEvent, UnknownEvent
from latent.events._base import tag_of

__all__ = ["ENVELOPES", "KNOWN", "OWNERS", "decode_known"]


class _Known(Struct, frozen=True, gc=False):
    """What the private envelopes have in common: there is one for each event, so that their union decodes in one go."""

    data: AnyEvent


KNOWN: dict[str, type[AgentEvent]] = {tag_of(kind): kind for kind in get_args(AnyEvent)}
"""The protocol's events by their tag."""

OWNERS: dict[str, type[AgentEvent]] = {"agent_event": AgentEvent, "unknown_event": UnknownEvent, **KNOWN}
"""The tags that no other class may have."""

_CLASSES = {
    kind: defstruct(kind.__name__, [("data", kind)], bases=(_Known,), tag_field="event", tag=tag, frozen=True, gc=False)
    for tag, kind in KNOWN.items()
}
ENVELOPES: dict[type[AgentEvent], Callable[[AgentEvent], Struct]] = {**_CLASSES}
"""What puts an event of the protocol into its envelope."""

_known: Decoder[_Known] = Decoder(reduce(or_, _CLASSES.values()))
decode_known = _known.decode
