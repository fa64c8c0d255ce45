"""Sinks: a sound one for logs and one for spans, and for each rule one that breaks it alone."""

from __future__ import annotations

from typing import Any

from cases._helper import HelperCase
from msgspec import to_builtins

from latent.conformance import check_otel_sink, check_sink
from latent.protocol import AgentEvent, AnyEvent, RetrieverEnd, ToolResult


class Log:
    """Keeps a line for each event, shortened."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    async def emit(self, event: AgentEvent) -> None:
        self.lines.append(repr(event)[:500])


class ShortensTheOutput(Log):
    async def emit(self, event: AgentEvent) -> None:
        if isinstance(event, ToolResult) and isinstance(event.output, dict):
            event.output["text"] = event.output["text"][:500]
        await super().emit(event)


class ShortensTheDocuments(Log):
    async def emit(self, event: AgentEvent) -> None:
        if isinstance(event, RetrieverEnd):
            event.documents[:] = [each[:500] for each in event.documents]
        await super().emit(event)


class KnowsItsEvents(Log):
    async def emit(self, event: AgentEvent) -> None:
        if type(event).__name__ not in str(AnyEvent):
            raise TypeError(event)
        await super().emit(event)


class Spans:
    """Adds an event to the current span; a fault is a method of a subclass."""

    def __init__(self) -> None:
        try:
            from opentelemetry import trace
        except ModuleNotFoundError:
            self.trace: Any = None
        else:
            self.trace = trace

    async def emit(self, event: AgentEvent) -> None:
        if self.trace is not None and self.records(self.trace.get_current_span()):
            self.write(self.trace.get_current_span(), event)

    def records(self, span: Any) -> bool:
        return bool(span.is_recording())

    def write(self, span: Any, event: AgentEvent) -> None:
        fields = to_builtins(event, enc_hook=repr)
        span.add_event(type(event).__name__, {name: self.value(each) for name, each in fields.items()})

    def value(self, value: object) -> object:
        return value if isinstance(value, (str, bool, float)) else str(value)


class WritesNothing(Spans):
    def records(self, span: Any) -> bool:
        return False


class WritesAlways(Spans):
    def records(self, span: Any) -> bool:
        return True


class WritesNone(Spans):
    def value(self, value: object) -> object:
        return None if value is None else super().value(value)


class NeedsTheApi(Spans):
    def __init__(self) -> None:
        from opentelemetry import trace

        self.trace = trace


class LeavesASpanBehind(Spans):
    def write(self, span: Any, event: AgentEvent) -> None:
        from opentelemetry import context

        context.attach(self.trace.set_span_in_context(span))
        super().write(span, event)


def _spans(broken: Any, name: str) -> HelperCase:
    return HelperCase(rule="SINK-7", name=name, check=check_otel_sink, sound=Spans, broken=broken)


CASES = [
    HelperCase(rule="SINK-8", name="an output", check=check_sink, sound=Log, broken=ShortensTheOutput),
    HelperCase(rule="SINK-8", name="documents", check=check_sink, sound=Log, broken=ShortensTheDocuments),
    HelperCase(rule="PROTO-10", name="a sink", check=check_sink, sound=Log, broken=KnowsItsEvents),
    _spans(WritesNothing, "nothing"),
    _spans(WritesAlways, "not recording"),
    _spans(WritesNone, "None"),
    _spans(NeedsTheApi, "no API"),
    _spans(LeavesASpanBehind, "context"),
]
