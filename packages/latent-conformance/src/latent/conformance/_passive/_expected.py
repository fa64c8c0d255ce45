"""What a run's result should hold, worked out from its events once more."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from latent.conformance._verdict._excerpt import shortened
from latent.protocol import (
    Error,
    Message,
    PhaseStarted,
    ReasoningDelta,
    StepBoundary,
    TextDelta,
    ToolCall,
    ToolResult,
)

__all__ = ["ExpectedStep", "Row", "Run", "folded", "row_of"]


class Row(NamedTuple):
    """A tool row, as far as it is compared."""

    id: str | None
    content: str


@dataclass(slots=True)
class ExpectedStep:
    """What a `Step` should hold, the rows in the order of the results."""

    number: int
    label: str | None = None
    text: str = ""
    reasoning: str = ""
    calls: list[ToolCall] = field(default_factory=list)
    results: list[Row] = field(default_factory=list)


@dataclass(slots=True)
class Run:
    """What an `InvokeResult` should hold."""

    steps: list[ExpectedStep] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    """Of the whole run."""
    results: list[Row] = field(default_factory=list)
    phases: bool = False
    """Whether it is the run of a pipeline."""
    failed: bool = False

    @property
    def text(self) -> str:
        return self.steps[-1].text if self.steps else ""


def folded(events: Sequence[object]) -> Run:
    """The run as its events tell it. It is written apart from the segmenter, to be a second opinion."""
    run, texts = Run(), _Texts()
    for event in events:
        match event:
            case StepBoundary():
                run.steps.append(ExpectedStep(event.step, event.label))
            case TextDelta() | ReasoningDelta():
                texts.add(len(run.steps), event)
            case ToolCall() | ToolResult():
                _record(run, event)
            case PhaseStarted():
                run.phases = True
            case Error():
                run.failed = True
    for at, step in enumerate(run.steps, 1):
        step.text, step.reasoning = texts.joined(at, TextDelta), texts.joined(at, ReasoningDelta)
    return run


class _Texts:
    """The deltas by step, joined at the end: adding to a string again and again is quadratic."""

    def __init__(self) -> None:
        self._parts: defaultdict[tuple[int, bool], list[str]] = defaultdict(list)

    def add(self, step: int, event: TextDelta | ReasoningDelta) -> None:
        self._parts[step, isinstance(event, TextDelta)].append(event.text if isinstance(event.text, str) else "")

    def joined(self, step: int, kind: type[TextDelta] | type[ReasoningDelta]) -> str:
        return "".join(self._parts[step, kind is TextDelta])


def _record(run: Run, event: ToolCall | ToolResult) -> None:
    step = run.steps[-1] if run.steps else None
    if isinstance(event, ToolCall):
        run.calls.append(event)
        if step is not None:
            step.calls.append(event)
        return
    row = Row(event.tool_call_id, _content(event))
    run.results.append(row)
    if step is not None:
        step.results.append(row)


def row_of(message: Message) -> Row:
    """A row of the result, as it is compared."""
    answered, content = message.tool_call_id, message.content
    return Row(
        answered if answered is None or isinstance(answered, str) else shortened(answered),
        content if isinstance(content, str) else shortened(content, 1000),
    )


def _content(event: ToolResult) -> str:
    try:
        return str(event.error if event.error is not None else event.output)
    except Exception:  # a tool's value may fail to print
        return f"<{type(event.output).__name__}, whose str fails>"
