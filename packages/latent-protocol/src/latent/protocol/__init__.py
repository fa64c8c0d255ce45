"""The contract between agents and those who run them: the one import surface for both.

Runtimes that pin only `latent-protocol` get typed events, `Message`, `AgentProtocol`, the buffered
view and the wire form, and msgspec as the only dependency.
"""

from latent.events import (
    AgentEvent,
    AnyEvent,
    Error,
    FunctionCall,
    GuidelineMatched,
    JourneyCompleted,
    JourneyStepAdvanced,
    LLMCallEnd,
    LLMCallStart,
    Message,
    Metadata,
    MetadataAttributes,
    MetadataValue,
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
    UnknownEvent,
    Usage,
    VerificationResult,
    WireError,
    message_from_dict,
)
from latent.events._native import EncHook
from latent.protocol._agent import AgentConfig, AgentProtocol, StreamWrapper
from latent.protocol._collect import collect
from latent.protocol._decoder import decode_event, decode_events
from latent.protocol._encoder import encode_event, encode_events, encode_sse
from latent.protocol._errors import AgentError, ProtocolError
from latent.protocol._invoke import InvokeResult, Step
from latent.protocol._schema import event_schema
from latent.protocol._segment import Segmenter
from latent.protocol._version import PROTOCOL_VERSION

__all__ = [
    "PROTOCOL_VERSION",
    "AgentConfig",
    "AgentError",
    "AgentEvent",
    "AgentProtocol",
    "AnyEvent",
    "EncHook",
    "Error",
    "FunctionCall",
    "GuidelineMatched",
    "InvokeResult",
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
    "ProtocolError",
    "ReasoningDelta",
    "RetrieverEnd",
    "RetrieverStart",
    "Segmenter",
    "Step",
    "StepBoundary",
    "StreamWrapper",
    "TextDelta",
    "ToolCall",
    "ToolResult",
    "UnknownEvent",
    "Usage",
    "VerificationResult",
    "WireError",
    "collect",
    "decode_event",
    "decode_events",
    "encode_event",
    "encode_events",
    "encode_sse",
    "event_schema",
    "message_from_dict",
]
