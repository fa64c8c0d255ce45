"""TOOL: calls and results."""

from __future__ import annotations

from cases._passive import PLAIN, TOOLS, EventCase, answer, asked, call, step

from latent.conformance import Level
from latent.protocol import Error, FunctionCall, ToolCall, ToolResult

_TWO = [call("a", arguments='{"q":1}'), call("b", arguments='{"q":2}')]


def _arguments(text: object) -> list[object]:
    return [*TOOLS[:2], ToolCall("c", FunctionCall("search", text)), *TOOLS[3:]]  # type: ignore[arg-type]


def _answered(result: ToolResult) -> list[object]:
    return [*TOOLS[:4], result, *TOOLS[5:]]


CASES = [
    EventCase(
        rule="TOOL-1", passing=TOOLS, exercised=2, broken=[*step(0, *asked(call("")), answer("")), *step(1)], index=2
    ),
    EventCase(
        rule="TOOL-1",
        name="None on both sides",
        passing=TOOLS,
        exercised=2,
        broken=[*step(0, *asked(call(None)), answer(None)), *step(1)],  # type: ignore[arg-type]
        index=2,
    ),
    EventCase(
        rule="TOOL-1",
        name="on the result alone",
        passing=TOOLS,
        exercised=2,
        broken=[*PLAIN, *step(1, answer(""))],
        index=6,
    ),
    EventCase(
        rule="TOOL-2",
        passing=[*step(0, *asked(*_TWO), answer("b"), answer("a")), *step(1)],
        exercised=2,
        broken=[*step(0, *asked(call("a"), call("a", name="read")), answer("a"), answer("a")), *step(1)],
        index=3,
    ),
    EventCase(
        rule="TOOL-2",
        name="only one of two is answered",
        passing=[*step(0, *asked(*_TWO), answer("b"), answer("a")), *step(1)],
        exercised=2,
        broken=[
            *step(0, *asked(call("a"), call("a", name="x")), answer("a")),
            *step(1),
        ],
        index=3,
    ),
    EventCase(
        rule="TOOL-2",
        name="hint: in another step",
        passing=TOOLS,
        exercised=1,
        broken=[*TOOLS[:5], *step(1, *asked(call(arguments='{"q":1}'), run="s"), answer()), *step(2)],
        index=7,
        level=Level.SHOULD,
    ),
    EventCase(rule="TOOL-3", passing=TOOLS, exercised=1, broken=[*PLAIN, *step(1, answer("x")), *step(2)], index=6),
    EventCase(
        rule="TOOL-3",
        name="a result under a wrong id",
        passing=TOOLS,
        exercised=1,
        broken=_answered(answer("d")),
        index=4,
    ),
    EventCase(
        rule="TOOL-3",
        name="a result before its call",
        passing=TOOLS,
        exercised=1,
        broken=[TOOLS[0], TOOLS[4], *TOOLS[1:4], *TOOLS[5:]],
        index=1,
    ),
    EventCase(rule="TOOL-4", passing=TOOLS, exercised=1, broken=[*TOOLS[:4], *TOOLS[5:]], index=2),
    EventCase(
        rule="TOOL-4",
        name="at the end of the stream",
        passing=[*TOOLS[:4], answer(error="failed", output=None), Error("failed")],
        exercised=0,
        broken=TOOLS[:4],
        index=2,
    ),
    EventCase(
        rule="TOOL-4",
        name="a step that was left, in a run that fails later",
        passing=[*TOOLS, Error("failed")],
        exercised=1,
        broken=[*TOOLS[:4], *TOOLS[5:], Error("failed")],
        index=2,
    ),
    EventCase(
        rule="TOOL-4",
        name="two results",
        passing=TOOLS,
        exercised=1,
        broken=[*TOOLS[:5], answer(), *TOOLS[5:]],
        index=5,
    ),
    EventCase(
        rule="TOOL-4",
        name="another result in a later step",
        passing=TOOLS,
        exercised=1,
        broken=[*TOOLS[:6], answer(), *TOOLS[6:]],
        index=6,
    ),
    EventCase(
        rule="TOOL-4",
        name="run elsewhere",
        passing=[*step(0, *asked(call(name="approve")))],
        exercised=1,
        broken=[*step(0, *asked(call("a", name="approve"), call("b", name="search")))],
        index=3,
        declared={"external_tools": {"approve"}},
    ),
    EventCase(
        rule="TOOL-5",
        passing=TOOLS,
        exercised=1,
        broken=[*TOOLS[:3], TOOLS[2], *TOOLS[3:]],
        index=3,
    ),
    EventCase(
        rule="TOOL-5",
        name="run twice, too",
        passing=TOOLS,
        exercised=1,
        broken=[*TOOLS[:3], TOOLS[2], *TOOLS[3:5], TOOLS[4], *TOOLS[5:]],
        index=3,
    ),
    EventCase(
        rule="TOOL-5",
        name="hint: under a new id",
        passing=[*step(0, *asked(call("a"), call("b")), answer("a"), answer("b")), *step(1)],
        exercised=2,
        broken=[*step(0, *asked(call("a")), answer("a"), call("b"), answer("b")), *step(1)],
        index=5,
        level=Level.SHOULD,
    ),
    *[
        EventCase(
            rule="TOOL-6",
            name=repr(text),
            passing=_arguments('{"deep": [1, {"x": "\\ud800"}], "long": %s}' % ("9" * 5000)),
            exercised=1,
            broken=_arguments(text),
            index=2,
        )
        for text in ("", "[1]", "null", '{"a":1}{"b":2}', "{'a': 1}", '{"a": NaN}', '"text"', {"a": 1}, None)
    ],
    *[
        EventCase(rule="TOOL-7", name=name, passing=TOOLS, exercised=1, broken=_arguments(text), index=2)
        for name, text in (
            ("twice", '"{\\"q\\": \\"rain\\"}"'),
            ("three times", '"\\"{}\\""'),
            ("a list", '"[1]"'),
            ("a number", '"1"'),
        )
    ],
    EventCase(
        rule="TOOL-10",
        passing=TOOLS,
        exercised=1,
        broken=[*TOOLS[:2], call(name=""), *TOOLS[3:]],
        index=2,
    ),
    EventCase(
        rule="TOOL-10",
        name="another type",
        passing=TOOLS,
        exercised=1,
        broken=[*TOOLS[:2], ToolCall("c", FunctionCall("search", "{}"), "custom"), *TOOLS[3:]],
        index=2,
    ),
    EventCase(
        rule="TOOL-17",
        passing=_answered(answer(output=None, error="ValueError")),
        exercised=1,
        broken=_answered(answer(output=None, error="")),
        index=4,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="TOOL-17",
        name="both",
        passing=_answered(answer(output=0)),
        exercised=1,
        broken=_answered(answer(output=0, error="ValueError")),
        index=4,
        level=Level.SHOULD,
    ),
    *[
        EventCase(
            rule="TOOL-1",
            name=f"the result of a call has {wrong!r}",
            passing=TOOLS,
            exercised=2,
            broken=_answered(answer(wrong)),  # type: ignore[arg-type]
            index=4,
        )
        for wrong in ("", None, 12)
    ],
    EventCase(
        rule="TOOL-4",
        name="the result of one call under the id of another",
        passing=[*step(0, *asked(*_TWO), answer("b"), answer("a")), *step(1)],
        exercised=2,
        broken=[*step(0, *asked(*_TWO), answer("b"), answer("b")), *step(1)],
        index=6,
    ),
]
