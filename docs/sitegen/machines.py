"""A lifecycle as it was found, for readers: a picture, and the same as a table."""

from __future__ import annotations

from collections.abc import Callable

from sitegen.diagram import Box, Row, drawn, framed
from sitegen.lifecycles import END, Lifecycle, Machine, explore

__all__ = ["lifecycle_section"]

_GAP = 14
_WIDTH = 236


def lifecycle_section(lifecycle: Lifecycle, link: Callable[[str], str]) -> str:
    """What was found, as a picture and as a table; `link` gives a rule as Markdown."""
    machine = explore(lifecycle)
    rows = [f"| then | {' | '.join(machine.moves)} |", f"|---{'|---' * len(machine.moves)}|"]
    for kind in (*lifecycle.kinds, END):
        cells = [_cell(machine, state, kind, link) for state in machine.moves]
        rows.append(f"| {_code(kind)} | {' | '.join(cells)} |")
    picture = framed(_picture(machine))
    return "\n".join([f"## {lifecycle.title}", "", lifecycle.about, "", picture, "", *rows, ""])


def _code(kind: str) -> str:
    return f"`{kind}`" if kind[0].isupper() else kind


def _cell(machine: Machine, state: str, kind: str, link: Callable[[str], str]) -> str:
    if rule := machine.refusals[state].get(kind):
        return f"breaks {link(rule)}"
    hint = machine.hints[state].get(kind)
    return machine.moves[state].get(kind, "") + (f", against {link(hint)}" if hint else "")


def _picture(machine: Machine) -> str:
    boxes: list[Box] = []
    for state, moves in machine.moves.items():
        rows = [_row(machine, state, kind) for kind in (*machine.lifecycle.kinds, END) if moves]
        boxes.append(Box(state, rows, y=boxes[-1].bottom + _GAP if boxes else 0, width=_WIDTH))
    return drawn(boxes, alt=f"{machine.lifecycle.title}: the states and moves of the table below.")


def _row(machine: Machine, state: str, kind: str) -> Row:
    if rule := machine.refusals[state].get(kind):
        return Row(kind, f"\N{MULTIPLICATION X} {rule}", bad=True)
    to = machine.moves[state][kind]
    return Row(kind, "stays" if to == state else f"\N{RIGHTWARDS ARROW} {to}", () if to == state else (to,))
