"""The declared types of the events' fields, and the careful look that finds what does not fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, NamedTuple, cast

from latent.conformance._observers._observer import MISSING, NO_NUMBER, UNCOUNTED
from latent.conformance._observers._well_typed import LIMIT
from latent.conformance._verdict._excerpt import class_name, shortened
from latent.protocol import (
    AgentEvent,
    Error,
    FunctionCall,
    GuidelineMatched,
    JourneyCompleted,
    JourneyStepAdvanced,
    LLMCallEnd,
    LLMCallStart,
    Metadata,
    MetadataAttributes,
    PhaseCompleted,
    PhaseRouted,
    PhaseStarted,
    ReasoningDelta,
    RetrieverEnd,
    RetrieverStart,
    StepBoundary,
    TextDelta,
    ToolCall,
    ToolResult,
    Usage,
    VerificationResult,
)

__all__ = ["FIELDS", "Misfit", "repaired"]


class _UnfitError(Exception):
    """The value is not of the declared type; the argument describes it where there is more to say than its repr."""


class Field(NamedTuple):
    """A field, as the careful look sees it."""

    name: str
    expected: str
    take: Callable[[object], object]
    """The value as a plain object of the declared type; raises `_UnfitError`."""
    neutral: object
    """What stands for a value that does not fit."""
    rule: str = "PROTO-5"
    """The rule that names the fault."""


class Misfit(NamedTuple):
    """A field whose value does not fit."""

    field: str
    rule: str
    message: str


def repaired(event: object, kind: type[AgentEvent]) -> tuple[AgentEvent, list[Misfit]]:
    """`event` as a well-typed object of exactly `kind`, and what had to be replaced for that."""
    values, misfits = {}, []
    for field in FIELDS[kind]:
        try:
            value = getattr(event, field.name)
        except Exception as error:
            got = _NO_VALUE if isinstance(error, AttributeError) else f"{class_name(type(error))} when it is read"
            misfits.append(_misfit(kind, field, got))
            values[field.name] = field.neutral
            continue
        try:
            values[field.name] = field.take(value)
        except _UnfitError as unfit:
            misfits.append(_misfit(kind, field, str(unfit) or _described(value)))
            values[field.name] = field.neutral
    if kind is ToolCall:
        values["function"], inner = _function(values["function"])
        misfits += inner
    return kind(**values), misfits


def _misfit(kind: type, field: Field, got: str) -> Misfit:
    return Misfit(field.name, field.rule, f"Expected {kind.__name__}.{field.name} as {field.expected}, got {got}")


def _function(given: object) -> tuple[FunctionCall, list[Misfit]]:
    """A well-typed copy of what stands in `function`, as far as it can be read."""
    values: dict[str, Any] = {}
    misfits: list[Misfit] = []
    for field in _FUNCTION:
        value = getattr(given, field.name, _ABSENT)
        try:
            values[field.name] = field.take(value)
        except _UnfitError:
            values[field.name] = field.neutral
            if given is not _NO_FUNCTION:
                misfits.append(_misfit(FunctionCall, field, _described(value)))
    return FunctionCall(**values), misfits


def _described(value: object) -> str:
    if value is _ABSENT:
        return _NO_VALUE
    return "None" if value is None else f"{class_name(type(value))} {shortened(value, 60)}"


def _text(value: object) -> str:
    if not issubclass(type(value), str):
        raise _UnfitError
    return str.__str__(value)  # type(value) may be a subclass of str with methods of its own


def _optional_text(value: object) -> str | None:
    return None if value is None else _text(value)


def _integer(value: object) -> int:
    kind = type(value)
    if kind is bool or not issubclass(kind, int):
        raise _UnfitError
    number = int.__add__(cast(int, value), 0)
    if not -LIMIT < number < LIMIT:
        raise _UnfitError
    return number


def _count(value: object) -> int:
    number = _integer(value)
    if number < 0:
        raise _UnfitError
    return number


def _seconds(value: object) -> float:
    kind = type(value)
    number = float.__add__(cast(float, value), 0.0) if issubclass(kind, float) else float(_integer(value))
    if not isfinite(number):
        raise _UnfitError
    return number


def _flag(value: object) -> bool:
    if value is not True and value is not False:
        raise _UnfitError
    return value


def _text_list(value: object) -> list[str]:
    if not issubclass(type(value), list):
        raise _UnfitError
    return [_text(item) for item in list.__iter__(cast(list[object], value))]


def _optional_text_list(value: object) -> list[str] | None:
    return None if value is None else _text_list(value)


def _attributes(value: object) -> MetadataAttributes:
    if type(value) is MetadataAttributes:
        return value
    for key, each in value.items() if type(value) is dict else ():
        try:
            MetadataAttributes({key: each})
        except (TypeError, ValueError):
            raise _UnfitError(f"{_described(each)} under {shortened(key, 60)}") from None
    raise _UnfitError


def _target(value: object) -> str:
    text = _text(value)
    if text not in ("turn", "step"):
        raise _UnfitError
    return text


def _function_call(value: object) -> object:
    if not issubclass(type(value), FunctionCall):
        raise _UnfitError
    return value


def _anything(value: object) -> object:
    return value


_ABSENT = object()
_NO_VALUE = "nothing: the field is missing"
_NO_FUNCTION = FunctionCall(name="?", arguments="{}")
_SECONDS = "a finite float"
_COUNT = "an int of at least 0"
_ID = "a str"
_ATTRIBUTES = "a MetadataAttributes of texts, bools, finite floats and 64-bit ints"


def _str(name: str, neutral: str = "?") -> Field:
    return Field(name, "a str", _text, neutral)


def _maybe(name: str, neutral: str | None = None) -> Field:
    return Field(name, "a str or None", _optional_text, neutral)


_TIME = Field("timestamp", _SECONDS, _seconds, 0.0)
_INPUT = Field("input_tokens", _COUNT, _count, UNCOUNTED, "CALL-8")
_OUTPUT = Field("output_tokens", _COUNT, _count, UNCOUNTED, "CALL-8")
_FUNCTION = (
    Field("name", "a str", _text, "?", "TOOL-10"),
    Field("arguments", "a str of JSON text", _text, "{}", "TOOL-6"),
)

FIELDS: Mapping[type[AgentEvent], tuple[Field, ...]] = {
    TextDelta: (_str("text"),),
    ReasoningDelta: (_str("text"),),
    LLMCallStart: (
        Field("run_id", _ID, _text, MISSING, "CALL-1"),
        _str("input_preview"),
        _maybe("model_id"),
        _TIME,
    ),
    LLMCallEnd: (
        Field("run_id", _ID, _text, MISSING, "CALL-1"),
        _maybe("output_preview"),
        _INPUT,
        _OUTPUT,
        _maybe("model_id"),
        _TIME,
    ),
    ToolCall: (
        Field("id", _ID, _text, MISSING, "TOOL-1"),
        Field("function", "a FunctionCall", _function_call, _NO_FUNCTION),
        Field("type", "a str", _text, "function", "TOOL-10"),
    ),
    ToolResult: (
        Field("tool_call_id", _ID, _text, MISSING, "TOOL-1"),
        Field("output", "any value", _anything, None),
        _maybe("error"),
    ),
    RetrieverStart: (
        Field("run_id", _ID, _text, MISSING, "RETR-1"),
        _str("query"),
        _maybe("name", MISSING),
        _TIME,
        _maybe("parent_run_id", MISSING),
    ),
    RetrieverEnd: (
        Field("run_id", _ID, _text, MISSING, "RETR-1"),
        Field("documents", "a list of str", _text_list, [], "RETR-3"),
        _maybe("name", MISSING),
        _TIME,
        _maybe("parent_run_id", MISSING),
    ),
    StepBoundary: (Field("step", "an int", _integer, NO_NUMBER), _maybe("label")),
    Usage: (
        _INPUT,
        _OUTPUT,
        _maybe("model_id"),
        Field("cache_creation_input_tokens", _COUNT, _count, 0),
        Field("cache_read_input_tokens", _COUNT, _count, 0),
    ),
    Error: (_str("message"),),
    GuidelineMatched: (_str("guideline_id", MISSING), _str("when"), _str("then")),
    JourneyStepAdvanced: (
        _str("journey_name", MISSING),
        _str("step_name"),
        Field("step_index", "an int", _integer, NO_NUMBER),
        _str("conversation_id", MISSING),
    ),
    JourneyCompleted: (_str("journey_name", MISSING), _str("conversation_id", MISSING)),
    PhaseStarted: (_str("phase_name", MISSING), Field("retry_count", "an int", _integer, NO_NUMBER)),
    PhaseCompleted: (_str("phase_name", MISSING), _maybe("output_preview")),
    PhaseRouted: (_str("from_phase", MISSING), _str("to_phase", MISSING), _maybe("reason")),
    Metadata: (
        Field("attributes", _ATTRIBUTES, _attributes, MetadataAttributes()),
        Field("target", "'turn' or 'step'", _target, "turn"),
    ),
    VerificationResult: (
        Field("accepted", "a bool", _flag, True),
        _maybe("feedback"),
        Field("tools_triggered", "a list of str or None", _optional_text_list, None),
    ),
}
"""Event class -> its fields, in order."""
