"""One conversation in which a script is played, and what was seen of it."""

from __future__ import annotations

from asyncio import AbstractEventLoop, get_running_loop
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import ContextVar
from copy import deepcopy
from dataclasses import dataclass
from time import sleep
from typing import Any, Literal, TypeAlias

from latent.conformance.harness._gate import Gate
from latent.conformance.harness._script import TOKEN, Script, Turn
from latent.conformance.harness._turns import further_turn
from latent.protocol import Message, PhaseStarted

__all__ = ["CALLER", "Conversation", "Entry", "Outcome", "Request", "Way"]

CALLER: ContextVar[str | None] = ContextVar("latent_conformance_caller", default=None)
"""Set by whoever consumes a run, for tools to see."""

Way: TypeAlias = Literal["in-process", "loopback"]
"""How a request came."""
Outcome: TypeAlias = Literal["begun", "finished", "failed", "cut off"]
"""What became of an answer of the model, or of a tool."""


@dataclass(frozen=True, slots=True)
class Request:
    """What the agent sent to the model."""

    messages: Sequence[Mapping[str, Any]]
    """The rows, in the layout of chat completions."""
    tools: Sequence[Mapping[str, Any]]
    """The request's `tools`."""
    way: Way
    """How it came."""
    turn: int
    """The number of the turn that answered it; beyond the script where there was none."""
    told_usage: bool
    """Whether the answer told the tokens."""
    stray_tokens: frozenset[str]
    """The tokens of other conversations in it."""
    further: bool = False
    """Whether it is the first of a later phase, and was answered with a turn that the script does not hold."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that the model or a tool did."""

    who: Literal["model", "tool"]
    """Who did it."""
    what: str
    """The turn's number, or the ticket."""
    outcome: Outcome
    """How far it came."""


class Conversation:
    """A script being played under a token that no other conversation has.

    The token stands in the user's text, so that a request is known by what it says. `rewind` begins
    the same conversation again.
    """

    def __init__(self, token: str, script: Script, earlier: Sequence[Message] = ()) -> None:
        self.token = token
        self.script = script
        self.earlier = earlier
        """The rows before the user's text, with `TOKEN` where the token belongs."""
        self.drags = 0.0
        """How many seconds the model really takes for each piece, and a tool; the loop's own clock may be hurried."""
        self.errands: dict[str, Callable[[], Awaitable[None]]] = {}
        """What a tool does besides its deed, by the name that the deed gives it."""
        self._gates: dict[str, Gate] = {}
        self.rewind()

    def rewind(self) -> None:
        """Begin again, with nothing seen; gates that hold somebody are opened first."""
        self.release()
        self._gates = {}
        self._next = 0
        self.turns: list[Turn] = [*self.script.turns]
        """The script's turns, with those between and behind them that were made for later phases."""
        self.requests: list[Request] = []
        self.journal: list[Entry] = []
        self.runs: Counter[str] = Counter()
        """Ticket -> how often its tool was run."""
        self.forms: dict[str, Mapping[str, Any]] = {}
        """Ticket -> all that its tool was given, for a tool with several parameters."""
        self.unannounced: list[str] = []
        """Tickets whose tool waited in vain for the consumer to see the call."""
        self.loops: dict[tuple[str, str], AbstractEventLoop] = {}
        """Who and what, as in the journal -> the loop on which it last was begun."""
        self.callers: list[str | None] = []
        """What each tool that was run saw in `CALLER`."""
        self.overrun = 0
        """How many requests came after the last turn."""
        self.watched = False
        """Whether somebody has seen an event of the run."""
        self._phases = 0
        self._asked_in = 0

    @property
    def messages(self) -> list[Message]:
        """The history to give to the agent, built afresh at each look."""
        return [*(self._own(row) for row in self.earlier), Message("user", f"Please work on case {self.token}.")]

    @property
    def further(self) -> int:
        """How many turns were made for later phases."""
        return len(self.turns) - len(self.script.turns)

    @property
    def due(self) -> Turn | None:
        """The turn that answers the next request; None behind the last one."""
        return self.turns[self._next] if self._next < len(self.turns) else None

    def saw(self, event: object) -> None:
        """The consumer received `event`: a request that may be of another phase goes on."""
        self.watched = True
        if isinstance(event, PhaseStarted):
            self._phases += 1
            self.gate(f"phase {self._phases}").open()

    async def phase_begun(self, patience: float) -> bool:
        """Whether a phase was seen to start since the model was asked last; an agent may run ahead of its consumer."""
        return bool(self._phases) and await self.gate(f"phase {self._asked_in + 1}").wait(patience)

    @property
    def calls_tools(self) -> bool:
        """Whether the turn that was asked for last calls tools: until the next request, they run."""
        last = self.requests[-1].turn if self.requests else len(self.turns)
        return last < len(self.turns) and bool(self.turns[last].calls)

    @property
    def open_models(self) -> int:
        """How many of the model's streams are under way."""
        return len(self.at_work("model"))

    @property
    def open_tools(self) -> int:
        """How many tools are running."""
        return len(self.at_work("tool"))

    def gate(self, name: str) -> Gate:
        """The gate of that name; made at the first look."""
        return self._gates.setdefault(name, Gate())

    async def hold(self, name: str, patience: float) -> None:
        """Wait at the gate of that name; `"{name} reached"` opens as soon as somebody waits there."""
        self.gate(f"{name} reached").open()
        await self.gate(name).wait(patience)

    def share(self, name: str, gate: Gate) -> None:
        """Use a gate that several conversations have."""
        self._gates[name] = gate

    def release(self) -> None:
        """Open every gate."""
        for gate in list(self._gates.values()):
            gate.open()

    def drag(self) -> None:
        """Let the time go by that the model or a tool takes."""
        if self.drags:
            sleep(self.drags)

    def at_work(self, who: Literal["model", "tool"]) -> list[AbstractEventLoop]:
        """The loops on which the model or tools are under way."""
        begun = Counter(entry.what for entry in self.journal if entry.who == who and entry.outcome == "begun")
        begun.subtract(entry.what for entry in self.journal if entry.who == who and entry.outcome != "begun")
        return [self.loops[who, what] for what in begun.elements()]

    def fill(self, text: str) -> str:
        """The script's text with the token in its place."""
        return text.replace(TOKEN, self.token)

    def filled(self, value: Any) -> Any:
        """A tool's value with the token in its place, in every text in it."""
        match value:
            case str():
                return self.fill(value)
            case dict():
                return {name: self.filled(item) for name, item in value.items()}
            case list():
                return [self.filled(item) for item in value]
            case _:
                return value

    def note(self, who: Literal["model", "tool"], what: str, outcome: Outcome) -> None:
        """Write down what the model or a tool did."""
        self.journal.append(Entry(who, what, outcome))
        if outcome == "begun":
            self.loops[who, what] = get_running_loop()
        else:
            self.gate(f"{who} over").open()

    def add_turn(self) -> None:
        """Have the next request answered with a turn of its own, which the script does not hold."""
        self.turns.insert(self._next, further_turn(self.further + 1, self.turns))

    def take_turn(self) -> tuple[int, Turn | None]:
        """The turn that answers the next request; a turn that fails stays, for a client may try again."""
        at, turn = self._next, self.due
        self._asked_in = self._phases
        if turn is None:
            self.overrun += 1
            return at, None
        if turn.fails_once or not turn.fails:
            self._next += 1
        return at, turn

    def _own(self, row: Message) -> Message:
        row = deepcopy(row)
        if isinstance(row.content, str):
            row.content = self.fill(row.content)
        return row
