"""Scripts in which the model gives a tool arguments that are no JSON object, though one could be made of them."""

from __future__ import annotations

from latent.conformance._scripts._parts import DONE
from latent.conformance.harness import TOKEN, PlannedCall, Script, asks

__all__ = ["MENDABLE", "NO_OBJECTS"]


def _calling(what: str, tool: str, *arguments: str) -> tuple[Script, ...]:
    """A conversation for each: an agent may have enough of a tool that cannot be run twice."""
    return tuple(
        Script(f"arguments that {what} ({at} of {len(arguments)})", (asks(PlannedCall("t1", tool, text)), DONE))
        for at, text in enumerate(arguments, 1)
    )


NO_OBJECTS = _calling("are no object", "submit", f'["{TOKEN}-t1"]', "[]", "0", "false")
"""For a tool that needs none. `null` and an empty text may stand for no arguments, so that `{}` is not invented."""
MENDABLE = _calling(
    "could be mended",
    "lookup",
    *(f'{{"ticket": "{TOKEN}-t1', f"{{'ticket': '{TOKEN}-t1'}}", f'```json\n{{"ticket": "{TOKEN}-t1"}}\n```'),
)
"""Nobody knows how a text that is cut off went on."""
