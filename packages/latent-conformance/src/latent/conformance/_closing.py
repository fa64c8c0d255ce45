"""Closing what is iterated."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any

__all__ = ["closing"]


def closing(iterator: Any) -> AsyncExitStack:
    """Closes the iterator at the end; a plain iterator class need not offer `aclose`."""
    stack = AsyncExitStack()
    if (aclose := getattr(iterator, "aclose", None)) is not None:
        stack.push_async_callback(aclose)
    return stack
