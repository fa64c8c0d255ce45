"""Rows of a history, and whole histories."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from latent.conformance.strategies._events import TOOL_CALLS
from latent.conformance.strategies._values import IDS, JSON_OBJECTS, NAMES, TEXTS
from latent.protocol import Message, ToolCall

__all__ = ["histories", "messages"]

_PARTS: st.SearchStrategy[list[dict[str, Any]]] = st.lists(
    st.builds(lambda text: {"type": "text", "text": text}, TEXTS), min_size=1, max_size=2
)
_USER = st.builds(Message, st.just("user"), TEXTS | _PARTS)
_SYSTEM = st.builds(Message, st.just("system"), TEXTS)
_SAID = st.builds(Message, st.just("assistant"), TEXTS)
_SEVERAL = st.lists(TOOL_CALLS, min_size=1, max_size=3, unique_by=lambda call: call.id)
_CALLED = st.builds(Message, st.just("assistant"), TEXTS, st.none(), _SEVERAL)
_RESULT = st.builds(Message, st.just("tool"), TEXTS, st.none(), st.none(), IDS)
_ANY = _USER | _SYSTEM | _SAID | _CALLED | _RESULT

_CALLS = st.lists(st.tuples(NAMES, JSON_OBJECTS, TEXTS), min_size=1, max_size=3)
_ROUND = st.tuples(TEXTS, st.none() | _CALLS)
_TURN = st.tuples(_USER, st.lists(_ROUND, max_size=3), _SAID)


def messages() -> st.SearchStrategy[Message]:
    """A row with any role, valid by itself; for what can be sent to a model use `histories`."""
    return _ANY


def histories() -> st.SearchStrategy[list[Message]]:
    """A conversation that can be sent: each call is answered once, directly after its row, and the user speaks last."""
    return _HISTORIES


def _history(system: Message | None, turns: list[Any], last: Message) -> list[Message]:
    rows = [] if system is None else [system]
    number = 0
    for user, rounds, said in turns:
        rows.append(user)
        for text, planned in rounds:
            calls, results = [], []
            for name, arguments, output in planned or ():
                number += 1
                calls.append(ToolCall.from_arguments(f"call_{number}", name, arguments))
                results.append(Message("tool", output, tool_call_id=f"call_{number}"))
            rows += [Message("assistant", text, tool_calls=calls or None), *results]
        rows.append(said)
    return [*rows, last]


_HISTORIES = st.builds(_history, st.none() | _SYSTEM, st.lists(_TURN, max_size=3), _USER)
