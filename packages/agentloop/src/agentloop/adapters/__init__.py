"""Adapters between transcripts and the wires of model providers. They need no SDK."""

from agentloop.adapters._anthropic import AnthropicAdapter
from agentloop.adapters._anthropic_stream import AnthropicAssembler
from agentloop.adapters._gemini import GeminiAdapter
from agentloop.adapters._gemini_stream import GeminiAssembler
from agentloop.adapters._openai_chat import OpenAIChatAdapter
from agentloop.adapters._openai_chat_stream import OpenAIChatAssembler
from agentloop.adapters._openai_responses import OpenAIResponsesAdapter
from agentloop.adapters._openai_responses_stream import OpenAIResponsesAssembler
from agentloop.adapters._ports import Adapter, Assembler

__all__ = [
    "Adapter",
    "AnthropicAdapter",
    "AnthropicAssembler",
    "Assembler",
    "GeminiAdapter",
    "GeminiAssembler",
    "OpenAIChatAdapter",
    "OpenAIChatAssembler",
    "OpenAIResponsesAdapter",
    "OpenAIResponsesAssembler",
]
