from __future__ import annotations

import re
from pathlib import Path

import pytest
from cases import broken_readings, broken_requests
from cases._event_tables import EVENT_CASES
from cases._sentences import SENTENCES

from latent.conformance import RULES, Level

PAGE = (Path(__file__).parents[3] / "docs" / "specification.md").read_text(encoding="utf-8")
HEAD = re.compile(r"([A-Z]+-\d+), (MUST|SHOULD)(, \*library\*)?\. ")
BINDING = re.compile(r"\b(MUST|SHOULD|SHALL|must|should|shall)\b")


def clauses() -> dict[str, str]:
    """Number -> the text of each clause; under the empty number what comes before the first."""
    first, *rest = re.split(r"^\*\*(?=\d+\.\d+)", re.sub(r"```.*?```", "", PAGE, flags=re.DOTALL), flags=re.MULTILINE)
    texts = {"": first}
    for clause in rest:
        number, _, text = clause.partition("**")
        texts[number.partition(" ")[0]] = " ".join(text.split("<a id=")[0].split("\n## ")[0].split())
    return texts


CLAUSES = clauses()


def test_each_rule_has_its_clause_and_each_clause_with_a_level_its_rule() -> None:
    named = {}
    for number, text in CLAUSES.items():
        if head := HEAD.match(text):
            library = bool(head[3]) or number.startswith("16.")
            named[number] = (head[1], head[2], "library" if library else "agent")

    assert named == {rule.clause: (rule.id, rule.level.value, rule.about) for rule in RULES.values()}


def binding_sentences() -> set[tuple[str, str]]:
    """Clause and sentence, for each that binds by a word of its own."""
    found = set()
    for number, text in CLAUSES.items():
        own = " ".join(HEAD.sub("", text, count=1).split())
        for sentence in re.split(r"(?<=[.])\s+(?=[A-Z`*])", own):
            if BINDING.search(sentence):
                found.add((number, sentence.removeprefix("**Levels.** ")))
    return found


def test_each_sentence_that_binds_is_judged_or_says_why_not() -> None:
    known = set(SENTENCES)
    told = {
        (number, sentence): [key for key in known if key[0] == number and sentence.startswith(key[1])]
        for number, sentence in binding_sentences()
    }

    assert {sentence: keys for sentence, keys in told.items() if len(keys) != 1} == {}
    assert known - {keys[0] for keys in told.values()} == set()


@pytest.mark.parametrize("place", SENTENCES, ids=" ".join)
def test_what_judges_a_sentence_is_shown_by_a_case_or_a_reason_is_given(place: tuple[str, str]) -> None:
    judge = SENTENCES[place]
    if isinstance(judge, str):
        assert len(judge.split()) > 4
        return
    cases = {(case.values[0].rule, case.values[0].level) for case in EVENT_CASES}
    hints = {(rule, Level.SHOULD) for rule, _ in (*broken_requests.HINTS, *broken_readings.HINTS)}

    assert RULES[judge.rule].level is Level.MUST
    assert (judge.rule, Level.SHOULD) in cases | hints
