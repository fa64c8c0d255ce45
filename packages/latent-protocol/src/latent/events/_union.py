"""The closed union of the protocol's events."""

from typing import TypeAlias

from latent.events._calls import LLMCallEnd, LLMCallStart, Usage
from latent.events._guided import GuidelineMatched, JourneyCompleted, JourneyStepAdvanced
from latent.events._metadata import Metadata
from latent.events._pipeline import PhaseCompleted, PhaseRouted, PhaseStarted
from latent.events._retrieval import RetrieverEnd, RetrieverStart
from latent.events._steps import Error, StepBoundary
from latent.events._text import ReasoningDelta, TextDelta
from latent.events._tools import ToolCall, ToolResult
from latent.events._verification import VerificationResult

__all__ = ["AnyEvent"]

AnyEvent: TypeAlias = (
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
    | VerificationResult
)
"""Every event that the protocol defines, for an exhaustive `match` closed with `assert_never`."""
