"""An event as flat attributes of primitive values."""

from __future__ import annotations

from functools import cache
from math import isfinite
from re import sub
from typing import Any

from msgspec import Struct
from msgspec.structs import fields as struct_fields

from latent.protocol import AgentEvent

__all__ = ["attributes", "event_name", "shortened"]

Primitive = str | bool | int | float

_INT64 = range(-(2**63), 2**63)
_MAX_ITEMS = 20


@cache
def event_name(kind: type[AgentEvent]) -> str:
    """The class name in snake case, as on the wire."""
    return sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", kind.__name__).lower()


def shortened(text: str, limit: int) -> str:
    """At most `limit` characters of `text`, the last one an ellipsis where it was cut."""
    return text if len(text) <= limit else text[: max(0, limit - 1)] + "…"[:limit]


def attributes(event: AgentEvent, limit: int) -> dict[str, Primitive]:
    """The fields of an event by name, nested ones with dots, absent ones left out.

    Texts are shortened to `limit` characters, ids and names are not; what is no primitive becomes the
    beginning of its `str`.
    """
    return _flat(event, limit)


def _flat(value: Struct, limit: int) -> dict[str, Primitive]:
    flat: dict[str, Primitive] = {}
    for info in struct_fields(type(value)):
        item = getattr(value, info.name)
        if isinstance(item, Struct):
            flat |= {f"{info.name}.{key}": inner for key, inner in _flat(item, limit).items()}
        elif isinstance(item, dict) and info.name == "attributes":
            flat |= {f"attributes.{key}": _primitive(inner, limit) for key, inner in item.items() if inner is not None}
        elif item is not None:
            flat[info.name] = item if isinstance(item, str) and _is_label(info.name) else _primitive(item, limit)
    return flat


def _is_label(field: str) -> bool:
    return field.endswith(("id", "name")) or field in ("label", "type", "target")


def _primitive(value: Any, limit: int) -> Primitive:
    match value:
        case bool():
            return value
        case str():
            return shortened(value, limit)
        case int() if value in _INT64:
            return value
        case float() if isfinite(value):
            return value
        case list():
            more = ", …" if len(value) > _MAX_ITEMS else ""
            return shortened(f"[{', '.join(_shown(item, limit) for item in value[:_MAX_ITEMS])}{more}]", limit)
        case _:
            return _shown(value, limit)


def _shown(value: object, limit: int) -> str:
    try:
        return shortened(str(value), limit)
    except Exception:  # an output that cannot be shown is still an output
        return type(value).__name__
