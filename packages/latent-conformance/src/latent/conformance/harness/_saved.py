"""Scripts as files, so that a conversation can be played again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from latent.conformance.harness._script import (
    Deed,
    Fail,
    Finish,
    Fragment,
    Hold,
    Pause,
    Piece,
    PlannedCall,
    Reasoning,
    Script,
    Text,
    Tokens,
    Turn,
)

__all__ = ["SCRIPT_VERSION", "ScriptError", "decode_script", "encode_script", "load_script", "save_script"]

SCRIPT_VERSION = 1
"""The version of the form; it rises when an older kit could not read a script any more."""

_PIECES: dict[str, type[Piece]] = {
    kind.__name__.lower(): kind for kind in (Text, Reasoning, Fragment, Tokens, Finish, Fail, Hold, Pause)
}
_Value = TypeVar("_Value")


class _TurnForm(msgspec.Struct, forbid_unknown_fields=True):
    pieces: list[dict[str, Any]]
    calls: list[dict[str, Any]] = []
    meaning: str | None = None
    fails_once: bool = False
    at_once: bool = False


class _Form(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    turns: list[_TurnForm]
    deeds: dict[str, dict[str, Any]] = {}
    endless: bool = False


class ScriptError(ValueError):
    """What should be a script in its JSON form is none, or a script holds what JSON cannot carry."""


def encode_script(script: Script) -> str:
    """The script as JSON text: one object, fields at their defaults left out, each piece with its `kind`.

    Raises `ScriptError` for values of tools that JSON cannot carry.
    """
    plain = {"latent_script": SCRIPT_VERSION, **_plain(script)}
    try:
        text = json.dumps(plain, allow_nan=False, indent=1)
    except (TypeError, ValueError) as wrong:
        raise ScriptError(f"Expected a script of what JSON can carry, got {script.name!r}: {wrong}") from wrong
    if decode_script(text) != script:
        raise ScriptError(f"Expected a script of JSON's own types, got others in the deeds of {script.name!r}")
    return text


def decode_script(text: str | bytes) -> Script:
    """The script of a JSON text; raises `ScriptError` that says where it is none."""
    try:
        plain = json.loads(text)
    except ValueError as wrong:
        raise ScriptError(f"Expected a script as JSON, got {wrong}") from wrong
    if not isinstance(plain, dict) or "latent_script" not in plain:
        raise ScriptError('Expected a script, a JSON object with the key "latent_script", got none')
    if (version := plain.pop("latent_script")) != SCRIPT_VERSION:
        raise ScriptError(f"Expected a script of version {SCRIPT_VERSION}, got version {version!r}")
    return _script(plain)


def save_script(script: Script, path: str | PathLike[str]) -> None:
    """Write the script to a file; raises `ScriptError` and `OSError`."""
    Path(path).write_text(encode_script(script) + "\n", encoding="utf-8")


def load_script(path: str | PathLike[str]) -> Script:
    """The script that a file holds; raises `ScriptError` that names the file, and `OSError`."""
    try:
        return decode_script(Path(path).read_bytes())
    except ScriptError as wrong:
        raise ScriptError(f"{fspath(path)}: {wrong}") from wrong


def _plain(value: object) -> Any:
    """A value of a script in JSON's types; a field at its default is left out."""
    match value:
        case tuple():
            return [_plain(each) for each in value]
        case Deed():
            # What a tool returns is anybody's: it goes in as it is.
            return {each.name: _of_deed(value, each) for each in fields(value) if not _is_default(value, each)}
        case Mapping():
            return {name: _plain(each) for name, each in value.items()}
        case _ if is_dataclass(value) and not isinstance(value, type):
            told = [each.name for each in fields(value) if not _is_default(value, each)]
            return _kind(value) | {name: _plain(getattr(value, name)) for name in told}
        case _:
            return value


def _kind(value: object) -> dict[str, str]:
    name = type(value).__name__.lower()
    return {"kind": name} if name in _PIECES else {}


def _of_deed(deed: Deed, field: Field[Any]) -> Any:
    value = getattr(deed, field.name)
    return value if field.name == "value" else _plain(value)


def _is_default(owner: object, field: Field[Any]) -> bool:
    value = getattr(owner, field.name)
    if field.default_factory is not MISSING:
        return bool(value == field.default_factory())
    return type(value) is type(field.default) and bool(value == field.default)


def _script(plain: Mapping[str, Any]) -> Script:
    form = _converted(plain, _Form, "$", "Script")
    return Script(
        name=form.name,
        turns=tuple(_turn(turn, f"$.turns[{at}]") for at, turn in enumerate(form.turns)),
        deeds={ticket: _made(Deed, deed, f"$.deeds.{ticket}") for ticket, deed in form.deeds.items()},
        endless=form.endless,
    )


def _turn(turn: _TurnForm, where: str) -> Turn:
    return Turn(
        pieces=tuple(_piece(piece, f"{where}.pieces[{at}]") for at, piece in enumerate(turn.pieces)),
        calls=tuple(_made(PlannedCall, call, f"{where}.calls[{at}]") for at, call in enumerate(turn.calls)),
        meaning=turn.meaning,
        fails_once=turn.fails_once,
        at_once=turn.at_once,
    )


def _piece(plain: Mapping[str, Any], where: str) -> Piece:
    given = dict(plain)
    kind = given.pop("kind", None)
    if kind not in _PIECES:
        raise ScriptError(f"Expected a kind out of {', '.join(_PIECES)} at {where}, got {kind!r}")
    return _made(_PIECES[kind], given, where)


def _made(kind: type[_Value], given: Mapping[str, Any], where: str) -> _Value:
    """A value of the kind, from an object with its fields."""
    if unknown := given.keys() - kind.__annotations__.keys():
        raise ScriptError(f"Expected fields of a {kind.__name__} at {where}, got {sorted(unknown)}")
    return _converted(given, kind, where, kind.__name__)


def _converted(given: object, kind: type[_Value], where: str, name: str) -> _Value:
    try:
        return msgspec.convert(given, kind, strict=True)
    except ValueError as wrong:
        raise ScriptError(f"Expected a {name} at {where}: {wrong}") from wrong
