"""Ways to spoil a valid trace."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from msgspec.structs import replace as changed

from latent.protocol import (
    FunctionCall,
    LLMCallEnd,
    LLMCallStart,
    Metadata,
    PhaseCompleted,
    PhaseStarted,
    RetrieverEnd,
    RetrieverStart,
    StepBoundary,
    ToolCall,
    ToolResult,
)

Trace: TypeAlias = list[Any]
IDS = {
    LLMCallStart: "run_id",
    LLMCallEnd: "run_id",
    ToolCall: "id",
    ToolResult: "tool_call_id",
    RetrieverStart: "run_id",
    RetrieverEnd: "run_id",
    PhaseStarted: "phase_name",
    PhaseCompleted: "phase_name",
}


@dataclass(frozen=True)
class Mutant:
    """A trace with one change at `index`."""

    trace: Trace
    original: Trace
    index: int
    note: str = ""
    complete: bool = True

    @property
    def event(self) -> Any:
        """What was changed."""
        return self.original[self.index]


Operator: TypeAlias = Callable[[Trace], Iterator[Mutant]]


def drop(trace: Trace) -> Iterator[Mutant]:
    for at in range(len(trace)):
        yield Mutant(trace[:at] + trace[at + 1 :], trace, at)


def double(trace: Trace) -> Iterator[Mutant]:
    for at, event in enumerate(trace):
        yield Mutant([*trace[:at], event, *trace[at:]], trace, at)


def swap(trace: Trace) -> Iterator[Mutant]:
    for at in range(len(trace) - 1):
        yield Mutant([*trace[:at], trace[at + 1], trace[at], *trace[at + 2 :]], trace, at)


def move_over_a_boundary(trace: Trace) -> Iterator[Mutant]:
    """The last event of a step becomes the first of the next one, and the first one the last of the step before."""
    for at, event in enumerate(trace):
        if isinstance(event, StepBoundary) and 0 < at < len(trace) - 1:
            before, after = trace[at - 1], trace[at + 1]
            yield Mutant([*trace[: at - 1], event, before, *trace[at + 1 :]], trace, at - 1)
            yield Mutant([*trace[:at], after, event, *trace[at + 2 :]], trace, at + 1)


def rename_an_id(trace: Trace) -> Iterator[Mutant]:
    for at, event in enumerate(trace):
        if name := IDS.get(type(event)):
            renamed = changed(event, **{name: "someone else"})
            yield Mutant([*trace[:at], renamed, *trace[at + 1 :]], trace, at)


def change_a_type(trace: Trace) -> Iterator[Mutant]:
    """Each field in turn holds an object of a class of its own."""
    for at, event in enumerate(trace):
        if isinstance(event, Metadata):
            continue  # it checks its fields itself
        for name in type(event).__struct_fields__:
            spoiled = changed(event, **{name: object()})
            yield Mutant([*trace[:at], spoiled, *trace[at + 1 :]], trace, at, name)


def change_a_value(trace: Trace) -> Iterator[Mutant]:
    """Each field in turn holds another value of its own type."""
    for at, event in enumerate(trace):
        for name in type(event).__struct_fields__:
            for value in _others(getattr(event, name)):
                spoiled = changed(event, **{name: value})
                yield Mutant([*trace[:at], spoiled, *trace[at + 1 :]], trace, at, name)


def _others(value: Any) -> Iterator[Any]:
    match value:
        case bool():
            yield not value
        case int():
            yield -1
        case float():
            yield 1e12
        case "turn" | "step":
            yield "step" if value == "turn" else "turn"
        case str():
            yield "other" if value == "" else ""
        case FunctionCall():
            yield changed(value, name="")
            yield changed(value, arguments="")
        case list():
            yield []


def cut_off(trace: Trace) -> Iterator[Mutant]:
    """The run ends early, and claims to be whole."""
    for length in range(1, len(trace)):
        yield Mutant(trace[:length], trace, length)


OPERATORS: dict[str, Operator] = {
    each.__name__: each
    for each in (
        *(drop, double, swap, move_over_a_boundary, rename_an_id),
        *(change_a_type, change_a_value, cut_off),
    )
}
