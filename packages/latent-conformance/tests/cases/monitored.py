"""What is seen only while the events come: an event that changes after it was yielded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cases._passive import PLAIN

from latent.protocol import RetrieverEnd, RetrieverStart


@dataclass(frozen=True, kw_only=True)
class ChangingCase:
    """A run whose event holds `value`, which `change` changes later."""

    rule: str
    name: str
    value: Any
    build: Callable[[Any], list[Any]]
    """The run's events around the value."""
    index: int
    """Which of them holds it."""
    change: Callable[[Any], object]


def _documents(value: Any) -> list[Any]:
    return [RetrieverStart("q", "x"), RetrieverEnd("q", value), *PLAIN]


CASES = [
    ChangingCase(
        rule="PROTO-6",
        name="documents",
        value=["one"],
        build=_documents,
        index=1,
        change=lambda value: value.append("two"),
    ),
]
