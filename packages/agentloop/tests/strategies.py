"""Hypothesis strategies for transcripts: any part, any message, and conversations that are safe to send."""

from typing import Any

from hypothesis import strategies as st

from agentloop.transcript import (
    Citation,
    ContentPart,
    HostedToolPart,
    Message,
    Origin,
    Source,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
)

_CHARACTERS = st.characters(codec="utf-8") | st.sampled_from('\x00\x85\u2028\u2029\ufeff\x1c\r\n "\\\ufffd😀é')
text = st.text(_CHARACTERS, max_size=12)
names = st.text(_CHARACTERS, min_size=1, max_size=8)
optional_text = st.none() | text

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**40), 10**40)
    | st.sampled_from([2**63, -(10**40), 10**4300 - 1, 1 - 10**4299])
    | st.floats(allow_nan=False, allow_infinity=False)
    | text
)
json_values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3), max_leaves=8
)
json_objects = st.dictionaries(text, json_values, max_size=4)

citations = st.builds(
    Citation,
    url=text,
    title=optional_text,
    cited_text=optional_text,
    start=st.none() | st.integers(-(2**63), 2**63 - 1),
    end=st.none() | st.integers(0, 50),
)
text_parts = st.builds(TextPart, text=text, citations=st.lists(citations, max_size=2).map(tuple))
thinking_parts = st.builds(
    ThinkingPart,
    text=text,
    signature=optional_text,
    provider=optional_text,
    model=optional_text,
    raw=st.none() | json_objects,
)
hosted_parts = st.builds(
    HostedToolPart,
    kind=names,
    call_id=optional_text,
    query=optional_text,
    error=optional_text,
    sources=st.lists(st.builds(Source, url=text, title=optional_text), max_size=2).map(tuple),
)
origins = st.builds(
    Origin,
    provider=st.sampled_from(["openai", "anthropic"]),
    api=st.sampled_from(["chat", "messages"]),
    model=names,
    raw=st.lists(json_objects, max_size=2).map(tuple),
)


@st.composite
def call_parts(draw: st.DrawFn, call_id: str | None = None) -> ToolCallPart:
    raw_arguments = draw(optional_text)
    return ToolCallPart(
        call_id=draw(names) if call_id is None else call_id,
        tool_name=draw(names),
        arguments=draw(json_objects),
        raw_arguments=raw_arguments,
        parse_error=None if raw_arguments is None else draw(optional_text),
    )


def result_parts(call_id: st.SearchStrategy[str] = names) -> st.SearchStrategy[ToolResultPart]:
    return st.builds(ToolResultPart, call_id=call_id, tool_name=names, content=text, is_error=st.booleans())


content_parts: st.SearchStrategy[ContentPart] = st.one_of(
    text_parts, call_parts(), result_parts(), thinking_parts, hosted_parts
)
messages = st.builds(
    Message,
    role=st.sampled_from(["user", "assistant"]),
    content=st.lists(content_parts, min_size=1, max_size=4).map(tuple),
    origin=st.none() | origins,
)


@st.composite
def assistant_parts(draw: st.DrawFn, with_calls: bool | None = None) -> tuple[ContentPart, ...]:
    """Parts an assistant may write, with call ids that differ from each other."""
    ids = [] if with_calls is False else draw(st.lists(names, unique=True, max_size=3))
    parts: list[Any] = [draw(call_parts(call_id)) for call_id in ids]
    parts += draw(st.lists(st.one_of(text_parts, thinking_parts, hosted_parts), max_size=3))
    return tuple(draw(st.permutations(parts))) or (TextPart(text=draw(text)),)


@st.composite
def safe_messages(draw: st.DrawFn, max_turns: int = 5) -> list[Message]:
    """A conversation that passes `Transcript.check_invariants`."""
    conversation: list[Message] = []
    for _ in range(draw(st.integers(0, max_turns))):
        if draw(st.booleans()):
            conversation.append(Message(role="user", content=(draw(text_parts),)))
        parts = draw(assistant_parts())
        conversation.append(Message(role="assistant", content=parts, origin=draw(st.none() | origins)))
        calls = [part for part in parts if isinstance(part, ToolCallPart)]
        if calls:
            results = [draw(result_parts(st.just(call.call_id))) for call in calls]
            conversation.append(Message(role="user", content=tuple(draw(st.permutations(results)))))
    return conversation
