"""Tool arguments: what a provider sends, strictly parsed, and what is sent back."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from agentloop.transcript import ToolCallPart
from agentloop.transcript._json import copy_json_object

__all__ = ["call_part", "dump_arguments"]

_CUT_OFF = "; the turn was cut off at its token limit"


def call_part(call_id: str, name: object, arguments: object, *, truncated: bool = False) -> ToolCallPart:
    """Return a tool call whose arguments came as JSON text or as a JSON value.

    What is not a JSON object is kept in `raw_arguments` and explained in `parse_error`. `truncated` says that the
    turn ended at a token limit. A call without a name is called `unknown`.
    """
    tool_name = name if isinstance(name, str) and name else "unknown"
    if arguments is None or (isinstance(arguments, str) and not arguments.strip()):
        return ToolCallPart(call_id=call_id, tool_name=tool_name)
    try:
        if not isinstance(arguments, str):
            return ToolCallPart(call_id=call_id, tool_name=tool_name, arguments=copy_json_object(arguments))
        parsed, is_strict = _parse(arguments)
    except (ValueError, RecursionError) as error:
        problem = _explain(error) + (_CUT_OFF if truncated else "")
        raw = arguments if isinstance(arguments, str) else _show(arguments)
        return ToolCallPart(call_id=call_id, tool_name=tool_name, raw_arguments=raw, parse_error=problem)
    return ToolCallPart(
        call_id=call_id, tool_name=tool_name, arguments=parsed, raw_arguments=None if is_strict else arguments
    )


def dump_arguments(arguments: dict[str, Any]) -> str:
    """Return arguments as JSON text, the same for equal arguments."""
    return json.dumps(arguments, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _parse(text: str) -> tuple[dict[str, Any], bool]:
    """Return the object and whether the text is JSON to the letter."""
    try:
        return copy_json_object(json.loads(text, parse_constant=_refuse)), True
    except json.JSONDecodeError as error:
        # Models write raw line breaks inside strings: reading them loses nothing.
        if not error.msg.startswith("Invalid control character"):
            raise
    return copy_json_object(json.loads(text, strict=False, parse_constant=_refuse)), False


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"Expected a finite number, got {constant}")


def _explain(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"Expected JSON, got {error.msg!r} at line {error.lineno} column {error.colno}"
    if isinstance(error, RecursionError):
        return "Expected at most 100 containers inside each other, got more"
    return str(error)


def _show(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (ValueError, TypeError, RecursionError):
        return f"<{type(value).__name__} that JSON cannot carry>"
