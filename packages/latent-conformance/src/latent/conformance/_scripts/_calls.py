"""Scripts in which the model calls tools."""

from __future__ import annotations

from json import dumps
from re import split

from latent.conformance._scripts._parts import DONE, values
from latent.conformance.harness import (
    TOKEN,
    Deed,
    Finish,
    Fragment,
    PlannedCall,
    Script,
    Text,
    Tokens,
    Turn,
    asks,
    call_id,
    planned,
    says,
)

__all__ = [
    "AFTERTHOUGHT",
    "ALL_ANNOUNCED",
    "ANNOUNCED",
    "BATCH",
    "BLANK",
    "CONTROLS",
    "CROWD",
    "EQUAL_CALLS",
    "INNER",
    "MUTE_END",
    "ONCE_MORE",
    "OUTER",
    "PADDED",
    "RICH",
    "TALK",
    "THINKING_TO_CALL",
]

THINKING_TO_CALL = Script(
    "reasoning before a call",
    (
        asks(planned("t1"), texts=("Let me look. ",), reasoning=("Weighing §* ", "first. ")),
        asks(planned("t2"), reasoning=("Weighing §* ", "without a word. ")),
        says("Case § ", "is fine.", reasoning=("Now §* again. ",)),
    ),
    values("§-o1", "§-o2"),
)
TALK = Script(
    "tools one by one",
    (
        asks(planned("t1"), texts=("Let me look ", "at §. ")),
        asks(planned("t2", "inspect"), tokens=Tokens(40, 9, cached=30)),
        DONE,
    ),
    values({"record": "§-o1", "open": True}, "§-o2"),
)
PADDED = Script(
    "white space around text",
    (
        asks(planned("t1"), texts=("\n", "  Let me look ", "at §.", " \n")),
        says("\n\n", " All is well ", "with §. ", "\n"),
    ),
    values("§-o1"),
)
ANNOUNCED = Script(
    "a tool that waits for its call", (asks(planned("t1")), DONE), {"t1": Deed(value="§-o1", announced=True)}
)
BATCH = Script(
    "parallel tools",
    (asks(planned("t1"), planned("t2"), planned("t3", "inspect"), texts=("Three things. ",)), DONE),
    {
        "t1": Deed(value={"record": "§-o1"}, turns=40),
        "t2": Deed(value={"record": "§-o2"}, turns=20),
        "t3": Deed(value=["§-o3"]),
    },
)
ONCE_MORE = Script("a tool behind others", (asks(planned("t4")), DONE), {"t4": Deed(value="§-o4")})
ALL_ANNOUNCED = Script(
    "parallel tools that wait for their calls",
    BATCH.turns,
    {f"t{at}": Deed(value=f"§-o{at}", announced=True) for at in (1, 2, 3)},
)
CROWD = Script(
    "thirty-six calls in one turn",
    (asks(*(planned(f"t{at}", "lookup" if at % 3 else "inspect") for at in range(1, 37))), DONE),
    values(*(f"§-o{at}" for at in range(1, 37))),
)
AFTERTHOUGHT = Script(
    "text behind a call",
    (
        Turn(
            (
                Text("First this. "),
                Fragment(0, "call_§_t1", "lookup", planned("t1").arguments),
                Text("Then more. "),
                Finish("tool_calls"),
                Tokens(25, 15),
            ),
            (planned("t1"),),
        ),
        DONE,
    ),
    values("§-o1"),
)
EQUAL_CALLS = Script(
    "two equal calls",
    (
        Turn(
            (
                *(Fragment(at, f"call_§_{at}", "lookup", planned("t1").arguments) for at in (0, 1)),
                Finish("tool_calls"),
                Tokens(25, 15),
            ),
            (planned("t1"), planned("t1")),
        ),
        DONE,
    ),
    values("§-o1"),
)
CONTROLS = "\ufeffb\u2028c\u2029d\x85e\0f\u200bg\xa0h\x1bi\x7fj"
"""What gets lost where lines are split as `str.splitlines` does, or a text is cleaned."""
_FORM = {
    "ticket": f"{TOKEN}-t1",
    "count": 3,
    "amount": 2.5,
    "urgent": True,
    "notes": ["a", 'é "q"\n', CONTROLS],
    "remark": None,
}
_RICH = PlannedCall("t1", "submit", dumps(_FORM, ensure_ascii=False))
_TEXTS = ("12345", "true", "null", '{"a": [1]}', "R&amp;D &lt;i&gt;")
"""What looks like a value of another type, or like markup, and is text."""


def _submits(ticket: str, text: str) -> PlannedCall:
    form = {"ticket": f"{TOKEN}-{ticket}", "notes": [text], "remark": text}
    return PlannedCall(ticket, "submit", dumps(form, ensure_ascii=False))


RICH = Script(
    "arguments of every kind",
    (
        Turn(
            (
                Fragment(0, call_id(_RICH), _RICH.name, ""),
                *(Fragment(0, arguments=piece) for piece in split("( )", _RICH.arguments)),
                *(Finish("tool_calls"), Tokens(25, 15)),
            ),
            (_RICH,),
        ),
        *(asks(_submits(f"t{at}", text)) for at, text in enumerate(_TEXTS, 2)),
        DONE,
    ),
    values(*(f"§-o{at}" for at in range(1, len(_TEXTS) + 2))),
)
"""The first is cut around each blank, those inside of a text too."""
OUTER = Script(
    "a tool that runs another agent",
    (asks(planned("t1")), DONE),
    {"t1": Deed(value="the inner agent has answered", errand="the inner agent")},
)
INNER = Script(
    "the answer of an agent inside a tool",
    (
        asks(planned("t1"), texts=("Inside of § ",), tokens=Tokens(7001, 503)),
        says("§ is ", "done inside.", tokens=None),
    ),
    {"t1": Deed(value="§-o1")},
)
BLANK = Script("blank text before a call", (asks(planned("t1"), texts=(" ", "\n")), DONE), values("§-o1"))
MUTE_END = Script("a last step without text", (asks(planned("t1"), texts=("Working. ",)), says()), values("§-o1"))
