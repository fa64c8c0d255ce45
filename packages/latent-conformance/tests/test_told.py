from __future__ import annotations

from latent.conformance.harness import (
    Deed,
    Fail,
    Finish,
    Fragment,
    Hold,
    Raised,
    Script,
    Text,
    Tokens,
    Turn,
    asks,
    planned,
    says,
    told,
)


def test_a_conversation_is_told_in_the_order_in_which_it_happens() -> None:
    script = Script(
        "talk",
        (asks(planned("t1"), planned("t2", "inspect"), texts=("Let me ", "look."), reasoning=("Hm.",)), says("Done.")),
        {"t1": Deed(value=[None, 0.5], turns=10), "t2": Deed(error=Raised("KeyError", "gone"))},
    )

    fragments = (
        *("[0] lookup 'call_§_t1' ''", "[1] inspect 'call_§_t2' ''", "[0] '{\"ticket\"'", "[1] '{\"ticket\"'"),
        *("[0] ': \"§-t1\"}'", "[1] ': \"§-t2\"}'"),
    )

    assert told(script) == (
        "user:  asks",
        "model: thinks 'Hm.'",
        "model: says 'Let me ' + 'look.'",
        "model: calls " + " + ".join(fragments),
        "tool:  lookup(t1) returns [None, 0.5], after 10 turns of the loop",
        "tool:  inspect(t2) raises KeyError('gone')",
        "model: says 'Done.'",
    )


def test_what_is_out_of_the_ordinary_is_told_of() -> None:
    call = Fragment(None, "", "lookup", "{}")
    turn = Turn(
        (Tokens(9, 1, 4), Text("a"), Hold("door"), call, Finish("stop", Tokens(9, 2))),
        (planned("t1"),),
        "b",
        at_once=True,
    )
    held = Deed(hold="door", announced=True, errand="an errand")
    group = Raised("ExceptionGroup", "", (Raised("OSError"),))
    script = Script("odd", (turn, says(tokens=None), Turn((Fail("no"),))), {"t1": held})

    assert told(script) == (
        "user:  asks",
        "model: tells 9 tokens in (4 of them cached), 1 out",
        "model: says 'a'",
        "model: waits for 'door'",
        "model: calls [no index] lookup '' '{}'",
        "model: finishes with 'stop', and tells 9 tokens in, 2 out there",
        "model: sends all of this in one chunk",
        "model: means by this 'b'",
        "tool:  lookup(t1) returns None, after it waited for 'door', once its call was seen, after an errand",
        "model: finishes with 'stop'",
        "model: fails with 'no'",
    )
    assert told(Script("group", (asks(planned("t1")),), {"t1": Deed(error=group)}))[-1] == (
        "tool:  lookup(t1) raises ExceptionGroup() of OSError()"
    )


def test_an_answer_without_a_word_says_nothing() -> None:
    assert told(Script("mute", (says(),))) == ("user:  asks", "model: says nothing")
