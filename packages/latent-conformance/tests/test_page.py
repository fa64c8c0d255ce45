from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256

from cases.outcomes import HOSTILE, broken, everything, hostile, passing, told
from test_markup import Reader

from latent.conformance import RULES, Monitor, check_events
from latent.conformance._markup import visible
from latent.conformance._report_files import Outcome, gathered, refused
from latent.conformance._report_files._page import page


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


def test_several_agents_have_a_section_each_and_a_line_that_leads_there() -> None:
    text = page(gathered([passing(), broken(), refused("lost", "no such module")]))

    assert re.findall(r'<section id="([^"]+)" class="agent"', text) == ["agent-1", "agent-2", "agent-3"]
    assert set(re.findall(r'href="#([^"]+)"', text)) <= set(re.findall(r' id="([^"]+)"', text))
    assert "nothing was judged: no such module" in text


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
