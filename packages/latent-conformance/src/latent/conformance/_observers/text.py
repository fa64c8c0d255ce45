"""Text and reasoning."""

from __future__ import annotations

from collections.abc import Mapping

from latent.conformance._catalogue._rule import Level
from latent.conformance._observers._observer import Handler, Observer, Place
from latent.conformance._verdict._excerpt import half_character
from latent.protocol import AgentEvent, LLMCallStart, ReasoningDelta, TextDelta

__all__ = ["TextObserver"]

_SHORTEST = 8
"""Shorter repetitions are ordinary language."""
_VARIETY = 4
"""Repetitions of fewer different characters are rulers and indentation."""
_PREFIX = 4096
"""How much of a step's text is kept to be compared with."""
_GROWING = 3
"""How many deltas in a row must contain the one before them to look cumulative."""


class _Channel:
    """The deltas of one kind, in one step."""

    __slots__ = ("_grown", "_last", "_length", "_parts", "_place", "deltas", "empty", "name", "repeated", "torn")

    def __init__(self, place: Place, name: str) -> None:
        self._place = place
        self.name = name
        self.deltas = 0
        """In the whole run."""
        self.start()

    def start(self) -> None:
        """A new step."""
        self._parts: list[str] = []
        self._length = 0
        self._last = ""
        self._grown = 0
        self.empty = self.repeated = self.torn = False

    def take(self, event: TextDelta | ReasoningDelta) -> None:
        """The next delta. Nearly every event comes through here."""
        text, size = event.text, len(event.text)
        self.deltas += 1
        if size >= _SHORTEST:
            if size == self._length or (size > len(self._last) >= _SHORTEST and text.startswith(self._last)):
                self._compare(text)
        elif not size:
            self._report_empty()
        if not text.isascii():
            self._check_characters(text)
        if self._length < _PREFIX:
            self._parts.append(text)
        self._length += size
        self._last = text

    @property
    def used(self) -> bool:
        """Whether the step has a delta of it."""
        return bool(self._parts)

    @property
    def said(self) -> bool:
        """Whether the step has a character of it."""
        return self._length > 0

    def _compare(self, text: str) -> None:
        if self.repeated or len(set(text[:_PREFIX])) < _VARIETY:
            return
        if len(text) == self._length and text.startswith("".join(self._parts)):
            self._report_repeated("the text of the earlier deltas of its step over again")
        elif text != self._last and text.startswith(self._last):
            self._grown += 1
            if self._grown >= _GROWING:
                self._report_repeated(f"the {_GROWING}th delta in a row that begins with the whole delta before it")

    def _report_repeated(self, got: str) -> None:
        self.repeated = True
        self._place.breach("TEXT-5", f"Expected a {self.name} with new text alone, got {got}", level=Level.SHOULD)

    def _report_empty(self) -> None:
        if not self.empty:
            self.empty = True
            self._place.breach("TEXT-8", f"Expected a {self.name} with text, got an empty one")

    def _check_characters(self, text: str) -> None:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            if not self.torn:
                self.torn = True
                message = f"Expected a {self.name} with whole characters, got {half_character(error)}"
                self._place.breach("TEXT-9", message)


class TextObserver(Observer):
    """TEXT-8, and what a list of events shows of TEXT-5 and TEXT-9."""

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self._text = _Channel(place, "TextDelta")
        self._reasoning = _Channel(place, "ReasoningDelta")

    def handlers(self) -> Mapping[type[AgentEvent], Handler]:
        taken: dict[type[AgentEvent], Handler] = {TextDelta: self._text.take, ReasoningDelta: self._reasoning.take}
        if self._place.declared.own_segmentation:  # no boundary tells where the text of an iteration begins
            taken[LLMCallStart] = lambda event: self.close_step()
        return taken

    @property
    def deltas(self) -> int:
        """How many text deltas came so far."""
        return self._text.deltas

    @property
    def said(self) -> bool:
        """Whether the step has text."""
        return self._text.said

    def close_step(self) -> None:
        for channel in (self._text, self._reasoning):
            if channel.used:
                channel.start()

    def counts(self) -> Mapping[str, int]:
        return {"TEXT-8": self._text.deltas + self._reasoning.deltas}
