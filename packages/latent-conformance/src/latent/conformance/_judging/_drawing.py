"""Conversations drawn from hypothesis, always the same ones."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings

from latent.conformance._generator._said import Said
from latent.conformance._generator._scripts import conversations

__all__ = ["generated"]


@lru_cache(maxsize=8)
def generated(capabilities: frozenset[str], examples: int) -> tuple[tuple[Said, ...], ...]:
    """So many conversations, the first of them the plainest.

    Hypothesis only draws them: shortening what shows something takes it several times as many runs of
    the agent as `shorter` takes. In a thread of its own, for a test of hypothesis may ask for this, and it
    refuses to be used inside one.
    """
    with ThreadPoolExecutor(1, "latent-conformance-drawing") as apart:
        return tuple(apart.submit(_drawn, capabilities, examples).result())


def _drawn(capabilities: frozenset[str], examples: int) -> list[tuple[Said, ...]]:
    """One by one: in a row, hypothesis would make most of them out of those before."""
    return [_one(capabilities, number) for number in range(examples)]


def _one(capabilities: frozenset[str], number: int) -> tuple[Said, ...]:
    drawn: list[tuple[Said, ...]] = []

    @seed(number)
    @_settings(2 if number else 1)  # the first is always the plainest
    @given(conversations(capabilities))
    def draw(said: tuple[Said, ...]) -> None:
        drawn.append(said)

    draw()
    return drawn[-1]


def _settings(examples: int) -> settings:
    """All that there is to set, so that no profile of the author's counts here."""
    return settings(
        max_examples=examples,
        phases=[Phase.generate],
        derandomize=True,
        database=None,
        deadline=None,
        verbosity=Verbosity.quiet,
        print_blob=False,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        backend="hypothesis",
    )
