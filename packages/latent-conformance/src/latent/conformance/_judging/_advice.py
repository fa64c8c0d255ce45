"""What is said of a judgement beside what was found."""

from __future__ import annotations

from collections.abc import Iterator

from latent.conformance._catalogue._rule import Rule
from latent.conformance._verdict._declarations import BASE_CAPABILITIES, Declarations
from latent.conformance.harness import Harness

__all__ = ["not_offered", "why_not"]


def not_offered(harness: Harness, declared: Declarations) -> Iterator[str]:
    """Which of the harness's tools the agent kept to itself, where its author does not say that it has none of them.

    It may run a tool that it offers to no model, or offers under another name: nothing is said of that.
    """
    tried = BASE_CAPABILITIES if declared.capabilities is None else declared.capabilities
    if "tools" not in tried or declared.external_tools:
        return
    playback = harness.playback
    offered = {name for name in harness.tool_names for tools in playback.offers if f"'{name}'" in tools}
    if playback.tools_run and not offered:
        return
    missing = [repr(name) for name in harness.tool_names if name not in offered | playback.tools_run]
    if missing:
        names = f"{', '.join(missing[:-1])} and {missing[-1]}" if missing[1:] else missing[0]
        kinds = "tools" if missing[1:] else "tool"
        yield f"no request to the model offered the {kinds} {names}: give all of harness.tools to an agent with tools"


def why_not(rule: Rule) -> str:
    """Why a rule that is asked for alone is not applicable."""
    if rule.gap:
        return f"{rule.id} is judged by nothing: {rule.gap}"
    if rule.needs:
        return f"{rule.id} is about agents that declare {', '.join(sorted(rule.needs))}"
    return f"{rule.id} is not about agents that declare own_segmentation"
