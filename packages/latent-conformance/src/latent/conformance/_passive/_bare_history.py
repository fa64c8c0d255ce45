"""A history alone: its rows, how they pair up, and the calls in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import accumulate

from latent.conformance._catalogue import RULES
from latent.conformance._catalogue._rule import Door, Level
from latent.conformance._observers._arguments import arguments_fault
from latent.conformance._passive._history import (
    Fault,
    batches,
    calls_of,
    get,
    id_of,
    judge_rows,
    pairing_faults,
    role_of,
    tame,
)
from latent.conformance._verdict._declarations import Declarations
from latent.conformance._verdict._excerpt import half_character, shortened
from latent.conformance._verdict._judge import judge
from latent.conformance._verdict._ledger import Ledger
from latent.conformance._verdict._report import Report
from latent.protocol import Message, ToolCall

__all__ = ["check_history"]

_RULES = ("MSG-1", "MSG-2", "MSG-3", "TOOL-2", "TOOL-6", "TOOL-7", "TOOL-10", "TOOL-13", "TEXT-9")
"""What the rows show by themselves."""


def check_history(messages: Iterable[object], *, external_tools: Collection[str] = ()) -> Report:
    """Check the rows of a history, `Message` or provider's dicts.

    Calls and results pair up (MSG-1, TOOL-2), in the same order (TOOL-13); rows have their shape (MSG-2, MSG-3); calls
    hold a name and a JSON object (TOOL-6, TOOL-7, TOOL-10), and what was said holds whole characters (TEXT-9). The last
    two are hints about a provider's dicts, where the model's own words may stand. Calls of `external_tools` need no
    result.

    The `index` of a finding is the row's position. Never raises for what the rows hold. Raises `TypeError` where
    `external_tools` is no collection of names.
    """
    declared = Declarations.of(external_tools=external_tools)
    ledger = Ledger(RULES)
    try:
        rows = list(map(tame, messages))
    except Exception as error:  # whatever the iterable does, it is not ours
        rows = []
        got = f"{type(messages).__name__}, which raises {type(error).__name__}"
        ledger.breach("MSG-1", f"Expected an iterable of rows, got {got}")
    try:
        _judge_pairing(ledger, rows, declared.external_tools)
        _judge_calls(ledger, rows)
        _judge_text(ledger, rows)
        judge_rows(ledger, rows, None)
    except Exception as error:
        ledger.crash("check_history", error)
    return _by_turns(ledger, rows, declared)


def _by_turns(ledger: Ledger, rows: Sequence[object], declared: Declarations) -> Report:
    """A row of the assistant and its results are a step here: one cause, one finding in each."""
    turns = list(accumulate(role_of(row) == "assistant" for row in rows))
    ledger.annotate(lambda each: each if each.index is None else replace(each, step=turns[each.index]))
    report = judge([RULES[rule] for rule in _RULES], ledger, declared, Door.RECORDING)
    return replace(report, violations=tuple(replace(each, step=None) for each in report.violations))


def _judge_pairing(ledger: Ledger, rows: Sequence[object], elsewhere: Collection[str]) -> None:
    ledger.met("MSG-1", len(rows))
    for fault in pairing_faults(rows):
        if not _excused(fault, rows, elsewhere):
            ledger.breach("MSG-1", fault.sentence, index=fault.index)
    for batch in batches(rows):
        ledger.met("TOOL-13", len(batch.answered) > 1)
        if not batch.in_order:
            message = f"Expected tool rows in the order of the calls, {batch.called}, got {batch.answered}"
            ledger.breach("TOOL-13", message, index=batch.row + 1)


def _excused(fault: Fault, rows: Sequence[object], elsewhere: Collection[str]) -> bool:
    """Whether it is about a call that somebody else answers."""
    names = [get(get(call, "function"), "name") for call in calls_of(rows[fault.index]) if id_of(call) == fault.id]
    return any(isinstance(name, str) and name in elsewhere for name in names)


def _judge_calls(ledger: Ledger, rows: Sequence[object]) -> None:
    known: set[str] = set()
    repeated = False
    for index, row in enumerate(rows):
        calls = calls_of(row)
        ids = Counter(filter(None, map(id_of, calls)))
        ledger.met("TOOL-2", ids.total())
        if twice := next((each for each, times in ids.items() if times > 1), None):
            ledger.breach("TOOL-2", f"Expected ids that are unique in the row, got {twice[:60]!r} again", index=index)
        elif not repeated and (again := known.intersection(ids)):
            message = f"Expected ids that are unique in the history, got {min(again)[:60]!r} of an earlier row"
            ledger.breach("TOOL-2", message, index=index, level=Level.SHOULD)
            repeated = True
        known.update(ids)
        for call in calls:
            _judge_call(ledger, call, index, _level(row))


def _judge_call(ledger: Ledger, call: object, index: int, level: Level | None) -> None:
    """What is of another type is the matter of MSG-3."""
    name, arguments = (get(get(call, "function"), field) for field in ("name", "arguments"))
    if isinstance(arguments, str):
        ledger.met("TOOL-6")
        ledger.met("TOOL-7")
        if fault := arguments_fault(arguments):
            ledger.breach(*fault, index=index, level=level)
    if isinstance(name, str):
        ledger.met("TOOL-10")
        if not name:
            message = "Expected the name of a tool as non-empty text, got ''"
            ledger.breach("TOOL-10", message, index=index, level=level)
        elif isinstance(call, ToolCall) and id_of(call, "type") != "function":
            message = f"Expected a call of type 'function', got {shortened(get(call, 'type'), 60)}"
            ledger.breach("TOOL-10", message, index=index, level=level)


def _judge_text(ledger: Ledger, rows: Sequence[object]) -> None:
    for index, row in enumerate(rows):
        content = get(row, "content") if role_of(row) == "assistant" else None
        if not isinstance(content, str):
            continue
        ledger.met("TEXT-9")
        try:
            content.encode()
        except UnicodeEncodeError as error:
            message = f"Expected text with whole characters, got {half_character(error)}"
            ledger.breach("TEXT-9", message, index=index, level=_level(row))


def _level(row: object) -> Level | None:
    """What binds an agent's own rows is a hint about rows that others wrote."""
    return None if isinstance(row, Message) else Level.SHOULD
