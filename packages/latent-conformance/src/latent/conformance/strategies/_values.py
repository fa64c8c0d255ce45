"""Texts, names and values. Texts are lists of sampled characters: `text()` leaves a file behind in the project."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

__all__ = ["COUNTS", "IDS", "JSON_OBJECTS", "JSON_VALUES", "NAMES", "OPTIONAL_NAMES", "SECONDS", "TEXTS", "WORDS"]

_CHARACTERS = 'ab \n.0{}<>"\\é日👩\u200d\u0301\ufffd\u2028'

TEXTS = st.lists(st.sampled_from(_CHARACTERS), max_size=12).map("".join)
"""Any text, the empty one too."""
WORDS = st.lists(st.sampled_from(_CHARACTERS), min_size=1, max_size=7).map("".join)
"""Text that is short enough never to look like a repetition, and never empty."""
NAMES = st.sampled_from(("search", "read_file", "Wetter_heute", "x"))
OPTIONAL_NAMES = st.none() | NAMES
IDS = st.lists(st.sampled_from("abc019-_"), min_size=1, max_size=6).map("".join)
COUNTS = st.integers(0, 10_000)
SECONDS = st.just(0.0) | st.floats(0.0, 2e9)

_LEAVES = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(-1e9, 1e9) | TEXTS
JSON_VALUES: st.SearchStrategy[Any] = st.recursive(
    _LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3), max_leaves=6
)
"""What a tool may return: JSON's own types."""
JSON_OBJECTS = st.dictionaries(WORDS, JSON_VALUES, max_size=3)
