from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, find, given, settings

from latent.conformance._scripts import CHARACTERS, NATIVE, RICH
from latent.conformance._verdict._declarations import CAPABILITIES
from latent.conformance.harness import (
    TOKEN,
    Deed,
    Fail,
    Finish,
    Fragment,
    Harness,
    Pause,
    Reasoning,
    Script,
    Text,
    Tokens,
    Turn,
    asks,
    planned,
    says,
)
from latent.conformance.strategies import scripts

QUICK = settings(deadline=None, database=None, derandomize=True, max_examples=50)
PLENTY = settings(QUICK, max_examples=1000, suppress_health_check=list(HealthCheck))


def calls_of(turn: Turn) -> dict[int | None, list[Fragment]]:
    """The fragments by their index."""
    calls: dict[int | None, list[Fragment]] = {}
    for piece in turn.pieces:
        if isinstance(piece, Fragment):
            calls.setdefault(piece.index, []).append(piece)
    return calls


def kinds(script: Script) -> Iterator[type[Any]]:
    return (type(piece) for turn in script.turns for piece in turn.pieces)


@settings(QUICK)
@given(scripts())
def test_a_script_keeps_to_the_wire_of_the_vendor(script: Script) -> None:
    ids = []
    for turn in script.turns:
        calls = calls_of(turn)
        assert [*calls] == [*range(len(turn.calls))]
        for fragments, call in zip(calls.values(), turn.calls, strict=True):
            first, *rest = fragments
            assert (first.name, [each.name for each in rest]) == (call.name, [None] * len(rest))
            assert first.id
            assert {each.id for each in rest} <= {None}
            assert "".join(each.arguments or "" for each in fragments) == call.arguments
            ids.append(first.id)
        if not turn.fails:
            assert isinstance(turn.pieces[-1], Tokens)
            assert sum(isinstance(piece, (Tokens, Finish)) for piece in turn.pieces) == 2
    assert len(ids) == len({*ids}) == len(script.deeds)


@settings(QUICK)
@given(scripts(capabilities=CAPABILITIES))
def test_a_script_can_be_played_to_its_end_in_any_wire(script: Script) -> None:
    *calling, last = script.turns
    assert all(turn.calls and not turn.fails for turn in calling)
    assert not last.calls
    assert len(script.turns) < 8
    assert script.tickets == script.deeds.keys()
    for turn in script.turns:
        assert not any(isinstance(piece, Fail) for piece in turn.pieces[:-1])
        assert turn.tokens is None or turn.tokens.cached <= turn.tokens.input


@settings(QUICK)
@given(scripts(capabilities=CAPABILITIES))
def test_what_belongs_to_reasoning_and_tools_is_marked_and_no_text_is(script: Script) -> None:
    for turn in script.turns:
        assert TOKEN not in turn.text
        assert not turn.reasoning or turn.reasoning.startswith(f"{TOKEN}*")
        if turn.meaning is not None:
            sent = "".join(piece.text for piece in turn.pieces if isinstance(piece, Text))
            assert sent.startswith(f"<think>{TOKEN}*")
            assert sent.endswith(f"</think>{turn.meaning}")


SHOWS: dict[str, Callable[[Script], bool]] = {
    "tools": lambda script: Fragment in kinds(script),
    "parallel_tools": lambda script: any(len(turn.calls) > 1 for turn in script.turns),
    "reasoning": lambda script: Reasoning in kinds(script),
    "think_tags": lambda script: any(turn.meaning is not None for turn in script.turns),
}


@pytest.mark.parametrize("lacking", SHOWS)
def test_what_an_agent_cannot_do_plays_no_part(lacking: str) -> None:
    shows = SHOWS[lacking]
    assert shows(find(scripts(capabilities=CAPABILITIES), shows, settings=PLENTY))

    @settings(QUICK)
    @given(scripts(capabilities=CAPABILITIES - {lacking}))
    def never(script: Script) -> None:
        assert not shows(script)

    never()


def test_a_script_that_shows_something_is_cut_down_to_it() -> None:
    def raises(script: Script) -> bool:
        return any(deed.error is not None and deed.error.kind == "TimeoutError" for deed in script.deeds.values())

    found = find(scripts(), raises, settings=PLENTY)

    assert [len(turn.calls) for turn in found.turns] == [1, 0]
    assert found.turns[-1].text == "a"


def test_characters_that_end_a_line_for_some_come_up_in_texts_arguments_and_outputs() -> None:
    def holds(text: str) -> bool:
        return all(separator in text for separator in "\x85\u2028\u2029")

    places: dict[str, Callable[[Script], bool]] = {
        "texts": lambda script: any(holds(turn.text) for turn in script.turns),
        "arguments": lambda script: any(holds(call.arguments) for turn in script.turns for call in turn.calls),
        "outputs": lambda script: any("\u2028" in str(deed.value) for deed in script.deeds.values()),
    }
    for shows in places.values():
        assert shows(find(scripts(), shows, settings=PLENTY))
    for script in (CHARACTERS.turns[0].text, RICH.turns[0].calls[0].arguments, str(NATIVE.deeds["t6"].value)):
        assert holds(script)


def test_every_kind_of_oddity_comes_up() -> None:
    seen: Counter[str] = Counter()

    @settings(QUICK, max_examples=400)
    @given(scripts(capabilities=CAPABILITIES))
    def look(script: Script) -> None:
        seen.update(deed.error.kind for deed in script.deeds.values() if deed.error)
        seen.update(type(deed.value).__name__ for deed in script.deeds.values())
        seen.update("slow" for deed in script.deeds.values() if deed.turns)
        for turn in script.turns:
            fragments = [piece for piece in turn.pieces if isinstance(piece, Fragment)]
            ids = [piece.id for piece in fragments if piece.name]
            seen.update(["no index"] * (None in {piece.index for piece in fragments}))
            seen.update(["no id"] * (None in ids), **{"empty id": "" in ids, "equal ids": len({*ids}) < len(ids)})
            seen.update(["cut off"] * (Finish("length") in turn.pieces), fails=turn.fails, mute=not turn.text)
            seen.update(**{"no usage": turn.tokens is None, "usage all along": turn.tells_often})
            for call in turn.calls:
                seen["malformed"] += not is_json(call.arguments) and bool(call.arguments)
                seen["no arguments"] += not call.arguments

    look()

    assert {name for name, times in seen.items() if times} >= {
        *("TimeoutError", "CancelledError", "slow"),
        *("NoneType", "bool", "int", "float", "str", "list", "dict"),
        *("no index", "no id", "empty id", "equal ids", "cut off", "fails", "mute"),
        *("no usage", "usage all along", "malformed", "no arguments"),
    }


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("wrong", [{"magic"}, "tools"], ids=["unknown", "no collection"])
def test_unknown_capabilities_are_refused(wrong: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="Expected capabilities"):
        scripts(capabilities=wrong)


def test_drawing_leaves_no_file_behind(tmp_path: Any) -> None:
    """Constants of the project's modules would be kept in files, and would change what is drawn."""
    (tmp_path / "constants.py").write_text("NUMBERS = [3, 5, 7, 11, 13]")
    program = """
import constants
from hypothesis import given, settings
from latent.conformance.strategies import scripts

@settings(database=None, deadline=None, max_examples=60)
@given(scripts())
def draw(script):
    pass

draw()
"""
    subprocess.run([sys.executable, "-B", "-c", program], cwd=tmp_path, check=True)

    assert [path.name for path in tmp_path.iterdir()] == ["constants.py"]


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: Script("x", "says"), "Expected turns of a Script as tuple, got 'says'"),
        (lambda: Script("x", (5,)), "Expected turns of a Script as Turn, got 5"),
        (lambda: Script(None, ()), "Expected name of a Script as str, got None"),
        (lambda: Script("x", (), {"t": 5}), "Expected deeds of a Script as Deed, got 5"),
        (lambda: Script("x", (), {5: Deed()}), "Expected tickets of a Script's deeds as str, got 5"),
        (lambda: Turn(("text",)), "Expected pieces of a Turn as Text or .*, got 'text'"),
        (lambda: Turn((), ("t1",)), "Expected calls of a Turn as PlannedCall, got 't1'"),
        (lambda: says(5), "Expected text of a Text as str, got 5"),
        (lambda: says(reasoning=[None]), "Expected text of a Reasoning as str, got None"),
        (lambda: says(tokens=5), "Expected pieces of a Turn as .*, got 5"),
        (lambda: asks("t1"), "Expected calls as PlannedCall, got 't1'"),
        (lambda: planned(None), "Expected ticket of a PlannedCall as str, got None"),
        (lambda: Pause(True), "Expected seconds of a Pause as int or float, got True"),
        (lambda: Deed(error="ValueError"), "Expected error of a Deed as Raised or None, got 'ValueError'"),
        (lambda: Harness().play(None), "Expected a Script, got None"),
        (lambda: Harness().play("x"), "Expected a Script, got 'x'"),
    ],
)
def test_what_is_no_script_is_refused_when_it_is_made(make: Callable[[], object], reason: str) -> None:
    with pytest.raises(TypeError, match=reason):
        make()


@pytest.mark.parametrize(
    ("make", "reason"), [(asks, "at least one call, got none"), (lambda: planned(""), "a ticket that is not empty")]
)
def test_what_a_script_cannot_do_without_is_named(make: Callable[[], object], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        make()
