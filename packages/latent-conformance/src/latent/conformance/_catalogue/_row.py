"""How the rows of the catalogue are written."""

from __future__ import annotations

from typing import Literal

from latent.conformance._catalogue._rule import Door, How, Level, Rule

__all__ = ["CHAPTERS", "row"]

CHAPTERS = {
    "PROTO": 1,
    "STEP": 2,
    "TEXT": 3,
    "TOOL": 4,
    "CALL": 5,
    "USAGE": 6,
    "RETR": 7,
    "PHASE": 8,
    "GUIDE": 9,
    "META": 10,
    "ERR": 11,
    "STATE": 12,
    "LIFE": 13,
    "MSG": 14,
    "WRAP": 15,
    "SINK": 16,
    "ADAPT": 17,
}
"""Family -> the chapter of the specification that holds it."""

_FIRST_DOOR = {How.EVENTS: Door.RECORDING, How.INVOKE: Door.BLACK_BOX, How.SHAPE: Door.BLACK_BOX}


def row(  # noqa: PLR0913 - a row has as many columns as a rule has fields
    id: str,
    sentence: str,
    remedy: str,
    *,
    level: Level = Level.MUST,
    how: How = How.EVENTS,
    needs: tuple[str, ...] = (),
    yields_to: tuple[str, ...] = (),
    presumes: tuple[str, ...] = (),
    shown_by: Door | None = None,
    about: Literal["agent", "library"] = "agent",
    gap: str = "",
) -> Rule:
    """One rule; its clause follows from its id, its first door from how it is seen unless `shown_by` says otherwise."""
    family, _, number = id.partition("-")
    return Rule(
        id=id,
        level=level,
        sentence=sentence,
        clause=f"{CHAPTERS[family]}.{number}",
        how=how,
        remedy=remedy,
        needs=frozenset(needs),
        shown_by=_FIRST_DOOR.get(how, Door.HARNESS) if shown_by is None else shown_by,
        yields_to=yields_to,
        presumes=presumes,
        about=about,
        gap=gap,
    )
