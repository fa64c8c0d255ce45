from __future__ import annotations

import re

import pytest
from cases import live, monitored, results
from cases._evidence import EVENT_TABLES, HELPER_TABLES, NO_TRACE, lacking

from latent.conformance import CAPABILITIES, RULES, Level, Rule
from latent.conformance._catalogue import CHAPTERS

EACH = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)


@EACH
def test_rule_is_broken_by_all_that_can_break_it(rule: Rule) -> None:
    assert lacking(rule) == []


def test_every_case_breaks_a_rule_that_there_is() -> None:
    cases = [*(each for table in (*EVENT_TABLES, *HELPER_TABLES, live, results, monitored) for each in table.CASES)]

    assert {case.rule for case in cases} <= RULES.keys()
    assert NO_TRACE.keys() <= RULES.keys()


def test_what_the_kit_cannot_judge_says_why() -> None:
    gaps = {rule.id: rule.gap for rule in RULES.values() if rule.gap}

    assert gaps.keys() == {"MSG-9"}
    assert all(len(reason.split()) > 4 for reason in gaps.values())


@EACH
def test_id_and_clause_are_family_and_number(rule: Rule) -> None:
    family, number = re.fullmatch(r"([A-Z]+)-([1-9]\d?)", rule.id).groups()  # type: ignore[union-attr]

    assert rule.clause == f"{CHAPTERS[family]}.{number}"


@EACH
def test_sentence_and_remedy_are_one_line_each(rule: Rule) -> None:
    for text in (rule.sentence, rule.remedy):
        assert re.fullmatch(r"[A-Za-z`][^\n]{15,270}[.]", text), text
    assert rule.sentence != rule.remedy


@EACH
def test_needs_are_capabilities(rule: Rule) -> None:
    assert rule.needs <= CAPABILITIES


@EACH
def test_yields_to_other_rules_that_bind_as_much(rule: Rule) -> None:
    for name in rule.yields_to:
        assert rule.level is Level.SHOULD or RULES[name].level is Level.MUST


def test_no_two_rules_yield_to_each_other_in_a_circle() -> None:
    def beyond(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, path
        for stronger in RULES[name].yields_to:
            beyond(stronger, (*path, name))

    for name in RULES:
        beyond(name, ())


def test_rules_stand_in_the_order_of_the_specification() -> None:
    places = [tuple(map(int, rule.clause.split("."))) for rule in RULES.values()]

    assert places == sorted(places)
