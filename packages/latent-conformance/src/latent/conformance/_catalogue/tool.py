"""Tool calls and their results."""

from __future__ import annotations

from latent.conformance._catalogue._row import row
from latent.conformance._catalogue._rule import How, Level, Rule

__all__ = ["ROWS"]

_TOOLS = ("tools",)

ROWS: tuple[Rule, ...] = (
    row(
        "TOOL-1",
        "ToolCall.id and ToolResult.tool_call_id are non-empty strings.",
        "Where the provider gives no id, invent a unique one for the assembled call, and use it for the result too.",
        needs=_TOOLS,
    ),
    row(
        "TOOL-2",
        "The ids of tool calls are unique within a step.",
        "Give a call whose id was already used in the run a fresh id before it is yielded.",
        needs=_TOOLS,
    ),
    row(
        "TOOL-3",
        "Every ToolResult answers a ToolCall that came earlier in the same step.",
        "Yield the ToolCall first, and copy its id into the ToolResult.",
        needs=_TOOLS,
        yields_to=("STEP-7", "PROTO-4"),
    ),
    row(
        "TOOL-4",
        "Every ToolCall gets exactly one ToolResult before its step ends, unless the run fails or is cancelled.",
        "Yield one ToolResult for each call, with `error` where the tool failed or never ran; name tools that are run "
        "elsewhere in external_tools.",
        needs=_TOOLS,
        yields_to=("PROTO-4", "TOOL-2", "TOOL-5"),
        presumes=("TOOL-14", "TOOL-5"),
    ),
    row(
        "TOOL-5",
        "A call is one ToolCall event: it is never yielded a second time.",
        "Yield the ToolCall once, when its arguments are complete, and not again when it is run or stored.",
        needs=_TOOLS,
        presumes=("TOOL-2",),
    ),
    row(
        "TOOL-6",
        "FunctionCall.arguments is JSON text of an object; without arguments it is '{}'.",
        "Build calls with ToolCall.from_arguments, which turns a dict, None and '' into JSON text; keep text that does "
        "not parse under one key of an object.",
        needs=_TOOLS,
    ),
    row(
        "TOOL-7",
        "FunctionCall.arguments is encoded once.",
        "Do not encode arguments that are JSON text already; decode those that a model encoded twice.",
        needs=_TOOLS,
    ),
    row(
        "TOOL-10",
        "A ToolCall names its tool with a non-empty string, and its type is 'function'.",
        "Take the name from the fragment that carries it, and leave `type` at its default.",
        needs=_TOOLS,
    ),
    row(
        "TOOL-11",
        "Step.tool_calls are the ToolCall events of the step, in order and unchanged.",
        "Keep the ToolCall objects of the stream in the Step, in the order in which they came.",
        how=How.INVOKE,
        needs=_TOOLS,
        yields_to=("WRAP-3",),
        presumes=("WRAP-1",),
    ),
    row(
        "TOOL-12",
        "Step.tool_messages has one role='tool' row for each ToolResult, with its id, and with "
        "str(error if error is not None else output) as content.",
        "Make one row of each ToolResult with exactly that expression; `if output:` would drop None, '' and 0.",
        how=How.INVOKE,
        needs=_TOOLS,
        yields_to=("MSG-2", "WRAP-3"),
        presumes=("WRAP-1",),
    ),
    row(
        "TOOL-13",
        "Calls stand in the order in which the model made them, and Step.tool_messages in that of the calls.",
        "Sort the rows by the position of their call when the step ends, whatever the order of completion.",
        level=Level.SHOULD,
        how=How.INVOKE,
        needs=("tools", "parallel_tools"),
        yields_to=("TOOL-12",),
    ),
    row(
        "TOOL-17",
        "ToolResult.error is None or non-empty text, and stands alone without an output.",
        "Set `error` for a failed call only, to the exception's text or its type's name, and leave `output` at None.",
        level=Level.SHOULD,
        needs=_TOOLS,
        presumes=("TOOL-14",),
    ),
)
