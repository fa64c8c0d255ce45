"""What an agent sends to the model of its own steps: the calls, and what became of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from latent.conformance._evidence._made import is_sound
from latent.conformance._evidence._rows import content_text
from latent.conformance._evidence._run import Run, parsed
from latent.conformance._evidence._wording import tells
from latent.conformance._passive._history import batches
from latent.conformance._verdict._excerpt import shortened
from latent.conformance._verdict._ledger import Ledger
from latent.conformance.harness import Conversation, PlannedCall, Text, Turn
from latent.protocol import PhaseStarted

__all__ = ["sent_back"]

_NOTHING = frozenset({"", "None", "null", '""', "{}"})
"""What is left of an error that got lost on its way into a row."""


_BETWEEN_TAGS = re.compile(r"<(\w+)>.*?</\1>", re.DOTALL)
_IN_WORDS = (
    "Make text of every output with str() or as JSON, and test for an error with `is not None`: 0, False and {} are "
    "answers too, and a row without text tells the model nothing."
)


_AS_SHORTENED = (
    "Say in the row that the output was shortened, and by how much: the model takes a part of it for the whole."
)


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
        return [
            content_text(row.get("content"))
            for row in self.rows
            if row.get("role") == "tool" and row.get("tool_call_id") in ids
        ]


def sent_back(ledger: Ledger, run: Run) -> None:
    """Hold the rows of each request that come of the steps before it against what happened in them.

    How an output is worded there is the agent's own affair: the mark that it carries has to be in it. A later
    phase begins from the history too, and need not say what calls led to the former one's text.
    """
    if any(isinstance(event, PhaseStarted) and event.retry_count for event in run.events):
        return  # another attempt begins from the history
    for number, request in enumerate(run.requests):
        sent = _Sent(number, request.messages, list(_calls(request.messages)))
        began = max((each.turn for each in run.requests[: number + 1] if each.further), default=0)
        earlier = [turn for turn in run.turns[began : request.turn] if turn.calls and not turn.fails]
        if not _is_wire(ledger, sent, run.conversation) or not _is_in_order(ledger, sent):
            return
        for turn in earlier:
            ledger.met("MSG-5", len(turn.calls))
            if not _keeps_results(ledger, run, sent, turn) or not _keeps_calls(ledger, run, sent, turn):
                return
            if not _keeps_text(ledger, run.conversation, sent, turn):
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
        if row.get("role") == "tool" and not _is_text(row.get("content")):
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


def _is_text(content: object) -> bool:
    """Whether content is a string, or a list of parts with a text each."""
    parts = content if isinstance(content, list) else None
    if parts is None:
        return isinstance(content, str)
    return all(isinstance(part, Mapping) and isinstance(part.get("text"), str) for part in parts)


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
        if result.error is None and mark is None and rows and not any(tells(row, result.output) for row in rows):
            message = f"{where} the output {shortened(result.output)} of {call.name} in its tool row, got {got}"
            ledger.breach("MSG-5", message, index=run.place(result), hint=_IN_WORDS)
            return False
        if mark is not None and result.error is None and rows and all(_is_cut(row, result.output) for row in rows):
            wanted = f"{where} the whole output of {call.name} in its tool row, or a word that it was shortened"
            message = f"{wanted}, got {len(rows[0])} of its {len(str(result.output))} characters and no more"
            ledger.breach("MSG-5", message, index=run.place(result), hint=_AS_SHORTENED)
            return False
        if mark is None or result.error is not None or any(_holds(row, mark) for row in rows):
            continue
        if rows or not any(_holds(content_text(row.get("content")), mark) for row in sent.rows):
            swapped = any(_holds(row, other) for other in marks.values() if other not in (None, mark) for row in rows)
            message = f"{where} the output {shortened(result.output)} under the call of {call.name}, got {got}"
            ledger.breach("TOOL-21" if swapped else "MSG-5", message, index=run.place(result))
            return False
    return True


def _keeps_calls(ledger: Ledger, run: Run, sent: _Sent, turn: Turn) -> bool:
    """Whether the turn's calls are there as the model made them; an agent may fill in what they left out."""
    for call in turn.calls:
        wanted, event = parsed(run.conversation.fill(call.arguments)), run.call(call.ticket)
        if not is_sound(call) or event is None or parsed(event.function.arguments) != wanted:
            continue
        got = [value for each in sent.calls if _ticket(value := parsed(each.arguments)) == wanted["ticket"]]
        if got and not any(wanted.items() <= value.items() for value in got):
            where = f"Request {sent.number}: expected the call {call.name}({shortened(wanted)}) as it was made"
            ledger.breach("MSG-5", f"{where}, got {shortened(got[0])}", index=run.place(event))
            return False
    return True


def _ticket(arguments: object) -> object:
    return arguments.get("ticket") if isinstance(arguments, dict) else None


def _keeps_text(ledger: Ledger, conversation: Conversation, sent: _Sent, turn: Turn) -> bool:
    """Whether what the model said beside its calls is there, white space and all; a call may part it."""
    wanted = [parsed(conversation.fill(call.arguments)) for call in turn.calls]
    beside = [call.row for call in sent.calls if parsed(call.arguments) in wanted]
    if not beside:
        return True
    kept = [content_text(row.get("content")) for row in sent.rows]
    for kind, pieces in groupby(turn.pieces, type):
        said = conversation.fill("".join(each.text for each in pieces if isinstance(each, Text)))
        ledger.met("MSG-7", bool(said.strip()))
        if kind is Text and said.strip() and not any(said in text for text in kept):
            message = f"Request {sent.number}: expected the text beside the calls, {said!r}, got {kept[beside[0]]!r}"
            ledger.breach("MSG-7", message)
            return False
    return True


def _adds_no_text(ledger: Ledger, conversation: Conversation, sent: _Sent, turn: Turn) -> bool:
    """Whether calls beside which the model said nothing are sent with nothing, in whatever form the provider wants.

    What the model thought may go back to it between tags, as some providers want it.
    """
    if turn.text.strip():
        return True
    values = [parsed(conversation.fill(call.arguments)) for call in turn.calls]
    wanted = [value for value in values if isinstance(value, dict) and "ticket" in value]  # others may be of any turn
    for at in sorted({call.row for call in sent.calls if parsed(call.arguments) in wanted}):
        ledger.met("MSG-6")
        content = sent.rows[at].get("content")
        if content is not None and _BETWEEN_TAGS.sub("", content_text(content)).strip():
            message = f"Request {sent.number}, row {at}: expected calls without a text, got {shortened(content)}"
            ledger.breach("MSG-6", message)
            return False
    return True


def _mark_of(conversation: Conversation, call: PlannedCall) -> str | None:
    """The marked text in the output of a call, which every wording of it keeps."""
    deed = conversation.script.deeds.get(call.ticket)
    return None if deed is None else _marked(conversation.filled(deed.value), f"{conversation.token}-o")


def _is_cut(row: str, output: object) -> bool:
    """Whether a row is a piece of an output and has nothing else in it that would say so."""
    return isinstance(output, str) and 0 < len(row) < len(output.strip()) and row.strip() in output


def _holds(text: str, mark: str | None) -> bool:
    """Whether a row has the marked text, as it is or as JSON or Python write it."""
    forms = (
        ()
        if mark is None
        else (mark, repr(mark)[1:-1], *(json.dumps(mark, ensure_ascii=each)[1:-1] for each in (True, False)))
    )
    return any(form in text for form in forms)


def _marked(value: object, mark: str) -> str | None:
    match value:
        case str() if mark in value:  # a long text may be shortened on its way to the model
            return next(word for word in value.split(" ") if mark in word)
        case dict() | list():
            inside = value.values() if isinstance(value, dict) else value
            return next((found for each in inside if (found := _marked(each, mark))), None)
        case _:
            return None


def _decoded(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return None
