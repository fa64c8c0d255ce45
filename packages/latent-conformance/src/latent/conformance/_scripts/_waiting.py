"""Scripts in which the model or a tool takes its time."""

from __future__ import annotations

from dataclasses import replace

from latent.conformance._scripts._answers import ANSWER
from latent.conformance._scripts._calls import TALK
from latent.conformance._scripts._parts import DONE
from latent.conformance.harness import Deed, Finish, Hold, Pause, Script, Text, Tokens, Turn, asks, planned

__all__ = [
    "HELD_BATCH",
    "HELD_MODEL",
    "HELD_TOGETHER",
    "HELD_TOOL",
    "MEETING",
    "MEETING_TO_ANSWER",
    "SLOW_BATCH",
    "SLOW_MODEL",
    "SLOW_TOOL",
]

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
    (asks(planned("t1"), texts=("Looking at §. ",)), DONE),
    {"t1": Deed(value="§-o1", hold="tool")},
)
HELD_BATCH = Script(
    "parallel tools, one takes its time",
    (asks(planned("t1"), planned("t2")), DONE),
    {"t1": Deed(value="§-o1"), "t2": Deed(value="§-o2", hold="tool")},
)
HELD_TOGETHER = Script(
    "parallel tools that take their time",
    (asks(planned("t1"), planned("t2")), DONE),
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
    (asks(planned("t1"), texts=("Looking at §. ",)), DONE),
    {"t1": Deed(value={"record": "§-o1"}, seconds=3600)},
)
SLOW_BATCH = Script(
    "parallel tools that take their time",
    (asks(planned("t1"), planned("t2"), planned("t3", "inspect"), texts=("Three things. ",)), DONE),
    {
        "t1": Deed(value={"record": "§-o1"}, seconds=7200),
        "t2": Deed(value={"record": "§-o2"}, seconds=60),
        "t3": Deed(value=["§-o3"], seconds=3600),
    },
)
