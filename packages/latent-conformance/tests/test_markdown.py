from __future__ import annotations

import msgspec
from cases.agent import SoundAgent
from cases.broken_generated import FlattensLists
from cases.outcomes import HOSTILE, broken, broken_often, deviating, everything, passing, told
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from test_markup import ANY_TEXT, Reader

from latent.conformance import RULES, check_agent, check_events
from latent.conformance._report_files import gathered, outcome, refused
from latent.conformance._report_files._markdown import markdown
from latent.conformance._timeline._markup import visible

QUICK = settings(deadline=None, database=None, derandomize=True, max_examples=150)


def rendered(text: str) -> Reader:
    """What a reader of GitHub's Markdown sees."""
    return Reader(MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text))


def test_agents_are_rows_and_broken_rules_have_details() -> None:
    page = rendered(markdown(gathered([broken(), passing()])))
    words = " ".join(page.text.split())

    assert "broken ❌ fail TOOL-3" in words
    assert "sound ✅ pass" in words
    assert f"TOOL-3 MUST (fail): {RULES['TOOL-3'].sentence}" in words
    assert "more: 1 of the same kind" in words
    assert "again: run TOOL-3" in words
    assert "> 5 ToolResult(tool_call_id='c'" in words
    assert [tag for tag, _ in page.tags].count("details") == 1


def test_a_pass_is_a_table_alone() -> None:
    assert [tag for tag, _ in rendered(markdown(gathered([passing()]))).tags if tag in ("h3", "details", "ul")] == []


def test_advice_and_problems_are_told() -> None:
    words = rendered(
        markdown(gathered([told(check_events([], capabilities={"tools"})), refused("lost", "no *module*")]))
    ).text

    assert "advice: not put to the test" in words
    assert "problem: nothing was judged: no *module*" in words


def test_findings_that_were_not_kept_are_counted() -> None:
    assert "more: 149 of the same kind" in rendered(markdown(gathered([broken_often(150)]))).text


def test_a_hint_is_told_at_its_own_level() -> None:
    report = check_agent(lambda h: SoundAgent(h.model, h.tools, h.max_iterations or 1), examples=0)

    assert "ERR-11 SHOULD (a hint; the MUST holds): " in rendered(markdown(gathered([told(report)]))).text


def test_a_kept_script_is_told_as_a_conversation() -> None:
    report = check_agent(lambda h: FlattensLists(h.model, h.tools, h.max_iterations))

    page = rendered(markdown(gathered([outcome(report, "mine", "run {}".format, {"TOOL-16": "play it"})]))).text

    assert "The conversation that shows it:\nuser:  asks\nmodel: calls [0] lookup" in page
    assert "conversation" not in rendered(markdown(gathered([broken()]))).text


def test_a_known_deviation_is_told_with_its_reason() -> None:
    assert "known: shown on purpose" in rendered(markdown(gathered([deviating()]))).text


def test_a_place_with_backticks_stays_a_block() -> None:
    agent = broken()
    finding = msgspec.structs.replace(agent.findings[0], excerpt=("> 1", "````", "# 2", "</details>"))
    page = rendered(markdown(gathered([msgspec.structs.replace(agent, findings=(finding,))])))

    assert "> 1\n````\n# 2\n</details>\n" in page.text


def test_a_sentence_is_no_markup() -> None:
    agent = broken()
    finding = msgspec.structs.replace(agent.findings[0], sentence="a <i>b</i> & *c*")
    page = rendered(markdown(gathered([msgspec.structs.replace(agent, findings=(finding,))])))

    assert "a <i>b</i> & *c*" in page.text


def test_texts_of_agents_add_nothing_but_text() -> None:
    own = {"h2", "h3", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "b", "ul", "li", "strong"}
    page = rendered(markdown(everything()))

    assert {tag for tag, _ in page.tags} <= own | {"code", "pre", "p"}
    assert " ".join(visible(HOSTILE).split())[:60] in page.text


@QUICK
@given(ANY_TEXT | st.text("`|\\*_<>[]()!#~$@:& a\n-+1."))
def test_any_text_reads_as_it_was_written(text: str) -> None:
    outcome = broken()
    (finding, *_) = outcome.findings
    changed = msgspec.structs.replace(finding, message=text, hint=text, again=f"run {text}", excerpt=(text, text))
    agent = msgspec.structs.replace(outcome, name=f"x {text} y", findings=(changed,))
    page = rendered(markdown(gathered([agent])))

    said = " ".join(visible(text).split())
    shown = [" ".join(line.split()) for line in page.text.split("\n")]
    assert {f"x {said} y".replace("  ", " "), f"found: {said}".strip(), f"mend: {said}".strip()} <= {*shown}
