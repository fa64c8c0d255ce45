"""Messages and history."""

from __future__ import annotations

from latent.conformance._catalogue._row import row
from latent.conformance._catalogue._rule import Door, How, Level, Rule

__all__ = ["ROWS"]

ROWS: tuple[Rule, ...] = (
    row(
        "MSG-1",
        "A history with a step's rows added is safe to send: each call is answered once, directly after its row.",
        "Put the row of the calls first, then one tool row for each call, and nothing between them.",
        how=How.INVOKE,
        needs=("tools",),
        yields_to=("TOOL-1", "TOOL-2", "TOOL-3", "TOOL-4", "TOOL-5", "TOOL-11", "TOOL-12", "STEP-7", "MSG-2", "MSG-3"),
    ),
    row(
        "MSG-2",
        "A role='tool' row has a non-empty tool_call_id, and text as content.",
        "Copy the call's id into the row, and make text of the output with str().",
        how=How.CALL,
        needs=("tools",),
        shown_by=Door.BLACK_BOX,
        yields_to=("TOOL-1",),
    ),
    row(
        "MSG-3",
        "An assistant row that invoked tools carries them as a list of ToolCall; others carry None.",
        "Set tool_calls to the ToolCall events of the step, or to None where there are none.",
        how=How.CALL,
        needs=("tools",),
        shown_by=Door.BLACK_BOX,
    ),
    row(
        "MSG-6",
        "The row of calls without a text has no text: its content is empty, null or left out.",
        "Send the content as the model gave it, with nothing in its place: no str(None), no placeholder.",
        level=Level.SHOULD,
        how=How.SCRIPT,
        needs=("tools",),
    ),
    row(
        "MSG-7",
        "The rows that a step adds to a history keep its text.",
        "Append step.to_messages() to the history, and do not override it.",
        level=Level.SHOULD,
        how=How.INVOKE,
    ),
    row(
        "MSG-9",
        "Blocks of reasoning that a provider wants back survive somewhere.",
        "Keep what the provider sent beside the history, and put it back into the rows for that provider.",
        level=Level.SHOULD,
        how=How.SCRIPT,
        gap="Message has no field for such blocks, and the chat-completions wire of the harness carries none, so that "
        "there is no place where they could be looked for.",
    ),
)
