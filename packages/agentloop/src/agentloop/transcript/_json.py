"""JSON objects that survive being written and read: the check and the copy made when a part is built."""

from __future__ import annotations

from math import isfinite
from typing import Annotated, Any, NoReturn, TypeAlias

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from agentloop.transcript._strings import is_unicode

__all__ = ["MAX_DEPTH", "JsonObject", "copy_json_object"]

MAX_DEPTH = 100
"""Containers that may stand inside each other; the JSON parser's own limit leaves room for the message around them."""

# Neither pydantic nor the standard library reads a longer integer, and older pydantic counts the sign.
_MAX_DIGITS = 4300
_INT_MIN, _INT_MAX = 1 - 10 ** (_MAX_DIGITS - 1), 10**_MAX_DIGITS - 1

# A path is a chain of (path of the container, key in it), written out only when something is wrong.
_Path: TypeAlias = tuple["_Path | None", "str | int"]


def copy_json_object(value: object) -> dict[str, Any]:
    """Return a deep copy of a JSON object, made of plain dicts and lists.

    Raises a `ValueError` that names the path of the first value that JSON cannot carry and give back equal: any
    type but str, int, float, bool, None, list and dict with str keys; NaN and the infinities; integers of more
    than 4,300 characters; lone surrogates; more than 100 containers inside each other.
    """
    if not isinstance(value, dict):
        _refuse("a JSON object", type(value).__name__, None)
    root: dict[str, Any] = {}
    pending: list[tuple[Any, Any, _Path | None, int]] = [(value, root, None, 1)]
    while pending:
        source, target, path, depth = pending.pop()
        is_dict = isinstance(source, dict)
        for key, item in source.items() if is_dict else enumerate(source):
            if is_dict and (type(key) is not str or not is_unicode(key)):
                _refuse_key(key, path)
            kind = type(item)
            if kind is str:
                if not is_unicode(item):
                    _refuse("text that UTF-8 can carry", "a lone surrogate", (path, key))
            elif kind is int or kind is float:
                _check_number(item, (path, key))
            elif item is not None and kind is not bool:
                child = _empty_copy(item, (path, key), depth)
                target[key] = child
                pending.append((item, child, (path, key), depth + 1))
                continue
            target[key] = item
    return root


def _check_number(number: int | float, path: _Path) -> None:
    if isinstance(number, float):
        if not isfinite(number):
            _refuse("a finite number", repr(number), path)
    elif not _INT_MIN <= number <= _INT_MAX:
        _refuse(f"an integer of at most {_MAX_DIGITS} digits and sign", "a longer one", path)


def _empty_copy(item: object, path: _Path, depth: int) -> dict[str, Any] | list[Any]:
    if not isinstance(item, dict | list):
        _refuse("a JSON value", type(item).__name__, path)
    if depth == MAX_DEPTH:
        _refuse(f"at most {MAX_DEPTH} containers inside each other", "more", path)
    return {} if isinstance(item, dict) else [None] * len(item)


def _refuse_key(key: object, path: _Path | None) -> NoReturn:
    if isinstance(key, str) and not is_unicode(key):
        _refuse("keys that UTF-8 can carry", "a lone surrogate", path)
    _refuse("str keys", f"{type(key).__name__} {key!r:.40}", path)


def _refuse(expected: str, got: str, path: _Path | None) -> NoReturn:
    where: list[str] = []
    while path is not None:
        path, key = path
        where.append(f"[{key}]" if isinstance(key, int) else f".{key:.40}" if key.isidentifier() else f"[{key!r:.40}]")
    raise PydanticCustomError(
        "json_value",
        "Expected {expected}, got {got}{where}",
        {"expected": expected, "got": got, "where": "".join([" at $", *reversed(where)]) if where else ""},
    )


def _adopt(value: dict[str, Any]) -> dict[str, Any]:
    """Take an object fresh from the JSON parser, which nobody else holds, after checking it."""
    return value if _is_sound(value, 1) else copy_json_object(value)


def _is_sound(value: dict[str, Any] | list[Any], depth: int) -> bool:
    # The parser has seen to the types, to lone surrogates and to long integers.
    for item in value.values() if isinstance(value, dict) else value:
        kind = type(item)
        if kind is dict or kind is list:
            if depth == MAX_DEPTH or not _is_sound(item, depth + 1):
                return False
        elif kind is float and not isfinite(item):
            return False
    return True


class _Json:
    """Checks and copies what comes from Python, and only checks what comes from the JSON parser."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.json_or_python_schema(
            json_schema=core_schema.no_info_after_validator_function(_adopt, handler(source)),
            python_schema=core_schema.no_info_plain_validator_function(copy_json_object),
        )


JsonObject = Annotated[dict[str, Any], _Json()]
