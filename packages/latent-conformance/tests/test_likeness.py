from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from latent.conformance._catalogue import RULES
from latent.conformance._evidence._likeness import (
    apart,
    apart_by_nature,
    difference,
    events_likeness,
    requests_likeness,
    result_likeness,
)
from latent.conformance._evidence._run import Run
from latent.conformance._verdict._ledger import Ledger
from latent.conformance.harness import Conversation, Request, Script
from latent.protocol import (
    AgentEvent,
    InvokeResult,
    LLMCallEnd,
    LLMCallStart,
    Metadata,
    ReasoningDelta,
    Segmenter,
    Step,
    StepBoundary,
    TextDelta,
    ToolCall,
    ToolResult,
)


def run_of(events: list[AgentEvent], token: str = "cv0001x", rows: list[dict[str, object]] | None = None) -> Run:
    requests = [] if rows is None else [Request(rows, (), "in-process", 0, True, frozenset())]
    return Run(
        conversation=Conversation(token, Script("s", ())),
        messages=[],
        given=[],
        requests=requests,
        turns=(),
        runs={},
        passive=Ledger(RULES),
        events=list(events),
    )


def talk(token: str, run_id: str, ids: tuple[str, str], clock: float) -> list[AgentEvent]:
    return [
        StepBoundary(0),
        LLMCallStart(run_id, "what it was asked", "m", clock),
        TextDelta(f"Working on {token}"),
        LLMCallEnd(run_id, "what it said", 3, 4, "m", clock + 1),
        *(ToolCall.from_arguments(each, "lookup", {"ticket": f"{token}-t1"}) for each in ids),
        *(ToolResult(each, f"{token}-o1") for each in ids),
    ]


@given(st.text("abc", min_size=1), st.text("xyz", min_size=1), st.floats(0, 1e9))
def test_ids_times_and_the_token_make_no_difference(run_id: str, call_id: str, clock: float) -> None:
    one = run_of(talk("cv0001x", "r", ("a", "b"), 0.0))
    other = run_of(talk("cv0002x", run_id, (call_id, f"{call_id}2"), clock), "cv0002x")

    assert events_likeness(one) == events_likeness(other)


@given(st.lists(st.text("ab ", min_size=1), min_size=1), st.sampled_from([TextDelta, ReasoningDelta]))
def test_how_text_is_cut_makes_no_difference(pieces: list[str], kind: type[TextDelta]) -> None:
    cut = run_of([StepBoundary(0), *map(kind, pieces)])
    whole = run_of([StepBoundary(0), kind("".join(pieces))])

    assert events_likeness(cut) == events_likeness(whole)


def test_results_may_come_in_any_order_but_belong_to_their_calls() -> None:
    calls = [ToolCall.from_arguments(each, "lookup", {}) for each in ("a", "b")]
    results = [ToolResult("a", 1), ToolResult("b", 2)]
    crossed = [ToolResult("a", 2), ToolResult("b", 1)]
    in_order = events_likeness(run_of([*calls, *results]))

    assert events_likeness(run_of([*calls, *reversed(results)])) == in_order
    assert events_likeness(run_of([*calls, *crossed])) != in_order


def test_what_is_said_makes_a_difference_and_is_named() -> None:
    one = events_likeness(run_of([StepBoundary(0), TextDelta("yes")]))
    other = events_likeness(run_of([StepBoundary(0), TextDelta("no")]))

    assert difference(one, other) == "expected TextDelta 'yes', got TextDelta 'no'"
    assert difference(one, one[:1]) == "expected TextDelta 'yes', got nothing more"
    assert difference(one, one) is None


def test_what_the_systems_rows_say_and_absent_fields_make_no_difference() -> None:
    rows = [{"role": "system", "content": "It is eleven."}, {"role": "user", "content": "Case cv0001x"}]
    plain = run_of([], rows=rows)
    fuller = run_of(
        [],
        "cv0002x",
        rows=[
            {"role": "system", "content": "It is noon."},
            {"role": "user", "content": "Case cv0002x", "name": None, "tool_calls": []},
        ],
    )

    assert requests_likeness(plain) == requests_likeness(fuller)
    assert requests_likeness(plain) != requests_likeness(run_of([], rows=rows[1:]))


def test_results_are_alike_where_only_ids_differ() -> None:
    def view(token: str, call_id: str) -> InvokeResult:
        segmenter = Segmenter()
        for event in talk(token, "r", (call_id, f"{call_id}2"), 1.0):
            segmenter.feed(event)
        return segmenter.finish()

    one = result_likeness(view("cv0001x", "a"), "cv0001x")

    assert one == result_likeness(view("cv0002x", "b"), "cv0002x")
    assert one != result_likeness(InvokeResult("", [Step(0)]), "cv0001x")


class Named(AgentEvent):
    run: str
    times: int


def test_what_differs_from_run_to_run_by_nature_makes_no_difference_and_all_else_does() -> None:
    one, other, later = (
        run_of([Metadata({"at": at, "count": count}), StepBoundary(0, f"at {at}"), Named(f"r-{at}", count)])
        for at, count in ((0.25, 1), (0.5, 1), (0.75, 2))
    )
    assert apart_by_nature(one, other)

    one.others.append(other)

    assert apart(one, other) is None
    assert apart(one, later) == (
        "expected Metadata {'attributes': {'at': 0.25, 'count': 1}, 'target': 'turn'}, "
        "got Metadata {'attributes': {'at': 0.75, 'count': 2}, 'target': 'turn'}"
    )
    assert not apart_by_nature(one, run_of([*one.events, TextDelta("more")]))


def test_the_words_of_a_row_are_compared_one_by_one() -> None:
    def asked(text: str) -> Run:
        return run_of([], rows=[{"role": "user", "content": text}])

    one = asked("[time 12:05:01.25] the first question")
    one.others.append(asked("[time 12:05:01.75] the first question"))

    assert apart(one, asked("[time 12:05:03] the first question")) is None
    assert "the second question" in str(apart(one, asked("[time 12:05:03] the second question")))
    assert "and more" in str(apart(one, asked("[time 12:05:03] the first question and more")))


def test_nothing_is_passing_behind_a_line_that_differs_in_more() -> None:
    one, other = (run_of([StepBoundary(at), Metadata({"at": at})]) for at in range(2))
    one.others.append(other)

    assert "'at': 7" in str(apart(one, run_of([StepBoundary(0), Metadata({"at": 7})])))
