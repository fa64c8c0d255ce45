from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given, settings
from hypothesis import strategies as st

from latent.conformance._timeline._markup import element, visible, written

QUICK = settings(deadline=None, database=None, derandomize=True, max_examples=200)
ANY_TEXT = st.text(st.characters() | st.sampled_from("<>&\"'/\n\r\0\x0b\u2028\u202e\ud800\udfff\uffff"))


class Reader(HTMLParser):
    """What a browser would make of it."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


@QUICK
@given(ANY_TEXT, ANY_TEXT)
def test_any_text_comes_back_as_text_and_adds_no_tag(text: str, value: str) -> None:
    page = Reader(written(element("p", text, element("b", text), text, title=value)).encode().decode())

    assert page.text == visible(text) * 3
    assert page.tags == [("p", {"title": visible(value)}), ("b", {})]


def test_what_is_not_seen_or_misleads_is_spelled_out() -> None:
    assert visible("a\0\u202e\ud800\u2028b") == r"a\u0000\u202e\ud800\u2028b"


def test_what_people_write_stays() -> None:
    text = "Grüße,\n\t你好 👩\u200d🔬 e\u0301 <&>"

    assert visible(text) == text


def test_attributes_are_named_as_python_lets_them() -> None:
    made = element("label", "x", class_="a", for_="b", aria_hidden="true", id=None)

    assert written(made) == '<label class="a" for="b" aria-hidden="true">x</label>'
