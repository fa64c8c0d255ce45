"""RETR: queries."""

from __future__ import annotations

from cases._passive import PLAIN, EventCase, said

from latent.conformance import Level
from latent.protocol import (
    Error,
    RetrieverEnd,
    RetrieverStart,
    StepBoundary,
)

CASES = [
    EventCase(
        rule="RETR-1",
        passing=[
            RetrieverStart("a", "x"),
            RetrieverStart("b", "y"),
            StepBoundary(0),
            RetrieverEnd("a", []),
            *said("Hello"),
            RetrieverEnd("b", ["d"]),
        ],
        exercised=4,
        broken=[RetrieverStart("a", "x"), RetrieverEnd("b", []), *PLAIN],
        index=1,
    ),
    EventCase(
        rule="RETR-1",
        name="ended twice",
        passing=[RetrieverStart("a", "x"), RetrieverEnd("a", []), *PLAIN],
        exercised=2,
        broken=[RetrieverStart("a", "x"), RetrieverEnd("a", []), RetrieverEnd("a", []), *PLAIN],
        index=2,
    ),
    EventCase(
        rule="RETR-1",
        name="no id",
        passing=[RetrieverStart("a", "x"), RetrieverEnd("a", []), *PLAIN],
        exercised=2,
        broken=[RetrieverStart("", "x"), RetrieverEnd("", []), *PLAIN],
        index=0,
    ),
    EventCase(
        rule="RETR-1",
        name="hint: never ended",
        passing=[RetrieverStart("a", "x"), *PLAIN, Error("failed")],
        exercised=1,
        broken=[RetrieverStart("a", "x"), *PLAIN],
        index=0,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="RETR-3",
        passing=[RetrieverStart("a", "x"), RetrieverEnd("a", ["d"]), *PLAIN],
        exercised=1,
        broken=[RetrieverStart("a", "x"), RetrieverEnd("a", [{"text": "d"}]), *PLAIN],  # type: ignore[list-item]
        index=1,
    ),
    EventCase(
        rule="RETR-4",
        passing=[
            RetrieverStart("a", "x"),
            RetrieverStart("b", "y", parent_run_id="a"),
            RetrieverEnd("b", [], parent_run_id="a"),
            RetrieverEnd("a", []),
            *PLAIN,
        ],
        exercised=1,
        broken=[
            RetrieverStart("a", "x"),
            RetrieverEnd("a", []),
            RetrieverStart("b", "y", parent_run_id="a"),
            RetrieverEnd("b", []),
            *PLAIN,
        ],
        index=2,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="RETR-5",
        passing=[RetrieverStart("a", "x", "docs", 2.0), RetrieverEnd("a", [], "docs", 3.0), *PLAIN],
        exercised=1,
        broken=[RetrieverStart("a", "x", "docs"), RetrieverEnd("a", [], "web"), *PLAIN],
        index=1,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="RETR-5",
        name="a name at the start alone",
        passing=[RetrieverStart("a", "x"), RetrieverEnd("a", []), *PLAIN],
        exercised=1,
        broken=[RetrieverStart("a", "x", "docs"), RetrieverEnd("a", []), *PLAIN],
        index=1,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="RETR-5",
        name="ends before it starts",
        passing=[RetrieverStart("a", "x", None, 2.0), RetrieverEnd("a", []), *PLAIN],
        exercised=1,
        broken=[RetrieverStart("a", "x", None, 2.0), RetrieverEnd("a", [], None, 1.0), *PLAIN],
        index=1,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="RETR-1",
        name="the start of the query around another is missing",
        passing=[
            *[RetrieverStart("a", "x"), RetrieverStart("b", "y", parent_run_id="a")],
            *[RetrieverEnd("b", []), RetrieverEnd("a", []), *PLAIN],
        ],
        exercised=4,
        broken=[
            *[RetrieverStart("b", "y", parent_run_id="a"), RetrieverEnd("b", []), RetrieverEnd("a", []), *PLAIN],
        ],
        index=2,
    ),
    EventCase(
        rule="RETR-1",
        name="under the id of a query that was ended",
        passing=[RetrieverStart("a", "x"), RetrieverEnd("a", []), *PLAIN],
        exercised=2,
        broken=[
            *[RetrieverStart("a", "x"), RetrieverStart("b", "x"), RetrieverEnd("b", []), RetrieverEnd("b", [])],
            *PLAIN,
        ],
        index=3,
    ),
    EventCase(
        rule="RETR-1",
        name="two queries under one id at once",
        passing=[RetrieverStart("a", "x"), RetrieverEnd("a", []), *PLAIN],
        exercised=2,
        broken=[
            *[RetrieverStart("a", "x"), RetrieverStart("a", "x"), RetrieverEnd("a", []), RetrieverEnd("a", [])],
            *PLAIN,
        ],
        index=1,
    ),
    EventCase(
        rule="RETR-1",
        name="no id, of a query around another",
        passing=[
            *[RetrieverStart("a", "x"), RetrieverStart("b", "y", parent_run_id="a")],
            *[RetrieverEnd("b", []), RetrieverEnd("a", []), *PLAIN],
        ],
        exercised=4,
        broken=[
            *[RetrieverStart("", "x"), RetrieverStart("b", "y", parent_run_id="a")],
            *[RetrieverEnd("b", []), RetrieverEnd("a", []), *PLAIN],
        ],
        index=0,
    ),
]
