"""The JSON text of a call's arguments."""

from __future__ import annotations

from json import loads
from typing import NoReturn

from msgspec import DecodeError, Raw
from msgspec.json import Decoder

from latent.conformance._verdict._excerpt import shortened

__all__ = ["arguments_fault"]

_object = Decoder(dict[str, Raw])
"""Reads the syntax of an object without building its values."""


def arguments_fault(text: str) -> tuple[str, str] | None:
    """The rule that `text` breaks as a call's arguments and what is wrong with it, or `None`."""
    if text == "{}":
        return None
    try:
        _object.decode(text)
    except (DecodeError, UnicodeEncodeError, RecursionError):
        return _fault(text)
    return None


def _fault(text: str) -> tuple[str, str] | None:
    """A second reader, slower and more lenient: escaped lone surrogates, numbers of any length."""
    got = shortened(text, 80)
    try:
        value = loads(text, parse_int=len, parse_float=len, parse_constant=_refuse)
    except RecursionError:
        return None  # deeper than can be read here, which is no fault by itself
    except ValueError:
        return "TOOL-6", f"Expected arguments as JSON text of an object, got {got}"
    if isinstance(value, dict):
        return None
    if isinstance(value, str) and _is_json(value):
        return "TOOL-7", f"Expected arguments encoded once, got JSON text of JSON text: {got}"
    kind = type(value).__name__
    return "TOOL-6", f"Expected arguments as JSON text of an object, got that of a {kind}: {got}"


def _is_json(text: str) -> bool:
    try:
        loads(text, parse_int=len, parse_float=len, parse_constant=_refuse)
    except RecursionError:
        return True
    except ValueError:
        return False
    return True


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)
