"""One figure of a benchmark: ours, a peer's, and the goal. What is printed, kept and drawn is made of these."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from _compare import Rounds, table

__all__ = ["Figure", "against", "beside", "printed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """`ours` and `theirs` are medians in `unit`; `ratio` is what the goal is about, or `ours` where there is none."""

    name: str
    unit: str
    ours: float
    peer: str = ""
    theirs: float | None = None
    ratio: float | None = None
    at_most: float | None = None
    at_least: float | None = None

    @property
    def goal(self) -> str:
        if self.at_most is not None:
            return f"<= {self.at_most:g}"
        return "" if self.at_least is None else f">= {self.at_least:g}"

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; `None` where there is none."""
        value = self.ours if self.ratio is None else self.ratio
        if self.at_most is not None:
            return value <= self.at_most
        return None if self.at_least is None else value >= self.at_least

    def plain(self) -> dict[str, Any]:
        return {**asdict(self), "goal": self.goal, "met": self.met}


def against(
    times: Rounds, name: str, *, limit: str, unit: tuple[str, float], at_most: float | None = None, ours: str = "latent"
) -> Figure:
    """What ours costs, times what `limit` costs; `unit` is its name and how many of it are in a second."""
    return Figure(
        name=name,
        unit=unit[0],
        ours=times.median(ours) * unit[1],
        peer=limit,
        theirs=times.median(limit) * unit[1],
        ratio=times.ratio(ours, limit),
        at_most=at_most,
    )


def beside(times: Rounds, name: str, *, peer: str, unit: tuple[str, float], at_least: float | None = None) -> Figure:
    """What a peer costs, times what ours costs."""
    return Figure(
        name=name,
        unit=unit[0],
        ours=times.median("latent") * unit[1],
        peer=peer,
        theirs=times.median(peer) * unit[1],
        ratio=times.ratio(peer, "latent"),
        at_least=at_least,
    )


def printed(figures: Iterable[Figure]) -> str:
    """A table, one figure to a line."""
    head = ["", "unit", "ours", "theirs", "peer", "ratio", "goal", ""]
    return table(head, map(_cells, figures))


def _cells(figure: Figure) -> list[str]:
    theirs, ratio = ("" if value is None else f"{value:.4g}" for value in (figure.theirs, figure.ratio))
    met = {None: "", True: "met", False: "MISSED"}[figure.met]
    return [figure.name, figure.unit, f"{figure.ours:.4g}", theirs, figure.peer, ratio, figure.goal, met]
