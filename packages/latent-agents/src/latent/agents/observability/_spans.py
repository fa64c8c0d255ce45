"""The spans of one run."""

from __future__ import annotations

from re import match
from time import time_ns
from typing import Any

from msgspec import Struct

from latent.agents.observability import _genai as names
from latent.agents.observability._attributes import attributes, event_name, shortened
from latent.protocol import (
    AgentEvent,
    Error,
    LLMCallEnd,
    LLMCallStart,
    Metadata,
    ReasoningDelta,
    RetrieverEnd,
    RetrieverStart,
    StepBoundary,
    TextDelta,
    ToolCall,
    ToolResult,
    Usage,
)

__all__ = ["RunSpans", "TraceSettings"]


class TraceSettings(Struct, frozen=True, kw_only=True):
    """What a tracer was built with."""

    agent_name: str
    provider_name: str | None
    conversation_id: str | None
    capture_content: bool
    max_text_chars: int


class RunSpans:
    """Opens and ends spans as the events of one run go by.

    Spans are given their parents by hand and never made current, so that nothing is left behind where
    the consumer leaves the run. `trace` is OpenTelemetry's module of that name.
    """

    def __init__(self, trace: Any, tracer: Any, parent: Any, settings: TraceSettings) -> None:
        self._trace = trace
        self._tracer = tracer
        self._settings = settings
        self._step: Any = None
        self._calls: dict[str, tuple[Any, int]] = {}
        self._tools: dict[str, Any] = {}
        self._queries: dict[str, Any] = {}
        self._answered: tuple[Any, int] | None = None
        self._waits_for_text: tuple[Any, int] | None = None
        self._tokens = [0, 0]
        kept = {
            names.OPERATION: names.INVOKE_AGENT,
            names.AGENT_NAME: settings.agent_name,
            names.CONVERSATION_ID: settings.conversation_id,
        }
        self._agent = self._tracer.start_span(
            f"{names.INVOKE_AGENT} {settings.agent_name}", context=parent, attributes=_present(kept)
        )

    def take(self, event: AgentEvent) -> None:
        """Go by one event."""
        if isinstance(event, (TextDelta, ReasoningDelta)):
            self._first_text()
            return
        if not isinstance(event, Usage):
            self._end_answered()
        match event:
            case StepBoundary():
                self._end_step()
                self._start_step(event)
            case LLMCallStart() | LLMCallEnd() | Usage():
                self._model(event)
            case ToolCall() | ToolResult():
                self._tool(event)
            case RetrieverStart() | RetrieverEnd():
                self._retriever(event)
            case Metadata():
                span = self._step if event.target == "step" and self._step is not None else self._agent
                span.set_attributes(dict(event.attributes))
            case Error():
                self._fail(self._agent, event.message)
            case _:
                fields = attributes(event, self._settings.max_text_chars)
                named = {f"latent.{key}": value for key, value in fields.items()}
                (self._step or self._agent).add_event(f"latent.{event_name(type(event))}", named)

    def raised(self, error: BaseException) -> None:
        """The run was left by an exception."""
        if isinstance(error, Exception):
            self._fail(self._agent, f"{type(error).__name__}: {error}")
        else:
            self._agent.set_attribute(names.CANCELLED, True)

    def finish(self) -> None:
        """End every span that is open, innermost first."""
        self._end_step()
        self._agent.set_attributes({names.TOKENS_IN: self._tokens[0], names.TOKENS_OUT: self._tokens[1]})
        self._agent.end()

    def _start_step(self, event: StepBoundary) -> None:
        kept = {names.STEP_NUMBER: event.step, names.STEP_LABEL: event.label}
        self._step = self._start(f"step {event.step}", kept, self._agent)

    def _end_step(self) -> None:
        self._end_answered()
        for open_spans in (self._queries, self._tools):
            for span in open_spans.values():
                span.end()
            open_spans.clear()
        for span, _ in self._calls.values():
            span.end()
        self._calls.clear()
        if self._step is not None:
            self._step.end()
            self._step = None

    def _model(self, event: LLMCallStart | LLMCallEnd | Usage) -> None:
        match event:
            case LLMCallStart():
                began = _nanoseconds(event.timestamp)
                kept = {
                    names.OPERATION: names.CHAT,
                    names.REQUEST_MODEL: event.model_id,
                    names.PROVIDER: self._settings.provider_name,
                }
                title = f"{names.CHAT} {event.model_id}" if event.model_id else names.CHAT
                span = self._start(title, kept, self._step or self._agent, client=True, began=began)
                self._calls[event.run_id] = self._waits_for_text = (span, began)
            case LLMCallEnd() if (opened := self._calls.pop(event.run_id, None)) is not None:
                span, began = opened
                span.set_attributes({names.TOKENS_IN: event.input_tokens, names.TOKENS_OUT: event.output_tokens})
                self._tokens[0] += event.input_tokens
                self._tokens[1] += event.output_tokens
                self._answered = (span, max(began, _nanoseconds(event.timestamp)))  # its Usage may follow
            case Usage():
                newest = self._answered or next(reversed(self._calls.values()), None)
                if newest is not None:
                    cached = {
                        names.TOKENS_CACHE_READ: event.cache_read_input_tokens,
                        names.TOKENS_CACHE_WRITE: event.cache_creation_input_tokens,
                    }
                    newest[0].set_attributes({key: value for key, value in cached.items() if value})

    def _tool(self, event: ToolCall | ToolResult) -> None:
        if isinstance(event, ToolCall):
            kept = {
                names.OPERATION: names.EXECUTE_TOOL,
                names.TOOL_NAME: event.function.name,
                names.TOOL_CALL_ID: event.id,
                names.TOOL_TYPE: event.type,
                names.TOOL_ARGUMENTS: self._content(event.function.arguments),
            }
            title = f"{names.EXECUTE_TOOL} {event.function.name}"
            self._tools[event.id] = self._start(title, kept, self._step or self._agent)
        elif (span := self._tools.pop(event.tool_call_id, None)) is not None:
            if event.error is not None:
                self._fail(span, event.error)
            elif (result := self._content(event.output)) is not None:
                span.set_attribute(names.TOOL_RESULT, result)
            span.end()

    def _retriever(self, event: RetrieverStart | RetrieverEnd) -> None:
        if isinstance(event, RetrieverStart):
            kept = {
                names.OPERATION: names.RETRIEVAL,
                names.SOURCE_ID: event.name,
                names.RETRIEVAL_QUERY: self._content(event.query),
            }
            title = f"{names.RETRIEVAL} {event.name}" if event.name else names.RETRIEVAL
            parent = self._queries.get(event.parent_run_id or "") or self._surrounding_tool()
            self._queries[event.run_id] = self._start(title, kept, parent, began=_nanoseconds(event.timestamp))
        elif (span := self._queries.pop(event.run_id, None)) is not None:
            if (documents := self._content(event.documents)) is not None:
                span.set_attribute(names.RETRIEVAL_DOCUMENTS, documents)
            span.end(_nanoseconds(event.timestamp))

    def _surrounding_tool(self) -> Any:
        """The tool that runs, where it is the only one; the events do not say more."""
        only = next(iter(self._tools.values())) if len(self._tools) == 1 else None
        return only or self._step or self._agent

    def _start(self, title: str, kept: dict[str, Any], parent: Any, *, client: bool = False, began: int = 0) -> Any:
        kind = self._trace.SpanKind.CLIENT if client else self._trace.SpanKind.INTERNAL
        context = self._trace.set_span_in_context(parent)
        return self._tracer.start_span(
            title, context=context, kind=kind, attributes=_present(kept), start_time=began or None
        )

    def _end_answered(self) -> None:
        if self._answered is not None:
            span, ended = self._answered
            self._answered = None
            span.end(ended)

    def _first_text(self) -> None:
        if self._waits_for_text is not None:
            span, began = self._waits_for_text
            self._waits_for_text = None
            span.set_attribute(names.TIME_TO_FIRST_CHUNK, max(0, time_ns() - began) / 1e9)

    def _content(self, value: object) -> str | None:
        if not self._settings.capture_content:
            return None
        return shortened(value if isinstance(value, str) else str(value), self._settings.max_text_chars)

    def _fail(self, span: Any, message: str) -> None:
        text = shortened(message, self._settings.max_text_chars)
        kind = match(r"([A-Za-z_]\w*)(?::|$)", message)
        span.set_attribute(names.ERROR_TYPE, kind[1] if kind else "_OTHER")
        span.set_status(self._trace.Status(self._trace.StatusCode.ERROR, text))


def _present(kept: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in kept.items() if value is not None}


def _nanoseconds(timestamp: float) -> int:
    return int(timestamp * 1e9) if timestamp > 0 else time_ns()
