"""Scripts with calls that cannot be carried out, and with layouts of calls that are seldom seen."""

from __future__ import annotations

from json import dumps

from latent.conformance._scripts._parts import DONE, values
from latent.conformance.harness import TOKEN, Finish, Fragment, PlannedCall, Script, Tokens, Turn, asks, planned

__all__ = ["BARE", "CUT_OFF", "MALFORMED", "MALFORMED_FOR_ANY", "ODD", "UNKNOWN_TOOL"]

_NOWHERE = PlannedCall("t1", "teleport", f'{{"ticket": "{TOKEN}-t1"}}')
_BROKEN = PlannedCall("t1", "lookup", f'{{"ticket": "{TOKEN}-t1"')
UNKNOWN_TOOL = Script("an unknown tool", (asks(_NOWHERE), DONE))
MALFORMED = Script("arguments that do not parse", (asks(_BROKEN), DONE))
MALFORMED_FOR_ANY = Script(
    "arguments that do not parse, for a tool that needs none",
    (asks(PlannedCall("t1", "submit", planned("t1").arguments * 2)), DONE),
)
BARE = Script("a call without arguments", (asks(PlannedCall("t1", "lookup", "")), DONE))
CUT_OFF = Script("an answer cut off by the token limit", (asks(planned("t1"), finish="length"), DONE))


def _odd(name: str, *pieces: Fragment, calls: tuple[PlannedCall, ...] = (planned("t1"), planned("t2"))) -> Script:
    turn = Turn((*pieces, Finish("tool_calls"), Tokens(25, 15)), calls)
    return Script(name, (turn, DONE), values("§-o1", "§-o2"))


_ONE, _TWO = planned("t1").arguments, planned("t2").arguments
ODD = (
    _odd("calls without ids", Fragment(0, None, "lookup", _ONE), Fragment(1, None, "lookup", _TWO)),
    _odd("calls with empty ids", Fragment(0, "", "lookup", _ONE), Fragment(1, "", "lookup", _TWO)),
    _odd("calls with the same id", Fragment(0, "call", "lookup", _ONE), Fragment(1, "call", "lookup", _TWO)),
    _odd("two calls on one index", Fragment(0, "a§", "lookup", _ONE), Fragment(0, "b§", "lookup", _TWO)),
    _odd("fragments without an index", Fragment(None, "a§", "lookup", _ONE), Fragment(None, "b§", "lookup", _TWO)),
    _odd(
        "the name in each fragment",
        Fragment(0, "a§", "lookup", _ONE[:5]),
        Fragment(1, "b§", "lookup", _TWO[:5]),
        Fragment(0, "a§", "lookup", _ONE[5:]),
        Fragment(1, "b§", "lookup", _TWO[5:]),
    ),
    _odd(
        "arguments encoded twice", Fragment(0, "a§", "lookup", dumps(_ONE, ensure_ascii=False)), calls=(planned("t1"),)
    ),
)
