"""The options that a factory carries as attributes."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from difflib import get_close_matches
from functools import partial
from typing import Any

from latent.conformance._driving._factory import AgentFactory
from latent.conformance._verdict._declarations import DeclarationOptions

__all__ = ["CARRIED", "carried_by_factory"]

_DECLARATIONS = tuple(DeclarationOptions.__annotations__)
CARRIED = (*_DECLARATIONS, "prompts", "timeout", "examples")
"""The options of `check_agent` that a test class or a factory carries as attributes."""
_NEAR = 0.85
"""How much alike two names are of which one is a misspelling: `capability` is another word than `capabilities`."""


def carried_by_factory(factory: AgentFactory) -> dict[str, Any]:
    """What the factory declares; for the `make_agent` of a test class, what that class does.

    Raises `TypeError` for a name that is nearly one of those. A class or another object that is called has attributes
    for reasons of its own, such as `prompt`: there only what is nearly a declaration is taken for one.
    """
    holder: object = factory
    if inspect.ismethod(factory) and all(hasattr(factory.__self__, name) for name in CARRIED):
        holder = factory.__self__
    plain = holder is not factory or inspect.isroutine(factory) or isinstance(factory, partial)
    _refuse_misspelt(_named(holder), CARRIED if plain else _DECLARATIONS)
    return {name: getattr(holder, name) for name in CARRIED if hasattr(holder, name)}


def _named(holder: object) -> set[str]:
    """The public names that stand on it and on its classes, but for those of methods."""
    kinds = (holder, *(holder if isinstance(holder, type) else type(holder)).__mro__)
    spaces = [dict(getattr(kind, "__dict__", {})) for kind in kinds]
    return {
        name for space in spaces for name, value in space.items() if not name.startswith("_") and not callable(value)
    }


def _refuse_misspelt(names: Iterable[str], known: tuple[str, ...]) -> None:
    for name in sorted({*names} - {*CARRIED}):
        if near := get_close_matches(name.lower(), known, n=1, cutoff=_NEAR):
            raise TypeError(f"Expected declarations out of {', '.join(known)}, got {name!r}: did you mean {near[0]}?")
