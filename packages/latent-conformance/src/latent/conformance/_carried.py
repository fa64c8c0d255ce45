"""The options that a factory carries as attributes."""

from __future__ import annotations

import inspect
from typing import Any

from latent.conformance._declarations import DeclarationOptions
from latent.conformance._driving._factory import AgentFactory

__all__ = ["CARRIED", "carried_by_factory"]

CARRIED = (*DeclarationOptions.__annotations__, "prompts", "timeout", "examples")
"""The options of `check_agent` that a test class or a factory carries as attributes."""


def carried_by_factory(factory: AgentFactory) -> dict[str, Any]:
    """What the factory declares; for the `make_agent` of a test class, what that class does."""
    holder: object = factory
    if inspect.ismethod(factory) and all(hasattr(factory.__self__, name) for name in CARRIED):
        holder = factory.__self__
    return {name: getattr(holder, name) for name in CARRIED if hasattr(holder, name)}
