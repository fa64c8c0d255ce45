"""Closing what is iterated."""

from __future__ import annotations

from contextlib import AsyncExitStack, suppress
from typing import Any

__all__ = ["closing", "let_go"]


def closing(iterator: Any) -> AsyncExitStack:
    """Closes the iterator at the end; a plain iterator class need not offer `aclose`."""
    stack = AsyncExitStack()
    if (aclose := getattr(iterator, "aclose", None)) is not None:
        stack.push_async_callback(aclose)
    return stack


async def let_go(iterator: Any) -> None:
    """Close the iterator where it is not the closing that is looked at: what that raises is no matter here."""
    with suppress(Exception):
        async with closing(iterator):
            pass
