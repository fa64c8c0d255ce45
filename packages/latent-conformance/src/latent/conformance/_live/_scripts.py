"""The scripts that the kit plays.

The token and a hyphen mark what belongs to tools, the token and an asterisk what is reasoning, so that
either is known when it turns up as text.
"""

from __future__ import annotations

from dataclasses import replace
from json import dumps
from re import split

from latent.conformance.harness import (
    TOKEN,
    Deed,
    Fail,
    Finish,
    Fragment,
    Hold,
    Pause,
    PlannedCall,
    Raised,
    Reasoning,
    Script,
    Text,
    Tokens,
    Turn,
    asks,
    call_id,
    planned,
    says,
)
from latent.protocol import Message

__all__ = [
    "ABOUT_IT",
    "AFTERTHOUGHT",
    "ALL_ANNOUNCED",
    "ANNOUNCED",
    "ANSWER",
    "BARE",
    "BATCH",
    "BLANK",
    "CANCELLED_TOOL",
    "CHARACTERS",
    "CROWD",
    "CUMULATIVE",
    "CUT_OFF",
    "EARLIER",
    "ENDLESS",
    "ENDLESS_TALK",
    "EQUAL_CALLS",
    "FAILS_ALOUD",
    "FAILS_AT_ONCE",
    "FAILS_BEHIND_USAGE",
    "FAILS_IN_A_CALL",
    "FAILS_LATER",
    "FAILS_MIDWAY",
    "FALSY",
    "HELD_BATCH",
    "HELD_MODEL",
    "HELD_TOGETHER",
    "HELD_TOOL",
    "INNER",
    "LISTED_FOR_ANY",
    "LONG",
    "LONG_AGO",
    "MALFORMED",
    "MALFORMED_FOR_ANY",
    "MEETING",
    "MEETING_TO_ANSWER",
    "MUTE_END",
    "NATIVE",
    "NOTED",
    "ODD",
    "ONCE_MORE",
    "ONE_FAILS",
    "OUTER",
    "PADDED",
    "PICTURE",
    "PICTURED",
    "RAISING",
    "RETRIED",
    "RICH",
    "SECOND_THOUGHTS",
    "SLOW_BATCH",
    "SLOW_MODEL",
    "SLOW_TOOL",
    "TALK",
    "THINKING",
    "THINKING_TO_CALL",
    "THINK_TAGS",
    "UNKNOWN_TOOL",
]

_DONE = says("All that belongs to § ", "is done.")


def _values(*values: object) -> dict[str, Deed]:
    return {f"t{at}": Deed(value=value) for at, value in enumerate(values, 1)}


def _one_by_one(name: str, deeds: dict[str, Deed]) -> Script:
    """Each ticket in a turn of its own, then an answer."""
    return Script(name, (*(asks(planned(ticket)) for ticket in deeds), _DONE), deeds)


ANSWER = Script("answer", (says("Certainly: case § ", "is in ", "good order."),))
LONG = Script("a long answer", (says(*(f"Line {at:03} of what belongs to case §. " for at in range(120))),))
THINKING = Script("reasoning", (says("Case § ", "is fine.", reasoning=("Weighing §* ", "once more, §*.")),))
SECOND_THOUGHTS = Script(
    "reasoning behind text",
    (
        Turn(
            (
                *(Reasoning("Weighing §*. "), Text("Case § "), Reasoning("Once more, §*. "), Text("is fine.")),
                *(Finish("stop"), Tokens(25, 15)),
            )
        ),
    ),
)
CHARACTERS = Script(
    "characters",
    (
        says(
            *("\ufeffCase 日本", "語 👩", "\u200d💻 e", "\u0301 caf", "é نص § ", "\U0001d518\U0001d52b"),
            *(" **bold** `code`", " <b>R&amp;D</b> $5$\n# 1. ~x~ _y_ \\z"),
            *(" o\u0302 \ufb01n\r\n", "\tend", " ", "of it,", " at\u2028last\u2029one\x85line", " and\0all\ufeff."),
        ),
    ),
)

EARLIER = (
    Message("system", "The house style is plain.", id="m-0"),
    *(Message("user", "First question.", id="m-1"), Message("assistant", "First answer.", id="m-2")),
    *(Message("user", "First question.", id="m-3"), Message("assistant", "First answer.", id="m-4")),
)
"""Rows before the user's: asked and answered twice over."""
NOTED = (
    *(Message("system", "The house style is plain."), Message("user", "First question.")),
    *(Message("assistant", "First answer."), Message("system", "The office is closed on Mondays.")),
)
"""The system speaks before the conversation, and in the midst of it."""
PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
"""A dot, as PNG in base 64."""
ABOUT_IT = ("Which colour is this?", "One word, please.")
PICTURED = (
    Message(
        "user",
        [
            {"type": "text", "text": ABOUT_IT[0]},
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PICTURE}"}},
            {"type": "text", "text": ABOUT_IT[1]},
        ],
    ),
    Message("assistant", "Green."),
)
"""Content that is a list of parts."""
LONG_AGO = (Message("user", "Are you there?"),) * 2 + tuple(
    row for at in range(1, 41) for row in (Message("user", f"Question {at}."), Message("assistant", f"Answer {at}."))
)
"""More rows than most windows hold, though far fewer words than a model can take; the first one comes twice."""
THINKING_TO_CALL = Script(
    "reasoning before a call",
    (
        asks(planned("t1"), texts=("Let me look. ",), reasoning=("Weighing §* ", "first. ")),
        asks(planned("t2"), reasoning=("Weighing §* ", "without a word. ")),
        says("Case § ", "is fine.", reasoning=("Now §* again. ",)),
    ),
    _values("§-o1", "§-o2"),
)

THINK_TAGS = Script(
    "reasoning between tags",
    (replace(says("<thi", "nk>Weighing §*</th", "ink>Case § ", "is fine."), meaning="Case § is fine."),),
)

TALK = Script(
    "tools one by one",
    (
        asks(planned("t1"), texts=("Let me look ", "at §. ")),
        asks(planned("t2", "inspect"), tokens=Tokens(40, 9, cached=30)),
        _DONE,
    ),
    _values({"record": "§-o1", "open": True}, "§-o2"),
)
PADDED = Script(
    "white space around text",
    (
        asks(planned("t1"), texts=("\n", "  Let me look ", "at §.", " \n")),
        says("\n\n", " All is well ", "with §. ", "\n"),
    ),
    _values("§-o1"),
)
ANNOUNCED = Script(
    "a tool that waits for its call", (asks(planned("t1")), _DONE), {"t1": Deed(value="§-o1", announced=True)}
)
BATCH = Script(
    "parallel tools",
    (asks(planned("t1"), planned("t2"), planned("t3", "inspect"), texts=("Three things. ",)), _DONE),
    {
        "t1": Deed(value={"record": "§-o1"}, turns=40),
        "t2": Deed(value={"record": "§-o2"}, turns=20),
        "t3": Deed(value=["§-o3"]),
    },
)
ONCE_MORE = Script("a tool behind others", (asks(planned("t4")), _DONE), {"t4": Deed(value="§-o4")})
ALL_ANNOUNCED = Script(
    "parallel tools that wait for their calls",
    BATCH.turns,
    {f"t{at}": Deed(value=f"§-o{at}", announced=True) for at in (1, 2, 3)},
)
CROWD = Script(
    "eleven calls in one turn",
    (asks(*(planned(f"t{at}", "lookup" if at % 3 else "inspect") for at in range(1, 12))), _DONE),
    _values(*(f"§-o{at}" for at in range(1, 12))),
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
        _DONE,
    ),
    _values("§-o1"),
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
        _DONE,
    ),
    _values("§-o1"),
)
_CONTROLS = "\ufeffb\u2028c\u2029d\x85e\0f"
"""What gets lost where lines are split as `str.splitlines` does, or a text is cleaned."""
_FORM = {
    "ticket": f"{TOKEN}-t1",
    "count": 3,
    "amount": 2.5,
    "urgent": True,
    "notes": ["a", 'é "q"\n', _CONTROLS],
    "remark": None,
}
_RICH = PlannedCall("t1", "submit", dumps(_FORM, ensure_ascii=False))
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
        _DONE,
    ),
    _values("§-o1"),
)
"""Cut around each blank, those inside of a text too."""
OUTER = Script(
    "a tool that runs another agent",
    (asks(planned("t1")), _DONE),
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
ONE_FAILS = Script(
    "parallel tools, one fails",
    (asks(planned("t1"), planned("t2")), _DONE),
    {"t1": Deed(error=Raised("ValueError", "no such record")), "t2": Deed(value="§-o2", turns=20)},
)
_LONG = "§-o5 " + "as long as a file " * 2000
FALSY = _one_by_one("outputs that look empty", _values(None, "", [], 0, False, {}))
NATIVE = _one_by_one(
    "outputs of every kind", _values({"a": [1, {"b": None}]}, [1, "two"], 2.5, True, _LONG, f"§-o6{_CONTROLS}")
)
RAISING = _one_by_one(
    "tools that raise",
    {
        "t1": Deed(error=Raised("ValueError", "no such record")),
        "t2": Deed(error=Raised("RuntimeError")),
        "t3": Deed(error=Raised("ExceptionGroup", "several", (Raised("ValueError", "one"), Raised("KeyError", "two")))),
    },
)
CANCELLED_TOOL = _one_by_one("a tool that is cancelled by itself", {"t1": Deed(error=Raised("CancelledError"))})
BLANK = Script("blank text before a call", (asks(planned("t1"), texts=(" ", "\n")), _DONE), _values("§-o1"))
MUTE_END = Script("a last step without text", (asks(planned("t1"), texts=("Working. ",)), says()), _values("§-o1"))

_NOWHERE = PlannedCall("t1", "teleport", f'{{"ticket": "{TOKEN}-t1"}}')
_BROKEN = PlannedCall("t1", "lookup", f'{{"ticket": "{TOKEN}-t1"')
UNKNOWN_TOOL = Script("an unknown tool", (asks(_NOWHERE), _DONE))
MALFORMED = Script("arguments that do not parse", (asks(_BROKEN), _DONE))
MALFORMED_FOR_ANY = Script(
    "arguments that do not parse, for a tool that needs none",
    (asks(PlannedCall("t1", "submit", planned("t1").arguments * 2)), _DONE),
)
LISTED_FOR_ANY = Script(
    "arguments that are a list, for a tool that needs none",
    (asks(PlannedCall("t1", "submit", f'["{TOKEN}-t1"]')), _DONE),
)
BARE = Script("a call without arguments", (asks(PlannedCall("t1", "lookup", "")), _DONE))
CUT_OFF = Script("an answer cut off by the token limit", (asks(planned("t1"), finish="length"), _DONE))

CUMULATIVE = Script(
    "usage told several times",
    (
        Turn(
            (
                Tokens(25, 1),
                Text("Case § "),
                Tokens(25, 8),
                Text("is fine."),
                Finish("stop"),
                Tokens(25, 15),
            )
        ),
    ),
)


def _odd(name: str, *pieces: Fragment, calls: tuple[PlannedCall, ...] = (planned("t1"), planned("t2"))) -> Script:
    turn = Turn((*pieces, Finish("tool_calls"), Tokens(25, 15)), calls)
    return Script(name, (turn, _DONE), _values("§-o1", "§-o2"))


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
        _DONE,
    ),
    _values("§-o1"),
)
FAILS_LATER = Script(
    "a model that fails after a tool",
    (asks(planned("t1")), Turn((Fail("", "TimeoutError"),))),
    _values({"record": "§-o1"}),
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

HELD_MODEL = Script(
    "a model that stops to think",
    (
        Turn(
            (
                Text("First part of §, "),
                Text("and more, "),
                Hold("model"),
                Text("Second part."),
                Finish("stop"),
                Tokens(25, 15),
            )
        ),
    ),
)
HELD_TOOL = Script(
    "a tool that takes its time",
    (asks(planned("t1"), texts=("Looking at §. ",)), _DONE),
    {"t1": Deed(value="§-o1", hold="tool")},
)
HELD_BATCH = Script(
    "parallel tools, one takes its time",
    (asks(planned("t1"), planned("t2")), _DONE),
    {"t1": Deed(value="§-o1"), "t2": Deed(value="§-o2", hold="tool")},
)
HELD_TOGETHER = Script(
    "parallel tools that take their time",
    (asks(planned("t1"), planned("t2")), _DONE),
    {"t1": Deed(value="§-o1", hold="tool"), "t2": Deed(value="§-o2", hold="tool")},
)


def _meeting(turn: Turn) -> Turn:
    """The turn of a model that meets others amid its text, and again when the tokens are told."""
    return replace(turn, pieces=(Text("Working on §. "), Hold("meeting 1"), *turn.pieces, Hold("meeting 2")))


MEETING_TO_ANSWER = Script("conversations side by side", (_meeting(ANSWER.turns[0]),))
MEETING = Script(
    "conversations side by side, with tools",
    (_meeting(TALK.turns[0]), *TALK.turns[1:]),
    {"t1": Deed(value={"record": "§-o1"}, hold="meeting 3"), "t2": Deed(value="§-o2")},
)

SLOW_MODEL = Script(
    "a model that takes its time",
    (
        Turn(
            (
                *(Text("First part of §. "), Pause(60), Text("Second part. "), Pause(3600), Text("Third part.")),
                *(Finish("stop"), Tokens(25, 15)),
            )
        ),
    ),
)
SLOW_TOOL = Script(
    "a tool that takes an hour",
    (asks(planned("t1"), texts=("Looking at §. ",)), _DONE),
    {"t1": Deed(value={"record": "§-o1"}, seconds=3600)},
)
SLOW_BATCH = Script(
    "parallel tools that take their time",
    (asks(planned("t1"), planned("t2"), planned("t3", "inspect"), texts=("Three things. ",)), _DONE),
    {
        "t1": Deed(value={"record": "§-o1"}, seconds=7200),
        "t2": Deed(value={"record": "§-o2"}, seconds=60),
        "t3": Deed(value=["§-o3"], seconds=3600),
    },
)
