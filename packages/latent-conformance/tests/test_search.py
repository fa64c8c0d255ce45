from __future__ import annotations

from collections.abc import Callable

import pytest

from latent.conformance import Level, Violation
from latent.conformance._judging._search import Search, Shown
from latent.conformance._verdict._declarations import BASE_CAPABILITIES
from latent.conformance.harness import Script


def searched(show: Callable[[Script], set[str]], *, examples: int = 60, **named: float) -> tuple[Search, list[Script]]:
    """A search in which a script shows what the function says, and all that was played."""
    played: list[Script] = []

    def play(script: Script) -> Shown:
        played.append(script)
        found = show(script)
        violations = tuple(Violation(rule=rule, level=Level.MUST, message="", hint="") for rule in sorted(found))
        return Shown(script, violations, frozenset(found), "hangs" in found)

    return Search(play, BASE_CAPABILITIES, examples=examples, seconds=named.get("seconds", 60.0)), played


def raises(script: Script) -> bool:
    return any(deed.error for deed in script.deeds.values())


def in_parallel(script: Script) -> bool:
    return any(len(turn.calls) > 1 for turn in script.turns)


def test_a_search_that_finds_nothing_plays_each_example_once() -> None:
    search, played = searched(lambda script: set())

    assert search.results() == []
    assert len(played) == len({repr(script) for script in played})
    assert 30 < len(played) <= 60


def test_two_searches_play_the_same() -> None:
    runs = []
    for _ in range(2):
        search, played = searched(lambda script: {"TOOL-14"} if raises(script) else set())
        search.results()
        runs.append(played)

    assert runs[0] == runs[1]


def test_each_finding_gets_the_shortest_conversation_that_shows_it_and_not_another() -> None:
    def show(script: Script) -> set[str]:
        return {rule for rule, holds in (("TOOL-14", raises), ("TOOL-9", in_parallel)) if holds(script)}

    search, _ = searched(show)
    results = {finding: shown.script for finding, shown in search.results()}

    assert results.keys() == {"TOOL-14", "TOOL-9"}
    assert [len(turn.calls) for turn in results["TOOL-14"].turns] == [1, 0]
    assert [len(turn.calls) for turn in results["TOOL-9"].turns] == [2, 0]
    assert not raises(results["TOOL-9"])


def test_what_does_not_come_again_is_no_finding() -> None:
    seen: set[str] = set()

    def once(script: Script) -> set[str]:
        known = repr(script) in seen
        seen.add(repr(script))
        return set() if known or not raises(script) else {"TOOL-14"}

    assert searched(once)[0].results() == []


def test_a_hang_ends_the_search_at_once() -> None:
    search, played = searched(lambda script: {"hangs"} if in_parallel(script) else set())
    search.results()

    assert search.hung is not None
    assert search.hung.script in played
    assert sum(map(in_parallel, played)) <= 3  # it is played again to be sure, and never made shorter


def test_a_search_ends_when_its_time_is_over() -> None:
    search, played = searched(lambda script: set(), seconds=0.0)

    assert search.results() == []
    assert len(played) == 1


def test_making_it_shorter_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("latent.conformance._judging._search._MOST_RUNS", 5)
    search, played = searched(lambda script: {"TOOL-14"} if raises(script) else set())
    search.results()

    assert len(played) <= 60 + 5 + 2


def test_hypothesis_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    search, _ = searched(lambda script: {"TOOL-14"} if raises(script) else set())
    search.results()

    assert capsys.readouterr() == ("", "")
