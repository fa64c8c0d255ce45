"""One rich response of each wire, whole and as a stream."""

from collections.abc import Iterator
from typing import Any

ANSWER = "Café 😀 opens at nine."
ARGUMENTS = '{"city": "Zürich", "days": [1, 2]}'

CHAT: dict[str, Any] = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "gpt-5-2025-08-07",
    "choices": [
        {
            "index": 0,
            "finish_reason": "tool_calls",
            "logprobs": None,
            "message": {
                "role": "assistant",
                "content": ANSWER,
                "refusal": None,
                "annotations": [
                    {
                        "type": "url_citation",
                        "url_citation": {"start_index": 0, "end_index": 6, "title": "Page", "url": "https://a.example"},
                    }
                ],
                "tool_calls": [
                    {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": ARGUMENTS}},
                    {"id": "call_2", "type": "function", "function": {"name": "clock", "arguments": ""}},
                ],
            },
        }
    ],
}

RESPONSES: dict[str, Any] = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1,
    "model": "gpt-5-2025-08-07",
    "status": "completed",
    "error": None,
    "incomplete_details": None,
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
    "output": [
        {
            "id": "rs_1",
            "type": "reasoning",
            "summary": [{"type": "summary_text", "text": "Look it up."}],
            "encrypted_content": "ZW5j",
        },
        {
            "id": "ws_1",
            "type": "web_search_call",
            "status": "completed",
            "action": {
                "type": "search",
                "query": "opening hours",
                "sources": [{"type": "url", "url": "https://a.example"}],
            },
        },
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [
                {
                    "type": "output_text",
                    "text": ANSWER,
                    "logprobs": [],
                    "annotations": [
                        {
                            "type": "url_citation",
                            "start_index": 0,
                            "end_index": 6,
                            "title": "Page",
                            "url": "https://a.example",
                        }
                    ],
                }
            ],
        },
        {
            "id": "fc_1",
            "type": "function_call",
            "call_id": "call_1",
            "name": "weather",
            "arguments": ARGUMENTS,
            "status": "completed",
        },
        {
            "id": "fc_2",
            "type": "function_call",
            "call_id": "call_2",
            "name": "clock",
            "arguments": "{}",
            "status": "completed",
        },
    ],
}

ANTHROPIC: dict[str, Any] = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-opus-4-20250514",
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 1},
    "content": [
        {"type": "thinking", "thinking": "Look it up.", "signature": "c2ln"},
        {"type": "redacted_thinking", "data": "ZGF0YQ=="},
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "opening hours"}},
        {
            "type": "web_search_tool_result",
            "tool_use_id": "srvtoolu_1",
            "content": [
                {"type": "web_search_result", "url": "https://a.example", "title": "Page", "encrypted_content": "ZW5j"}
            ],
        },
        {
            "type": "text",
            "text": ANSWER,
            "citations": [
                {
                    "type": "web_search_result_location",
                    "url": "https://a.example",
                    "title": "Page",
                    "cited_text": "nine",
                    "encrypted_index": "aWR4",
                }
            ],
        },
        {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"city": "Zürich", "days": [1, 2]}},
        {"type": "tool_use", "id": "toolu_2", "name": "clock", "input": {}},
    ],
}

GEMINI: dict[str, Any] = {
    "modelVersion": "gemini-3-pro",
    "responseId": "r1",
    "candidates": [
        {
            "index": 0,
            "finishReason": "STOP",
            "content": {
                "role": "model",
                "parts": [
                    {"text": "Look it up.", "thought": True},
                    {"text": ANSWER},
                    {
                        "functionCall": {"id": "fc1", "name": "weather", "args": {"city": "Zürich", "days": [1, 2]}},
                        "thoughtSignature": "c2lnbmF0dXJl",
                    },
                    {"functionCall": {"name": "clock", "args": {}}},
                ],
            },
            "groundingMetadata": {
                "webSearchQueries": ["opening hours"],
                "groundingChunks": [{"web": {"uri": "https://a.example", "title": "Page"}}],
                "groundingSupports": [
                    {"segment": {"partIndex": 1, "endIndex": 10, "text": "Café 😀"}, "groundingChunkIndices": [0]}
                ],
            },
        }
    ],
}


def chat_chunks(size: int) -> Iterator[dict[str, Any]]:
    """`CHAT` as the chunks of a stream, its texts cut into pieces of `size` characters."""
    message = CHAT["choices"][0]["message"]
    yield _chat_chunk({"role": "assistant", "content": "", "refusal": None})
    for piece in _pieces(message["content"], size):
        yield _chat_chunk({"content": piece})
    yield _chat_chunk({"annotations": message["annotations"]})
    for index, call in enumerate(message["tool_calls"]):
        head = {"index": index, "id": call["id"], "type": "function"}
        yield _chat_chunk({"tool_calls": [{**head, "function": {"name": call["function"]["name"], "arguments": ""}}]})
        for piece in _pieces(call["function"]["arguments"], size):
            yield _chat_chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield _chat_chunk({}, "tool_calls")
    yield {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": CHAT["model"], "choices": []}


def _chat_chunk(delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": CHAT["model"],
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}],
    }


def responses_events(size: int, *, cut: bool = False, final_output: bool = True) -> Iterator[dict[str, Any]]:
    """`RESPONSES` as the events of a stream; `cut` ends it in the middle of the last call."""
    yield {"type": "response.created", "response": {**RESPONSES, "status": "in_progress", "output": []}}
    for index, item in enumerate(RESPONSES["output"]):
        at = {"output_index": index, "item_id": item["id"]}
        if item["type"] == "message":
            yield {"type": "response.output_item.added", **at, "item": {**item, "status": "in_progress", "content": []}}
            for piece in _pieces(item["content"][0]["text"], size):
                yield {"type": "response.output_text.delta", **at, "content_index": 0, "delta": piece}
        elif item["type"] == "function_call":
            yield {"type": "response.output_item.added", **at, "item": {**item, "arguments": ""}}
            for piece in _pieces(item["arguments"], size):
                yield {"type": "response.function_call_arguments.delta", **at, "delta": piece}
                if cut and index == len(RESPONSES["output"]) - 1:
                    return
        else:
            yield {"type": "response.output_item.added", **at, "item": {**item, "encrypted_content": "part"}}
        yield {"type": "response.output_item.done", **at, "item": item}
    yield {"type": "response.completed", "response": RESPONSES if final_output else {**RESPONSES, "output": []}}


def anthropic_events(size: int) -> Iterator[dict[str, Any]]:
    """`ANTHROPIC` as the events of a stream."""
    yield {"type": "message_start", "message": {**ANTHROPIC, "content": [], "stop_reason": None}}
    yield {"type": "ping"}
    for index, block in enumerate(ANTHROPIC["content"]):
        match block["type"]:
            case "text":
                start: dict[str, Any] = {"type": "text", "text": ""}
                deltas = [{"type": "text_delta", "text": piece} for piece in _pieces(block["text"], size)]
                deltas += [{"type": "citations_delta", "citation": one} for one in block["citations"]]
            case "thinking":
                start = {"type": "thinking", "thinking": "", "signature": ""}
                deltas = [{"type": "thinking_delta", "thinking": piece} for piece in _pieces(block["thinking"], size)]
                deltas.append({"type": "signature_delta", "signature": block["signature"]})
            case "tool_use" | "server_tool_use":
                start = {**block, "input": {}}
                text = ARGUMENTS if block["name"] == "weather" else '{"query": "opening hours"}'
                pieces = _pieces(text, size) if block["input"] else []
                deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in ["", *pieces]]
            case _:
                start, deltas = block, []
        yield {"type": "content_block_start", "index": index, "content_block": start}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    end: dict[str, Any] = {"stop_reason": ANTHROPIC["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": end, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}


def gemini_chunks(size: int) -> Iterator[dict[str, Any]]:
    """`GEMINI` as the chunks of a stream."""
    candidate = GEMINI["candidates"][0]
    for part in candidate["content"]["parts"]:
        pieces = _pieces(part["text"], size) if "text" in part else [None]
        for piece in pieces:
            shown = part if piece is None else {**part, "text": piece}
            content = {"role": "model", "parts": [shown]}
            yield {"modelVersion": GEMINI["modelVersion"], "candidates": [{"index": 0, "content": content}]}
    last = {key: value for key, value in candidate.items() if key != "content"}
    yield {"modelVersion": GEMINI["modelVersion"], "candidates": [last]}


def _pieces(text: str, size: int) -> list[str]:
    return [text[place : place + size] for place in range(0, len(text), size)]
