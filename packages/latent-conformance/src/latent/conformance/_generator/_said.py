"""What the model does in a turn, before it is written down as a script."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from json import dumps
from typing import Literal, TypeAlias, assert_never, get_args

from latent.conformance._generator._calls import DrawnCall, cut, interleaved
from latent.conformance.harness import (
    TOKEN,
    Deed,
    Fail,
    Finish,
    Fragment,
    Piece,
    PlannedCall,
    Reasoning,
    Script,
    Text,
    Tokens,
    Turn,
    call_id,
)

__all__ = ["CALL_LAYOUTS", "ENDINGS", "USUAL", "Said", "written"]

USUAL = Tokens(25, 15)
_OddIds: TypeAlias = Literal["no ids", "empty ids", "equal ids", "ids used again", "long ids", "odd ids"]
_IDS: dict[_OddIds, Callable[[str, int], str | None]] = {
    "no ids": lambda usual, index: None,
    "empty ids": lambda usual, index: "",
    "equal ids": lambda usual, index: f"call_{TOKEN}",
    "ids used again": lambda usual, index: f"call_{TOKEN}_{index}",
    "long ids": lambda usual, index: f"{usual}_{'x' * 80}",
    "odd ids": lambda usual, index: f"{usual} é/:",
}
"""How servers name calls in ways of their own."""
Layout: TypeAlias = Literal[
    "usual", _OddIds, "no index", "one index", "from one", "all in each", "encoded twice", "stop", "at once"
]
"""How calls are sent."""
CALL_LAYOUTS: tuple[Layout, ...] = get_args(Layout)[1:]
"""How servers send calls in ways of their own."""
Ending: TypeAlias = Literal["usual", "no usage", "with the finish", "no finish", "all along"]
"""How an answer ends, and where its usage is told."""
ENDINGS: tuple[Ending, ...] = get_args(Ending)[1:]
"""How servers end answers in ways of their own."""


@dataclass(frozen=True, slots=True)
class Said:
    """What the model does in a turn that has no place in a script yet."""

    reasoning: Sequence[str] = ()
    texts: Sequence[str] = ()
    calls: Sequence[DrawnCall] = ()
    switches: Sequence[bool] = ()
    after: Sequence[str] = ()
    """Text behind the calls."""
    layout: Layout = "usual"
    ending: Ending = "usual"
    finish: Literal["usual", "length"] = "usual"
    tokens: Tokens = USUAL
    failure: Fail | None = None
    thought: str | None = None
    """What stands between tags in the text."""


def written(said: Sequence[Said]) -> Script:
    """The script of a whole conversation; tickets are numbered through it."""
    turns: list[Turn] = []
    deeds: dict[str, Deed] = {}
    for each in said:
        tickets = [f"t{len(deeds) + at}" for at in range(1, len(each.calls) + 1)]
        turns.append(_turn(each, tickets))
        deeds |= {ticket: call.done(ticket) for ticket, call in zip(tickets, each.calls, strict=True)}
    return Script("generated", tuple(turns), deeds)


def _turn(said: Said, tickets: Sequence[str]) -> Turn:
    calls = [call.planned(ticket) for call, ticket in zip(said.calls, tickets, strict=True)]
    told: Sequence[Piece] = [
        *(Reasoning(f"{TOKEN}*{text}" if at == 0 else text) for at, text in enumerate(said.reasoning)),
        *map(Text, _tagged(said) if said.thought is not None else said.texts),
        *_fragments(said, calls),
        *map(Text, said.after),
    ]
    if said.failure is not None:
        return Turn((*told, said.failure))
    meaning = None if said.thought is None else _answer(said)
    return Turn((*_ended(said, told, _reason(said)),), tuple(calls), meaning, at_once=said.layout == "at once")


def _reason(said: Said) -> str:
    """Why the model ends, as servers name it."""
    match said.finish:
        case "length":
            return "length"
        case "usual":
            return "tool_calls" if said.calls and said.layout != "stop" else "stop"
        case _:
            assert_never(said.finish)


def _answer(said: Said) -> str:
    return "a" + "".join(said.texts)  # white text behind a tag may be taken for a part of it


def _tagged(said: Said) -> Iterator[str]:
    """The answer behind a thought between tags, cut where the chunks of the answer are long."""
    whole = f"<think>{TOKEN}*{said.thought}</think>{_answer(said)}"
    for text in said.texts:
        yield whole[: len(text)]
        whole = whole[len(text) :]
    yield whole


def _ended(said: Said, told: Sequence[Piece], reason: str) -> Iterator[Piece]:
    tokens = replace(said.tokens, reasoning=said.tokens.output // 2 if said.reasoning else 0)
    match said.ending:
        case "no usage":
            yield from (*told, Finish(reason))
        case "with the finish":
            yield from (*told, Finish(reason, tokens))
        case "no finish":
            yield from (*told, tokens)
        case "all along":  # each time for all so far
            yield from (replace(tokens, output=1), *told, Finish(reason), tokens)
        case "usual":
            yield from (*told, Finish(reason), tokens)
        case _:
            assert_never(said.ending)


def _fragments(said: Said, calls: Sequence[PlannedCall]) -> Iterator[Fragment]:
    """The calls as they go over the wire."""
    whole = said.layout in ("no index", "one index")  # a fragment that carries less could belong to any call
    sent = [replace(call, arguments=_encoded(call, said.layout)) for call in calls]
    cuts = [
        cut(at, call_id(call), call, () if whole else drawn.cuts)
        for at, (call, drawn) in enumerate(zip(sent, said.calls, strict=True))
    ]
    for fragment in interleaved(cuts, () if whole else said.switches):
        assert fragment.index is not None
        yield _laid_out(fragment, calls[fragment.index], said.layout)


def _encoded(call: PlannedCall, layout: Layout) -> str:
    return dumps(call.arguments, ensure_ascii=False) if layout == "encoded twice" else call.arguments


def _laid_out(fragment: Fragment, call: PlannedCall, layout: Layout) -> Fragment:
    """A fragment in the layout; a usual id stands on the first of a call."""
    index = fragment.index or 0
    match layout:
        case "no index":
            return replace(fragment, index=None)
        case "one index":
            return replace(fragment, index=0)
        case "from one":
            return replace(fragment, index=index + 1)
        case "all in each":
            return replace(fragment, id=call_id(call), name=call.name)
        case "no ids" | "empty ids" | "equal ids" | "ids used again" | "long ids" | "odd ids":
            return fragment if fragment.id is None else replace(fragment, id=_IDS[layout](fragment.id, index))
        case "usual" | "encoded twice" | "stop" | "at once":
            return fragment
        case _:
            assert_never(layout)
