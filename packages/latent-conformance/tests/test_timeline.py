from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_garbage import FOREIGN, Bomb, OfAnOddClass

from latent.conformance._timeline import Kind, Link, Mark, Row, Span, Timeline, lay_out, timeline
from latent.conformance._timeline._draw import STYLE
from latent.conformance.strategies import events
from latent.protocol import (
    AgentEvent,
    Error,
    LLMCallEnd,
    LLMCallStart,
    PhaseCompleted,
    PhaseStarted,
    ReasoningDelta,
    RetrieverEnd,
    RetrieverStart,
    StepBoundary,
    TextDelta,
    ToolCall,
    ToolResult,
)

QUICK = settings(deadline=None, database=None, derandomize=True, max_examples=100)
MARKS = st.builds(Mark, st.none() | st.integers(-2, 40), st.sampled_from(["STEP-1", "TOOL-3"]))
GARBAGE = [*(each for each in FOREIGN if type(each) is not OfAnOddClass), Bomb()]  # hypothesis hashes classes
HOSTILE = st.integers(0, len(GARBAGE) - 1).map(GARBAGE.__getitem__)  # by position: some cannot be hashed
SHAPED = st.sampled_from([TextDelta, ToolResult, StepBoundary, LLMCallStart, PhaseCompleted])
ANYTHING = st.lists(
    events() | HOSTILE | st.builds(lambda kind, value: kind(*[value] * len(kind.__struct_fields__)), SHAPED, HOSTILE),
    max_size=30,
)


def call(id: str) -> ToolCall:
    return ToolCall.from_arguments(id=id, name="look", arguments={})


def seen(made: Timeline) -> list[tuple[str, str, str]]:
    return [(row.title, row.text, row.note) for row in made.rows]


def test_a_run_becomes_bands_rows_and_spans() -> None:
    made = lay_out(
        [
            StepBoundary(0, "main"),
            LLMCallStart("run-1", "hi", "small", 1.0),
            TextDelta("Let me "),
            TextDelta("look."),
            LLMCallEnd("run-1", None, 3, 4, None, 1.5),
            call("c1"),
            StepBoundary(1),
            ToolResult("c1", 4),
        ],
        [Mark(7, "STEP-7", "too late")],
    )

    def row(kind: Kind, at: int, band: int, title: str, text: str = "", note: str = "", **more: Any) -> Row:
        more = {"last": at, **more}
        return Row(kind=kind, first=at, band=band, title=title, text=text, note=note, **more)

    assert made == Timeline(
        rows=(
            row(Kind.STEP, 0, 1, "Step 0", "main"),
            row(Kind.MODEL, 1, 1, "model call", "small", "run-1", links=(Link("ends at", 4),)),
            row(Kind.TEXT, 2, 1, "text", "Let me look.", "2 deltas, 12 characters", last=3, quoted=True),
            row(
                Kind.MODEL, 4, 1, "model call ends", "3 tokens in, 4 out", "run-1  500 ms",
                links=(Link("began at", 1),),
            ),
            row(Kind.TOOL, 5, 1, "tool call", "look({})", "c1", links=(Link("answered by", 7),)),
            row(Kind.STEP, 6, 2, "Step 1"),
            row(
                Kind.TOOL, 7, 2, "tool result", "4", "c1",
                links=(Link("answers", 5),), marks=(Mark(7, "STEP-7", "too late"),),
            ),
        ),
        spans=(
            Span(kind=Kind.MODEL, first=1, last=3, stops=(1, 3), lane=0),
            Span(kind=Kind.TOOL, first=4, last=6, stops=(4, 6), lane=0, marked=True),
        ),
        events=8,
    )  # fmt: skip


def test_spans_that_overlap_run_side_by_side() -> None:
    made = lay_out(
        [
            PhaseStarted("plan"),
            RetrieverStart("r", "q"),
            call("a"),
            RetrieverEnd("r", []),
            ToolResult("a"),
            PhaseCompleted("plan"),
        ]
    )

    assert [(span.kind, span.first, span.last, span.lane) for span in made.spans] == [
        (Kind.PHASE, 0, 5, 0),
        (Kind.RETRIEVAL, 1, 3, 1),
        (Kind.TOOL, 2, 4, 2),
    ]


def test_more_spans_than_lanes_are_told_in_words() -> None:
    made = lay_out([*(call(f"c{n}") for n in range(9)), *(ToolResult(f"c{n}") for n in range(9))])

    assert {span.lane for span in made.spans} == set(range(6))
    assert made.rows[8].links == (Link("answered by", 17),)


def test_what_has_no_other_end_says_so() -> None:
    made = lay_out([call("a"), ToolResult("b"), LLMCallStart("r", "")])

    assert [row.links for row in made.rows] == [
        (Link("no result follows"),),
        (Link("no call with this id before"),),
        (Link("no end follows"),),
    ]
    assert [(span.stops, span.open) for span in made.spans] == [((0,), True), ((1,), False), ((2,), True)]


def test_a_second_answer_belongs_to_the_same_call() -> None:
    made = lay_out([call("a"), ToolResult("a", 1), ToolResult("a", 2)])

    assert made.rows[0].links == (Link("answered by", 1), Link("answered by", 2))
    assert [span.stops for span in made.spans] == [(0, 1, 2)]


def test_an_id_that_comes_again_begins_a_thread_of_its_own() -> None:
    made = lay_out([call("a"), ToolResult("a", 1), call("a"), ToolResult("a", 2)])

    assert [span.stops for span in made.spans] == [(0, 1), (2, 3)]
    assert made.rows[3].links == (Link("answers", 2),)


def test_an_error_is_shown_in_place_of_the_output() -> None:
    assert seen(lay_out([ToolResult("a", None, "no such city")])) == [("tool result", "error: no such city", "a")]


@pytest.mark.parametrize("kind", [TextDelta, ReasoningDelta])
def test_a_text_that_leaves_no_ink_is_seen(kind: type[TextDelta | ReasoningDelta]) -> None:
    (row,) = lay_out([kind(" "), kind("\n\t\u00a0\u200b")]).rows

    assert (row.text, row.note) == ("␣↵⇥\\u00a0\\u200b", "nothing visible, 2 deltas, 5 characters")
    assert '<q class="lt-says">␣↵' in timeline([kind(" \n")])
    assert len(lay_out([kind(" " * 1000)]).rows[0].text) == 240


def test_white_space_in_a_text_stays_as_it_is() -> None:
    assert seen(lay_out([TextDelta("a \n"), TextDelta(" ")])) == [("text", "a \n ", "2 deltas, 4 characters")]
    assert seen(lay_out([TextDelta("")])) == [("text", "", "0 characters")]


def test_a_marked_delta_stands_alone() -> None:
    made = lay_out([TextDelta(letter) for letter in "abcde"], [Mark(2, "TEXT-5")])

    assert [(row.first, row.last, row.text) for row in made.rows] == [(0, 1, "ab"), (2, 2, "c"), (3, 4, "de")]


def test_reasoning_is_not_joined_with_text() -> None:
    assert [title for title, _, _ in seen(lay_out([TextDelta("a"), ReasoningDelta("b")]))] == ["text", "reasoning"]


def test_a_mark_behind_the_last_event_gets_a_row_of_its_own() -> None:
    mark = Mark(2, "TOOL-4")
    made = lay_out([StepBoundary(0), call("a")], [mark])

    assert (made.rows[-1].title, made.rows[-1].first, made.rows[-1].marks) == ("end of the stream", 2, (mark,))


def test_a_mark_without_a_place_concerns_the_whole() -> None:
    mark = Mark(None, "TEXT-1")
    made = lay_out([StepBoundary(0)], [mark])

    assert made.whole == (mark,)
    assert made.rows[0].marks == ()


def test_a_field_of_another_type_is_shown_as_it_is() -> None:
    assert seen(lay_out([TextDelta(7), StepBoundary("x")])) == [  # type: ignore[arg-type]
        ("text", "TextDelta(text=7)", "with a field of another type than declared"),
        ("Step", "StepBoundary(step='x', label=None)", "with a field of another type than declared"),
    ]
    assert [row.band for row in lay_out([StepBoundary("x")]).rows] == [1]  # type: ignore[arg-type]


def test_events_of_users_and_foreign_objects_have_rows_too() -> None:
    class Progress(AgentEvent):
        percent: int

    class Answer(TextDelta, frozen=True):
        pass

    assert seen(lay_out([Progress(3), Answer("Hi"), {"text": "x"}])) == [
        ("Progress", "Progress(percent=3)", ""),
        ("text", "Hi", "2 characters"),
        ("no event", "{'text': 'x'}", ""),
    ]


LONG = [event for n in range(1700) for event in (StepBoundary(n), call(f"c{n}"), ToolResult(f"c{n}", n))]


def test_a_long_stream_is_cut_around_the_mark() -> None:
    made = lay_out([PhaseStarted("all"), *LONG, Error("late")], [Mark(2500, "TOOL-5")], limit=20)

    assert len(made.rows) <= 23
    assert [row.text for row in made.rows if row.kind is Kind.GAP] == [
        "2,490 events up to event 2490, 830 steps among them",
        "2,592 events up to event 5100, 864 steps among them",
    ]
    assert {2500, 0, 5101} <= {row.first for row in made.rows}
    assert made.rows[0].links == (Link("no end follows"),)


def test_what_the_mark_refers_to_is_shown_however_far_it_is() -> None:
    events = [StepBoundary(0), call("far"), *LONG, ToolResult("far"), *LONG]
    made = lay_out(events, [Mark(5102, "STEP-7")], limit=20)

    assert 1 in {row.first for row in made.rows}
    assert made.spans[0].stops[0] < 3
    assert made.spans[0].marked


def test_the_beginning_of_the_marked_step_is_shown() -> None:
    within = [*(StepBoundary(n) for n in range(9)), *(Error("x") for _ in range(200))]
    made = lay_out(within, [Mark(150, "ERR-1")], limit=10)

    assert {row.title for row in made.rows if row.kind is Kind.STEP} == {"Step 0", "Step 8"}
    assert [(row.band, row.text) for row in made.rows if row.kind is Kind.GAP] == [
        (None, "7 events up to event 7, 7 steps among them"),
        (9, "138 events up to event 146"),
        (9, "54 events up to event 207"),
    ]


def test_no_gap_stands_for_a_single_row() -> None:
    made = lay_out([Error("x") for _ in range(7)], [Mark(1, "ERR-1"), Mark(5, "ERR-1")], limit=6)

    assert [row.kind for row in made.rows] == [Kind.ERROR] * 7


def test_without_a_mark_both_ends_are_shown() -> None:
    made = lay_out(LONG, limit=10)

    assert [made.rows[0].first, made.rows[-1].last, len(made.rows)] == [0, 5099, 11]


def test_an_item_whose_class_lets_nobody_look_is_no_event() -> None:
    row, *_ = lay_out([OfAnOddClass()], []).rows

    assert (row.kind, row.title) == (Kind.FOREIGN, "no event")


@QUICK
@given(ANYTHING, st.lists(MARKS, max_size=4), st.integers(1, 40))
def test_every_event_and_every_mark_is_accounted_for(stream: list[object], marks: list[Mark], limit: int) -> None:
    made = lay_out(stream, marks, limit=limit)
    rows = [row for row in made.rows if row.kind is not Kind.END]

    assert [at for row in rows for at in range(row.first, row.last + 1)] == list(range(len(stream)))
    shown = [*made.whole, *(mark for row in made.rows for mark in row.marks)]
    assert limit < len(marks) or sorted(shown, key=repr) == sorted(marks, key=repr)
    for lane in {span.lane for span in made.spans}:
        spans = [span for span in made.spans if span.lane == lane]
        assert all(one.last < other.first for one, other in pairwise(spans))


@QUICK
@given(ANYTHING, st.lists(MARKS, max_size=4), st.integers(4, 40))
def test_the_drawing_has_an_anchor_for_each_link_and_one_for_the_first_mark(
    stream: list[object], marks: list[Mark], limit: int
) -> None:
    page = timeline(stream, marks, name="here", limit=limit)
    anchors = re.findall(r' id="([^"]+)"', page)

    page.encode()
    assert len(anchors) == len(set(anchors))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(anchors)
    placed = [mark for mark in marks if mark.index is not None and mark.index >= 0]
    assert ("here-marked" in anchors) == bool(placed)


def test_what_ends_in_a_gap_runs_into_it_and_what_lies_within_is_left_out() -> None:
    within = [call("c"), ToolResult("c")] * 20
    events = [call("a"), *within, ToolResult("a"), call("b"), *within, ToolResult("b")]
    made = lay_out(events, limit=2)

    assert [row.kind for row in made.rows] == [Kind.TOOL, Kind.GAP, Kind.TOOL]
    assert [(span.first, span.last, span.stops, span.lane) for span in made.spans] == [
        (0, 1, (0,), 0),
        (1, 2, (2,), 1),
    ]
    page = timeline(events, limit=2)
    assert "answered by event 41</span>" in page
    assert "href" not in page


def test_lines_join_what_belongs_together() -> None:
    events = [PhaseStarted("p"), call("a"), TextDelta("x"), ToolResult("a"), ToolResult("a"), PhaseCompleted("p")]
    page = timeline([*events, call("b"), ToolResult("c")], [Mark(3, "TOOL-4")], styled=False)

    cells = [re.findall(r'<b class="([^"]*)"', row) for row in page.split('class="lt-lanes"')[1:]]
    assert cells == [
        ["lt-phase lt-opening", "lt-phase lt-tick"],
        ["lt-phase lt-through", "lt-tool lt-opening lt-marked"],
        ["lt-phase lt-through", "lt-tool lt-through lt-marked"],
        ["lt-phase lt-through", "lt-tool lt-passing lt-marked"],
        ["lt-phase lt-through", "lt-tool lt-closing lt-marked"],
        ["lt-phase lt-closing", "lt-phase lt-tick"],
        ["lt-tool lt-unended", "lt-tool lt-tick"],
        ["lt-tool lt-unbegun", "lt-tool lt-tick"],
    ]


def test_what_concerns_the_whole_is_said_above() -> None:
    page = timeline([StepBoundary(0)], [Mark(None, "TEXT-1", "Expected 'x', got ''")], styled=False)

    assert "<strong>TEXT-1</strong> the run as a whole: Expected 'x', got ''</p><ol" in page


def test_texts_of_agents_stay_texts() -> None:
    page = timeline([TextDelta("</script><img src=x onerror=alert(1)>")], [Mark(0, "<b>", "<i>")], title="<u>")

    assert "&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;" in page
    assert not re.search("<(script|img|u|i)>", page)


def test_a_huge_text_is_cut() -> None:
    assert len(timeline([TextDelta("x" * 1_000_000), *[TextDelta("y")] * 10], styled=False)) < 2000


def test_the_style_sheet_comes_along_once() -> None:
    assert timeline([], styled=True).count(STYLE) == 1
    assert "<style>" not in timeline([], styled=False)


@pytest.mark.parametrize("pattern", ["url(", "@import", "</"])
def test_the_style_sheet_loads_nothing(pattern: str) -> None:
    assert pattern not in STYLE
