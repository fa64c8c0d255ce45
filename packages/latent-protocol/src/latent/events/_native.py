"""Which values JSON carries as they are, and where another one stands.

msgspec writes more than JSON has: a set becomes an array, bytes and dates become text, NaN becomes
`null`. The wire form refuses all of that (specification, clause 18.4), so that what is read back is
what was written.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import fields as struct_fields

from latent.events._errors import WireError

__all__ = ["EncHook", "is_native", "native_copy", "native_fields"]

EncHook: TypeAlias = Callable[[Any], Any]
"""Turns a value that JSON cannot carry into one that it can, or raises `NotImplementedError`."""

_LEAVES = frozenset({str, int, bool, type(None)})
_MAX_DEPTH = 200


def is_native(value: object) -> bool:
    """Whether `value` is made of JSON's own types only; a cycle raises `RecursionError`.

    Lone surrogates are not looked for: the encoder refuses them by itself.
    """
    # Exact types by identity, text without a further call: this walks the output of every tool.
    if type(value) is dict:
        for key, item in value.items():
            if type(key) is not str or not (type(item) is str or is_native(item)):
                return False
        return True
    if type(value) is list:
        return all(type(item) is str or is_native(item) for item in value)
    return type(value) in _LEAVES or (type(value) is float and isfinite(value))


def native_copy(value: object, path: str, hook: EncHook | None = None, depth: int = 0) -> Any:
    """A copy of `value` made of JSON's own types; `hook` is asked about every other value.

    Raises `WireError` with the path of the first value that JSON cannot carry.
    """
    if depth > _MAX_DEPTH:
        raise WireError(f"Expected at most {_MAX_DEPTH} nested containers, got more", path=path)
    if type(value) is str:
        return _encodable(value, path)
    if type(value) in _LEAVES or (type(value) is float and isfinite(value)):
        return value
    if type(value) is list:
        return [native_copy(item, f"{path}[{at}]", hook, depth + 1) for at, item in enumerate(value)]
    if type(value) is dict:
        return {_key(key, path): native_copy(item, f"{path}.{key}", hook, depth + 1) for key, item in value.items()}
    if hook is None:
        raise WireError(f"Expected a JSON value, got {_named(value)}", path=path)
    try:
        replaced = hook(value)
    except NotImplementedError:
        raise WireError(f"Expected a JSON value or one enc_hook takes, got {_named(value)}", path=path) from None
    return native_copy(replaced, path, hook, depth + 1)


def native_fields(value: Struct, path: str, hook: EncHook | None = None) -> dict[str, Any]:
    """The fields of `value` by their encoded names as `native_copy`; a field may be a Struct in its turn."""
    copied = {}
    for info in struct_fields(value):
        item, where = getattr(value, info.name), f"{path}.{info.encode_name}"
        nested = isinstance(item, Struct)
        copied[info.encode_name] = native_fields(item, where, hook) if nested else native_copy(item, where, hook)
    return copied


def _key(key: object, path: str) -> str:
    if type(key) is not str:
        raise WireError(f"Expected a `str` key, got {_named(key)}", path=path)
    return _encodable(key, path)


def _encodable(text: str, path: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise WireError(f"Expected Unicode text, got a lone surrogate at character {error.start}", path=path) from None
    return text


def _named(value: object) -> str:
    """The value where it is a number, else its type: a value may be huge, secret, or fail to print."""
    return f"`{value!r}`" if type(value) in {int, float} else f"`{type(value).__name__}`"
