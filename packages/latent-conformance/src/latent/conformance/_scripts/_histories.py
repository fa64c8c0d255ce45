"""Rows that stand before the user's."""

from __future__ import annotations

from latent.protocol import FunctionCall, Message, ToolCall

__all__ = ["ABOUT_IT", "EARLIER", "FOREIGN", "LONG_AGO", "NOTED", "PICTURED"]

EARLIER = (
    Message("system", "The house style is plain.", id="m-0"),
    *(Message("user", "First question.", id="m-1"), Message("assistant", "First answer.", id="m-2")),
    *(Message("user", "First question.", id="m-3"), Message("assistant", "First answer.", id="m-4")),
)
"""Rows before the user's: asked and answered twice over."""
NOTED = (
    *(Message("system", "The house style is plain."), Message("user", "First question.")),
    *(Message("assistant", "First answer."), Message("system", "The office is closed on Mondays.")),
)
"""The system speaks before the conversation, and in the midst of it."""
_PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
"""A dot, as PNG in base 64."""
ABOUT_IT = ('Which "colour" is this?', "Un mot, s'il vous plaît.")
PICTURED = (
    Message(
        "user",
        [
            {"type": "text", "text": ABOUT_IT[0]},
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{_PICTURE}"}},
            {"type": "text", "text": ABOUT_IT[1]},
        ],
    ),
    Message("assistant", "Green."),
)
"""Content that is a list of parts."""
LONG_AGO = (Message("user", "Are you there?"),) * 2 + tuple(
    row for at in range(1, 71) for row in (Message("user", f"Question {at}."), Message("assistant", f"Answer {at}."))
)
"""More rows than most windows hold, though far fewer words than a model can take; the first one comes twice."""
_FOREIGN_IDS = ("functions.lookup:0", "call_" + "0123456789abcdef" * 4)
"""As some servers name calls: with signs that others refuse, and longer than others take."""
FOREIGN = (
    Message("user", "Look it up, twice."),
    *(
        row
        for at, name in enumerate(_FOREIGN_IDS)
        for row in (
            Message("assistant", tool_calls=[ToolCall(name, FunctionCall("lookup", f'{{"ticket": "old-{at}"}}'))]),
            Message("tool", f"Record {at}.", tool_call_id=name),
        )
    ),
    Message("assistant", "Done."),
)
"""Calls under ids that another provider gave them."""
