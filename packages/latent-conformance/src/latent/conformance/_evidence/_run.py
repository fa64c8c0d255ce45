"""What was seen of one run."""

from __future__ import annotations

import json
import re
from asyncio import CancelledError
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from latent.conformance._driving._place import place_of
from latent.conformance._driving._stuck import Stuck
from latent.conformance._evidence._serving import Part, Told, serving_parts, text_of
from latent.conformance._verdict._excerpt import described, shortened
from latent.conformance._verdict._ledger import Ledger
from latent.conformance.harness import Conversation, Request, Turn
from latent.protocol import (
    AgentError,
    AgentEvent,
    Error,
    InvokeResult,
    Message,
    ReasoningDelta,
    Step,
    StepBoundary,
    ToolCall,
    ToolResult,
)

__all__ = ["Run", "parsed", "text_of", "ticket_in", "ticket_of"]

_NUMBER = re.compile(r"\d+")


@dataclass(slots=True, kw_only=True)
class Run:
    """One `stream` or `invoke`, as the kit drove it."""

    conversation: Conversation
    messages: list[Message]
    """The list that the agent was given."""
    given: list[Message]
    """A copy of it, made before."""
    passive: Ledger
    """What the passive engine wrote about it."""
    requests: Sequence[Request]
    """What the model was sent."""
    turns: Sequence[Turn]
    """What it had to say: the turns of the script, and those that were made for later phases."""
    runs: Mapping[str, int]
    """Ticket -> how often its tool was run."""
    aux: int = 0
    """How often the auxiliary model was asked."""
    aux_answer: str = ""
    """What it says."""
    asked: int = 0
    """How many requests had come when the kit cancelled it."""
    aux_in_tools: int = 0
    """How often of these it may have been a tool that asked."""
    strays: Sequence[str] = ()
    """The tickets that tools were run with and that no turn gave; `""` where a call gave none."""
    lost: int = 0
    """How many requests held no message of any conversation."""
    events: list[object] = field(default_factory=list)
    config: dict[str, Any] | None = None
    """What the agent was given besides."""
    configured: dict[str, Any] | None = None
    """A copy of it, made before."""
    touched: dict[str, str] = field(default_factory=dict)
    """What became of the messages and of `config` meanwhile, where they were changed."""
    raised: BaseException | None = None
    """What left the iterator or `invoke`."""
    hung: bool = False
    """Whether it did not end in time."""
    stuck: Stuck | None = None
    """Where it was then."""
    result: object = None
    """What `invoke` returned."""
    streamed: bool = False
    """Whether its stream was consumed itself, and not by `invoke`."""
    suspect: bool = False
    """Whether the stream behind an `invoke` breaks a MUST itself that its author does not declare."""
    drained: bool = False
    """Whether the stream was consumed to its end."""
    broken: bool = False
    """Whether an exception left the stream that the wrapper of `invoke` was given."""
    wrapped: int | None = None
    """How often `invoke` called its `stream_wrapper`; None where it was given none."""
    others: list[Run] = field(default_factory=list)
    """Runs of its script on other fresh instances."""

    @property
    def options(self) -> dict[str, Any]:
        """What `stream` and `invoke` are given by name."""
        return {} if self.config is None else {"config": self.config}

    @property
    def buffered(self) -> InvokeResult | None:
        """What `invoke` returned, where that can be read as an `InvokeResult`."""
        result = self.result
        if not isinstance(result, InvokeResult):
            return None
        steps: object = result.steps
        whole = isinstance(steps, list) and all(isinstance(step, Step) for step in steps)
        return result if whole else None

    @property
    def begins_again(self) -> list[Request]:
        """The requests that are the first one once more, though that was answered with something."""
        turns = self.turns
        later = [each for each in self.requests[1:] if not each.further]
        answered = bool(turns) and bool(turns[0].calls or turns[0].text)
        return [each for each in later if answered and each.messages == self.requests[0].messages]

    @property
    def errors(self) -> list[str]:
        """The messages of its `Error` events."""
        return [str(event.message) for event in self.events if isinstance(event, Error)]

    @property
    def failed(self) -> bool:
        """Whether it ended in `Error`, or with an exception."""
        return bool(self.errors) or self.raised is not None

    @property
    def over_http(self) -> bool:
        """Whether its model was asked over loopback."""
        return any(request.way == "loopback" for request in self.requests)

    @property
    def turns_asked(self) -> set[int]:
        """The numbers of the turns that were asked for, each however often."""
        return {request.turn for request in self.requests}

    @property
    def answered(self) -> list[tuple[Request, Turn]]:
        """The requests that there was a turn for, each with it."""
        turns = self.turns
        return [(request, turns[request.turn]) for request in self.requests if request.turn < len(turns)]

    @property
    def ends_between_turns(self) -> bool:
        """Whether it failed behind the results of a turn, and never asked for the next one."""
        asked = self.turns_asked
        calls = [call for turn in self.turns[: len(asked)] for call in turn.calls]
        whole = bool(calls) and all(self.result_of(call.ticket) is not None for call in calls)
        return self.failed and not self.hung and len(asked) < len(self.turns) and whole

    @property
    def ending(self) -> str:
        """How it ended, for a message."""
        if self.hung:
            return f"the run did not end in time; {self.last_event}"
        if isinstance(self.raised, AgentError) and not self.errors:
            return f"the run ended with AgentError: {self.raised}"
        if self.raised is not None:
            return f"the run ended with {described(self.raised)}{place_of(self.raised)}"
        return f"the run ended in Error({self.errors[0]!r})" if self.errors else "the run ended like a success"

    @property
    def origin(self) -> tuple[str, str] | None:
        """A line of the author's code that broke it off though nothing in the script is a reason to.

        First as a message tells it, then without what differs from run to run.
        """
        if self.stuck is not None:
            return (str(self.stuck), str(self.stuck)) if self.stuck.lines else None
        script, place = self.conversation.script, place_of(self.raised)
        may = script.fails or any(deed.error is not None for deed in script.deeds.values())
        if may or not place or isinstance(self.raised, (AgentError, CancelledError)):
            return None
        told = described(self.raised)
        return f"{told}{place}", f"{_NUMBER.sub('', told.replace(self.conversation.token, ''))}{place}"

    @property
    def last_event(self) -> str:
        """The last event, for a message, and before it where a run was that did not end in time."""
        last = f"the last event was {shortened(self.events[-1])}" if self.events else "there was no event"
        return last if self.stuck is None else f"{self.stuck}; {last}"

    @property
    def steps(self) -> list[tuple[int, list[object]]]:
        """The events of each step that serves the script's model, under the number that the agent gave it."""
        return [(part[0].step, part[1:]) for part in self._parts if part and isinstance(part[0], StepBoundary)]

    @property
    def too_early(self) -> bool:
        """Whether reasoning came before the first step."""
        kinds = (type(event) for event in self.events if isinstance(event, (StepBoundary, ReasoningDelta)))
        return next(kinds, StepBoundary) is ReasoningDelta

    @property
    def text(self) -> str:
        """All text of the run but that of steps which are the agent's own."""
        return "".join(map(text_of, self._parts))

    @property
    def _parts(self) -> list[Part]:
        """What came before the first step, and each step with its boundary; the agent's own are left out."""
        fill = self.conversation.fill
        said, thought = [fill(turn.text) for turn in self.turns], [fill(turn.reasoning) for turn in self.turns]
        theirs = {id(call) for call in self.calls}
        own = [str(event.id) for event in self.events if isinstance(event, ToolCall) and id(event) not in theirs]
        return serving_parts(self.events, Told.of(said, thought, own), len(self.turns_asked), self.aux)

    def call(self, ticket: str) -> ToolCall | None:
        """The call that carries the ticket; where none does, the one that stands in its place."""
        calls = self.calls
        named = next((call for call in calls if ticket_of(call, self.conversation) == ticket), None)
        tickets = [each.ticket for turn in self.turns for each in turn.calls]
        at = tickets.index(ticket) if ticket in tickets else len(calls)
        return named if named is not None or at >= len(calls) else calls[at]

    @property
    def tools(self) -> set[str]:
        """The tools that the model called."""
        return {call.name for turn in self.turns for call in turn.calls}

    @property
    def calls(self) -> list[ToolCall]:
        """The calls that come of the model's; the agent's own are of other tools, and carry no ticket."""
        made = [event for event in self.events if isinstance(event, ToolCall)]
        tools = {*self.tools, ""}  # a call without a name was the model's before it lost that
        return [call for call in made if call.function.name in tools or ticket_of(call, self.conversation)]

    def mates(self, ticket: str) -> frozenset[str]:
        """The tickets of the other calls in the turn that gives this one."""
        turns = ({call.ticket for call in turn.calls} for turn in self.turns)
        return frozenset(next((turn for turn in turns if ticket in turn), ())) - {ticket}

    def result_of(self, ticket: str) -> ToolResult | None:
        """The first result of the call that carries the ticket."""
        call = self.call(ticket)
        results = (event for event in self.events if isinstance(event, ToolResult))
        return next((event for event in results if call is not None and event.tool_call_id == call.id), None)

    @property
    def confused(self) -> bool:
        """Whether calls cannot be told apart, which is a finding of its own."""
        return any(found.rule in ("TOOL-1", "TOOL-2", "TOOL-5") for found in self.passive.violations)

    def first(self, kind: type[AgentEvent]) -> int | None:
        """The position of the first event of a kind."""
        return next((at for at, event in enumerate(self.events) if isinstance(event, kind)), None)

    def place(self, event: object) -> int | None:
        """The position of an event, by identity."""
        return next((at for at, each in enumerate(self.events) if each is event), None)


def ticket_of(call: ToolCall, conversation: Conversation) -> str | None:
    """The ticket that a call carries, where it is one of the conversation's own."""
    return ticket_in(parsed(call.function.arguments), conversation)


def ticket_in(arguments: object, conversation: Conversation) -> str | None:
    """The ticket in the parsed arguments of a call, where it is one of the conversation's own."""
    ticket = arguments.get("ticket") if isinstance(arguments, dict) else None
    token, _, key = str(ticket).partition("-")
    return key if token == conversation.token else None


def parsed(arguments: object) -> Any:
    """The JSON value of a call's arguments, however often it is encoded; a text that is none stands for itself."""
    while isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            break
    return arguments
