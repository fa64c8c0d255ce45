"""Text of one message as one string: where two blocks need a space between them, and where they do not."""

from __future__ import annotations

import re
from collections.abc import Iterable
from unicodedata import category

from agentloop.transcript._parts import ContentPart, TextPart
from agentloop.transcript._transcript import Transcript

__all__ = ["final_text", "join_text"]

_MARKERS = '"*_`'
_CLOSES = frozenset(".,;:!?)]}%\u2019\u201d…»'-\u2013\u2014/")
_OPENS = frozenset("([{\u201c\u2018«¿¡$€£¥#@/\\-\u2013\u2014_~")
_ZERO_WIDTH = frozenset("\u200b\u200d")
_SENTENCE_END = re.compile(r"""[.!?…]["'\u201d\u2019»)\]}*_`]*\Z""")
_SENTENCE_START = re.compile(r"""["'\u201c\u2018«*_`(\[]*(.)""", re.DOTALL)
_MARKERS_AT_START = re.compile(r"""["*_`]+""")
_MARKERS_AT_END = re.compile(r"""(?:\A|\s)["'*_`]+\Z""")

# Scripts written without spaces between words: Han, Kana, Bopomofo, CJK punctuation, full-width forms, Thai, Lao,
# Tibetan, Myanmar, Khmer. Hangul takes spaces, so its blocks (and half-width forms) are left out.
_UNSPACED = re.compile(
    "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u19e0-\u19ff\u2e80-\u2fff\u3000-\u312f\u31a0-\u31ff\u3220-\u325f"
    "\u3280-\u4dbf\u4e00-\u9fff\ua9e0-\ua9ff\uaa60-\uaa7f\uf900-\ufaff\uff01-\uff9f\uffe0-\uffef"
    "\U0001aff0-\U0001b16f\U00020000-\U0003ffff]"
)


def join_text(parts: Iterable[ContentPart]) -> str:
    """Return the text parts of one message as one string.

    Every text is there, in order and unchanged, with at most one space between two of them. There is none beside
    whitespace, before closing and after opening punctuation, in scripts written without spaces, and where
    a provider split a sentence to attach a citation; between separate blocks there is one. Other parts may stand
    among the texts, and empty texts do not count.
    """
    pieces: list[str] = []
    previous: TextPart | None = None
    adjacent = False
    for part in parts:
        if not isinstance(part, TextPart):
            adjacent = False
        elif part.text:
            if previous is not None and _needs_space(previous, part, adjacent):
                pieces.append(" ")
            pieces.append(part.text)
            previous, adjacent = part, True
    return "".join(pieces)


def final_text(transcript: Transcript) -> str:
    """Return the text of the last assistant message; `""` if there is none or it holds no text."""
    for message in reversed(transcript.messages):
        if message.role == "assistant":
            return join_text(message.content)
    return ""


def _needs_space(left: TextPart, right: TextPart, adjacent: bool) -> bool:
    before, after = left.text[-1], right.text[0]
    if before.isspace() or after.isspace():
        return False
    if category(after)[0] == "M" or category(after) == "Cf" or before in _ZERO_WIDTH:
        return False
    if _UNSPACED.match(before) or _UNSPACED.match(after):
        return False
    if adjacent and (left.citations or right.citations) and not _is_sentence_break(left.text, right.text):
        return False
    return not (after in _CLOSES or _closes_word(right.text) or before in _OPENS or _opens_word(left.text))


def _is_sentence_break(left: str, right: str) -> bool:
    start = _SENTENCE_START.match(right)
    return start is not None and start[1].isupper() and _SENTENCE_END.search(left[-32:]) is not None


def _closes_word(text: str) -> bool:
    """Whether the text begins with quotes or emphasis marks that end what stands before them."""
    markers = _MARKERS_AT_START.match(text)
    if markers is None:
        return False
    following = text[markers.end() : markers.end() + 1]
    return not following or following.isspace() or following in _CLOSES


def _opens_word(text: str) -> bool:
    """Whether the text ends with quotes or emphasis marks that begin what follows them."""
    return text[-1] in _MARKERS + "'" and _MARKERS_AT_END.search(text[-32:]) is not None
