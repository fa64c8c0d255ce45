"""Rows of a history: the pairing of calls and results, and the shape of the rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from latent.conformance._verdict._excerpt import shortened
from latent.conformance._verdict._ledger import Ledger
from latent.protocol import FunctionCall, Message, ToolCall

__all__ = ["Batch", "Fault", "batches", "calls_of", "get", "id_of", "judge_rows", "pairing_faults", "role_of", "tame"]


@dataclass(frozen=True, slots=True)
class Fault:
    """What makes a history unsafe to send, and where."""

    index: int
    """The row's position, from 0."""
    sentence: str
    id: str | None = None
    """The call in question, where there is one."""


class Batch(NamedTuple):
    """The ids of the calls of one row, and of the rows directly behind it that answer some."""

    row: int
    """The position of the row with the calls."""
    called: list[str]
    answered: list[str]

    @property
    def in_order(self) -> bool:
        """Whether the answers stand as the calls do; where they are not those of the calls, there is no order."""
        paired = sorted(self.called) == sorted(self.answered) and "" not in self.called
        return not paired or self.called == self.answered


def batches(rows: Iterable[object]) -> Iterator[Batch]:
    """What each row that answers no call asks for, and gets directly behind it."""
    batch = Batch(-1, [], [])
    for index, row in enumerate(rows):
        if role_of(row) == "tool":
            batch.answered.append(id_of(row, "tool_call_id"))
            continue
        yield batch
        batch = Batch(index, [id_of(call) for call in calls_of(row)], [])
    yield batch


def pairing_faults(rows: Iterable[object]) -> list[Fault]:
    """What is wrong with the pairing of calls and results in `rows`, `Message` or provider's dicts.

    Each call is answered once, directly after its assistant row, and the ids of a row are unique. An
    empty `tool_calls` counts as absent.
    """
    faults: list[Fault] = []
    waiting: dict[str, int] = {}
    answered: set[str] = set()
    for index, row in enumerate(rows):
        role = role_of(row)
        if role != "tool":
            faults += _unanswered(waiting)
            waiting, answered = {}, set()
        match role:
            case "tool":
                faults += _answer(index, get(row, "tool_call_id"), waiting, answered)
            case "assistant":
                faults += _calls(index, get(row, "tool_calls"), waiting)
            case str() if role:
                pass
            case _:
                faults.append(Fault(index, f"Expected a row with a role, got {shortened(row, 80)}"))
    return faults + _unanswered(waiting)


def _calls(index: int, calls: object, waiting: dict[str, int]) -> list[Fault]:
    """The faults in an assistant row's calls; the sound ones wait for their results from here on."""
    if calls is None:
        return []
    if not isinstance(calls, (list, tuple)):
        return [Fault(index, f"Expected tool_calls as a list, got {shortened(calls, 80)}")]
    faults = []
    for call in calls:
        name = get(call, "id")
        if not isinstance(name, str) or not name:
            faults.append(Fault(index, f"Expected a tool call with a non-empty id, got {shortened(name, 80)}"))
        elif name in waiting:
            faults.append(Fault(index, f"Expected ids that are unique in the row, got {name[:60]!r} again", name))
        else:
            waiting[name] = index
    return faults


def _answer(index: int, id: object, waiting: dict[str, int], answered: set[str]) -> list[Fault]:
    if not isinstance(id, str) or not id:
        return [Fault(index, f"Expected a tool row with a non-empty tool_call_id, got {shortened(id, 80)}")]
    if id in waiting:
        del waiting[id]
        answered.add(id)
        return []
    if id in answered:
        return [Fault(index, f"Expected one result for the call {id[:60]!r}, got another one", id)]
    expected = "Expected the result of a call in the assistant row directly before the results"
    return [Fault(index, f"{expected}, got one for {id[:60]!r}", id)]


def _unanswered(waiting: dict[str, int]) -> list[Fault]:
    expected = "Expected a result directly after the row of its call"
    return [Fault(index, f"{expected}, got none for {call[:60]!r}", call) for call, index in waiting.items()]


def judge_rows(ledger: Ledger, rows: Iterable[object], step: int | None) -> None:
    """MSG-2 and MSG-3 for each row; `step` is where they come from."""
    for index, row in enumerate(rows):
        role = role_of(row)
        if role != "assistant" and _has_calls(row):
            message = f"Expected tool_calls on assistant rows alone, got some on a row of {shortened(role, 40)}"
            ledger.breach("MSG-3", message, index=index, step=step)
        match role:
            case "tool":
                ledger.met("MSG-2")
                for fault in _tool_row_faults(row):
                    ledger.breach("MSG-2", fault, index=index, step=step)
            case "assistant":
                ledger.met("MSG-3")
                if misfit := _assistant_row_fault(row):
                    ledger.breach("MSG-3", misfit, index=index, step=step)


def _tool_row_faults(row: object) -> list[str]:
    call, content = get(row, "tool_call_id"), get(row, "content")
    faults = []
    if not isinstance(call, str) or not call:
        faults.append(f"Expected a tool row with a non-empty tool_call_id, got {shortened(call, 80)}")
    if not isinstance(content, str):
        faults.append(f"Expected the content of a tool row as text, got {shortened(content, 80)}")
    return faults


def _assistant_row_fault(row: object) -> str | None:
    calls = get(row, "tool_calls")
    if calls is None or (isinstance(calls, list) and not calls):
        return None
    if not isinstance(calls, list):
        return f"Expected tool_calls as a list or None, got {shortened(calls, 80)}"
    fits = _is_call if isinstance(row, Message) else _is_provider_call
    odd = next((call for call in map(tame, calls) if not fits(call)), None)
    return None if odd is None else f"Expected tool_calls as a list of ToolCall, got {shortened(odd, 80)} in it"


def _is_call(call: object) -> bool:
    function = get(call, "function")
    if not isinstance(call, ToolCall) or not isinstance(function, FunctionCall):
        return False
    return isinstance(get(function, "name"), str) and isinstance(get(function, "arguments"), str)


def _is_provider_call(call: object) -> bool:
    """A call of ours, or one as providers write it: the arguments are JSON text."""
    function = get(call, "function")
    return isinstance(get(function, "name"), str) and isinstance(get(function, "arguments"), str)


def _has_calls(row: object) -> bool:
    calls = get(row, "tool_calls")
    return calls is not None and not (isinstance(calls, (list, tuple)) and len(calls) == 0)


def role_of(row: object) -> str | None:
    """The role of a row; `None` where it has none."""
    role = get(row, "role")
    return role if isinstance(role, str) else None


def calls_of(row: object) -> list[object]:
    """The calls of an assistant's row."""
    calls = get(row, "tool_calls") if role_of(row) == "assistant" else None
    return list(map(tame, calls)) if isinstance(calls, (list, tuple)) else []


def id_of(item: object, name: str = "id") -> str:
    """An id; `""` where it is no text."""
    value = get(item, name)
    return value if isinstance(value, str) else ""


def get(row: object, name: str) -> object:
    """A tame field of a row or call, whether it is an object of ours or a mapping; `None` where there is none."""
    try:
        return tame(row.get(name) if isinstance(row, Mapping) else getattr(row, name, None))
    except Exception:  # a foreign object's methods may fail in any way
        return None


class _Opaque:
    """Stands for a foreign object that does not let itself be looked at."""

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def __repr__(self) -> str:
        return f"<{self._kind}, whose class cannot be read>"


def tame(value: object) -> object:
    """The value as something that can be asked for its class, and a text or a list without methods of its own."""
    try:
        if isinstance(value, str):
            return str.__str__(value)
        if isinstance(value, list):
            return list.copy(value)
    except Exception:  # its class may be a property that fails
        return _Opaque(type(value).__name__)
    return value
