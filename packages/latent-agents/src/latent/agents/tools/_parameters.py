"""The parameters of a function, as the one Struct that its arguments are decoded into."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, get_annotations, signature, unwrap
from types import SimpleNamespace, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from msgspec import UNSET, Meta, Struct, defstruct, field

__all__ = ["arguments_struct"]

_BOUNDS = ("ge", "gt", "le", "lt", "multiple_of", "min_length", "max_length", "pattern")
_NOT_BY_NAME = {Parameter.VAR_POSITIONAL: "*", Parameter.VAR_KEYWORD: "**", Parameter.POSITIONAL_ONLY: ""}


def arguments_struct(function: Callable[..., Any], name: str) -> type[Struct]:
    """A Struct with one field for each parameter, which refuses unknown names.

    A default is kept as the very object that the signature has. Raises `TypeError` for a parameter
    that cannot be given by name, and for an annotation that cannot be resolved.
    """
    hints = _hints(function, name)
    fields: list[Any] = []
    for parameter in signature(function).parameters.values():
        if parameter.kind in _NOT_BY_NAME:
            written = f"{_NOT_BY_NAME[parameter.kind]}{parameter.name}"
            raise TypeError(f"Expected parameters that can be given by name, got `{written}` of tool {name!r}")
        hint = _with_meta(hints.get(parameter.name, Any))
        if parameter.default is Parameter.empty:
            fields.append((parameter.name, hint))
        else:
            fields.append((parameter.name, hint, field(default_factory=_giving(parameter.default))))
    return defstruct(name, fields, kw_only=True, forbid_unknown_fields=True)


def _hints(function: Callable[..., Any], name: str) -> dict[str, Any]:
    target: Any = unwrap(function)
    target = getattr(target, "__func__", target)
    if not hasattr(target, "__globals__"):  # an object with __call__, or a partial
        target = getattr(getattr(target, "func", target), "__func__", getattr(target, "func", None)) or target
        if not hasattr(target, "__globals__"):
            target = type(target).__call__
    try:
        written = {key: hint for key, hint in get_annotations(target).items() if key != "return"}
        names = {
            key: cell.cell_contents
            for key, cell in zip(target.__code__.co_freevars, target.__closure__ or (), strict=True)
        }
        shim = SimpleNamespace(__annotations__=written)
        return get_type_hints(shim, globalns=target.__globals__, localns=names, include_extras=True)
    except (NameError, AttributeError, ValueError, SyntaxError) as error:
        raise TypeError(f"Expected annotations that can be resolved on tool {name!r}, got: {error}") from error


def _with_meta(hint: Any) -> Any:
    """The hint with what `Annotated` says in other dialects said in msgspec's, at every depth.

    A plain text is the description; pydantic's `Field` and the constraints of annotated-types are
    known by their attributes.
    """
    if get_origin(hint) is not Annotated:
        return _with_inner_metas(hint)
    kind, *extras = get_args(hint)
    kind = _with_inner_metas(kind)
    metas = [extra for extra in extras if isinstance(extra, Meta)]
    said: dict[str, Any] = {}
    for extra in extras:
        if isinstance(extra, str):
            said["description"] = extra
        elif not isinstance(extra, Meta):
            said |= _read_meta(extra)
    if said:
        metas.append(Meta(**said))
    for meta in metas:
        kind = Annotated[kind, meta]
    return kind


def _with_inner_metas(hint: Any) -> Any:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return hint
    inner = tuple(_with_meta(argument) for argument in arguments)
    if all(new is old for new, old in zip(inner, arguments, strict=True)):
        return hint
    generic: Any = Union if origin is UnionType else origin
    return generic[inner]


def _read_meta(extra: object) -> dict[str, Any]:
    found = {name: getattr(extra, name, None) for name in (*_BOUNDS, "description")}
    for part in getattr(extra, "metadata", ()):
        found |= _read_meta(part)
    return {name: value for name, value in found.items() if value is not None and value is not UNSET}


def _giving(value: Any) -> Callable[[], Any]:
    return lambda: value
