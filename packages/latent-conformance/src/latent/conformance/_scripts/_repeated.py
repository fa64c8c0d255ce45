"""Scripts in which the model says something again, and means it."""

from __future__ import annotations

from latent.conformance._scripts._parts import values
from latent.conformance.harness import Script, asks, planned, says

__all__ = ["SAME_WORDS"]

_AGAIN = "Once more for case §. "
SAME_WORDS = Script(
    "the same words in each step",
    (
        asks(planned("t1"), texts=(_AGAIN,)),
        asks(planned("t2"), texts=("Well: ", _AGAIN, "Or so. ", _AGAIN)),
        says("Now: ", _AGAIN, "It is fine. ", _AGAIN),
    ),
    values("§-o1", "§-o2"),
)
"""Text stands beside a call in a later step too."""
