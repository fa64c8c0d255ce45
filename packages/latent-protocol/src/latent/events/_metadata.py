"""Attributes for traces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Annotated, Any, Literal, NoReturn, TypeAlias

from msgspec import Meta
from msgspec.structs import force_setattr

from latent.events._base import AgentEvent

__all__ = ["Metadata", "MetadataAttributes", "MetadataValue"]

MetadataValue: TypeAlias = str | bool | int | float
"""A primitive that OpenTelemetry takes: the float finite, the int within 64 bits."""

_INT64 = range(-(2**63), 2**63)
_ATTRIBUTES_SCHEMA = {
    "propertyNames": {"minLength": 1},
    "additionalProperties": {"type": ["string", "boolean", "number"]},
}


class MetadataAttributes(dict[str, Any]):
    """A checked copy of a mapping, which cannot be changed.

    Raises `TypeError` for a key or a value of another type, `ValueError` for an empty key, a float
    that is not finite and an int beyond 64 bits; the message names the key.
    """

    __slots__ = ()

    def __init__(self, attributes: Mapping[str, MetadataValue] | Iterable[tuple[str, MetadataValue]] = ()) -> None:
        super().__init__({_checked_key(key): _checked(key, value) for key, value in dict(attributes).items()})

    def __reduce__(self) -> tuple[type[MetadataAttributes], tuple[dict[str, Any]]]:
        return type(self), (dict(self),)


def _refuse(self: MetadataAttributes, *args: object, **kwargs: object) -> NoReturn:
    raise TypeError("Expected no change of MetadataAttributes, which is immutable: build another Metadata")


for _name in ("__setitem__", "__delitem__", "__ior__", "clear", "pop", "popitem", "setdefault", "update"):
    setattr(MetadataAttributes, _name, _refuse)


class Metadata(AgentEvent, frozen=True, gc=False):
    """Attributes that the agent hands to whoever traces the run.

    `attributes` takes any mapping and becomes a `MetadataAttributes`; leave an absent value out, for
    `None` raises. Raises what `MetadataAttributes` raises, and `ValueError` for another `target`.
    """

    attributes: Annotated[dict[str, Any], Meta(extra_json_schema=_ATTRIBUTES_SCHEMA)]
    """What to attach, by name."""
    target: Literal["turn", "step"] = "turn"
    """Advice for consumers: the span of the whole turn, or that of the step."""

    def __post_init__(self) -> None:
        if not isinstance(self.target, str) or self.target not in ("turn", "step"):
            got = repr(self.target) if isinstance(self.target, str) else f"`{type(self.target).__name__}`"
            raise ValueError(f"Expected `target` to be 'turn' or 'step', got {got}")
        if not isinstance(self.attributes, Mapping):
            raise TypeError(f"Expected `attributes` as a mapping, got `{type(self.attributes).__name__}`")
        if type(self.attributes) is not MetadataAttributes:
            force_setattr(self, "attributes", MetadataAttributes(self.attributes))


def _checked_key(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"Expected attribute names as `str`, got `{type(key).__name__}`")
    if not key:
        raise ValueError("Expected attribute names of at least one character, got ''")
    return str.__str__(key)


def _checked(key: str, value: object) -> MetadataValue:
    """The value as a plain primitive: an enum's member or a numpy scalar becomes what it stands for."""
    match value:
        case bool():
            return value
        case str():
            return str.__str__(value)
        case int() if value in _INT64:
            return int(value)
        case int():
            raise ValueError(f"Expected an int within 64 bits, got one of {value.bit_length()} bits - at {key!r}")
        case float() if isfinite(value):
            return float(value)
        case float():
            raise ValueError(f"Expected a finite float, got {value!r} - at {key!r}")
        case _:
            kind = type(value).__name__
            raise TypeError(f"Expected str, bool, int or float, got `{kind}` (leave absent values out) - at {key!r}")
