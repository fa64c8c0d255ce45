"""What the model does in a turn, before it is written down as a script."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from json import dumps

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
_IDS: dict[str, Callable[[str, int], str | None]] = {
    "no ids": lambda usual, index: None,
    "empty ids": lambda usual, index: "",
    "equal ids": lambda usual, index: f"call_{TOKEN}",
    "ids used again": lambda usual, index: f"call_{TOKEN}_{index}",
    "long ids": lambda usual, index: f"{usual}_{'x' * 80}",
    "odd ids": lambda usual, index: f"{usual} é/:",
}
"""How servers name calls in ways of their own."""
CALL_LAYOUTS = (*_IDS, "no index", "one index", "from one", "all in each", "encoded twice", "stop", "at once")
"""How servers send calls in ways of their own."""
ENDINGS = ("no usage", "with the finish", "no finish", "all along")


@dataclass(frozen=True, slots=True)
class Said:
    """What the model does in a turn that has no place in a script yet."""

    reasoning: Sequence[str] = ()
    texts: Sequence[str] = ()
    calls: Sequence[DrawnCall] = ()
    switches: Sequence[bool] = ()
    after: Sequence[str] = ()
    """Text behind the calls."""
    layout: str = ""
    ending: str = ""
    finish: str = ""
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
    reason = said.finish or ("tool_calls" if calls and said.layout != "stop" else "stop")
    meaning = None if said.thought is None else _answer(said)
    return Turn((*_ended(said, told, reason),), tuple(calls), meaning, at_once=said.layout == "at once")


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
        case _:
            yield from (*told, Finish(reason), tokens)


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


def _encoded(call: PlannedCall, layout: str) -> str:
    return dumps(call.arguments, ensure_ascii=False) if layout == "encoded twice" else call.arguments


def _laid_out(fragment: Fragment, call: PlannedCall, layout: str) -> Fragment:
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
        case _ if fragment.id is not None and layout in _IDS:
            return replace(fragment, id=_IDS[layout](fragment.id, index))
        case _:
            return fragment
