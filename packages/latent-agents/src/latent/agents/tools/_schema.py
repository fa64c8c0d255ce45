"""The JSON Schema of a tool's parameters, in the form that every provider accepts."""

from __future__ import annotations

from functools import partial
from typing import Any

from msgspec import NODEFAULT, MsgspecError, Struct, to_builtins
from msgspec.json import encode, schema_components
from msgspec.structs import fields as struct_fields

__all__ = ["from_pydantic", "parameters_schema"]

_DEFS = "#/$defs/"
_KINDS = {str: "string", bool: "boolean", int: "integer", float: "number"}


def parameters_schema(arguments: type[Struct]) -> dict[str, Any]:
    """An object schema without references, but for types that contain themselves.

    Raises `TypeError` for a type that has no JSON form.
    """
    foreign: dict[str, Any] = {}
    hook = partial(_pydantic_schema, foreign)
    (root,), components = schema_components([arguments], schema_hook=hook, ref_template=_DEFS + "{name}")
    for name in foreign.keys() & components.keys():
        raise _two_of_one_name(name)
    components |= foreign
    recursive: set[str] = set()
    schema = _inlined(root, components, (), recursive)
    assert isinstance(schema, dict)
    schema.pop("title", None)
    _add_defaults(schema["properties"], arguments)
    if recursive:
        schema["$defs"] = {name: _inlined(components[name], components, (name,), set()) for name in sorted(recursive)}
    return schema


def from_pydantic(kind: type, value: Any) -> Any:
    """`dec_hook`: a pydantic model out of what was decoded; any other type is not ours to build."""
    validate = getattr(kind, "model_validate", None)
    if validate is None:
        raise NotImplementedError(f"no way to build `{kind.__name__}` from JSON")
    try:
        return validate(value)
    except ValueError as error:  # pydantic's own text has lines and links that help no model
        faults = error.errors() if hasattr(error, "errors") else []
        said = [": ".join(filter(None, (".".join(map(str, fault["loc"])), fault["msg"]))) for fault in faults]
        raise ValueError("; ".join(said) or str(error)) from error


def _pydantic_schema(foreign: dict[str, Any], kind: type) -> dict[str, Any]:
    """The model's schema; what contains itself goes to `foreign`, by name."""
    describe = getattr(kind, "model_json_schema", None)
    if describe is None:
        raise NotImplementedError(f"no JSON form for `{kind.__name__}`")
    schema: dict[str, Any] = describe()
    components = schema.pop("$defs", {})
    recursive: set[str] = set()
    inlined = _inlined(schema, components, (), recursive)
    assert isinstance(inlined, dict)
    for name in recursive:
        definition = _inlined(components[name], components, (name,), set())
        if foreign.setdefault(name, definition) != definition:
            raise _two_of_one_name(name)
    return inlined


def _two_of_one_name(name: str) -> NotImplementedError:
    return NotImplementedError(f"two types of the name {name!r}, of which one contains itself")


def _inlined(schema: object, components: dict[str, Any], inside: tuple[str, ...], recursive: set[str]) -> object:
    """The schema with each reference replaced, except one to a type that is being written out."""
    match schema:
        case {"$ref": str(ref), **rest}:
            name = ref.removeprefix(_DEFS)
            if name in inside:
                recursive.add(name)
                return {"$ref": ref}
            target = _inlined(components[name], components, (*inside, name), recursive)
            assert isinstance(target, dict)
            return {**target, **rest}
        case {"enum": [*values], **rest} if "type" not in rest and len({type(value) for value in values}) == 1:
            kind = _KINDS.get(type(values[0]))
            return {"type": kind, "enum": values, **rest} if kind else schema
        case {"anyOf": [*kinds], **rest}:
            inlined = [_inlined(kind, components, inside, recursive) for kind in kinds]
            return {"anyOf": sorted(inlined, key=_place), **rest}
        case dict():
            return {key: _inlined(item, components, inside, recursive) for key, item in schema.items()}
        case list():
            return [_inlined(item, components, inside, recursive) for item in schema]
        case _:
            return schema


def _place(kind: object) -> tuple[bool, bytes]:
    """A fixed order for the kinds of a union, `null` last: providers cache requests by their text."""
    return kind == {"type": "null"}, encode(kind)


def _add_defaults(properties: dict[str, Any], arguments: type[Struct]) -> None:
    """Show the defaults that JSON can carry; the Struct hides them, to keep the objects as they are."""
    for info in struct_fields(arguments):
        if info.default_factory is NODEFAULT:
            continue
        try:
            properties[info.encode_name]["default"] = to_builtins(info.default_factory())
        except (MsgspecError, TypeError, ValueError, RecursionError):
            continue
