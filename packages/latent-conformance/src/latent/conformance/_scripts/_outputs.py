"""Scripts by what the tools give or raise."""

from __future__ import annotations

from latent.conformance._scripts._calls import CONTROLS
from latent.conformance._scripts._parts import DONE, one_by_one, values
from latent.conformance.harness import Deed, Raised, Script, asks, planned

__all__ = ["ALIKE", "CANCELLED_TOOL", "FALSY", "NATIVE", "ONE_FAILS", "RAISING", "RAISING_WHAT_FEW_EXPECT"]

ONE_FAILS = Script(
    "parallel tools, one fails",
    (asks(planned("t1"), planned("t2")), DONE),
    {"t1": Deed(error=Raised("ValueError", "no such record")), "t2": Deed(value="§-o2", turns=20)},
)
_LONG = "§-o5 " + "as long as a file " * 2000 + "and this is its end"
FALSY = one_by_one("outputs that look empty", values(None, "", [], 0, False, {}))
NATIVE = one_by_one(
    "outputs of every kind", values({"a": [1, {"b": None}]}, [1, "two"], 2.5, True, _LONG, f"§-o6{CONTROLS}")
)
ALIKE = one_by_one(
    "outputs that look like something else",
    values('{"case": "§-o1", "amount": 1}', {"error": "none of §-o2", "ok": True}, "Error 404 is what §-o3 means", "4"),
)
"""Text that is JSON, and outputs that speak of an error and are none."""
RAISING = one_by_one(
    "tools that raise",
    {
        "t1": Deed(error=Raised("ValueError", "no such record")),
        "t2": Deed(error=Raised("RuntimeError")),
        "t3": Deed(error=Raised("ExceptionGroup", "several", (Raised("ValueError", "one"), Raised("KeyError", "two")))),
    },
)
RAISING_WHAT_FEW_EXPECT = one_by_one(
    "tools that raise what few expect",
    {"t1": Deed(error=Raised("RecordError", "no such record")), "t2": Deed(error=Raised("AssertionError"))},
)
CANCELLED_TOOL = one_by_one("a tool that is cancelled by itself", {"t1": Deed(error=Raised("CancelledError"))})
