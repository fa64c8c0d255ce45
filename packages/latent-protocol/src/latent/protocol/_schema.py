"""The wire form as a JSON Schema."""

from __future__ import annotations

from typing import Any

from msgspec.json import schema_components

from latent.protocol._envelope import KNOWN
from latent.protocol._version import PROTOCOL_VERSION

__all__ = ["event_schema"]


def event_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of one envelope, as a fresh dict.

    It accepts the events of the protocol as they are defined, and any object under another tag.
    """
    references, components = schema_components(KNOWN.values(), ref_template="#/$defs/{name}")
    for component in components.values():
        component["description"] = component.get("description", "").partition("\n")[0]
    known = [_envelope({"const": tag}, data) for tag, data in zip(KNOWN, references, strict=True)]
    other = _envelope({"type": "string", "not": {"enum": list(KNOWN)}}, {"type": "object"})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:latent:protocol:{PROTOCOL_VERSION}:event",
        "title": "Event",
        "description": f"One event of an agent's stream, version {PROTOCOL_VERSION} of the protocol.",
        "oneOf": [*known, other],
        "$defs": components,
    }


def _envelope(tag: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {"event": tag, "data": data}, "required": ["event", "data"]}
