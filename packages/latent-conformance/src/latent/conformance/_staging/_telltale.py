"""What an agent is given that tells what is done with it: a list of messages, and a tracing context."""

from __future__ import annotations

from collections.abc import Callable

from latent.protocol import Message

__all__ = ["Trace", "WatchedRows", "carrier"]

_TRACE_ID = "5ec2e7a11ce0" * 2 + "5ec2e7a1"
_WRITES = (
    *("append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse"),
    *("__setitem__", "__delitem__", "__iadd__", "__imul__"),
)
_READS = ("get", "keys", "values", "items", "copy", "__getitem__", "__iter__", "__len__", "__contains__", "__repr__")


class WatchedRows(list[Message]):
    """A list that knows whether somebody wrote to it, also where that was undone at once."""

    written: str | None = None
    """The first method that wrote."""

    def __reduce_ex__(self, protocol: object) -> tuple[type[list[Message]], tuple[list[Message]]]:
        """A copy is a plain list: whoever made it may write to it."""
        return list, ([*self],)


def carrier() -> dict[str, str]:
    """A tracing context as it goes from one service to another (W3C Trace Context)."""
    return {"traceparent": f"00-{_TRACE_ID}-{_TRACE_ID[:16]}-01"}


class Trace(dict[str, str]):
    """A carrier of a tracing context that knows whether somebody looked at it while it was `watched`."""

    trace_id = _TRACE_ID
    watched = False
    used = False

    def __init__(self) -> None:
        super().__init__(carrier())


def _writing(name: str) -> Callable[..., object]:
    write = getattr(list, name)

    def written(rows: WatchedRows, *given: object, **named: object) -> object:
        rows.written = rows.written or name
        return write(rows, *given, **named)

    return written


def _reading(name: str) -> Callable[..., object]:
    read = getattr(dict, name)

    def seen(trace: Trace, *given: object) -> object:
        trace.used = trace.used or trace.watched
        return read(trace, *given)

    return seen


for _name in _WRITES:
    setattr(WatchedRows, _name, _writing(_name))
for _name in _READS:
    setattr(Trace, _name, _reading(_name))
