"""Scripts in which the model breaks down, or never comes to an end."""

from __future__ import annotations

from latent.conformance._scripts._parts import DONE, values
from latent.conformance.harness import Fail, Finish, Fragment, Script, Text, Tokens, Turn, asks, planned, says

__all__ = [
    "ENDLESS",
    "ENDLESS_TALK",
    "FAILS_ALOUD",
    "FAILS_AT_ONCE",
    "FAILS_BEHIND_USAGE",
    "FAILS_IN_A_CALL",
    "FAILS_LATER",
    "FAILS_MIDWAY",
    "RETRIED",
]

FAILS_AT_ONCE = Script("a model that fails at once", (Turn((Fail(raises="ConnectionError"),)),))
FAILS_MIDWAY = Script(
    "a model that fails while it speaks", (Turn((Text("Case § "), Text("is "), Fail(raises="OSError"))),)
)
FAILS_ALOUD = Script(
    "a model whose server says in the stream that it fails",
    (Turn((Text("Case § "), Text("is "), Fail(told=True))),),
)
FAILS_BEHIND_USAGE = Script(
    "a model that fails when it has told its tokens",
    (Turn((Text("Case § "), Text("is fine."), Finish("stop"), Tokens(25, 15), Fail(raises="RuntimeError"))),),
)
FAILS_IN_A_CALL = Script(
    "a model that fails behind a call",
    (
        Turn(
            (Fragment(0, "call_§_t1", "lookup", planned("t1").arguments), Fail(raises="ValueError")),
            (planned("t1"),),
            fails_once=True,
        ),
        DONE,
    ),
    values("§-o1"),
)
FAILS_LATER = Script(
    "a model that fails after a tool",
    (asks(planned("t1")), Turn((Fail("", "TimeoutError"),))),
    values({"record": "§-o1"}),
)
RETRIED = Script(
    "a model that fails once",
    (Turn((Text("Broken § "), Text("start "), Fail()), fails_once=True), says("Case § ", "is fine.")),
)
ENDLESS = Script(
    "a model that always calls a tool", tuple(asks(planned(f"t{at}")) for at in range(1, 61)), endless=True
)
ENDLESS_TALK = Script(
    "a model that always calls a tool, and speaks of it",
    tuple(asks(planned(f"t{at}"), texts=("Once more for §. ",)) for at in range(1, 61)),
    endless=True,
)
