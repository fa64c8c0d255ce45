from __future__ import annotations

from hypothesis import given, settings

from latent.conformance._generator._said import Said, written
from latent.conformance._generator._scripts import conversations
from latent.conformance._generator._shorter import shorter
from latent.conformance._verdict._declarations import CAPABILITIES
from latent.conformance.harness import Deed, Script, says

QUICK = settings(deadline=None, database=None, derandomize=True, max_examples=50)


def plainest(said: tuple[Said, ...], shows: str) -> Script:
    """What is left when everything goes that the text of the script can do without."""
    while True:
        simpler = next((each for each in shorter(said) if shows in repr(written(each))), None)
        if simpler is None:
            return written(said)
        said = simpler


@settings(QUICK)
@given(conversations(CAPABILITIES))
def test_what_shows_nothing_ends_as_one_plain_answer(said: tuple[Said, ...]) -> None:
    assert plainest(said, "generated") == Script("generated", (says("a"),))


@settings(QUICK)
@given(conversations(CAPABILITIES))
def test_a_conversation_that_needs_a_call_keeps_the_plainest_one(said: tuple[Said, ...]) -> None:
    if not any(turn.calls for turn in said):
        return
    script = plainest(said, "§-t1")

    assert [len(turn.calls) for turn in script.turns] == [1, 0]
    assert script.turns[0].calls[0].arguments == '{"ticket": "§-t1"}'
    assert script.deeds == {"t1": Deed(value="§-o1")}
    assert len(script.turns[0].pieces) == 3  # a fragment, the end of the answer, the usage


@settings(QUICK)
@given(conversations(CAPABILITIES))
def test_every_step_gives_another_conversation_that_can_be_played(said: tuple[Said, ...]) -> None:
    for simpler in shorter(said):
        assert simpler != said
        script = written(simpler)
        assert script.tickets == script.deeds.keys()
        assert [bool(turn.calls) for turn in script.turns] == [True] * (len(script.turns) - 1) + [False]
