"""A rule by the name that somebody gives."""

from __future__ import annotations

from difflib import get_close_matches

from latent.conformance._catalogue import RULES
from latent.conformance._catalogue._rule import Rule

__all__ = ["agent_rule", "rule_named"]


def rule_named(name: str) -> Rule:
    """The rule of that id, in letters of either case; raises `ValueError` that names those that are near."""
    rule = RULES.get(name.upper()) if isinstance(name, str) else None
    if rule is not None:
        return rule
    near = get_close_matches(name.upper(), RULES) if isinstance(name, str) else []
    hint = f"did you mean {' or '.join(near)}?" if near else "`latent-conformance rules` lists them"
    raise ValueError(f"Expected the id of a rule, got {name!r}: {hint}")


def agent_rule(name: str) -> Rule:
    """The rule about agents of that id, in letters of either case.

    Raises `ValueError` that names those that are near, and for a rule about libraries, by which no agent is judged.
    """
    rule = rule_named(name)
    if rule.about == "library":
        about = "which is about a library's helper: functions such as latent.conformance.check_sink judge those"
        raise ValueError(f"Expected a rule about agents, got {rule.id}, {about}")
    return rule
