"""The place of a finding, for people."""

from __future__ import annotations

from collections.abc import Sequence
from reprlib import Repr

from msgspec import Struct

from latent.protocol import AgentEvent

__all__ = [
    "NEIGHBOURS",
    "class_name",
    "cut",
    "described",
    "excerpt",
    "half_character",
    "line",
    "shortened",
    "spot",
    "unlike",
]

NEIGHBOURS = 3
"""How many events are shown on either side."""


_NAME = type.__dict__["__name__"]
_AROUND = 10
"""How many characters are shown before the place where two texts differ; behind it twice as many."""


class _Short(Repr):
    """A `repr` that looks no deeper than is shown."""

    def repr_instance(self, x: object, level: int) -> str:
        try:
            text = repr(x)
        except Exception:
            if issubclass(type(x), Struct):
                return _fields(x)
            return f"<{class_name(type(x))}, whose repr fails>"
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


def spot(index: int | None, step: int | None, scenario: str | None) -> str:
    """Where a finding is, in words; empty for the run as a whole."""
    parts = [] if index is None else [f"event {index}"]
    parts += [] if step is None else [f"step {step}"]
    parts += [] if scenario is None else [f"scenario {scenario!r}"]
    return ", ".join(parts)


def line(index: int, event: object, *, marked: bool) -> str:
    """One line of an excerpt: the marker, the position from 0, the event."""
    return f"{'>' if marked else ' '} {index:>4}  {shortened(event, 160)}"


def shortened(value: object, limit: int = 100) -> str:
    """A `repr` of bounded length on one line that never raises: fields of events are cut one by one."""
    kind = type(value)
    try:
        text = _fields(value) if issubclass(kind, AgentEvent) else _short.repr(value)
    except Exception:
        text = f"<{class_name(kind)}, whose repr fails>"
    text = text.replace("\n", " ")
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def cut(text: str, limit: int) -> str:
    """The beginning of a text, with an ellipsis for the rest."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def class_name(kind: type) -> str:
    """The name of a class, whatever its metaclass makes of it."""
    return str.__str__(_NAME.__get__(kind))


def described(raised: BaseException | None) -> str:
    """What was raised: its `repr`, which an author may have written, and which may fail."""
    try:
        return repr(raised)
    except Exception:
        return f"a `{type(raised).__name__}`, whose repr fails"


def half_character(error: UnicodeEncodeError) -> str:
    """Which half of a character is in the text that did not encode, and where."""
    return f"the lone surrogate {error.object[error.start]!a} at character {error.start}"


def unlike(wanted: str, got: str) -> str:
    """`Expected the text '…', got '…'`: both around the place where they differ, as ASCII."""
    pairs = enumerate(zip(wanted, got, strict=False))
    at = next((at for at, (one, other) in pairs if one != other), min(len(wanted), len(got)))
    return f"Expected the text {_around(wanted, at)}, got {_around(got, at)}"


def _around(text: str, at: int) -> str:
    """The text around a position."""
    begin, end = max(0, at - _AROUND), at + 2 * _AROUND
    return f"{'...' if begin else ''}{text[begin:end]!a}{'...' if end < len(text) else ''}"


def _fields(struct: object) -> str:
    """What is in it, as far as it has a value: one made of a recorded line may lack some."""
    kind = type(struct)
    names: tuple[str, ...] = getattr(kind, "__struct_fields__", ())
    fields = (f"{name}={_short.repr(getattr(struct, name))}" for name in names if hasattr(struct, name))
    return f"{class_name(kind)}({', '.join(fields)})"
