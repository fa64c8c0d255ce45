"""What the kit plays to a sound agent, and what an agent gives back, in words for the pages."""

from __future__ import annotations

import re
from typing import Any

from cases.agent import sound

from latent.conformance import Harness
from latent.conformance._driving._played import play
from latent.conformance.harness import TOKEN, Hold, Script, Turn
from latent.protocol import AgentEvent, InvokeResult

__all__ = ["result_lines", "script_in_words", "sound_run"]


def sound_run(script: Script | None) -> tuple[AgentEvent, ...]:
    """What the sound agent makes of a script; nothing where the script waits for somebody else's doing."""
    if script is None or any(deed.hold or deed.announced for deed in script.deeds.values()):
        return ()
    if any(isinstance(piece, Hold) for turn in script.turns for piece in turn.pieces):
        return ()
    with Harness() as harness:
        return play(sound, harness, script).events


def script_in_words(script: Script | None, said: str) -> str:
    """What the model does, turn by turn; its token is the one in `said`."""
    if script is None:
        return ""
    found = re.search(r"cv\d{4}x", said)
    shown = script.turns[:4]
    told = [f"{at}. {_turn(turn)}".replace(TOKEN, found[0] if found else "cv0001x") for at, turn in enumerate(shown, 1)]
    more = [f"{len(shown) + 1}. and so on"] if len(script.turns) > len(shown) else []
    return "\n\n".join(["The model's turns:", "\n".join([*told, *more])])


def _turn(turn: Turn) -> str:
    parts = [f"thinks {_quoted(turn.reasoning)}"] if turn.reasoning else []
    parts += [f"says {_quoted(turn.text)}"] if turn.text else []
    parts += [f"calls `{call.name}({call.arguments})`" for call in turn.calls]
    parts += ["breaks down"] if turn.fails else []
    return ", ".join(parts) or "says nothing"


def result_lines(result: InvokeResult) -> list[str]:
    """A result with each value on a line of its own, and the rows that it adds to a history."""
    lines = [f"text = {result.text!r}"]
    for step in result.steps:
        lines.append(f"step {step.step}: text = {step.text!r}, reasoning = {step.reasoning!r}")
        for name in ("tool_calls", "tool_messages"):
            values = getattr(step, name)
            lines += [f"    {name} ({type(values).__name__}):", *(f"        {_brief(each)}" for each in values)]
    return [*lines, "to_messages():", *(f"    {_brief(row)}" for row in result.to_messages())]


def _brief(value: Any) -> str:
    fields = {name: getattr(value, name) for name in value.__struct_fields__}
    shown = ", ".join(f"{name}={each!r}" for name, each in fields.items() if each is not None)
    return f"{type(value).__name__}({shown})"


def _quoted(text: str) -> str:
    return f"`{text}`" if len(text) < 80 else f"`{text[:79]}…`"
