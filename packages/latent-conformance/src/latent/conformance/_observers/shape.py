"""What can be said of an item before its meaning: its class, the types of its fields, its JSON form."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.json import Encoder

from latent.conformance._observers._fields import Misfit
from latent.conformance._observers._later import Later
from latent.conformance._observers._observer import Ended, Handler, Observer, Place
from latent.conformance._observers._well_typed import WELL_TYPED
from latent.conformance._verdict._excerpt import class_name, shortened
from latent.protocol import AgentEvent, WireError, encode_event

__all__ = ["ShapeObserver"]

_encode = Encoder().encode

_MOST_NOTES = 1000
"""How many different faults are told apart within a step."""


class ShapeObserver(Observer):
    """PROTO-4, -5, -6 and -9. The checker asks it itself, before the others and about every item."""

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self._noted: set[tuple[str, str]] = set()
        """What was reported in this step already."""
        self._later = Later(place)
        self._foreign = 0

    def handlers(self) -> Mapping[type[AgentEvent], Handler]:
        return {}

    def foreign(self, item: object) -> None:
        """The item is no event."""
        self._foreign += 1
        if self._first("PROTO-4", class_name(type(item))):
            self._place.breach("PROTO-4", f"Expected an event of latent.protocol, got {_described(item)}")

    def misfits(self, kind: type[AgentEvent], faults: list[Misfit]) -> None:
        """Fields of the event hold values of other types."""
        for fault in faults:
            # Where the field has a rule of its own, both ends of a pair may have the same fault.
            note = f"{kind.__name__}.{fault.field}" if fault.rule == "PROTO-5" else ""
            if self._first(fault.rule, note):
                self._place.breach(fault.rule, fault.message)

    def write_plain(self, event: AgentEvent) -> None:
        """A well-typed event that can change in no way: only its characters can be beyond JSON.

        Those of deltas are looked at where they are counted.
        """
        try:
            _encode(event)
        except UnicodeEncodeError:
            self.write(event)

    def write(self, event: AgentEvent) -> None:
        """Any other event."""
        if self._place.live:
            self._later.remember(event)
        try:
            encode_event(event)
        except WireError as error:
            self._unwritable(event, str(error))
        except Exception as error:  # the values are the agent's, and their methods may fail in any way
            self._unwritable(event, type(error).__name__)

    def _unwritable(self, event: AgentEvent, reason: str) -> None:
        kind = class_name(type(event))
        if self._first("PROTO-9", kind):
            self._place.breach(
                "PROTO-9", f"Expected {kind} to have a JSON form, got an encoder that says: {reason[:300]}"
            )

    def _first(self, rule: str, fault: str) -> bool:
        note = rule, fault
        if note in self._noted or len(self._noted) > _MOST_NOTES:
            return False
        self._noted.add(note)
        return True

    def close_step(self) -> None:
        self._noted.clear()

    def finish(self, ended: Ended) -> None:
        self._later.compare_all()

    def counts(self) -> Mapping[str, int]:
        items = self._place.index + 1
        return {
            "PROTO-4": items,
            "PROTO-5": items - self._foreign,
            "PROTO-6": self._later.remembered,
            "PROTO-9": items - self._foreign,
        }


_EVENT_NAMES = {"AgentEvent", "UnknownEvent", *(kind.__name__ for kind in WELL_TYPED)}


def _described(item: object) -> str:
    if item is None:
        return "None"
    name = class_name(type(item))
    if issubclass(type(item), type):
        return f"a class instead of its instance: {shortened(item)}"
    if name in _EVENT_NAMES:
        return f"a {name} of another module ({shortened(_module(type(item)))})"
    if name in ("coroutine", "async_generator", "generator"):
        return f"a {name.replace('_', ' ')}, which was not awaited or iterated"
    return f"{name} {shortened(item)}"


def _module(kind: type) -> object:
    try:
        return kind.__module__
    except Exception:  # a metaclass may do anything
        return None
