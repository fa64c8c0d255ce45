"""What an agent sends to the model of its own steps: the calls, and what became of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from latent.conformance._excerpt import shortened
from latent.conformance._history import batches
from latent.conformance._ledger import Ledger
from latent.conformance._live._run import Run, parsed
from latent.conformance.harness import Conversation, PlannedCall, Text, Turn
from latent.protocol import PhaseStarted

__all__ = ["sent_back"]

_NOTHING = frozenset({"", "None", "null", '""', "{}"})
"""What is left of an error that got lost on its way into a row."""


class _Call(NamedTuple):
    """A call in an assistant's row of a request."""

    row: int
    id: object
    arguments: object


class _Sent(NamedTuple):
    """A request."""

    number: int
    rows: Sequence[Mapping[str, Any]]
    calls: Sequence[_Call]

    def answers(self, arguments: str) -> list[str]:
        """The contents of the rows that answer the call with these arguments."""
        ids = [call.id for call in self.calls if parsed(call.arguments) == parsed(arguments)]
        return [_text_of(row) for row in self.rows if row.get("role") == "tool" and row.get("tool_call_id") in ids]


def sent_back(ledger: Ledger, run: Run) -> None:
    """Hold the rows of each request that come of the steps before it against what happened in them.

    How an output is worded there is the agent's own affair: the mark that it carries has to be in it.
    """
    script = run.conversation.script
    if any(isinstance(event, PhaseStarted) and event.retry_count for event in run.events):
        return  # another attempt begins from the history
    for number, request in enumerate(run.requests):
        sent = _Sent(number, request.messages, list(_calls(request.messages)))
        earlier = [turn for turn in script.turns[: request.turn] if turn.calls and not turn.fails]
        if not _is_wire(ledger, sent, run.conversation) or not _is_in_order(ledger, sent):
            return
        for turn in earlier:
            ledger.met("MSG-5", len(turn.calls))
            if not _keeps_results(ledger, run, sent, turn) or not _keeps_text(ledger, run.conversation, sent, turn):
                return
            if not _adds_no_text(ledger, run.conversation, sent, turn):
                return


def _calls(rows: Sequence[Mapping[str, Any]]) -> Iterator[_Call]:
    for at, row in enumerate(rows):
        for call in row.get("tool_calls") or () if row.get("role") == "assistant" else ():
            if isinstance(call, Mapping):
                function = call.get("function")
                yield _Call(at, call.get("id"), function.get("arguments") if isinstance(function, Mapping) else None)


def _is_wire(ledger: Ledger, sent: _Sent, conversation: Conversation) -> bool:
    """Whether contents and arguments are of the types that the vendors take."""
    for at, row in enumerate(sent.rows):
        if row.get("role") == "tool" and not isinstance(row.get("content"), (str, list)):
            where, got = f"Request {sent.number}, row {at}", shortened(row.get("content"))
            ledger.breach("MSG-2", f"{where}: expected the content of a tool row as text, got {got}")
            return False
    given = {conversation.fill(call.arguments) for turn in conversation.script.turns for call in turn.calls}
    for call in sent.calls:
        where = f"Request {sent.number}, row {call.row}: expected arguments"
        if not isinstance(call.arguments, str):
            ledger.breach("TOOL-6", f"{where} as JSON text, got {shortened(call.arguments)}")
            return False
        if call.arguments not in given and isinstance(_decoded(call.arguments), str):
            ledger.breach("TOOL-7", f"{where} that are encoded once, got {shortened(call.arguments)}")
            return False
    return True


def _is_in_order(ledger: Ledger, sent: _Sent) -> bool:
    """Whether the tool rows stand in the order of their calls."""
    for batch in batches(sent.rows):
        ledger.met("TOOL-13", len(batch.answered) > 1)
        if not batch.in_order:
            got = f"{batch.called}, got {batch.answered}"
            ledger.breach("TOOL-13", f"Request {sent.number}: expected tool rows in the order of the calls, {got}")
            return False
    return True


def _keeps_results(ledger: Ledger, run: Run, sent: _Sent, turn: Turn) -> bool:
    """Whether each call of the turn is there with what became of it."""
    marks = {call.ticket: _mark_of(run.conversation, call) for call in turn.calls}
    for call in turn.calls:
        result = run.result_of(call.ticket)
        if result is None or run.runs[call.ticket] != 1:
            continue
        rows = sent.answers(run.conversation.fill(call.arguments))
        got = shortened(rows[0]) if rows else "no such row"
        where, mark = f"Request {sent.number}: expected", marks[call.ticket]
        if result.error and rows and all(row.strip() in _NOTHING for row in rows):
            message = f"{where} the error {shortened(result.error)} of {call.name} in its tool row, got {got}"
            ledger.breach("TOOL-14", message, index=run.place(result))
            return False
        lacking = mark is not None and result.error is None and not any(mark in row for row in rows)
        if lacking and (rows or not any(str(mark) in _text_of(row) for row in sent.rows)):
            swapped = any(other in row for other in marks.values() if other not in (None, mark) for row in rows)
            message = f"{where} the output {shortened(result.output)} under the call of {call.name}, got {got}"
            ledger.breach("TOOL-21" if swapped else "MSG-5", message, index=run.place(result))
            return False
    return True


def _keeps_text(ledger: Ledger, conversation: Conversation, sent: _Sent, turn: Turn) -> bool:
    """Whether what the model said beside its calls is there, in whatever pieces."""
    wanted = [parsed(conversation.fill(call.arguments)) for call in turn.calls]
    if not any(parsed(call.arguments) in wanted for call in sent.calls):
        return True
    kept = [_text_of(row) for row in sent.rows]
    for piece in turn.pieces:
        said = conversation.fill(piece.text).strip() if isinstance(piece, Text) else ""
        ledger.met("MSG-7", bool(said))
        if said and not any(said in text for text in kept):
            message = f"Request {sent.number}: expected the text beside the calls, {said!r}, got none"
            ledger.breach("MSG-7", message)
            return False
    return True


def _adds_no_text(ledger: Ledger, conversation: Conversation, sent: _Sent, turn: Turn) -> bool:
    """Whether calls beside which the model said nothing are sent with nothing, in whatever form the provider wants."""
    if turn.text.strip() or turn.reasoning:
        return True
    values = [parsed(conversation.fill(call.arguments)) for call in turn.calls]
    wanted = [value for value in values if isinstance(value, dict) and "ticket" in value]  # others may be of any turn
    for at in sorted({call.row for call in sent.calls if parsed(call.arguments) in wanted}):
        ledger.met("MSG-6")
        content = sent.rows[at].get("content")
        if content is not None and _text_of(sent.rows[at]).strip():
            message = f"Request {sent.number}, row {at}: expected calls without a text, got {shortened(content)}"
            ledger.breach("MSG-6", message)
            return False
    return True


def _mark_of(conversation: Conversation, call: PlannedCall) -> str | None:
    """The marked text in the output of a call, which every wording of it keeps."""
    deed = conversation.script.deeds.get(call.ticket)
    return None if deed is None else _marked(conversation.filled(deed.value), f"{conversation.token}-o")


def _marked(value: object, mark: str) -> str | None:
    match value:
        case str() if mark in value:  # a long text may be shortened on its way to the model
            return next(word for word in value.split(" ") if mark in word)
        case dict() | list():
            inside = value.values() if isinstance(value, dict) else value
            return next((found for each in inside if (found := _marked(each, mark))), None)
        case _:
            return None


def _text_of(row: Mapping[str, Any]) -> str:
    match row.get("content"):
        case list() as parts:
            return "".join(str(part.get("text", "")) for part in parts if isinstance(part, Mapping))
        case content:
            return str(content)


def _decoded(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return None
