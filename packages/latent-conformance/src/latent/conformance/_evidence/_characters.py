"""Text whose characters got lost or changed on the way, and not whole pieces of it."""

from __future__ import annotations

import re
from html import unescape

from latent.conformance._evidence._run import Run
from latent.conformance._verdict._excerpt import shortened, unlike
from latent.conformance._verdict._ledger import Ledger
from latent.conformance.harness import Text
from latent.protocol import TextDelta

__all__ = ["spoiled", "survived"]

_SEPARATORS = frozenset("\x85\u2028\u2029")
_MARKUP = re.compile(r"<[^<>]*>|```\w*")
_SPLIT = (
    "End the lines of a server's answer at line feeds alone. str.splitlines, and iter_lines of httpx, also end them at "
    "U+0085, U+2028 and U+2029, which may stand in JSON as they are; a client for server-sent events does not."
)


def survived(ledger: Ledger, run: Run) -> None:
    """Text that is doubled or lost in whole pieces, plain letters and all, is the matter of TEXT-5."""
    ledger.met("TEXT-9")
    wanted, place = run.conversation.fill("".join(turn.text for turn in run.turns)), run.first(TextDelta)
    if _breaks_at_separators(run):
        got = f"{shortened(run.text)}; {run.ending}"
        message = f"Expected text with U+2028, U+2029 and U+0085 in it to arrive whole, got {got}"
        ledger.breach("TEXT-9", message, index=place, hint=_SPLIT)
    elif run.text != wanted and _characters_differ(wanted, run.text):
        ledger.breach("TEXT-9", unlike(wanted, run.text), index=place)


def _characters_differ(wanted: str, got: str) -> bool:
    """Whether single characters differ: there are others, or nothing but signs got lost."""
    alike = any(_words(wanted, space) == _words(got, space) for space in ("", " "))
    return bool(set(got) - set(wanted)) or spoiled(wanted, got) or alike


def spoiled(wanted: str, got: str) -> bool:
    """Whether a text has others, or none, where characters were that are not plain, and is the same otherwise."""
    pairs = zip(wanted, got, strict=False)
    changed = len(got) == len(wanted) and all(one == other for one, other in pairs if one.isascii() and one != "\0")
    return got != wanted and (changed or _plain(got) == _plain(wanted))


def _plain(text: str) -> str:
    return "".join(letter for letter in text if letter.isascii() and letter != "\0")


def _words(text: str, space: str) -> str:
    """What is left of a text without what may be taken for markup, in HTML or elsewhere; `space` is odd white space."""
    text = _MARKUP.sub("", unescape(text))
    letters = (space if letter.isspace() and letter not in " \t\r\n" else letter for letter in text)
    return "".join(letter for letter in letters if letter.isalnum() or letter.isspace())


def _breaks_at_separators(run: Run) -> bool:
    """Whether a piece with separators in it ended the run, or is all that is missing."""
    pieces = [piece for turn in run.turns for piece in turn.pieces]
    texts = [run.conversation.fill(piece.text) for piece in pieces if isinstance(piece, Text)]
    first = next((at for at, text in enumerate(texts) if not _SEPARATORS.isdisjoint(text)), len(texts))
    others = "".join(text for text in texts if _SEPARATORS.isdisjoint(text))
    return first < len(texts) and (run.text == others or (run.failed and run.text == "".join(texts[:first])))
