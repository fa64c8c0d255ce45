"""Sinks: what takes each event of a run, to log it or to trace it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from functools import partial
from importlib import import_module
from typing import Any

from latent.conformance._library._trial import Trial
from latent.conformance._verdict._excerpt import shortened
from latent.conformance._verdict._report import Report
from latent.protocol import (
    AgentEvent,
    Error,
    LLMCallEnd,
    LLMCallStart,
    Metadata,
    ReasoningDelta,
    RetrieverEnd,
    StepBoundary,
    TextDelta,
    ToolCall,
    ToolResult,
    UnknownEvent,
    Usage,
    VerificationResult,
)

__all__ = ["check_otel_sink", "check_sink"]

_LONG = "a long text " * 1000
_API = "opentelemetry"


class _Private(AgentEvent, frozen=True):
    """An event that nobody else knows."""

    note: str | None = None


def _events() -> list[AgentEvent]:
    """Events with long texts, absent values, and values of every kind."""
    return [
        *(StepBoundary(0), LLMCallStart("r", _LONG), ReasoningDelta(_LONG), TextDelta(_LONG)),
        ToolCall.from_arguments("c", "search", {"q": _LONG}),
        *(LLMCallEnd("r", None, 3, 2), Usage(3, 2)),
        ToolResult("c", {"text": _LONG, "rows": [_LONG, None, 1.5], "flag": True}),
        *(ToolResult("d", None, _LONG), ToolResult("e", 2**70), ToolResult("f", [float("nan"), _LONG])),
        RetrieverEnd("q", [_LONG, _LONG]),
        Metadata({"text": _LONG, "count": 3, "ratio": 0.5, "flag": True}),
        VerificationResult(False, None, [_LONG]),
        *(UnknownEvent("later", b'{"n":null}'), _Private(), AgentEvent(), Error(_LONG)),
    ]


def check_sink(make: Callable[[], Any]) -> Report:
    """Judge a sink, `make()`, for what it does to events: SINK-8, and PROTO-10 for those it does not know."""
    trial = Trial("PROTO-10", "SINK-8")
    trial.play("check_sink", ("SINK-8", partial(_leaves_events_alone, trial, make)))
    return trial.report()


async def _leaves_events_alone(trial: Trial, make: Callable[[], Any]) -> None:
    sink = make()
    for event in _events():
        before = deepcopy(event)
        rule = "PROTO-10" if type(event) in (UnknownEvent, _Private, AgentEvent) else "SINK-8"
        try:
            await sink.emit(event)
        except Exception as error:  # whatever it raises, it is a finding about the sink
            got = f"{type(error).__name__}: {error}"
            trial.hold(rule, False, f"Expected {shortened(event)} to be taken, got {got}"[:500])
            continue
        same = repr(before) == repr(event)  # a NaN in it equals nothing
        trial.hold(rule, same, f"Expected the event as it was, {shortened(before)}, got {shortened(event)}")


def check_otel_sink(make: Callable[[], Any]) -> Report:
    """Judge a sink that writes into the current span of OpenTelemetry, `make()`: SINK-7.

    Raises `ModuleNotFoundError` where OpenTelemetry's API is not installed.
    """
    import_module(f"{_API}.trace")
    trial = Trial("SINK-7")
    trial.play(
        "check_otel_sink",
        ("SINK-7", partial(_without_the_api, trial, make)),
        ("SINK-7", partial(_on_a_span, trial, make, recording=False)),
        ("SINK-7", partial(_on_a_span, trial, make, recording=True)),
    )
    return trial.report()


async def _without_the_api(trial: Trial, make: Callable[[], Any]) -> None:
    with _hidden(_API):
        sink = make()
        for event in _events():
            await sink.emit(event)
    trial.hold("SINK-7", True, "")


async def _on_a_span(trial: Trial, make: Callable[[], Any], *, recording: bool) -> None:
    trace, context = import_module(f"{_API}.trace"), import_module(f"{_API}.context")
    trace.Span.register(_Span)  # the API gives out nothing else as the current span
    span = _Span(recording=recording)
    token = context.attach(trace.set_span_in_context(span))
    here, sink, stays = context.get_current(), make(), True
    try:
        for event in _events():
            await sink.emit(event)
            stays = stays and context.get_current() is here
    finally:
        context.detach(token)
    trial.hold("SINK-7", stays, "Expected the current context to stay, got another one after an event")
    if not recording:
        message = f"Expected nothing on a span that does not record, got {shortened(span.written[:1])}"
        trial.hold("SINK-7", not span.written, message)
        return
    trial.hold("SINK-7", bool(span.written), "Expected the events on the span that records, got none")
    odd = [(name, value) for name, value in span.written if not isinstance(value, (str, bool, int, float))]
    trial.hold("SINK-7", not odd, f"Expected primitive attributes, got {shortened(odd[:1])}")


class _Span:
    """What a sink can do to a span, written down."""

    def __init__(self, *, recording: bool) -> None:
        self.written: list[tuple[str, object]] = []
        """Names of attributes and their values; an event without attributes is one too."""
        self._recording = recording

    def is_recording(self) -> bool:
        return self._recording

    def add_event(self, name: str, attributes: Mapping[str, Any] | None = None, timestamp: int | None = None) -> None:
        self.written += (attributes or {name: ""}).items()

    def set_attributes(self, attributes: Mapping[str, Any]) -> None:
        self.written += attributes.items()

    def set_attribute(self, key: str, value: Any) -> None:
        self.written.append((key, value))

    def record_exception(self, exception: BaseException, attributes: Mapping[str, Any] | None = None, **_: Any) -> None:
        self.add_event("exception", attributes)

    def update_name(self, name: str) -> None:
        """Not looked at."""

    def set_status(self, *status: Any, **described: Any) -> None:
        """Not looked at."""


@contextmanager
def _hidden(package: str) -> Iterator[None]:
    """As if the package were not installed, for imports that are made meanwhile."""
    modules: dict[str, Any] = sys.modules
    found = {name: module for name, module in modules.items() if name.partition(".")[0] == package}
    modules.update(dict.fromkeys(found))  # an import of None fails
    try:
        yield
    finally:
        modules.update(found)
