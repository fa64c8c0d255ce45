from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256

from cases.outcomes import HOSTILE, broken, broken_often, deviating, everything, hostile, passing, told
from msgspec.structs import replace
from test_markup import Reader

from latent.conformance import RULES, Monitor, check_events
from latent.conformance._report_files import Outcome, gathered, refused
from latent.conformance._report_files._page import page
from latent.conformance._timeline._markup import visible


def made(*agents: Outcome) -> Reader:
    return Reader(page(gathered(agents)))


def test_a_broken_rule_is_told_drawn_and_mended() -> None:
    text = page(gathered([broken()]))

    told = Reader(text).text
    rule = RULES["TOOL-3"]
    for words in (rule.sentence, rule.remedy, "Expected", "event 5, step 0", "run TOOL-3", "1 more finding"):
        assert words in told
    assert 'id="agent-1-TOOL-3"' in text
    assert 'id="agent-1-TOOL-3-event-marked"' in text


def test_every_rule_is_listed_with_its_status() -> None:
    report = check_events([])
    text = page(gathered([told(report)]))

    listed = re.findall(r'<li class="is-([a-z-]+)"><span class="rule">([A-Z]+-\d+)<', text)
    assert listed == [(status, rule) for rule, status in report.statuses.items()]


def test_a_broken_rule_in_the_list_leads_to_its_findings() -> None:
    assert re.findall(r'<li class="is-fail"><a href="([^"]+)" class="rule">', page(gathered([broken()]))) == [
        "#agent-1-TOOL-3"
    ]


def test_several_agents_have_a_section_each_and_a_line_that_leads_there() -> None:
    text = page(gathered([passing(), broken(), refused("lost", "no such module")]))

    assert re.findall(r'<section id="([^"]+)" class="agent"', text) == ["agent-1", "agent-2", "agent-3"]
    assert set(re.findall(r'href="#([^"]+)"', text)) <= set(re.findall(r' id="([^"]+)"', text))
    assert "nothing was judged: no such module" in text


def test_of_many_findings_the_first_are_listed_and_the_rest_counted() -> None:
    text = made(broken_often(150)).text

    assert "149 more findings of the same kind" in text
    assert "129 more" in text


def test_a_picture_shows_what_the_rule_has_against_its_run_alone() -> None:
    agent = broken()
    first, second = agent.findings
    elsewhere = replace(agent, findings=(first, replace(second, stream=1)), streams=agent.streams * 2)

    assert page(gathered([agent])).count('class="lt-mark"') == 2
    assert page(gathered([elsewhere])).count('class="lt-mark"') == 1


def test_a_known_deviation_is_told_with_its_reason() -> None:
    text = page(gathered([deviating()]))

    assert "<dt>Known</dt><dd>shown on purpose</dd>" in text
    assert "shown on purpose</small>" in text


def test_advice_and_problems_are_told() -> None:
    advised, refusal = told(check_events([], capabilities={"tools"})), refused("lost", "no such module")
    text = made(advised, refusal).text

    assert "Advice: not put to the test" in text
    assert "Problem: nothing was judged: no such module" in text


def test_the_bar_has_a_piece_for_each_status() -> None:
    agent = replace(passing(), counts={"pass": 3, "untested": 1, "not-applicable": 4})

    assert re.findall(
        r'<rect x="([^"]+)" y="0" width="([^"]+)" height="10" class="([^"]+)"', page(gathered([agent]))
    ) == [
        ("0.000", "12.500", "untested"),
        ("12.500", "37.500", "pass"),
        ("50.000", "50.000", "not-applicable"),
    ]


def test_ids_are_there_once() -> None:
    ids = re.findall(r' id="([^"]+)"', page(everything()))

    assert len(ids) == len(set(ids))


def test_a_finding_without_a_stream_shows_the_excerpt() -> None:
    monitor = Monitor()
    for event in (object(), object()):
        monitor.feed(event)
    monitor.finish()

    assert "> " in made(told(monitor.report())).text


def test_texts_of_agents_add_neither_tags_nor_attributes() -> None:
    plain, odd = made(broken()), made(hostile())

    assert {tag for tag, _ in odd.tags} <= {tag for tag, _ in plain.tags} | {"code", "q", "small"}
    assert [each for _, each in odd.tags if each.keys() & {"onerror", "style", "src"}] == []
    assert visible(HOSTILE) in odd.text


def test_the_page_holds_no_more_than_it_must_of_huge_texts() -> None:
    assert len(page(gathered([hostile()]))) < 80_000


def test_the_page_asks_for_nothing_and_lets_only_its_own_script_run() -> None:
    text = page(everything())

    script, style = (re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL) for tag in ("script", "style"))
    digests = [b64encode(sha256(each.encode()).digest()).decode() for each in (*style, *script)]
    (policy,) = re.findall('Content-Security-Policy" content="([^"]*)"', text)
    assert policy.split("; ") == [
        "default-src 'none'",
        f"style-src 'sha256-{digests[0]}'",
        f"script-src 'sha256-{digests[1]}'",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    assert re.findall(r"""(?:src|href)=["'](?!#)|url\(|@import""", text.replace(*[visible(HOSTILE)] * 2)) == []
