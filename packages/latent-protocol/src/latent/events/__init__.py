"""The event types of an agent's stream, and `Message`.

Import from `latent.protocol`, which hands on everything here.
"""

from latent.events._base import AgentEvent, UnknownEvent
from latent.events._calls import LLMCallEnd, LLMCallStart, Usage
from latent.events._errors import WireError
from latent.events._guided import GuidelineMatched, JourneyCompleted, JourneyStepAdvanced
from latent.events._message import Message, message_from_dict
from latent.events._metadata import Metadata, MetadataAttributes, MetadataValue
from latent.events._pipeline import PhaseCompleted, PhaseRouted, PhaseStarted
from latent.events._retrieval import RetrieverEnd, RetrieverStart
from latent.events._steps import Error, StepBoundary
from latent.events._text import ReasoningDelta, TextDelta
from latent.events._tools import FunctionCall, ToolCall, ToolResult
from latent.events._union import AnyEvent
from latent.events._verification import VerificationResult

__all__ = [
    "AgentEvent",
    "AnyEvent",
    "Error",
    "FunctionCall",
    "GuidelineMatched",
    "JourneyCompleted",
    "JourneyStepAdvanced",
    "LLMCallEnd",
    "LLMCallStart",
    "Message",
    "Metadata",
    "MetadataAttributes",
    "MetadataValue",
    "PhaseCompleted",
    "PhaseRouted",
    "PhaseStarted",
    "ReasoningDelta",
    "RetrieverEnd",
    "RetrieverStart",
    "StepBoundary",
    "TextDelta",
    "ToolCall",
    "ToolResult",
    "UnknownEvent",
    "Usage",
    "VerificationResult",
    "WireError",
    "message_from_dict",
]
