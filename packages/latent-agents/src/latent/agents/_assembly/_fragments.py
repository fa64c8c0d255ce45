"""Tool calls that arrive in pieces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.json import encode

from latent.agents._assembly._arguments import decoded_object
from latent.agents._surrogates import joined

__all__ = ["CallFragments", "PartialCall"]


class PartialCall:
    """A call as far as it came."""

    __slots__ = ("_parts", "id", "index", "name")

    def __init__(self, index: object, call_id: str) -> None:
        self.index = index
        self.id = call_id
        self.name = ""
        self._parts: list[str] = []

    @property
    def arguments(self) -> str:
        """The text of the arguments so far."""
        return joined("".join(self._parts))

    def add(self, name: str, arguments: str) -> None:
        """Take what a fragment brings; a name that is repeated counts once."""
        self.name = self.name or name
        if arguments:
            self._parts.append(arguments)

    def is_over(self, name: str, arguments: str) -> bool:
        """Whether a fragment with this name and these arguments begins another call."""
        if not name or not self.name:
            return False
        if name != self.name:
            return True
        return arguments.lstrip().startswith("{") and decoded_object(self.arguments) is not None


class CallFragments:
    """Puts fragments together: by index where there is one, then by id, then in order of arrival.

    A fragment opens another call on a known index or id when it brings a name and either a fresh id,
    a different name, or an object after an object that is complete. Fragments of one call that carry
    a new id each bring no name, so they stay with their call.
    """

    __slots__ = ("_by_id", "_by_index", "calls")

    def __init__(self) -> None:
        self.calls: list[PartialCall] = []
        """The calls in order of their first fragments."""
        self._by_id: dict[tuple[object, str], PartialCall] = {}
        self._by_index: dict[object, PartialCall] = {}

    def feed(self, fragment: Mapping[str, Any]) -> None:
        """Take one entry of a delta's `tool_calls`."""
        index, call_id = _index(fragment.get("index")), _id(fragment.get("id"))
        function = fragment.get("function")
        if not isinstance(function, Mapping):
            function = {}
        name, arguments = _text(function.get("name")), _arguments(function.get("arguments"))
        if not (name or arguments or call_id):
            return
        call = self._known(index, call_id, bool(name) or not arguments)
        if call is not None and call.is_over(name, arguments):
            if call_id and call_id == call.id and name == call.name and arguments == call.arguments:
                return  # the whole call sent once more
            call = None
        if call is None:
            call = PartialCall(index, call_id)
            self.calls.append(call)
        self._remember(call, index, call_id)
        call.add(name, arguments)

    def _known(self, index: object, call_id: str, may_open: bool) -> PartialCall | None:
        if call_id:
            call = self._by_id.get((index, call_id))
            if call is not None:
                return call
        if index is None:
            if call_id and may_open:
                return None
            return self.calls[-1] if self.calls else None
        call = self._by_index.get(index)
        if call is not None and call_id and call.id and may_open:
            return None
        return call

    def _remember(self, call: PartialCall, index: object, call_id: str) -> None:
        if call_id:
            call.id = call.id or call_id
            self._by_id[index, call_id] = call
            self._by_id.setdefault((None, call_id), call)
        if index is not None:
            self._by_index[index] = call


def _index(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _id(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return joined(value).strip() if isinstance(value, str) else ""


def _text(value: object) -> str:
    return joined(value).strip() if isinstance(value, str) else ""


def _arguments(value: object) -> str:
    """The fragment's text; a server that sends an object means its JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else encode(value).decode()
