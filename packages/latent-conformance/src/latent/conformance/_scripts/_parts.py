"""What many scripts are made of."""

from __future__ import annotations

from latent.conformance.harness import Deed, Script, asks, planned, says

__all__ = ["DONE", "one_by_one", "values"]

DONE = says("All that belongs to § ", "is done.")


def values(*values: object) -> dict[str, Deed]:
    return {f"t{at}": Deed(value=value) for at, value in enumerate(values, 1)}


def one_by_one(name: str, deeds: dict[str, Deed]) -> Script:
    """Each ticket in a turn of its own, then an answer."""
    return Script(name, (*(asks(planned(ticket)) for ticket in deeds), DONE), deeds)
