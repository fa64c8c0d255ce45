"""CALL and USAGE: calls of the model, and what they cost."""

from __future__ import annotations

from cases._passive import PLAIN, EventCase, said, step

from latent.conformance import Level
from latent.protocol import Error, LLMCallEnd, LLMCallStart, TextDelta, Usage

_START, _WORD, _END = LLMCallStart("r", "in"), TextDelta("Hello"), LLMCallEnd("r", "out", 10, 5)


def _timed(start: float, end: float) -> list[object]:
    return step(0, LLMCallStart("r", "in", timestamp=start), _WORD, LLMCallEnd("r", timestamp=end))


def _named(start: str | None, end: str | None, usage: str | None) -> list[object]:
    return step(0, LLMCallStart("r", "in", start), _WORD, LLMCallEnd("r", None, 10, 5, end), Usage(10, 5, usage))


CASES = [
    EventCase(
        rule="CALL-1",
        passing=PLAIN,
        exercised=1,
        broken=step(0, LLMCallStart("", "in"), _WORD, LLMCallEnd("")),
        index=1,
    ),
    EventCase(
        rule="CALL-1",
        name="used again",
        passing=[*PLAIN, *step(1)],
        exercised=2,
        broken=[*PLAIN, *step(1, *said("Bye", run="r0"))],
        index=6,
    ),
    EventCase(
        rule="CALL-1",
        name="not a str",
        passing=PLAIN,
        exercised=1,
        broken=step(0, LLMCallStart(7, "in"), _WORD, _END),  # type: ignore[arg-type]
        index=1,
    ),
    EventCase(
        rule="CALL-1",
        name="not a str at the end alone",
        passing=PLAIN,
        exercised=1,
        broken=step(0, _START, _WORD, LLMCallEnd(7)),  # type: ignore[arg-type]
        index=3,
    ),
    EventCase(rule="CALL-2", passing=PLAIN, exercised=1, broken=[*PLAIN, _END], index=5),
    EventCase(
        rule="CALL-2",
        name="ended twice",
        passing=PLAIN,
        exercised=1,
        broken=step(0, _START, _WORD, _END, _END),
        index=4,
    ),
    EventCase(
        rule="CALL-2",
        name="under another id",
        passing=PLAIN,
        exercised=1,
        broken=step(0, _START, _WORD, LLMCallEnd("s")),
        index=3,
    ),
    EventCase(rule="CALL-3", passing=PLAIN, exercised=1, broken=step(0, _START, _WORD), index=1),
    EventCase(
        rule="CALL-3",
        name="hint: before Error",
        passing=step(0, _START, _WORD, _END, Error("failed")),
        exercised=1,
        broken=step(0, _START, _WORD, Error("failed")),
        index=1,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="CALL-3",
        name="in a step that was left",
        passing=[*PLAIN, *step(1)],
        exercised=2,
        broken=[*step(0, _START, _WORD), *step(1), Error("failed")],
        index=1,
    ),
    EventCase(
        rule="CALL-4",
        passing=[*PLAIN, *step(1, TextDelta("canned"), label="fast_response"), *step(2, TextDelta("no call"))],
        exercised=1,
        broken=step(0, _START, _END, _WORD),
        index=3,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="CALL-4",
        name="before the start",
        passing=PLAIN,
        exercised=1,
        broken=step(0, _WORD, _START, _END),
        index=1,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="CALL-5",
        passing=PLAIN,
        exercised=1,
        broken=[*step(0, _START, _WORD), *step(1, _END, *said("Bye", run="s"))],
        index=4,
    ),
    EventCase(
        rule="CALL-6",
        passing=[*_timed(5.0, 6.5), *step(1, LLMCallStart("s", "in"), _WORD, LLMCallEnd("s"))],
        exercised=1,
        broken=_timed(6.5, 5.0),
        index=3,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="CALL-6",
        name="from call to call",
        passing=[*_timed(5.0, 6.0), *step(1, LLMCallStart("s", "in", timestamp=6.0), _WORD, LLMCallEnd("s"))],
        exercised=1,
        broken=[*_timed(5.0, 6.0), *step(1, LLMCallStart("s", "in", timestamp=5.5), _WORD, LLMCallEnd("s"))],
        index=5,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="CALL-8",
        passing=PLAIN,
        exercised=2,
        broken=step(0, _START, _WORD, LLMCallEnd("r", None, -1, 5)),
        index=3,
    ),
    EventCase(
        rule="CALL-8",
        name="in Usage, which then says nothing about its call",
        passing=PLAIN,
        exercised=2,
        broken=[*PLAIN[:4], Usage(-1, 5)],
        index=4,
    ),
    EventCase(
        rule="CALL-8",
        name="a bool",
        passing=PLAIN,
        exercised=2,
        broken=step(0, _START, _WORD, LLMCallEnd("r", None, 1, True)),
        index=3,
    ),
    EventCase(
        rule="CALL-9",
        passing=_named("gpt-4o", "openai/gpt-4o-2024-08-06", "gpt-4o"),
        exercised=1,
        broken=_named("gpt-4o", "claude", None),
        index=3,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="CALL-9",
        name="in Usage",
        passing=_named(None, "gpt-4o", None),
        exercised=0,
        broken=_named("gpt-4o", None, "claude"),
        index=4,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="CALL-11",
        passing=PLAIN,
        exercised=2,
        broken=step(0, LLMCallStart("r", "x" * 10_001), _WORD, _END),
        index=1,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="USAGE-1",
        passing=[*PLAIN[:4], Usage(10, 5, None, 4, 6)],
        exercised=1,
        broken=[*PLAIN[:4], Usage(10, 5, None, 5, 6)],
        index=4,
    ),
    EventCase(
        rule="USAGE-3",
        passing=PLAIN,
        exercised=1,
        broken=step(0, _START, Usage(10, 1), _WORD, Usage(0, 4), _END, Usage(10, 5)),
        index=4,
    ),
    EventCase(
        rule="USAGE-3",
        name="of a call that was cut off",
        passing=step(0, _START, _WORD, Usage(10, 5)),
        exercised=1,
        broken=step(0, _START, Usage(10, 5), Usage(10, 5)),
        index=3,
        complete=False,
    ),
    EventCase(
        rule="USAGE-4",
        passing=PLAIN,
        exercised=1,
        broken=[*step(0, _START, _WORD, _END), *step(1, TextDelta("Bye"), Usage(10, 5))],
        index=6,
    ),
    EventCase(
        rule="USAGE-4",
        passing=[*step(0, _START, _END, *said("Hello", run="s", tokens=(3, 3)))],
        exercised=1,
        broken=[*PLAIN[:4], Usage(20, 5)],
        index=4,
    ),
    EventCase(
        rule="CALL-1",
        name="begun twice, ended once",
        passing=PLAIN,
        exercised=1,
        broken=step(0, _START, _START, _WORD, _END),
        index=2,
    ),
    EventCase(
        rule="CALL-1",
        name="two calls under one id at once",
        passing=step(0, _START, LLMCallStart("s", "in"), _WORD, _END, LLMCallEnd("s")),
        exercised=2,
        broken=step(0, _START, _START, _WORD, _END, _END),
        index=2,
    ),
    EventCase(
        rule="CALL-2",
        name="under the id of a call that was ended",
        passing=step(0, _START, LLMCallStart("s", "in"), _WORD, LLMCallEnd("s"), _END),
        exercised=2,
        broken=step(0, LLMCallStart("s", "in"), _START, _WORD, _END, _END),
        index=5,
    ),
    EventCase(
        rule="CALL-2",
        name="before its start, with words between",
        passing=PLAIN,
        exercised=1,
        broken=step(0, _END, _WORD, _START),
        index=1,
    ),
    EventCase(
        rule="CALL-3",
        name="around a call that is ended",
        passing=[*PLAIN, *step(1)],
        exercised=2,
        broken=step(0, _START, _WORD, LLMCallStart("s", "in"), LLMCallEnd("s")),
        index=1,
    ),
    EventCase(
        rule="CALL-2",
        name="before its start, by the clock too",
        passing=_timed(5.0, 6.0),
        exercised=1,
        broken=step(0, LLMCallEnd("r", timestamp=6.0), LLMCallStart("r", "in", timestamp=5.0), _WORD),
        index=1,
    ),
    EventCase(
        rule="CALL-3",
        name="with a Usage, in a step that was left",
        passing=[*PLAIN, *step(1)],
        exercised=2,
        broken=[*step(0, _START, _WORD, Usage(10, 5)), *step(1)],
        index=1,
    ),
]
