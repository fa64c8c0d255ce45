"""TEXT: text and reasoning."""

from __future__ import annotations

from cases._passive import PLAIN, EventCase, said, step

from latent.conformance import Level
from latent.protocol import Error, ReasoningDelta, TextDelta

CASES = [
    EventCase(
        rule="TEXT-5",
        name="hint: the whole text again",
        passing=step(0, *said("ha", "ha", "--------", "--------", "the same ", "the same ")),
        exercised=0,
        broken=step(0, *said("Good ", "morning", "Good morning")),
        index=4,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="TEXT-5",
        name="hint: cumulative deltas",
        passing=step(0, *said("Good morning", "Good morning, John")),
        exercised=0,
        broken=step(
            0, *said("Good morning", "Good morning, my", "Good morning, my dear", "Good morning, my dear John")
        ),
        index=5,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="TEXT-8",
        passing=[PLAIN[0], PLAIN[1], ReasoningDelta("Hm"), *PLAIN[2:]],
        exercised=2,
        broken=step(0, *said("Hello", "", "")),
        index=3,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="TEXT-9",
        name="a torn emoji",
        passing=step(0, *said("日本 👩\u200d💻 e\u0301 \ufffd")),
        exercised=0,
        broken=step(0, *said("Hi \ud83d", "\ude00")),
        index=2,
    ),
    EventCase(
        rule="TEXT-10",
        passing=[*PLAIN, Error("failed")],
        exercised=1,
        broken=[*PLAIN, Error("failed"), TextDelta("Sorry"), TextDelta("!")],
        index=6,
    ),
]
