"""The root of the event hierarchy, and the event that a newer writer sent."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, dataclass_transform

from msgspec import Struct, StructMeta, convert
from msgspec.json import decode, encode

from latent.events._facade import DataclassFacade, plain_value
from latent.events._native import native_copy

__all__ = ["AgentEvent", "UnknownEvent", "tag_of"]


if TYPE_CHECKING:

    @dataclass_transform(frozen_default=True)
    class _FrozenMeta(StructMeta):
        """Tells type checkers what holds anyway: a subclass of a frozen Struct is frozen without saying so."""
else:
    _FrozenMeta = StructMeta


class AgentEvent(DataclassFacade, Struct, metaclass=_FrozenMeta, frozen=True):
    """Base class of all events that an agent's stream yields.

    Subclass it to define an event of your own: annotate the fields, write neither `@dataclass` nor
    `__init__`, and pass `kw_only=True` where a required field follows one with a default.
    As a pydantic field this base takes and gives any event as its envelope; a concrete event class
    takes and gives the object of its own fields.
    """

    @classmethod
    def _from_plain(cls, value: object) -> object:
        if cls is not AgentEvent:
            return convert(value, cls)
        envelope = convert(value, _Envelope)
        for kind in _descendants(AgentEvent):
            if tag_of(kind) == envelope.event and kind is not UnknownEvent:
                return convert(envelope.data, kind)
        return UnknownEvent._from_plain(value)

    @classmethod
    def _to_plain(cls, value: object) -> Any:
        match value:
            case UnknownEvent(tag, data) if cls is AgentEvent:
                return {"event": tag, "data": decode(data)}
            case AgentEvent() if cls is AgentEvent:
                return {"event": tag_of(type(value)), "data": plain_value(value)}
            case _:
                return plain_value(value)

    @classmethod
    def _plain_schema(cls) -> dict[str, Any]:
        return _ENVELOPE_SCHEMA if cls is AgentEvent else super()._plain_schema()


class UnknownEvent(AgentEvent, frozen=True, gc=False):
    """An event whose tag this version does not know; it is written again as it was read.

    As a pydantic field it takes and gives its envelope, because JSON has no bytes.
    """

    event: str
    """The tag as it stood in the envelope."""
    data: bytes
    """The event's JSON object, not interpreted."""

    @classmethod
    def _from_plain(cls, value: object) -> object:
        envelope = convert(value, _Envelope)
        return cls(envelope.event, encode(native_copy(envelope.data, "$.data")))

    @classmethod
    def _to_plain(cls, value: object) -> Any:
        return AgentEvent._to_plain(value)

    @classmethod
    def _plain_schema(cls) -> dict[str, Any]:
        return {**_ENVELOPE_SCHEMA, "title": cls.__name__}


class _Envelope(Struct):
    event: str
    data: dict[str, Any]


_ENVELOPE_SCHEMA: dict[str, Any] = {
    "title": "AgentEvent",
    "type": "object",
    "properties": {"event": {"type": "string"}, "data": {"type": "object"}},
    "required": ["event", "data"],
}


def tag_of(kind: type[AgentEvent]) -> str:
    """The name of an event class on the wire: its class name in snake case (`llm_call_start`)."""
    return _snake_case(kind.__name__)


@cache
def _snake_case(name: str) -> str:
    snake = ""
    for at, letter in enumerate(name):
        starts_word = letter.isupper() and at > 0 and name[at - 1] != "_"
        if starts_word and (not name[at - 1].isupper() or name[at + 1 : at + 2].islower()):
            snake += "_"
        snake += letter
    return snake.lower()


def _descendants(kind: type[AgentEvent]) -> list[type[AgentEvent]]:
    children = kind.__subclasses__()
    return [*children, *(below for child in children for below in _descendants(child))]
