"""Closing what is iterated."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Generic, TypeVar

__all__ = ["closing"]

_Item = TypeVar("_Item")


class closing(Generic[_Item]):  # noqa: N801 - reads like contextlib.aclosing
    """`contextlib.aclosing` for any async iterator: one without `aclose` has nothing to close."""

    __slots__ = ("_iterator",)

    def __init__(self, iterator: AsyncIterator[_Item]) -> None:
        self._iterator = iterator

    async def __aenter__(self) -> AsyncIterator[_Item]:
        return self._iterator

    async def __aexit__(self, *exception: object) -> None:
        close = getattr(self._iterator, "aclose", None)
        if close is not None:
            await close()
