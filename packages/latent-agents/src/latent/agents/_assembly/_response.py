"""What a model answered, complete."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from latent.agents._assembly._arguments import RAW_ARGUMENTS
from latent.protocol import Message, ToolCall, Usage

__all__ = ["Response"]

_MARKED = {"length": "length", "content_filter": "content_filter", "refusal": "refusal"}


class Response(Struct, frozen=True):
    """One response of a model."""

    text: str
    """The answer's text."""
    calls: list[ToolCall]
    """The tool calls, in order, each with an id that no other call of the conversation has."""
    unrunnable: dict[str, str]
    """By call id: why that call must not run."""
    usage: Usage | None
    """The tokens, where the model reported them."""
    finish_reason: str | None
    """Why the model stopped, in the words of chat completions; `"refusal"` where it refused."""

    @property
    def interruption(self) -> str | None:
        """`"length"`, `"content_filter"` or `"refusal"` where the answer is not a whole one."""
        return _MARKED.get(self.finish_reason or "")

    def message(self) -> Message:
        """The assistant's row to append to the history."""
        return Message("assistant", self.text, tool_calls=list(self.calls) or None)


_TRUNCATED = "The call was cut off by the limit of output tokens and did not run. Write less, or split the work."


def truncated(response: Response) -> Response:
    """The response with every call marked as cut off: nothing of a truncated response runs."""
    return replace(response, unrunnable={call.id: _TRUNCATED for call in response.calls})


def malformed(problem: str) -> str:
    """What the model is told about arguments that are no object."""
    return (
        f"{problem}. The tool did not run; what came is kept under `{RAW_ARGUMENTS}`. "
        "Call again with one JSON object as the arguments."
    )
