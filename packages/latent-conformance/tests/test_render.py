from __future__ import annotations

from cases.agent import SoundAgent, sound
from cases.broken_answers import ArgumentsInText, RunsWhatWasCutOff
from cases.broken_generated import FlattensLists
from cases.broken_runs import NoInvoke

from latent.conformance import RULES, Level, Violation, check_agent
from latent.conformance._verdict._report import render
from latent.conformance.harness import Deed, Harness, Script, asks, planned, says


def again(rule: str) -> str:
    return f"run {rule}"


def test_a_pass_is_said_in_two_lines() -> None:
    lines = render(check_agent(sound), "mine", again)

    assert lines[:2] == ["mine: PASS", ""]
    assert lines[2].startswith("rules: ")
    assert len(lines) == 3


def test_a_report_reads_as_the_summary_without_name_and_commands() -> None:
    report = check_agent(lambda h: NoInvoke(h.model, h.tools, h.max_iterations))
    named = render(report, "mine", again)

    assert str(report).split("\n") == ["FAIL", *(line for line in named[1:] if not line.startswith("  again:"))]
    assert repr(report).startswith("Report(verdict='fail', violations=(Violation(rule=")


def test_a_finding_reads_as_one_line() -> None:
    placed, whole = (
        Violation(rule="TEXT-6", level=Level.MUST, message="Expected a, got b", hint="do", index=at, step=at)
        for at in (2, None)
    )

    assert str(placed) == "TEXT-6 MUST at event 2, step 2: Expected a, got b"
    assert str(whole) == "TEXT-6 MUST: Expected a, got b"


def test_a_finding_is_shown_with_its_place_its_remedy_and_the_way_to_see_it_again() -> None:
    def make(harness: Harness) -> ArgumentsInText:
        return ArgumentsInText(harness.model, harness.tools, harness.max_iterations)

    text = "\n".join(render(check_agent(make), "mine", again))

    assert text.startswith("mine: FAIL\n\nTEXT-6 MUST (fail): TextDelta carries customer-facing text only")
    assert "  found:  Expected the model's text alone, got what belongs to a tool in it" in text
    assert "  where:  event 2, step 0, scenario 'a history at each step'\n" in text
    assert "    >    2  TextDelta(text='Let me look ')\n" in text
    assert " of the same kind in 'a history at each step', 'tools one by one'" in text
    assert "  mend:   Turn only the content of the model's message into TextDelta" in text
    assert "  again:  run TEXT-6\n" in text


def test_a_broken_should_does_not_spoil_the_verdict() -> None:
    def make(harness: Harness) -> RunsWhatWasCutOff:
        return RunsWhatWasCutOff(harness.model, harness.tools, harness.max_iterations)

    lines = render(check_agent(make), "mine", again)

    assert lines[0] == "mine: PASS"
    assert lines[2].startswith("TOOL-20 SHOULD (fail): ")


def test_a_hint_is_told_at_its_own_level_beside_the_rule_that_holds() -> None:
    lines = render(check_agent(lambda h: SoundAgent(h.model, h.tools, h.max_iterations or 1)), "mine", again)

    assert lines[0] == "mine: PASS"
    assert lines[2] == f"ERR-11 SHOULD (a hint; the MUST holds): {RULES['ERR-11'].sentence}"
    assert "  mend:   Where the limit is 0, yield Error or raise ValueError before the model is asked." in lines


def test_a_known_deviation_is_told_with_its_reason() -> None:
    report = check_agent(lambda h: NoInvoke(h.model, h.tools, 8), known_deviations={"PROTO-1": "we only stream"})

    lines = render(report, "mine", again)

    assert lines[0].startswith("mine: INCOMPLETE")
    assert lines[2:4] == [
        "PROTO-1 MUST (deviation): isinstance(agent, AgentProtocol) holds.",
        "  known:  we only stream",
    ]


def test_problems_and_advice_come_last() -> None:
    report = check_agent(sound, known_deviations={"STEP-4": "long ago"})

    lines = render(report, "mine", again)

    assert lines[-1] == "problem: known deviation 'STEP-4' is stale: the rule was not broken, so take it out"


def test_a_generated_script_is_shown_as_a_conversation_with_the_command_that_plays_it() -> None:
    report = check_agent(lambda h: FlattensLists(h.model, h.tools, h.max_iterations))

    lines = render(report, "mine", again, {"TOOL-16": "play it"})

    at = lines.index("  the conversation that shows it:")
    assert lines[at + 1 : at + 5] == [
        "    user:  asks",
        "    model: calls [0] lookup 'call_§_t1' '{\"ticket\": \"§-t1\"}'",
        "    tool:  lookup(t1) returns [[]]",
        "    model: says 'a'",
    ]
    assert lines[lines.index("  again:  run TOOL-16") + 1] == "  replay: play it"


def test_a_replay_says_what_was_played_and_how_much_that_tells() -> None:
    script = Script("one word", (says("Yes."),))
    report = check_agent(sound, script=script)
    judged = sum(status == "pass" for status in report.statuses.values())

    assert render(report, "mine", again) == [
        "mine: PASS",
        f"replayed: the script 'one word' alone, which put {judged} of {len(report.statuses)} rules to the test",
        "    user:  asks",
        "    model: says 'Yes.'",
        "",
        f"rules: {judged} pass, {len(report.statuses) - judged} untested",
    ]


def test_a_replay_with_a_finding_tells_the_conversation_once() -> None:
    script = Script("one call", (asks(planned("t1")), says("Yes.")), {"t1": Deed(value=[[1]])})
    report = check_agent(lambda h: FlattensLists(h.model, h.tools, h.max_iterations), script=script)

    lines = render(report, "mine", again)

    assert lines[1].startswith("replayed: the script 'one call' alone, which put ")
    assert lines.count("    user:  asks") == 1


def test_a_script_of_the_kit_is_named_and_not_told() -> None:
    text = "\n".join(render(check_agent(lambda h: ArgumentsInText(h.model, h.tools, h.max_iterations)), "mine", again))

    assert "scenario 'a history at each step'" in text
    assert "conversation" not in text
    assert "replay" not in text
