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
_MAX_INT_BITS = 14_000  # some 4,200 decimal digits; Python itself stops at 4,300


def is_native(value: object, depth: int = 0) -> bool:
    """Whether `value` is made of JSON's own types alone, exactly these, and not nested too deeply.

    Neither lone surrogates nor huge integers are looked for: the encoder refuses them by itself.
    """
    # Leaves are passed without a further call: this walks the output of every tool.
    items: Any
    if type(value) is dict:
        for key in value:
            if type(key) is not str:
                return False
        items = value.values()
    elif type(value) is list:
        items = value
    else:
        return type(value) in _LEAVES or (type(value) is float and isfinite(value))
    if depth == _MAX_DEPTH:
        return False
    for item in items:
        kind = type(item)
        if kind not in _LEAVES and not (isfinite(item) if kind is float else is_native(item, depth + 1)):
            return False
    return True


def native_copy(value: object, path: str, hook: EncHook | None = None, depth: int = 0) -> Any:
    """A copy of `value` made of JSON's own types; `hook` is asked about every value that is none.

    A value of a subclass becomes the native value that it holds. Raises `WireError` with the path of
    the first value that JSON cannot carry.
    """
    if depth >= _MAX_DEPTH and isinstance(value, (list, dict)):
        raise WireError(f"Expected at most {_MAX_DEPTH} nested containers, got more", path=path)
    match value:
        case None | bool():
            return value
        case str():
            return _encodable(value, path)
        case int() if value.bit_length() <= _MAX_INT_BITS:
            return int(value)
        case int():
            reason = f"Expected an int of at most {_MAX_INT_BITS} bits, got one of {value.bit_length()}"
            raise WireError(reason, path=path)
        case float() if isfinite(value):
            return float(value)
        case list():
            return [native_copy(item, f"{path}[{at}]", hook, depth + 1) for at, item in enumerate(value)]
        case dict():
            return {_key(key, path): native_copy(item, f"{path}.{key}", hook, depth + 1) for key, item in value.items()}
        case _:
            return native_copy(_replaced(value, path, hook), path, hook, depth + 1)


def native_fields(value: Struct, path: str, hook: EncHook | None = None) -> dict[str, Any]:
    """The fields of `value` by their encoded names as `native_copy`; a field typed as a Struct may hold one."""
    copied = {}
    for info in struct_fields(type(value)):
        item, where = getattr(value, info.name), f"{path}.{info.encode_name}"
        if isinstance(item, Struct) and info.type is not Any:
            copied[info.encode_name] = native_fields(item, where, hook)
        else:
            copied[info.encode_name] = native_copy(item, where, hook)
    return copied


def _replaced(value: object, path: str, hook: EncHook | None) -> object:
    # The value itself is named where it is a float: others may be huge, secret, or fail to print.
    named = repr(value) if type(value) is float else f"`{type(value).__name__}`"
    if hook is None:
        raise WireError(f"Expected a JSON value, got {named}", path=path)
    try:
        return hook(value)
    except NotImplementedError:
        raise WireError(f"Expected a JSON value or one that enc_hook takes, got {named}", path=path) from None


def _key(key: object, path: str) -> str:
    if not isinstance(key, str):
        raise WireError(f"Expected `str` keys, got `{type(key).__name__}`", path=path)
    return _encodable(key, path)


def _encodable(text: str, path: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise WireError(f"Expected Unicode text, got a lone surrogate at character {error.start}", path=path) from None
    return str.__str__(text)
