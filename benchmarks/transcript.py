"""What reading, writing and checking a transcript costs, beside Pydantic AI and beside the bare models.

    python benchmarks/transcript.py [--rounds 3] [--quick]

Needs `agentloop` and `pydantic-ai-slim`. All contenders read and write the same conversation in turn, in one process;
the processor time of each is the best of its rounds, and the ratios are what matters.
`agentloop.transcript.from_jsonl` pauses Python's cyclic garbage collector while it reads, which is a
process-wide switch: the bare models are timed both with the collector running and with it paused.
"""

import gc
import time
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal

from _figure import Figure
from _script import run
from pydantic import BaseModel, ConfigDict, Field
from pydantic_ai import messages as pai

from agentloop.transcript import (
    Citation,
    Origin,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
    Transcript,
    from_jsonl,
    to_jsonl,
)


class _Bare(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _BareCitation(_Bare):
    url: str
    title: str | None = None
    cited_text: str | None = None
    start: int | None = None
    end: int | None = None


class _BareText(_Bare):
    type: Literal["text"] = "text"
    text: str
    citations: tuple[_BareCitation, ...] = ()


class _BareCall(_Bare):
    type: Literal["tool_call"] = "tool_call"
    call_id: str
    tool_name: str
    arguments: dict[str, Any] = {}
    raw_arguments: str | None = None
    parse_error: str | None = None


class _BareResult(_Bare):
    type: Literal["tool_result"] = "tool_result"
    call_id: str
    tool_name: str
    content: str
    is_error: bool = False


class _BareThinking(_Bare):
    type: Literal["thinking"] = "thinking"
    text: str
    signature: str | None = None
    provider: str | None = None
    model: str | None = None
    raw: dict[str, Any] | None = None


class _BareOrigin(_Bare):
    provider: str
    api: str
    model: str
    raw: tuple[dict[str, Any], ...] = ()


class _BareMessage(_Bare):
    role: Literal["user", "assistant"]
    content: tuple[
        Annotated[_BareText | _BareCall | _BareResult | _BareThinking, Field(discriminator="type")],
        ...,
    ]
    origin: _BareOrigin | None = None


def conversation(count: int) -> Transcript:
    """A conversation of `count` messages, four to a round: question, calls, results, cited answer."""
    transcript = Transcript()
    for number in range(count // 4):
        read, grep = f"call_{number}_read", f"call_{number}_grep"
        transcript.add_user_message(f"Question {number}: where is it used, and why? " + "context " * 20)
        transcript.add_assistant_message(
            [
                ThinkingPart(text="Let me look. " * 8, signature="c2ln" * 16, provider="anthropic", model="m"),
                ToolCallPart(call_id=read, tool_name="read", arguments={"path": f"/a/{number}", "lines": [1, 20]}),
                ToolCallPart(call_id=grep, tool_name="grep", arguments={"pattern": "foo", "flags": {"case": True}}),
            ]
        )
        transcript.add_tool_results(
            [
                ToolResultPart(call_id=read, tool_name="read", content="a line of the file\n" * 60),
                ToolResultPart(call_id=grep, tool_name="grep", content="found\n"),
            ]
        )
        answer = "Here is what it does. " * 8
        citation = Citation(url="https://example.org/page", title="Page", cited_text="what it does", start=8, end=20)
        origin = Origin(provider="anthropic", api="messages", model="m", raw=({"type": "text", "text": answer},))
        transcript.add_assistant_message([TextPart(text=answer, citations=(citation,))], origin)
    return transcript


def as_pydantic_ai(transcript: Transcript) -> list[pai.ModelMessage]:
    """The same conversation in Pydantic AI's own message types."""
    converted: list[pai.ModelMessage] = []
    for message in transcript.messages:
        if message.role == "user":
            converted.append(pai.ModelRequest(parts=[_request_part(part) for part in message.content]))
        else:
            converted.append(
                pai.ModelResponse(
                    parts=[_response_part(part) for part in message.content], model_name="m", provider_name="anthropic"
                )
            )
    return converted


def _request_part(part: Any) -> Any:
    if isinstance(part, ToolResultPart):
        return pai.ToolReturnPart(tool_name=part.tool_name, content=part.content, tool_call_id=part.call_id)
    return pai.UserPromptPart(content=part.text)


def _response_part(part: Any) -> Any:
    if isinstance(part, ToolCallPart):
        return pai.ToolCallPart(tool_name=part.tool_name, args=part.arguments, tool_call_id=part.call_id)
    if isinstance(part, ThinkingPart):
        return pai.ThinkingPart(content=part.text, signature=part.signature, provider_name=part.provider)
    return pai.TextPart(content=part.text)


def _seconds(run: Callable[[], Any]) -> float:
    gc.collect()
    begin = time.process_time()
    kept = run()
    seconds = time.process_time() - begin
    del kept
    return seconds


def _paused(run: Callable[[], Any]) -> Callable[[], Any]:
    def paused() -> Any:
        gc.disable()
        try:
            return run()
        finally:
            gc.enable()

    return paused


def _times(count: int, rounds: int) -> dict[str, float]:
    text = to_jsonl(conversation(count).messages)
    lines = text.splitlines()
    transcript = from_jsonl(text)
    bare = [_BareMessage.model_validate_json(line) for line in lines]
    converted = as_pydantic_ai(transcript)
    adapter = pai.ModelMessagesTypeAdapter
    document = adapter.dump_json(converted)
    assert to_jsonl(transcript.messages) == text

    def read_bare() -> list[_BareMessage]:
        return [_BareMessage.model_validate_json(line) for line in lines]

    def write_bare() -> str:
        return "\n".join([message.model_dump_json(exclude_none=True) for message in bare])

    contenders: dict[str, Callable[[], Any]] = {
        "read": lambda: from_jsonl(text),
        "read, Pydantic AI": lambda: adapter.validate_json(document),
        "read, bare models": read_bare,
        "read, bare models, collector paused": _paused(read_bare),
        "write": lambda: to_jsonl(transcript.messages),
        "write, Pydantic AI": lambda: adapter.dump_json(converted),
        "write, bare models": write_bare,
    }
    # In turn, so that a busy machine slows all of them alike.
    played = [{name: _seconds(run) for name, run in contenders.items()} for _ in range(rounds)]
    best = {name: min(times[name] for times in played) for name in contenders}
    # The check is too short to be timed right after the collector has been over everything.
    best["check"] = min(_repeated(transcript.check_invariants, 5) for _ in range(rounds))
    return best


def _repeated(run: Callable[[], Any], count: int) -> float:
    begin = time.process_time()
    for _ in range(count):
        run()
    return (time.process_time() - begin) / count


def _extend_many(count: int) -> float:
    transcript = Transcript()
    transcript.add_assistant_message([TextPart(text="start")])
    begin = time.process_time()
    for number in range(count):
        transcript.extend_last_assistant([TextPart(text=f"more {number}")])
    return time.process_time() - begin


def measure(rounds: int, quick: bool) -> Iterator[Figure]:
    for count in (100, 200) if quick else (10_000, 100_000):
        yield from _figures(_times(count, rounds), count)
    half, whole = (min(_extend_many(count) for _ in range(3)) for count in (2_500, 5_000))
    fewer = "2,500 extends"
    yield Figure(name="5,000 extends", unit="ms", ours=whole * 1e3, peer=fewer, theirs=half * 1e3, ratio=whole / half)


def _figures(times: dict[str, float], count: int) -> Iterator[Figure]:
    paused = "read, bare models, collector paused"
    for ours, theirs, at_most in (
        ("read", "read, Pydantic AI", 0.7 if count < 50_000 else 0.4),
        ("read", paused, 2.0),
        ("read", "read, bare models", None),
        ("write", "write, Pydantic AI", 0.4),
        ("write", "write, bare models", 2.0),
        ("check", "read", 0.1),
    ):
        yield Figure(
            name=f"{ours} {count:,} messages",
            unit="us/message",
            ours=times[ours] / count * 1e6,
            peer=theirs.partition(", ")[2] or theirs,
            theirs=times[theirs] / count * 1e6,
            ratio=times[ours] / times[theirs],
            at_most=at_most,
        )


if __name__ == "__main__":
    run(measure, __doc__, rounds=3, distributions=("agentloop", "pydantic-ai-slim", "pydantic"))
