"""Choices that are made of yes and no alone.

Into integers, and so into `sampled_from` and `one_of` too, hypothesis mixes the constants of the modules
around it: what it draws would change with the project, and it leaves files behind there. Booleans are
free of both, and shrink to no: the first of what there is to choose from is the plainest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, TypeVar

from hypothesis import strategies as st

__all__ = ["DrawFn", "among", "chunks", "first_of", "maybe", "number", "rarely", "values"]

DrawFn: TypeAlias = st.DrawFn
_Choice = TypeVar("_Choice")

_CHUNKS = (
    *("a", " ", "b. ", "\n", "é", "日本", "0", "👩"),
    *("\u200d💻 ", "\u0301", '"', "\\n", "{", "<", "\u2028\x85\u2029", "\ufeffA\0b\tc"),
)
"""Each far shorter than what looks like a repetition of what was said before; some cut what a reader sees as one."""
_LEAVES: tuple[Any, ...] = (
    *("§-o", None, True, False, 0, 1, -1, 0.5),
    *(2.0, 1e100, "", " ", "0", "None", '\ufeffé "q"\n\u2028\x85\0', 2**53),
)
_BOOLEANS = st.booleans()


def maybe(draw: DrawFn) -> bool:
    """Yes in one of two cases."""
    return draw(_BOOLEANS)


def rarely(draw: DrawFn) -> bool:
    """Yes in one of eight cases."""
    return draw(_BOOLEANS) and draw(_BOOLEANS) and draw(_BOOLEANS)


def number(draw: DrawFn, bits: int) -> int:
    """A number of that many bits, each of them as likely."""
    return sum(draw(_BOOLEANS) << bit for bit in range(bits))


def among(draw: DrawFn, choices: Sequence[_Choice]) -> _Choice:
    """One of them, any as likely where their number is a power of two."""
    return choices[number(draw, (len(choices) - 1).bit_length()) % len(choices)]


def first_of(draw: DrawFn, choices: Sequence[_Choice]) -> _Choice:
    """One of them: the first in half of the cases, any of the others in the rest."""
    return among(draw, choices[1:]) if len(choices) > 1 and maybe(draw) else choices[0]


@st.composite
def _chunk(draw: DrawFn) -> str:
    return among(draw, _CHUNKS)


def chunks(*, least: int = 0, most: int = 3) -> st.SearchStrategy[list[str]]:
    """Chunks of text, none of them empty."""
    return st.lists(_chunk(), min_size=least, max_size=most)


@st.composite
def values(draw: DrawFn, depth: int = 2) -> Any:
    """What a tool returns: a marked text, or any value of JSON's own types."""
    if not depth or not maybe(draw):
        return among(draw, _LEAVES)
    inside = draw(st.lists(values(depth - 1), max_size=3))
    return dict(zip("abc", inside, strict=False)) if maybe(draw) else inside
