"""What a script is: turns of the model and deeds of the tools, as frozen values.

Each raises `TypeError` for a field of another type.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import NoneType
from typing import Any, TypeAlias, get_args

from latent.conformance.harness._raised import Raised

__all__ = [
    "TOKEN",
    "Deed",
    "Fail",
    "Finish",
    "Fragment",
    "Hold",
    "Pause",
    "Piece",
    "PlannedCall",
    "Reasoning",
    "Script",
    "Text",
    "Tokens",
    "Turn",
]

TOKEN = "§"
"""Stands in a script for the token of the conversation that plays it; one character, so that no cut splits it."""


def _hold(value: object, **kinds: type | tuple[type, ...]) -> None:
    """Raise `TypeError` for a field that is of another type; a bool is no number here."""
    for name, kind in kinds.items():
        given = getattr(value, name)
        if not isinstance(given, kind) or (isinstance(given, bool) and kind is not bool):
            raise TypeError(f"Expected {name} of a {type(value).__name__} as {_named(kind)}, got {given!r}")


def _hold_each(what: str, values: Iterable[object], kinds: tuple[type, ...]) -> None:
    for given in values:
        if not isinstance(given, kinds):
            raise TypeError(f"Expected {what} as {_named(kinds)}, got {given!r}")


def _named(kinds: type | tuple[type, ...]) -> str:
    every = kinds if isinstance(kinds, tuple) else (kinds,)
    return " or ".join("None" if kind is NoneType else kind.__name__ for kind in every)


@dataclass(frozen=True, slots=True)
class Text:
    """A chunk of the answer."""

    text: str

    def __post_init__(self) -> None:
        _hold(self, text=str)


@dataclass(frozen=True, slots=True)
class Reasoning:
    """A chunk of reasoning, sent as `reasoning_content`."""

    text: str

    def __post_init__(self) -> None:
        _hold(self, text=str)


@dataclass(frozen=True, slots=True)
class Fragment:
    """A part of a tool call; fragments of one `index` belong to one call."""

    index: int | None
    """The place of the call in the answer, from 0."""
    id: str | None = None
    """The call's id."""
    name: str | None = None
    """The tool's name."""
    arguments: str | None = None
    """A piece of the JSON text."""

    def __post_init__(self) -> None:
        _hold(self, index=(int, NoneType), **dict.fromkeys(("id", "name", "arguments"), (str, NoneType)))


@dataclass(frozen=True, slots=True)
class Tokens:
    """The usage of the request so far, as the vendor counts: `cached` is a part of `input`, `reasoning` of `output`."""

    input: int
    output: int
    cached: int = 0
    reasoning: int = 0

    def __post_init__(self) -> None:
        _hold(self, input=int, output=int, cached=int, reasoning=int)


@dataclass(frozen=True, slots=True)
class Finish:
    """The end of the answer."""

    reason: str
    """`"stop"`, `"tool_calls"` or `"length"`."""
    tokens: Tokens | None = None
    """The usage that some servers send in the same chunk."""

    def __post_init__(self) -> None:
        _hold(self, reason=str, tokens=(Tokens, NoneType))


@dataclass(frozen=True, slots=True)
class Fail:
    """The model breaks down here."""

    message: str = "the model broke down, as the script says"
    raises: str = "ModelError"
    """What the model in process raises: `ModelError`, or an exception that `Raised` knows."""
    told: bool = False
    """Whether the server says so in the stream, where it would break the connection off."""

    def __post_init__(self) -> None:
        _hold(self, message=str, raises=str, told=bool)
        if self.raises != "ModelError":
            Raised(self.raises)  # refuses what it does not know


@dataclass(frozen=True, slots=True)
class Hold:
    """The model waits here until the named gate of the conversation is opened."""

    gate: str

    def __post_init__(self) -> None:
        _hold(self, gate=str)


@dataclass(frozen=True, slots=True)
class Pause:
    """The model says nothing for so many seconds."""

    seconds: float

    def __post_init__(self) -> None:
        _hold(self, seconds=(int, float))


Piece: TypeAlias = Text | Reasoning | Fragment | Tokens | Finish | Fail | Hold | Pause


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """A tool call as the model means it, however it is cut on the wire."""

    ticket: str
    """Names the call within its script; the scripted tools find their deed by it."""
    name: str
    """The tool."""
    arguments: str
    """JSON text; holds `TOKEN` where the conversation's token belongs."""

    def __post_init__(self) -> None:
        _hold(self, ticket=str, name=str, arguments=str)
        if not self.ticket:
            raise ValueError("Expected a call with a ticket that is not empty, got ''")


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer of the model."""

    pieces: tuple[Piece, ...]
    """What goes over the wire, in order."""
    calls: tuple[PlannedCall, ...] = ()
    """The calls that the fragments add up to."""
    meaning: str | None = None
    """The text that it amounts to, where that is not simply what the chunks add up to."""
    fails_once: bool = False
    """Whether the next request gets the next turn after a `Fail`; else it fails each time it is asked for."""
    at_once: bool = False
    """Whether all that comes before the usage stands in one chunk, as servers send it that wait for a whole answer."""

    def __post_init__(self) -> None:
        _hold(self, pieces=tuple, calls=tuple, meaning=(str, NoneType), fails_once=bool, at_once=bool)
        _hold_each("pieces of a Turn", self.pieces, get_args(Piece))
        _hold_each("calls of a Turn", self.calls, (PlannedCall,))

    @property
    def text(self) -> str:
        """The whole text."""
        if self.meaning is not None:
            return self.meaning
        return "".join(piece.text for piece in self.pieces if isinstance(piece, Text))

    @property
    def reasoning(self) -> str:
        """The whole reasoning."""
        return "".join(piece.text for piece in self.pieces if isinstance(piece, Reasoning))

    @property
    def thinks_again(self) -> bool:
        """Whether reasoning comes behind text."""
        kinds = [type(piece) for piece in self.pieces if isinstance(piece, (Reasoning, Text))]
        return kinds != sorted(kinds, key=lambda kind: kind is Text)

    @property
    def tokens(self) -> Tokens | None:
        """The last usage that is sent, which is the true one."""
        return next(reversed(self._told), None)

    @property
    def tells_often(self) -> bool:
        """Whether usage is sent more than once, each time for all so far."""
        return len(self._told) > 1

    @property
    def _told(self) -> list[Tokens]:
        told = (piece.tokens if isinstance(piece, Finish) else piece for piece in self.pieces)
        return [tokens for tokens in told if isinstance(tokens, Tokens)]

    @property
    def fails(self) -> bool:
        """Whether the model breaks down in it."""
        return any(isinstance(piece, Fail) for piece in self.pieces)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """What a tool does when it is run with a ticket."""

    value: Any = None
    """What it returns."""
    error: Raised | None = None
    """What it raises instead."""
    hold: str | None = None
    """A gate of the conversation at which it waits first."""
    turns: int = 0
    """How often it lets the loop turn first; tools that run side by side end in the order of this."""
    seconds: float = 0.0
    """How long it takes first."""
    announced: bool = False
    """Whether it waits first until the consumer has seen its `ToolCall`."""
    errand: str | None = None
    """The name of what it does first, out of the conversation's `errands`."""

    def __post_init__(self) -> None:
        _hold(self, error=(Raised, NoneType), hold=(str, NoneType), turns=int, seconds=(int, float), announced=bool)
        _hold(self, errand=(str, NoneType))


@dataclass(frozen=True, slots=True)
class Script:
    """A conversation as the kit plays it."""

    name: str
    """What reports call it."""
    turns: tuple[Turn, ...]
    """The model's answers, in order; a request beyond them fails, unless it is the first of a later phase."""
    deeds: Mapping[str, Deed] = field(default_factory=dict)
    """Ticket -> what the tool does."""
    endless: bool = False
    """Whether it has more turns than an agent that minds its limit asks for."""

    def __post_init__(self) -> None:
        _hold(self, name=str, turns=tuple, deeds=Mapping, endless=bool)
        _hold_each("turns of a Script", self.turns, (Turn,))
        _hold_each("tickets of a Script's deeds", self.deeds, (str,))
        _hold_each("deeds of a Script", self.deeds.values(), (Deed,))

    @property
    def tickets(self) -> frozenset[str]:
        """Every ticket that a turn gives."""
        return frozenset(call.ticket for turn in self.turns for call in turn.calls)

    @property
    def seconds(self) -> float:
        """How long the model and the tools take in all, one after another."""
        pauses = (piece.seconds for turn in self.turns for piece in turn.pieces if isinstance(piece, Pause))
        return sum(pauses) + sum(deed.seconds for deed in self.deeds.values())

    @property
    def fails(self) -> bool:
        """Whether it gives a run a reason to fail: a breakdown of the model or of a tool, or no end."""
        return (
            self.endless
            or any(turn.fails for turn in self.turns)
            or any(deed.error is not None for deed in self.deeds.values())
        )
