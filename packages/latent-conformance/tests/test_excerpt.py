from __future__ import annotations

import pytest

from latent.conformance._verdict._excerpt import excerpt, shortened, unlike
from latent.protocol import TextDelta, ToolResult

EVENTS = [TextDelta(str(at)) for at in range(10)]
A, B = "a" * 10, "b" * 19


@pytest.mark.parametrize(
    ("index", "shown"), [(0, [0, 1, 2, 3]), (5, [2, 3, 4, 5, 6, 7, 8]), (9, [6, 7, 8, 9]), (10, []), (-1, [])]
)
def test_excerpt_is_the_event_with_three_neighbours_either_side(index: int, shown: list[int]) -> None:
    rows = excerpt(EVENTS, index)

    assert [int(row[1:].split()[0]) for row in rows] == shown
    assert [row[0] == ">" for row in rows] == [at == index for at in shown]


def test_line_is_marker_position_and_event() -> None:
    assert excerpt(EVENTS, 5)[3] == ">    5  TextDelta(text='5')"


def test_long_values_are_cut_and_stay_on_one_line() -> None:
    text = shortened(ToolResult("c", {"rows": ["x" * 5000] * 5000}, "line\n" * 500), 160)

    assert len(text) <= 160
    assert "\n" not in text


def test_repr_that_fails_is_named() -> None:
    class Silent:
        def __repr__(self) -> str:
            raise ValueError

    assert shortened(Silent()) == "<Silent, whose repr fails>"
    assert (
        shortened(ToolResult("c", Silent()))
        == "ToolResult(tool_call_id='c', output=<Silent, whose repr fails>, error=None)"
    )
    assert shortened([Silent()]) == "[<Silent, whose repr fails>]"


@pytest.mark.parametrize(
    ("wanted", "got", "told"),
    [
        ("\u2028", "\n", r"Expected the text '\u2028', got '\n'"),
        ("é", "", r"Expected the text '\xe9', got ''"),
        (f"{'a' * 11}é{'b' * 20}", f"{'a' * 11}e", rf"Expected the text ...'{A}\xe9{B}'..., got ...'{A}e'"),
    ],
)
def test_unlike_texts_are_shown_around_the_place_where_they_differ(wanted: str, got: str, told: str) -> None:
    assert unlike(wanted, got) == told
