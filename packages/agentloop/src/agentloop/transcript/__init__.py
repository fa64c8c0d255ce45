"""Provider-independent conversation history."""

from agentloop.transcript._cut import close_pending, cut_points
from agentloop.transcript._errors import TranscriptError
from agentloop.transcript._join import final_text, join_text
from agentloop.transcript._jsonl import from_jsonl, to_jsonl
from agentloop.transcript._message import Message, Origin, Role
from agentloop.transcript._parts import (
    Citation,
    ContentPart,
    HostedToolPart,
    Part,
    Source,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
)
from agentloop.transcript._repair import Repair, repair
from agentloop.transcript._strings import clean_text
from agentloop.transcript._transcript import Transcript

__all__ = [
    "Citation",
    "ContentPart",
    "HostedToolPart",
    "Message",
    "Origin",
    "Part",
    "Repair",
    "Role",
    "Source",
    "TextPart",
    "ThinkingPart",
    "ToolCallPart",
    "ToolResultPart",
    "Transcript",
    "TranscriptError",
    "clean_text",
    "close_pending",
    "cut_points",
    "final_text",
    "from_jsonl",
    "join_text",
    "repair",
    "to_jsonl",
]
