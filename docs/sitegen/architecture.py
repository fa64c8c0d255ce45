"""The picture of the distributions, their rooms and who imports whom, drawn from the imports themselves.

`python -m sitegen.architecture` in `docs/` writes `architecture.svg`, which pages and CONTRIBUTING show; a
test compares it with the sources.
"""

from __future__ import annotations

from pathlib import Path

from sitegen.diagram import Box, Line, Row, drawn, height_of, width_of

__all__ = ["PICTURE", "architecture"]

PICTURE = Path(__file__).parents[1] / "architecture.svg"

_DISTRIBUTIONS = {
    "latent-conformance": ("latent.conformance",),
    "latent-agents": ("latent.agents", "latent.retriever"),
    "agentloop": ("agentloop",),
    "latent-protocol": ("latent.protocol", "latent.events"),
}
_LANES_APART = 12
_BETWEEN = 62


def architecture() -> str:
    """The picture as SVG."""
    edges = _imports()
    homes = {room: name for name, packages in _DISTRIBUTIONS.items() for room in _rooms(edges, packages)}
    rows = {
        name: [_row(room, edges, homes) for room in _in_order(_rooms(edges, packages), edges)]
        for name, packages in _DISTRIBUTIONS.items()
    }
    users = [name for name in rows if name != "latent-protocol"]
    floor = max(height_of(rows[name]) for name in users)
    boxes: list[Box] = []
    for name in users:
        x = boxes[-1].x + boxes[-1].width + _lanes_beside(boxes[-1]) if boxes else 0
        boxes.append(Box(name, rows[name], x=x, y=floor - height_of(rows[name]), width=width_of(rows[name])))
    lines = [
        Line(box.x + box.width // 2, floor, floor + _BETWEEN, dashed=len(through) == 1, words=_words(box.name, through))
        for box in boxes
        if (through := [room for room in edges if homes[room] == box.name and _leaves(room, edges, homes)])
    ]
    wide = boxes[-1].x + boxes[-1].width + 12
    base = Box("latent-protocol", rows["latent-protocol"], x=0, y=floor + _BETWEEN, width=wide)
    return drawn([*boxes, base], lines, alt=_in_words(edges, homes))


def _imports() -> dict[str, set[str]]:
    """Each room, and the rooms that its modules import. A room is a package with the modules directly in it.

    What an `__init__` hands on is no import of its room's, and neither is one between a package and a room in it.
    """
    from grimp import build_graph  # a tool for this picture, not for the pages that show it

    roots = [package for packages in _DISTRIBUTIONS.values() for package in packages]
    graph = build_graph(*roots, cache_dir=None)
    packages = {module for module in graph.modules if graph.find_children(module)}
    edges: dict[str, set[str]] = {package: set() for package in sorted(packages)}
    for module in graph.modules - packages:
        room = module.rpartition(".")[0]
        for imported in graph.find_modules_directly_imported_by(module):
            other = imported if imported in packages else imported.rpartition(".")[0]
            if not f"{room}.".startswith(f"{other}.") and not f"{other}.".startswith(f"{room}."):
                edges[room].add(other)
    return edges


def _rooms(edges: dict[str, set[str]], packages: tuple[str, ...]) -> list[str]:
    return [room for room in edges if any(f"{room}.".startswith(f"{package}.") for package in packages)]


def _in_order(rooms: list[str], edges: dict[str, set[str]]) -> list[str]:
    """Who imports stands above whom it imports."""

    def depth(room: str) -> int:
        return 1 + max((depth(other) for other in edges[room] if other in rooms), default=0)

    return sorted(rooms, key=lambda room: (-depth(room), room))


def _row(room: str, edges: dict[str, set[str]], homes: dict[str, str]) -> Row:
    targets = tuple(sorted(other for other in edges[room] if homes[other] == homes[room]))
    return Row(room, name=room, targets=targets)


def _lanes_beside(box: Box) -> int:
    """How wide the arrows between the rooms of a box are, a lane for each that somebody imports."""
    return _LANES_APART * (len({target for row in box.rows for target in row.targets}) + 2)


def _leaves(room: str, edges: dict[str, set[str]], homes: dict[str, str]) -> bool:
    return any(homes[other] != homes[room] for other in edges[room])


def _words(distribution: str, through: list[str]) -> list[str]:
    return [f"{through[0].removeprefix(f'{distribution}.')}", "alone"] if len(through) == 1 else []


def _in_words(edges: dict[str, set[str]], homes: dict[str, str]) -> str:
    told = [f"{room} imports {', '.join(sorted(others))}" for room, others in edges.items() if others]
    return f"The distributions {', '.join(sorted(set(homes.values())))} and their rooms. {'; '.join(told)}."


if __name__ == "__main__":
    PICTURE.write_text(architecture(), encoding="utf-8")
