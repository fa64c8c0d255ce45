"""The place of a finding, for people."""

from __future__ import annotations

from collections.abc import Sequence
from reprlib import Repr

from latent.protocol import AgentEvent

__all__ = ["NEIGHBOURS", "excerpt", "line", "shortened"]

NEIGHBOURS = 3
"""How many events are shown on either side."""


class _Short(Repr):
    """A `repr` that looks no deeper than is shown."""

    def repr_instance(self, x: object, level: int) -> str:
        try:
            text = repr(x)
        except Exception:
            return f"<{type(x).__name__}, whose repr fails>"
        return text if len(text) <= self.maxother else f"{text[: self.maxother - 3]}..."


_short = _Short()
_short.maxstring = _short.maxother = _short.maxlong = 60
_short.maxlevel = 3


def excerpt(events: Sequence[object], index: int) -> tuple[str, ...]:
    """The event at `index` with three neighbours either side, one line each, the event itself marked with `>`."""
    if not 0 <= index < len(events):
        return ()
    shown = range(max(0, index - NEIGHBOURS), min(len(events), index + NEIGHBOURS + 1))
    return tuple(line(at, events[at], marked=at == index) for at in shown)


def line(index: int, event: object, *, marked: bool) -> str:
    """One line of an excerpt: the marker, the position from 0, the event."""
    return f"{'>' if marked else ' '} {index:>4}  {shortened(event, 160)}"


def shortened(value: object, limit: int = 100) -> str:
    """A `repr` of bounded length on one line that never raises: fields of events are cut one by one."""
    kind = type(value)
    try:
        text = _event(value) if issubclass(kind, AgentEvent) else _short.repr(value)
    except Exception:
        text = f"<{kind.__name__}, whose repr fails>"
    text = text.replace("\n", " ")
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def _event(event: object) -> str:
    kind = type(event)
    names: tuple[str, ...] = getattr(kind, "__struct_fields__", ())
    fields = ", ".join(f"{name}={_short.repr(getattr(event, name))}" for name in names)
    return f"{kind.__name__}({fields})"
