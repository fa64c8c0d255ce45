"""The closed union of the protocol's events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias, get_args

from latent.events._base import AgentEvent
from latent.events._calls import LLMCallEnd, LLMCallStart, Usage
from latent.events._guided import GuidelineMatched, JourneyCompleted, JourneyStepAdvanced
from latent.events._metadata import Metadata
from latent.events._pipeline import PhaseCompleted, PhaseRouted, PhaseStarted
from latent.events._retrieval import RetrieverEnd, RetrieverStart
from latent.events._steps import Error, StepBoundary
from latent.events._text import ReasoningDelta, TextDelta
from latent.events._tools import ToolCall, ToolResult
from latent.events._verification import VerificationResult

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core.core_schema import CoreSchema

__all__ = ["AnyEvent"]


class _AsEnvelope:
    """Has pydantic take and give envelopes, since the fields alone do not tell a text from a reasoning."""

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core import core_schema  # only pydantic calls this, so it is there

        return core_schema.no_info_after_validator_function(_known, handler.generate_schema(AgentEvent))


def _known(event: AgentEvent) -> AgentEvent:
    if type(event) not in get_args(get_args(AnyEvent)[0]):
        raise ValueError(f"Expected an event of the protocol, got `{type(event).__name__}`")
    return event


AnyEvent: TypeAlias = Annotated[
    TextDelta
    | ReasoningDelta
    | LLMCallStart
    | LLMCallEnd
    | ToolCall
    | ToolResult
    | RetrieverStart
    | RetrieverEnd
    | StepBoundary
    | Usage
    | Error
    | GuidelineMatched
    | JourneyStepAdvanced
    | JourneyCompleted
    | PhaseStarted
    | PhaseCompleted
    | PhaseRouted
    | Metadata
    | VerificationResult,
    _AsEnvelope(),
]
"""Every event that the protocol defines, for an exhaustive `match` closed with `assert_never`."""
