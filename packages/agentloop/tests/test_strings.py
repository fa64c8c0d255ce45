import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentloop.transcript import TextPart, clean_text


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("plain", "plain"),
        ("é😀\x00\u2028", "é😀\x00\u2028"),
        ("\ud83d\ude00", "😀"),
        ("a\ud83d" + "\ude00b", "a😀b"),
        ("a\ud800b", "a\ufffdb"),
        ("\udc80\udcff", "\ufffd\ufffd"),
        ("\ud83d\ud83d\ude00", "\ufffd😀"),
        (b"caf\xe9".decode("utf-8", "surrogateescape"), "caf\ufffd"),
        ("", ""),
    ],
)
def test_pairs_are_joined_and_lone_surrogates_replaced(text: str, cleaned: str) -> None:
    assert clean_text(text) == cleaned


@given(st.text(st.characters()))
def test_cleaned_text_fits_every_field_and_clean_text_is_left_alone(text: str) -> None:
    cleaned = clean_text(text)

    assert TextPart(text=cleaned).text == cleaned == clean_text(cleaned)
    if not any(0xD800 <= ord(character) < 0xE000 for character in text):
        assert cleaned is text
