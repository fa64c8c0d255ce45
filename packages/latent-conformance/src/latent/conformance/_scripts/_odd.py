"""Scripts with calls that cannot be carried out, and with layouts of calls that are seldom seen."""

from __future__ import annotations

from json import dumps

from latent.conformance._scripts._parts import DONE, values
from latent.conformance.harness import (
    TOKEN,
    Deed,
    Finish,
    Fragment,
    PlannedCall,
    Script,
    Tokens,
    Turn,
    asks,
    call_id,
    planned,
)

__all__ = [
    "BARE",
    "BARE_BEFORE_ANOTHER",
    "CUT_OFF",
    "MALFORMED",
    "MALFORMED_FOR_ANY",
    "MALFORMED_WITHOUT_FINISH",
    "ODD",
    "UNKNOWN_BESIDE_ANOTHER",
    "UNKNOWN_TOOL",
    "WITHOUT_FINISH",
]

_NOWHERE = PlannedCall("t1", "teleport", f'{{"ticket": "{TOKEN}-t1"}}')
_ELSEWHERE = PlannedCall("t2", "teleport", f'{{"ticket": "{TOKEN}-t2"}}')
_BROKEN = PlannedCall("t1", "lookup", f'{{"ticket": "{TOKEN}-t1"')
UNKNOWN_TOOL = Script("an unknown tool", (asks(_NOWHERE), DONE))
UNKNOWN_BESIDE_ANOTHER = Script(
    "an unknown tool beside a known one", (asks(planned("t1"), _ELSEWHERE), DONE), {"t1": Deed(value="§-o1")}
)
MALFORMED = Script("arguments that do not parse", (asks(_BROKEN), DONE))
MALFORMED_FOR_ANY = Script(
    "arguments that do not parse, for a tool that needs none",
    (asks(PlannedCall("t1", "submit", planned("t1").arguments * 2)), DONE),
)
BARE = Script("a call without arguments", (asks(PlannedCall("t1", "lookup", "")), DONE))
BARE_BEFORE_ANOTHER = Script(
    "a call without arguments before one with some",
    (asks(PlannedCall("t1", "submit", ""), planned("t2")), DONE),
    {"t2": Deed(value="§-o2")},
)
CUT_OFF = Script("an answer cut off by the token limit", (asks(planned("t1"), finish="length"), DONE))


def _without_finish(name: str, call: PlannedCall) -> Script:
    """The model's answer ends, and nothing says why: some servers never say, others went down."""
    pieces = (Fragment(0, call_id(call), call.name, ""), Fragment(0, arguments=call.arguments), Tokens(25, 15))
    return Script(name, (Turn(pieces, (call,)), DONE), values("§-o1"))


WITHOUT_FINISH = _without_finish("a call without a finish reason", planned("t1"))
MALFORMED_WITHOUT_FINISH = _without_finish(
    "arguments that do not parse, without a finish reason", PlannedCall("t1", "submit", f'{{"ticket": "{TOKEN}-t1"')
)


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
