"""Characters beyond the basic plane that a server cut in half."""

from __future__ import annotations

__all__ = ["Halves", "joined"]


def joined(text: str) -> str:
    """`text` with surrogate pairs made whole and each lone half replaced by U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


class Halves:
    """Holds back the first half of a character until its second half comes with the next delta.

    Servers that slice UTF-16 strings send the halves of an emoji in two chunks.
    """

    __slots__ = ("_held",)

    @property
    def holding(self) -> bool:
        """Whether a first half waits for its second."""
        return bool(self._held)

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        """The text that is complete so far."""
        if not self._held and text.isascii():
            return text
        text, self._held = self._held + text, ""
        if "\ud800" <= text[-1:] <= "\udbff":
            text, self._held = text[:-1], text[-1]
        return joined(text)

    def finish(self) -> str:
        """What stands for a half that never became whole."""
        held, self._held = self._held, ""
        return joined(held)
