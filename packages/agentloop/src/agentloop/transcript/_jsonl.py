"""JSON Lines: one message a line, readable by every line reader."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from agentloop.transcript._message import Message
from agentloop.transcript._transcript import Transcript

__all__ = ["from_jsonl", "read_lines", "to_jsonl"]

# From here on the collector's first pass over what was read costs as much as the reading. For fewer messages the
# promotion is not worth putting off the collection of other objects.
_BULK = 5_000

# Python 3.12 starts with a few hundred frozen objects; a process that freezes its own has thousands.
_FROZEN_AT_START = 1_000

# `str.splitlines` and several line readers break a line at these, and Pydantic writes them as they are. Below
# U+0020 everything is escaped already. They can only stand inside strings, where an escape means the same.
_LINE_BREAKS = {"\x85": "\\u0085", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def to_jsonl(messages: Iterable[Message]) -> str:
    """Return one line of JSON for each message, each ended by a newline; `""` for none.

    Fields that are `None` are left out. U+0085, U+2028 and U+2029 are written escaped, so that `str.splitlines`
    and every other line reader find the same lines.
    """
    lines = [_dump(message) for message in messages]
    if not lines:
        return ""
    lines.append("")
    text = "\n".join(lines)
    if not text.isascii():
        for character, escape in _LINE_BREAKS.items():
            text = text.replace(character, escape)
    return text


def _dump(message: Message) -> str:
    if not isinstance(message, Message):
        raise TypeError(f"Expected Message objects to write, got {type(message).__name__}")
    return message.model_dump_json(exclude_none=True)


def from_jsonl(lines: str | bytes | Iterable[str | bytes]) -> Transcript:
    """Read messages from lines of JSON, or from a whole text, which is split at newlines.

    Blank lines are skipped, and a byte order mark at the start is dropped. A line that is not JSON or not a message
    raises `pydantic.ValidationError`, whose title names the line, counted from 1. Nothing is repaired and the
    invariants are not checked: that is what `Transcript.check_invariants` is for.

    Python's cyclic garbage collector is paused while the lines are read, in the whole process: it would go over
    the growing list again and again, and find nothing. After 5,000 messages or more, all objects of the process
    that the collector tracks are moved to its oldest generation, for the same reason.
    """
    with _collector_paused():
        messages, _ = read_lines(lines)
        if len(messages) >= _BULK:
            _promote()
    return Transcript.model_construct(messages=messages)


def read_lines(lines: str | bytes | Iterable[str | bytes]) -> tuple[list[Message], list[int]]:
    """Return the messages, and for each the number of its line, counted from 1."""
    messages: list[Message] = []
    numbers: list[int] = []
    parse = Message.model_validate_json
    for number, line in enumerate(_split(lines), 1):
        try:
            message = parse(line if number > 1 else _without_mark(line))
        except ValidationError as error:
            # Looked at only here: a blank line never parses, and asking every line first costs time.
            if _is_blank(line if number > 1 else _without_mark(line)):
                continue
            raise _at_line(error, number) from None
        messages.append(message)
        numbers.append(number)
    return messages, numbers


def _split(lines: str | bytes | Iterable[str | bytes]) -> Iterable[str | bytes]:
    if isinstance(lines, str):
        return lines.split("\n")
    if isinstance(lines, bytes | bytearray | memoryview):
        return bytes(lines).split(b"\n")
    return lines


def _without_mark(line: str | bytes) -> str | bytes:
    if isinstance(line, str):
        return line.removeprefix("\ufeff")
    return line.removeprefix(b"\xef\xbb\xbf") if isinstance(line, bytes | bytearray) else line


def _is_blank(line: object) -> bool:
    return isinstance(line, str | bytes | bytearray) and not line.strip()


def _at_line(error: ValidationError, number: int) -> ValidationError:
    details = [
        InitErrorDetails(type=PydanticCustomError(one["type"], one["msg"]), loc=one["loc"], input=one["input"])
        for one in error.errors(include_url=False)
    ]
    return ValidationError.from_exception_data(f"Message at line {number}", details, input_type="json")


@contextmanager
def _collector_paused() -> Iterator[None]:
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _promote() -> None:
    """Keep the collector from going over everything that was read as soon as it runs again.

    Freezing and thawing joins all generations into the oldest without looking at an object. A process that has
    frozen objects itself is left alone, because thawing would undo that.
    """
    if sys.implementation.name == "cpython" and gc.get_freeze_count() < _FROZEN_AT_START:
        gc.freeze()
        gc.unfreeze()
