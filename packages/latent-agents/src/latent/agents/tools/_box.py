"""The tools of one agent."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from msgspec.json import decode, encode

from latent.agents.tools._tool import Tool

__all__ = ["ToolBox"]


class ToolBox:
    """Tools by name. Raises `ValueError` where two have the same name."""

    def __init__(self, tools: Iterable[Tool | Callable[..., Any]]) -> None:
        self._tools: dict[str, Tool] = {}
        for given in tools:
            made = given if isinstance(given, Tool) else Tool(given)
            if made.name in self._tools:
                raise ValueError(f"Expected tools with different names, got {made.name!r} twice")
            self._tools[made.name] = made
        self._definitions = encode([made.definition for made in self._tools.values()])

    def definitions(self) -> list[dict[str, Any]]:
        """The `tools` of a request, made anew: adapters are known to change what they are given."""
        definitions: list[dict[str, Any]] = decode(self._definitions) if self._tools else []
        return definitions

    @property
    def names(self) -> list[str]:
        """The names, in the order given."""
        return list(self._tools)

    def get(self, name: str) -> Tool | None:
        """The tool of that name."""
        return self._tools.get(name)
