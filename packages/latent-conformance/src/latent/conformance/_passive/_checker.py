"""The passive engine: a stream, event by event."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from latent.conformance._observers._fields import repaired
from latent.conformance._observers._later import FROZEN
from latent.conformance._observers._observer import NO_NUMBER, Ended, Handler, Observer, Place
from latent.conformance._observers._well_typed import WELL_TYPED
from latent.conformance._observers.calls import CallObserver
from latent.conformance._observers.failure import FailureObserver
from latent.conformance._observers.guided import GuidedObserver
from latent.conformance._observers.pipelines import PipelineObserver
from latent.conformance._observers.retrieval import RetrievalObserver
from latent.conformance._observers.shape import ShapeObserver
from latent.conformance._observers.steps import StepObserver
from latent.conformance._observers.text import TextObserver
from latent.conformance._observers.tools import ToolObserver
from latent.conformance._verdict._declarations import Declarations
from latent.conformance._verdict._ledger import Ledger
from latent.protocol import AgentEvent, Error, ReasoningDelta, StepBoundary, TextDelta

__all__ = ["Checker"]

_Entry: TypeAlias = tuple[type[AgentEvent], Callable[[Any], bool], tuple[Handler, ...]]
"""A class of events, whether one of it is well typed, and who wants it."""

_MOST_KINDS = 1000
"""How many classes of events are remembered."""


class Checker:
    """Judges one run's events: `feed` each as it comes, then `finish` once.

    Takes any object and never raises for one. `live=True` says that the objects are seen as they
    arrive and that the run was not disturbed: later changes of an event are noticed (PROTO-6), and a
    model call that was still open when `Error` came is a breach of CALL-3 instead of a hint.
    `memory` bounds how many ids are remembered of each kind; by default all are.
    """

    # Dispatch is on the exact type, since nearly every event is of a known one and this runs for each.
    # Everything else takes the slow road: subclasses, values of other types, and foreign objects.

    def __init__(
        self, ledger: Ledger, declared: Declarations, *, live: bool = False, memory: int | None = None
    ) -> None:
        self._ledger = ledger
        self._place = Place(ledger, declared, live=live, memory=memory)
        self._shape = ShapeObserver(self._place)
        text, calls = TextObserver(self._place), CallObserver(self._place)
        tools = ToolObserver(self._place, calls)
        pipelines = PipelineObserver(self._place)
        self._steps = StepObserver(self._place, text, tools, calls)
        self._failure = FailureObserver(self._place, tools, pipelines)
        self._observers: tuple[Observer, ...] = (
            self._shape,
            self._steps,
            text,
            tools,
            calls,
            RetrievalObserver(self._place, lambda run: calls.is_open(run) or tools.is_open(run)),
            pipelines,
            GuidedObserver(self._place, text, tools, calls),
            self._failure,
        )
        self._write: Handler = self._shape.write
        self._write_plain: Handler = self._shape.write_plain
        self._closing = [
            each.close_step for each in self._observers if type(each).close_step is not Observer.close_step
        ]
        self._bases: dict[int, tuple[type, type[AgentEvent] | None]] = {}
        """Id of an event's class -> that class, and the known one that it is or `None`; hashing it may fail."""
        self._all = self._table()
        self._known = self._all
        """Empty after Error."""

    @property
    def count(self) -> int:
        """How many items came so far."""
        return self._place.index + 1

    def feed(self, event: object) -> None:
        """Take the next item of the stream, whatever it is."""
        self._place.index += 1
        try:
            try:
                entry = self._known.get(type(event))
            except Exception:  # the metaclass decides what hashing a class does
                entry = None
            if entry is None:
                self._feed_odd(event)
                return
            kind, well_typed, handlers = entry
            try:
                fits = well_typed(event)
            except Exception:  # a Struct made without its constructor has fields without a value, others odd ones
                fits = False
            if fits:
                for handle in handlers:
                    handle(event)
            else:
                self._feed_repaired(event, kind)
        except Exception as error:  # whatever an event holds, a failure in here is the kit's own
            self._ledger.crash(f"event {self._place.index}", error)

    def finish(self, *, complete: bool = True) -> None:
        """The stream is over; `complete=False` where it was cut off (cancelled, closed, abandoned)."""
        failed = self._known is not self._all
        ended = Ended.FAILED if failed else Ended.COMPLETE if complete else Ended.CUT
        try:
            if ended is Ended.COMPLETE:
                self._close_step()
            for observer in self._observers:
                observer.finish(ended)
        except Exception as error:
            self._ledger.crash("the end of the stream", error)
        for observer in self._observers:
            for rule, times in observer.counts().items():
                self._ledger.met(rule, times)

    def _table(self) -> dict[type, _Entry]:
        asking = [observer.handlers() for observer in self._observers]
        table: dict[type, _Entry] = {}
        for kind, well_typed in WELL_TYPED.items():
            handlers = [wanted[kind] for wanted in asking if kind in wanted]
            if kind not in (TextDelta, ReasoningDelta):
                handlers.insert(0, self._write_plain if kind in FROZEN else self._write)
            if kind is StepBoundary:
                handlers.insert(0, self._open_step)
            if kind is Error:
                handlers.append(self._fail)
            table[kind] = kind, well_typed, tuple(handlers)
        return table

    def _open_step(self, event: StepBoundary) -> None:
        place = self._place
        if place.opened:
            self._close_step()
            place.serial += 1
        else:
            self._steps.close_step()  # what came too early counts as part of the first step, so that it is one fault
        place.opened = True
        place.step = None if event.step == NO_NUMBER else event.step
        place.label = event.label

    def _close_step(self) -> None:
        for close_step in self._closing:
            close_step()

    def _fail(self, event: Error) -> None:
        self._known = {}

    # The slow road

    def _feed_odd(self, event: object) -> None:
        kind = type(event)
        if self._known is not self._all:
            self._failure.after(kind)
        elif not issubclass(kind, AgentEvent):
            self._shape.foreign(event)
            self._steps.fill()
        elif base := self._base(kind):
            self._feed_repaired(event, base)
        else:
            assert isinstance(event, AgentEvent)
            self._write(event)
            self._steps.fill()

    def _feed_repaired(self, event: object, kind: type[AgentEvent]) -> None:
        """Name the faults of the event's fields, and have the others see it without them."""
        sound, misfits = repaired(event, kind)
        self._shape.misfits(kind, misfits)
        if not misfits:
            assert isinstance(event, AgentEvent)
            self._write(event)
        for handle in self._all[kind][2]:
            if handle not in (self._write, self._write_plain):
                handle(sound)

    def _base(self, kind: type[AgentEvent]) -> type[AgentEvent] | None:
        """The known class that an event of an unknown one is, too."""
        if (found := self._bases.get(id(kind))) is None:
            if len(self._bases) > _MOST_KINDS:
                self._bases.clear()
            base = next((known for each in type.mro(kind) for known in self._all if known is each), None)
            found = self._bases[id(kind)] = kind, base
        return found[1]
