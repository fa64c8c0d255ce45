"""What authors say about their agent."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Literal, TypedDict, Unpack

from latent.conformance._catalogue._named import rule_named

__all__ = ["BASE_CAPABILITIES", "CAPABILITIES", "DeclarationOptions", "Declarations", "refuse_unknown"]

BASE_CAPABILITIES = frozenset({"tools", "parallel_tools", "reasoning", "usage"})
"""What a tool-using agent over chat completions has; tried where nothing is declared."""

CAPABILITIES = BASE_CAPABILITIES | {
    "odd_wire",
    "think_tags",
    "retrievers",
    "phases",
    "guided",
    "verification",
    "virtual_time",
}
"""Every capability there is; beyond the base, one is tried only where it is declared."""


class DeclarationOptions(TypedDict, total=False):
    """The keywords that every check takes."""

    capabilities: Collection[str] | None
    external_tools: Collection[str]
    own_segmentation: bool
    step_scope: Literal["run", "phase"]
    parallel_phases: bool
    known_deviations: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Declarations:
    """What an agent does not do, or does knowingly: declared by its author, never guessed by the kit."""

    capabilities: frozenset[str] | None = None
    """What the agent can do. `None` claims nothing and tries the base set; a set is a claim that is checked."""
    external_tools: frozenset[str] = frozenset()
    """Names of tools that are run elsewhere, so that their calls get no result in the stream."""
    own_segmentation: bool = False
    """Whether `invoke` tells steps apart by something else than `StepBoundary`."""
    step_scope: Literal["run", "phase"] = "run"
    """Within what the numbers of steps are unique."""
    parallel_phases: bool = False
    """Whether phases may overlap."""
    known_deviations: Mapping[str, str] = field(default_factory=dict)
    """Rule id -> the reason for breaking it knowingly."""

    @classmethod
    def of(cls, **options: Unpack[DeclarationOptions]) -> Declarations:
        """Check what an author wrote; raises `ValueError` or `TypeError` that says what is known."""
        refuse_unknown(options)
        capabilities = options.get("capabilities")
        scope = options.get("step_scope", "run")
        if scope not in ("run", "phase"):
            raise ValueError(f"Expected step_scope 'run' or 'phase', got {scope!r}")
        for name in ("own_segmentation", "parallel_phases"):
            if not isinstance(options.get(name, False), bool):
                raise TypeError(f"Expected {name} as a bool, got {options[name]!r}")
        deviations = options.get("known_deviations", {})
        if not isinstance(deviations, Mapping):
            raise TypeError(f"Expected known_deviations as a mapping of rule to reason, got {deviations!r}")
        for rule, reason in deviations.items():
            if not isinstance(reason, str) or not reason.strip():
                raise ValueError(f"Expected a reason for the known deviation {rule!r}, got {reason!r}")
        return cls(
            capabilities=None if capabilities is None else _capabilities(capabilities),
            external_tools=_names("external_tools", options.get("external_tools", ())),
            own_segmentation=options.get("own_segmentation", False),
            step_scope=scope,
            parallel_phases=options.get("parallel_phases", False),
            known_deviations={rule_named(rule).id: reason for rule, reason in deviations.items()},
        )


def refuse_unknown(options: Iterable[str], *others: str) -> None:
    """Raise `TypeError` for a keyword that is neither a declaration nor one of `others` that go with them."""
    known = (*others, *DeclarationOptions.__annotations__)
    if unknown := sorted({*options}.difference(known)):
        near = get_close_matches(unknown[0].lower(), known, n=1)
        hint = f": did you mean {near[0]}?" if near else ""
        raise TypeError(f"Expected keywords out of {', '.join(known)}, got {', '.join(map(repr, unknown))}{hint}")


def _capabilities(given: Collection[str]) -> frozenset[str]:
    names = _names("capabilities", given)
    if unknown := names - CAPABILITIES:
        near = get_close_matches(sorted(unknown)[0].lower(), CAPABILITIES, n=1)
        hint = f": did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"Expected capabilities out of {sorted(CAPABILITIES)}, got {sorted(unknown)}{hint}")
    return names


def _names(what: str, given: Collection[str]) -> frozenset[str]:
    if isinstance(given, str) or not isinstance(given, Collection) or not all(isinstance(name, str) for name in given):
        raise TypeError(f"Expected {what} as a collection of names, got {given!r}")
    return frozenset(given)
