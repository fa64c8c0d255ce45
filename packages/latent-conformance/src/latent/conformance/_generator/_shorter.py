"""Simpler conversations: what there is to try where one shows something that a shorter one may show too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar, cast

from latent.conformance._generator._calls import DrawnCall
from latent.conformance._generator._said import Said
from latent.conformance.harness import TOKEN, Deed, Fail

__all__ = ["shorter"]

_PLAIN = "a"
_MARKED = f"{TOKEN}-o"
_ANSWER = Said(texts=(_PLAIN,))
_CALL = DrawnCall("lookup", f'{{"ticket": "{TOKEN}-t"}}', (), Deed(value=_MARKED))
_CHUNKS = ("reasoning", "texts", "after")
_Item = TypeVar("_Item")


def shorter(said: Sequence[Said]) -> Iterator[tuple[Said, ...]]:
    """Conversations that differ in one thing and are simpler, the greatest steps first.

    Fewer turns come first, then turns with less in them, then plainer texts, calls and values.
    """
    *calling, last = said
    if calling:
        yield (last,)
    for fewer in _without_one(calling):
        yield (*fewer, last)
    if last != _ANSWER:
        yield (*calling, _ANSWER)
    for at, turn in enumerate(said):
        for simpler in _simpler_turn(turn):
            yield (*said[:at], simpler, *said[at + 1 :])


def _simpler_turn(turn: Said) -> Iterator[Said]:
    plain = Said(calls=turn.calls) if turn.calls else _ANSWER
    for field in fields(Said):
        if getattr(turn, field.name) != getattr(plain, field.name):
            yield _with(turn, field.name, getattr(plain, field.name))
    if turn.failure is not None and turn.failure != Fail():
        yield replace(turn, failure=Fail())
    if len(turn.calls) > 1:
        yield from (replace(turn, calls=fewer) for fewer in _without_one(turn.calls))
    for name in _CHUNKS:
        for chunks in _simpler_chunks(getattr(turn, name)):
            yield _with(turn, name, chunks)
    for at, call in enumerate(turn.calls):
        for simpler in _simpler_call(call):
            yield replace(turn, calls=(*turn.calls[:at], simpler, *turn.calls[at + 1 :]))


def _simpler_chunks(chunks: Sequence[str]) -> Iterator[tuple[str, ...]]:
    if len(chunks) > 1:
        yield from _without_one(chunks)
    for at, chunk in enumerate(chunks):
        if chunk != _PLAIN:
            yield (*chunks[:at], _PLAIN, *chunks[at + 1 :])


def _simpler_call(call: DrawnCall) -> Iterator[DrawnCall]:
    if call != _CALL:
        yield _CALL
    if call.tool != _CALL.tool:
        yield replace(call, tool=_CALL.tool, arguments=_CALL.arguments)
    for name in ("arguments", "cuts", "deed"):
        if getattr(call, name) != getattr(_CALL, name):
            yield _with(call, name, getattr(_CALL, name))
    for cuts in _without_one(call.cuts):
        yield replace(call, cuts=cuts)
    if call.deed.turns:
        yield replace(call, deed=replace(call.deed, turns=0))
    for value in _simpler_values(call.deed.value):
        yield replace(call, deed=replace(call.deed, value=value))


def _simpler_values(value: Any) -> Iterator[Any]:
    match value:
        case list():
            yield from value
            yield from (list(fewer) for fewer in _without_one(value))
            for at, each in enumerate(value):
                yield from ([*value[:at], simpler, *value[at + 1 :]] for simpler in _simpler_values(each))
        case dict():
            yield from value.values()
            yield from (dict(fewer) for fewer in _without_one([*value.items()]))
            for name, each in value.items():
                yield from ({**value, name: simpler} for simpler in _simpler_values(each))
        case _ if value != _MARKED:
            yield _MARKED


def _without_one(items: Sequence[_Item]) -> Iterator[tuple[_Item, ...]]:
    return ((*items[:at], *items[at + 1 :]) for at in range(len(items)))


def _with(owner: _Item, name: str, value: Any) -> _Item:
    changed: Any = owner
    return cast("_Item", replace(changed, **{name: value}))
