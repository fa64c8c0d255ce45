"""What goes wrong with events as text."""

from __future__ import annotations

__all__ = ["WireError"]


class WireError(ValueError):
    """An event cannot be written as JSON, or a text is no event.

    `path` says where in the object (`$.data.text`), `line` where in the input, counted from 1;
    both are `None` where they do not apply.
    """

    def __init__(self, reason: str, *, path: str | None = None, line: int | None = None) -> None:
        super().__init__(reason, path, line)
        self.reason = reason
        self.path = path
        self.line = line

    def __str__(self) -> str:
        at_path = f" - at `{self.path}`" if self.path else ""
        at_line = f" (line {self.line})" if self.line is not None else ""
        return f"{self.reason}{at_path}{at_line}"

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuilt, (self.reason, self.path, self.line)


def _rebuilt(reason: str, path: str | None, line: int | None) -> WireError:
    return WireError(reason, path=path, line=line)
