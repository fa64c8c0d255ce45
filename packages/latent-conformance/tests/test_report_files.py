from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from cases._passive import PLAIN, answer
from cases.agent import sound
from cases.broken_runs import NoInvoke
from cases.outcomes import broken, broken_often, everything, passing, told
from hypothesis import given, settings
from jsonschema import Draft202012Validator
from test_garbage import FOREIGN, Bomb

from latent.conformance import RULES, Monitor, Violation, check_agent, check_events
from latent.conformance._report_files import (
    KINDS,
    Filed,
    Outcome,
    Outcomes,
    Target,
    append_step_summary,
    gathered,
    outcome,
    outcomes_schema,
    publish,
    refused,
    write_report,
)
from latent.conformance._report_files._outcome import Finding, StreamEvent
from latent.conformance._report_files._streams import restored, streams_of
from latent.conformance._timeline import Described
from latent.conformance._verdict._report import replay_alone
from latent.conformance.harness import Script, says
from latent.conformance.strategies import traces
from latent.protocol import AgentEvent, StepBoundary, TextDelta, ToolResult, encode_event

SCHEMA = Path(__file__).parents[3] / "docs" / "report.schema.json"
WARNED = ["OSError: <left> open \ud800"]
QUICK = settings(deadline=None, database=None, derandomize=True, max_examples=50)


def test_a_finding_says_all_that_the_report_knows_of_it() -> None:
    events = [*PLAIN, answer()]
    report = check_events(events)
    made = told(report, "mine", "pytest -k {}".format)

    (violation,) = report.violations
    assert made.findings == (
        Finding(
            rule="TOOL-3",
            level="MUST",
            sentence=RULES["TOOL-3"].sentence,
            message=violation.message,
            hint=RULES["TOOL-3"].remedy,
            again="pytest -k TOOL-3",
            replay=None,
            index=violation.index,
            step=violation.step,
            scenario=None,
            excerpt=violation.excerpt,
            stream=0,
        ),
    )
    assert made.findings[0].place == f"event {violation.index}, step {violation.step}"
    assert [msgspec.json.decode(encode_event(event)) for event in events] == [
        {"event": each.event, "data": each.data} for each in made.streams[0].events
    ]


def test_every_rule_is_told_with_its_status_and_its_reason() -> None:
    report = check_events(PLAIN, own_segmentation=True, known_deviations={"TOOL-3": "on purpose"})
    made = told(report)

    assert {each.rule: each.status for each in made.rules} == dict(report.statuses)
    assert {each.rule: each.reason for each in made.rules if each.reason} == dict(report.reasons)
    assert {each.rule: each.exercised for each in made.rules} == dict(report.exercised)
    assert {each.rule for each in made.rules if each.required} == report.required
    assert sum(made.counts.values()) == len(RULES.keys() & report.statuses.keys())
    assert (made.verdict, made.door) == (report.verdict, "recording")


@pytest.mark.parametrize(
    ("agents", "verdict"),
    [
        ([passing()], "pass"),
        ([passing(), broken()], "fail"),
        ([passing(), told(check_events([]))], "incomplete"),
        ([told(check_events([])), broken()], "fail"),
        ([passing(), refused("lost", "no such module")], "fail"),
    ],
    ids=["pass", "fail", "incomplete", "fail before incomplete", "refused"],
)
def test_the_verdict_of_all_is_that_of_the_worst(agents: list[Outcome], verdict: str) -> None:
    assert gathered(agents).verdict == verdict


def test_a_finding_names_the_command_that_plays_its_script_again() -> None:
    agent = outcome(check_events([*PLAIN, answer()]), "mine", str, {"TOOL-3": "pytest --latent-script=<x>"})

    assert [found.replay for found in agent.findings] == ["pytest --latent-script=<x>"]
    assert "pytest --latent-script=<x>" in KINDS["md"](gathered([agent]))
    assert "pytest --latent-script=&lt;x&gt;" in KINDS["html"](gathered([agent]))


def test_a_replay_is_no_judgement_of_the_whole_agent() -> None:
    report = check_agent(sound, script=Script("one <word>", (says("Yes."),)))
    agent = told(report)

    assert (agent.verdict, agent.replayed) == ("pass", replay_alone(report))
    assert told(check_events(PLAIN)).replayed is None
    assert "the script 'one &lt;word&gt;' alone, which put" in KINDS["md"](gathered([agent]))
    page = KINDS["html"](gathered([agent]))
    assert "<strong>Replayed:</strong> the script 'one &lt;word&gt;' alone, which put" in page
    assert "Every required rule was put to the test" not in page


@pytest.mark.parametrize("agent", [outcome(check_events(PLAIN), "mine", str, {}, WARNED), refused("lost", "x", WARNED)])
def test_what_nobody_could_catch_is_told(agent: Outcome) -> None:
    assert agent.warnings == ("OSError: <left> open \\ud800",)
    assert "- warning\\: OSError\\: &lt;left&gt; open" in KINDS["md"](gathered([agent]))
    assert "<strong>Warning:</strong> OSError: &lt;left&gt; open" in KINDS["html"](gathered([agent]))


def test_findings_that_were_not_kept_are_counted() -> None:
    made = broken_often(150)

    assert len(made.findings) == 100
    assert {rule.rule: rule.omitted for rule in made.rules if rule.omitted} == {"TOOL-3": 50}


def test_runs_are_told_once_and_as_far_as_anyone_saw_them() -> None:
    one, two, three = StepBoundary(0), TextDelta("a"), TextDelta("a")
    script = Script("talk", ())
    found = Violation(rule="TEXT-5", level=RULES["TEXT-5"].level, message="", hint="", script=script)
    streams, places = streams_of(
        [
            replace(found, stream=(one,)),
            replace(found, stream=(one, two)),
            replace(found, stream=(one, three)),
            replace(found),
            replace(found, stream=(one,), script=None),
        ]
    )

    assert places == [0, 0, 1, None, 2]
    assert [(len(stream.events), stream.script) for stream in streams] == [
        (2, "user:  asks"),
        (2, "user:  asks"),
        (1, None),
    ]


def test_what_the_protocol_does_not_write_is_marked() -> None:
    class Thing:
        def __repr__(self) -> str:
            return "a thing \ud800"

    class Own(AgentEvent):
        thing: Thing

    events = [ToolResult("c", Thing()), TextDelta("a\ud800😀"), Own(Thing()), {"a": 1}, StepBoundary("x")]  # type: ignore[arg-type]
    (stream,), _ = streams_of([replace(violation(), stream=tuple(events))])

    assert stream.events == (
        StreamEvent(
            event="tool_result", data={"tool_call_id": "c", "output": r"a thing \ud800", "error": None}, exact=False
        ),
        StreamEvent(event="text_delta", data={"text": r"a\ud800😀"}, exact=False),
        StreamEvent(kind="Own", shown=r"Own(thing=a thing \ud800)"),
        StreamEvent(kind="dict", shown="{'a': 1}"),
        StreamEvent(event="step_boundary", data={"step": "x", "label": None}, exact=False),
    )
    assert restored(stream)[3:] == [Described("dict", "{'a': 1}"), StepBoundary("x")]  # type: ignore[arg-type]


def violation() -> Violation:
    return check_events([*PLAIN, answer()]).violations[0]


@QUICK
@given(traces())
def test_events_come_back_as_they_were(events: list[AgentEvent]) -> None:
    streams, _ = streams_of([replace(violation(), stream=(StepBoundary(0), *events))])

    assert restored(streams[0])[1:] == events


def test_whatever_stands_in_a_stream_makes_every_file() -> None:
    garbage = [*FOREIGN, Bomb(), ToolResult("c", Bomb()), TextDelta(Bomb())]  # type: ignore[arg-type]
    all_ = gathered(told(check_events([item, answer()])) for item in garbage)

    assert [bool(make(all_).encode()) for make in KINDS.values()] == [True] * 4


def test_findings_of_a_monitor_have_an_excerpt_and_no_stream() -> None:
    monitor = Monitor()
    for event in [*PLAIN, answer()]:
        monitor.feed(event)
    monitor.finish()
    (found,) = told(monitor.report()).findings

    assert found.stream is None
    assert any(line.startswith(">") for line in found.excerpt)


# The files


def test_the_json_file_reads_back_and_fits_its_schema() -> None:
    all_ = everything()
    text = KINDS["json"](all_)

    Draft202012Validator.check_schema(outcomes_schema())
    Draft202012Validator(outcomes_schema()).validate(json.loads(text))
    assert msgspec.json.decode(text, type=Outcomes) == all_
    assert (all_.format, all_.version) == ("latent-conformance-report", 1)


@pytest.mark.skipif(not SCHEMA.parent.exists(), reason="the pages are not part of the source distribution")
def test_schema_in_the_pages_is_this_one() -> None:
    assert json.loads(SCHEMA.read_text(encoding="utf-8")) == outcomes_schema()


def test_files_are_written_with_their_folders(tmp_path: Path) -> None:
    targets = [Target.of(f"{kind}:{tmp_path}/new/folder/{kind}") for kind in KINDS]

    assert list(publish(targets, everything())) == [Filed(f"{each.kind}:{each.path}") for each in targets]
    assert {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "new/folder").iterdir()} == {
        kind: make(everything()) for kind, make in KINDS.items()
    }


def test_a_report_is_written_from_python(tmp_path: Path) -> None:
    report = check_events([*PLAIN, answer()])
    write_report(report, f"json:{tmp_path}/new/report.json", name="nightly")

    again = "latent-conformance explain {}".format
    expected = gathered([outcome(report, "nightly", again)])
    assert msgspec.json.decode((tmp_path / "new/report.json").read_bytes(), type=Outcomes) == expected
    with pytest.raises(ValueError, match=r"Expected KIND:PATH with json, md, html or badge as the kind, got 'pdf:x'"):
        write_report(report, "pdf:x")


def test_a_report_on_an_agent_names_the_call_that_judges_a_rule_again(tmp_path: Path) -> None:
    report = check_agent(lambda h: NoInvoke(h.model, h.tools, h.max_iterations))
    write_report(report, f"md:{tmp_path}/report.md")

    assert "check_agent(factory, rule='PROTO-1')" in (tmp_path / "report.md").read_text(encoding="utf-8")


def test_what_cannot_be_written_is_told_and_stops_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    targets = [Target.of(f"{kind}:{tmp_path / name}") for kind, name in [("md", "file/x"), ("md", ""), ("json", "x")]]
    filed = list(publish(targets, everything()))

    assert [(each.name, bool(each.problem)) for each in filed] == [
        (f"md:{tmp_path}/file/x", True),
        (f"md:{tmp_path}", True),
        (f"json:{tmp_path}/x", False),
    ]
    assert str(filed[0]) == f"could not be written: md:{tmp_path}/file/x: {filed[0].problem}"
    assert str(filed[2]) == f"written: json:{tmp_path}/x"
    assert (tmp_path / "x").exists()


def test_a_step_summary_is_added_to(tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("# Before\n", encoding="utf-8")

    assert not append_step_summary(summary, everything()).problem
    assert summary.read_text(encoding="utf-8") == "# Before\n" + KINDS["md"](everything())


@pytest.mark.parametrize("text", ["", "json", "json:", "pdf:x", ":x", "JSON:x"])
def test_a_target_without_a_known_kind_or_a_path_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="Expected KIND:PATH with json, md, html or badge as the kind, got "):
        Target.of(text)


def test_a_path_may_hold_colons() -> None:
    assert Target.of("html:C:/x/y.html") == Target("html", Path("C:/x/y.html"))
