"""A transcript file: what of it can be read, and where."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from agentloop.transcript import Message
from agentloop.transcript._jsonl import read_lines

__all__ = ["TranscriptFile", "read_file", "write_new"]

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class TranscriptFile:
    """The messages of a file, the line each stands in, and the lines that cannot be read."""

    name: str
    messages: list[Message]
    lines: list[int]
    unreadable: list[str]
    """For each such line its place and what is wrong, as in `file:3: Invalid JSON`."""

    def place(self, message_index: int | None) -> str:
        """Return the place of a message, as in `file:3`."""
        return self.name if message_index is None else f"{self.name}:{self.lines[message_index]}"


def read_file(path: str) -> TranscriptFile:
    """Read the file at `path`, or standard input for `-`. Raises `OSError` where that fails."""
    data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    name = "<stdin>" if path == "-" else path
    try:
        messages, numbers = read_lines(data)
        return TranscriptFile(name, messages, numbers, [])
    except ValidationError:
        return _read_damaged(name, data.removeprefix(_BYTE_ORDER_MARK).split(b"\n"))


def write_new(path: str, pieces: Iterable[str]) -> None:
    """Write a file that must not exist; `FileExistsError` if it does, and nothing is left of a failed write."""
    target = Path(path)
    with target.open("x", encoding="utf-8", newline="\n") as file:
        try:
            file.writelines(pieces)
            file.flush()
        except BaseException:
            target.unlink()
            raise


def _read_damaged(name: str, lines: list[bytes]) -> TranscriptFile:
    file = TranscriptFile(name, [], [], [])
    for number, line in enumerate(lines, 1):
        try:
            # Only the first line may begin with a byte order mark, and from that one it has been taken.
            messages, _ = read_lines([b"", line])
        except ValidationError as error:
            file.unreadable.append(f"{name}:{number}: {_explain(error)}")
        else:
            file.messages.extend(messages)
            file.lines.extend([number] * len(messages))
    return file


def _explain(error: ValidationError) -> str:
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    return "; ".join(
        f"{'.'.join(map(str, one['loc']))}: {one['msg']}" if one["loc"] else one["msg"] for one in problems
    )
