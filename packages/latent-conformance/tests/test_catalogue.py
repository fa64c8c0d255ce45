from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from latent.conformance import CAPABILITIES, RULES, Level, Rule
from latent.conformance._catalogue import CHAPTERS

TABLES = [
    import_module(f"cases.{path.stem}")
    for path in sorted((Path(__file__).parent / "cases").glob("[!_]*.py"))
    if "CASES" in path.read_text()
]
EACH = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)


def test_every_rule_has_a_case_and_every_case_a_rule() -> None:
    proven = {case.rule for table in TABLES for case in getattr(table, "CASES", ())}
    judged = {rule.id for rule in RULES.values() if not rule.gap}

    assert (judged - proven, proven - RULES.keys()) == (set(), set())


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
