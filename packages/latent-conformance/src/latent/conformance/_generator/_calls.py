"""Calls of a generated turn, and what becomes of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any

from hypothesis import strategies as st

from latent.conformance._generator._choices import DrawFn, among, chunks, first_of, maybe, number, values
from latent.conformance.harness import TOKEN, Deed, Fragment, PlannedCall, Raised

__all__ = ["DrawnCall", "cut", "drawn_calls", "interleaved"]

_LAYOUTS = ('{{"ticket": {}}}', '{{"ticket":{}}}', ' {{\n  "ticket" : {}\n}}\n')
_FLAWS = ("{}", "", '{"ticket": ', "ticket", "[1]", "null", '"§"', '{"ticket": "§-t"}}')
"""Arguments that are no JSON object, and an object that lacks what the tool needs."""
_FLAWED, _RAISING = 15, (13, 14)
"""Out of sixteen."""
_RAISED = (
    *(Raised("ValueError", "no such record"), Raised("RuntimeError"), Raised("KeyError", "a"), Raised("OSError", "é")),
    *(Raised("TimeoutError"), Raised("CancelledError"), Raised("StopIteration"), Raised("AssertionError")),
)


@dataclass(frozen=True, slots=True)
class DrawnCall:
    """A call that has no place in a script yet."""

    tool: str
    arguments: str
    """JSON text with `§-t` where the ticket belongs."""
    cuts: tuple[int, ...]
    """How long each fragment of the arguments is, but for the last."""
    deed: Deed

    def planned(self, ticket: str) -> PlannedCall:
        """The call under a ticket of its script."""
        return PlannedCall(ticket, self.tool, self.arguments.replace(f"{TOKEN}-t", f"{TOKEN}-{ticket}"))

    def done(self, ticket: str) -> Deed:
        """What its tool does; marked texts carry the ticket's number."""
        marked = _marked(self.deed.value, f"{TOKEN}-o{ticket.removeprefix('t')}")
        return Deed(value=marked, error=self.deed.error, turns=self.deed.turns)


@st.composite
def drawn_calls(draw: DrawFn) -> DrawnCall:
    """A call of one of the harness's tools."""
    tool = first_of(draw, ("lookup", "inspect", "submit"))
    text = json.dumps(f"{TOKEN}-t", ensure_ascii=False)
    arguments = draw(_forms()) if tool == "submit" else first_of(draw, _LAYOUTS).format(text)
    odds = number(draw, 4)
    if odds == _FLAWED:
        arguments = among(draw, _FLAWS)
    cuts = draw(st.lists(_sizes(), max_size=2))
    turns = among(draw, (10, 20)) if maybe(draw) else 0
    if odds in _RAISING:
        return DrawnCall(tool, arguments, tuple(cuts), Deed(error=among(draw, _RAISED), turns=turns))
    return DrawnCall(tool, arguments, tuple(cuts), Deed(value=draw(values()), turns=turns))


@st.composite
def _sizes(draw: DrawFn) -> int:
    return 2 * number(draw, 3)


@st.composite
def _forms(draw: DrawFn) -> str:
    """Arguments of `submit`: the ticket, and any of its other parameters."""
    form: dict[str, Any] = {"ticket": f"{TOKEN}-t"}
    if maybe(draw):
        form["count"] = among(draw, (1, -1, 2**53, 0))
    if maybe(draw):
        form["amount"] = among(draw, (0.5, -2.25, 1e21, 0.0))
    if maybe(draw):
        form["urgent"] = maybe(draw)
    if maybe(draw):
        form["notes"] = draw(chunks(most=2))
    return json.dumps(form, ensure_ascii=maybe(draw)).replace("\\u00a7", TOKEN)


def cut(index: int, id: str, call: PlannedCall, cuts: Sequence[int]) -> list[Fragment]:
    """The fragments of a call: the first with id and name, and all of its arguments where there are no cuts."""
    parts, rest = [], call.arguments
    for size in cuts:
        parts.append(rest[:size])
        rest = rest[size:]
    first, *others = [*parts, rest]
    return [Fragment(index, id, call.name, first), *(Fragment(index, arguments=part) for part in others)]


def interleaved(cuts: Sequence[Sequence[Fragment]], switches: Sequence[bool]) -> Iterator[Fragment]:
    """The fragments of several calls, calls opened in their order; at a switch, the next call goes on."""
    left = [list(fragments) for fragments in cuts]
    switching = cycle(switches)
    at = 0
    while any(left):
        if left[at]:
            yield left[at].pop(0)
        if not left[at] or next(switching, False):
            at = (at + 1) % len(left)


def _marked(value: Any, mark: str) -> Any:
    match value:
        case str():
            return mark if value == f"{TOKEN}-o" else value
        case list():
            return [_marked(each, mark) for each in value]
        case dict():
            return {name: _marked(each, mark) for name, each in value.items()}
        case _:
            return value
