"""Plays scripts to whoever asks, in process or over the loopback server."""

from __future__ import annotations

import re
from asyncio import sleep
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from copy import deepcopy
from json import dumps
from typing import Any, assert_never

from latent.conformance.harness._chunks import Part, Spoken, Whole
from latent.conformance.harness._conversation import CALLER, Conversation, Outcome, Request, Way
from latent.conformance.harness._raised import Raised
from latent.conformance.harness._script import (
    Deed,
    Fail,
    Finish,
    Fragment,
    Hold,
    Pause,
    Reasoning,
    Script,
    Text,
    Tokens,
    Turn,
)
from latent.protocol import Message, ToolCall

__all__ = ["ModelError", "Playback"]

_TOKEN = re.compile(r"cv\d{4,}x")


class ModelError(RuntimeError):
    """The scripted model fails, because the script says so or because there is nothing to play."""

    def __init__(self, message: str, *, raises: str = "ModelError", told: bool = False) -> None:
        super().__init__(message)
        self._raises = raises
        self.told = told
        """Whether a server says so in its stream."""

    def exception(self) -> BaseException:
        """What the model in process raises: clients of models raise errors of their own, of any kind."""
        message = str(self)
        return self if self._raises == "ModelError" else Raised(self._raises, message).exception()


class Playback:
    """All conversations of one judgement, found by the token in what an agent sends.

    A request without a token is a lost message; one with two is a leak between conversations, and
    it is answered from the one whose token comes last.
    """

    def __init__(self, *, patience: float = 10.0, grace: float = 2.0) -> None:
        self.patience = patience
        """How many seconds a gate holds somebody at most."""
        self.grace = grace
        """How many seconds a tool waits for its call to be seen."""
        self.lost: list[Sequence[Mapping[str, Any]]] = []
        """The messages of requests that belong to no conversation."""
        self.strays: list[tuple[str, str]] = []
        """Tools that were run with a ticket that no turn gave: tool and ticket."""
        self.aux_answer = "yes"
        """What the auxiliary model says, whatever it is asked."""
        self.aux_calls = 0
        """How often it was asked."""
        self.aux_calls_in_tools = 0
        """How often of these it was asked behind a turn that calls tools, and before the next one."""
        self.refused = 0
        """How many requests the server took for none."""
        self.offers: set[str] = set()
        """The tools that requests offered, each time as text."""
        self.tools_run: set[str] = set()
        """The names of the tools that were run."""
        self.misuse: list[str] = []
        """How the harness was used other than it can be."""
        self.ways: set[Way] = set()
        """How requests came."""
        self.phased = True
        """Whether the agent may have phases, so that a later one gets a turn of its own where the script has none."""
        self.most_further = 0
        """The most such turns in a run that somebody watched; one that nobody watches gets as many."""
        self._latest: Conversation | None = None
        self._conversations: dict[str, Conversation] = {}

    def open(self, script: Script, *, token: str | None = None, earlier: Sequence[Message] = ()) -> Conversation:
        """Begin a conversation; with the `token` of an earlier one, go on with that."""
        token = token or f"cv{len(self._conversations) + 1:04}x"
        conversation = self._conversations[token] = self._latest = Conversation(token, script, earlier)
        return conversation

    def release(self) -> None:
        """Open every gate of every conversation."""
        for conversation in self._conversations.values():
            conversation.release()

    def saw(self, event: object, conversation: Conversation | None = None) -> None:
        """The consumer received `event`, in that conversation or the latest: what waits for it to be seen goes on."""
        if (run := conversation or self._latest) is not None:
            run.saw(event)
        if isinstance(event, ToolCall):
            for ticket in re.findall(rf"{_TOKEN.pattern}-[\w.]+", str(event.function.arguments)):
                token, _, key = ticket.partition("-")
                if conversation := self._conversations.get(token):
                    conversation.gate(f"seen {key}").open()

    async def play(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]],
        way: Way,
        *,
        tells_usage: bool = True,
    ) -> AsyncGenerator[Spoken, None]:
        """Answer a request with the pieces of the turn that is due; raises `ModelError`.

        A phase behind the script's last turn, and one that offers no tools where the script calls some, gets a
        plain answer in between: a model always has an answer, and calls no tool that it was not offered.
        """
        self.ways.add(way)
        self.offers.add(repr(tools))
        conversation = await self._find(messages)
        due = conversation.due
        unfit = due is None or bool(due.calls and not tools)
        if further := unfit and await self._begins_phase(conversation):
            conversation.add_turn()
            self.most_further = max(self.most_further, conversation.further)
        at, turn = conversation.take_turn()
        strays = frozenset(_tokens(messages)) - {conversation.token}
        request = Request(deepcopy(messages), deepcopy(tools), way, at, tells_usage, strays, further)
        conversation.requests.append(request)
        if turn is None:
            raise ModelError(f"the script {conversation.script.name!r} has no more turns")
        conversation.note("model", str(at), "begun")
        outcome: Outcome = "cut off"
        try:
            pieces = _pieces(conversation, turn, self.patience)
            async with aclosing(_at_once(pieces) if turn.at_once else pieces) as spoken:
                async for piece in spoken:
                    yield piece
            outcome = "finished"
        except ModelError:
            outcome = "failed"
            raise
        finally:
            conversation.note("model", str(at), outcome)

    async def answer_aux(self) -> AsyncGenerator[Spoken, None]:
        """Answer a request to the auxiliary model, which takes no turn of a script."""
        self.aux_calls += 1
        self.aux_calls_in_tools += self._latest is not None and self._latest.calls_tools
        for piece in (Text(self.aux_answer), Finish("stop"), Tokens(7, 1)):
            await sleep(0)
            yield piece

    async def act(self, tool: str, ticket: str, form: Mapping[str, Any] | None = None) -> Any:
        """Do what the script has in store for a tool that is run with `ticket`; `form` is all that it was given."""
        self.tools_run.add(tool)
        token, _, key = str(ticket).partition("-")
        conversation = self._conversations.get(token)
        if conversation is None or key not in conversation.script.tickets:
            self.strays.append((tool, ticket))
            raise LookupError(f"no ticket {ticket!r}")
        if form is not None:
            conversation.forms[key] = deepcopy(form)
        deed = conversation.script.deeds.get(key, Deed(value=f"{tool} of {key}"))
        return await self._run(conversation, key, deed)

    async def _run(self, conversation: Conversation, key: str, deed: Deed) -> Any:
        conversation.runs[key] += 1
        conversation.callers.append(CALLER.get())
        conversation.note("tool", key, "begun")
        outcome: Outcome = "cut off"
        try:
            if deed.announced and not await conversation.gate(f"seen {key}").wait(self.grace):
                conversation.unannounced.append(key)
            if deed.hold is not None:
                await conversation.hold(deed.hold, self.patience)
            if deed.errand is not None and deed.errand in conversation.errands:
                await conversation.errands[deed.errand]()
            conversation.drag()
            for _ in range(deed.turns):
                await sleep(0)
            if deed.seconds:
                await sleep(deed.seconds)
            if deed.error is not None:
                outcome = "failed"
                raise deed.error.exception()
            outcome = "finished"
            return conversation.filled(deed.value)
        finally:
            conversation.note("tool", key, outcome)

    async def _begins_phase(self, conversation: Conversation) -> bool:
        """Whether a phase has begun since the last request, as far as there is somebody to see it."""
        if not self.phased:
            return False
        if not conversation.watched:
            return conversation.further < self.most_further
        return await conversation.phase_begun(self.grace)

    async def _find(self, messages: Sequence[Mapping[str, Any]]) -> Conversation:
        known = [token for token in _tokens(messages) if token in self._conversations]
        if not known:
            latest = self._latest
            if latest is not None and latest.requests and await self._begins_phase(latest):
                return latest  # a later phase may be sent no more than the former one's text, whatever that is
            self.lost.append(deepcopy(messages))
            raise ModelError("the user's message is not in the request, so there is no conversation to play")
        return self._conversations[known[-1]]


async def _at_once(pieces: AsyncGenerator[Part, None]) -> AsyncGenerator[Spoken, None]:
    """All but the usage in one chunk."""
    async with aclosing(pieces):
        spoken = [piece async for piece in pieces]
    yield Whole(tuple(piece for piece in spoken if not isinstance(piece, Tokens)))
    for piece in spoken:
        if isinstance(piece, Tokens):
            yield piece


async def _pieces(conversation: Conversation, turn: Turn, patience: float) -> AsyncGenerator[Part, None]:
    for piece in turn.pieces:
        await sleep(0)  # a model never answers without letting others run
        conversation.drag()
        match piece:
            case Fail(message, raises, told):
                raise ModelError(conversation.fill(message), raises=raises, told=told)
            case Hold(gate):
                await conversation.hold(gate, patience)
            case Pause(seconds):
                await sleep(seconds)
            case Text(text):
                yield Text(conversation.fill(text))
            case Reasoning(text):
                yield Reasoning(conversation.fill(text))
            case Fragment(index, id, name, arguments):
                yield Fragment(index, id and conversation.fill(id), name, arguments and conversation.fill(arguments))
            case Tokens() | Finish():
                yield piece
            case _:
                assert_never(piece)


def _tokens(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """Every token in the rows, in order."""
    return _TOKEN.findall(dumps(list(messages), default=str))
