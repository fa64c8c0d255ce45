"""Judgements to make files of."""

from __future__ import annotations

from collections.abc import Callable

from cases._passive import PLAIN, TOOLS, answer

from latent.conformance import Report, check_events
from latent.conformance._report_files import Outcome, Outcomes, gathered, outcome, refused
from latent.protocol import StepBoundary, TextDelta, ToolCall, ToolResult

HOSTILE = (
    "</script></style>--><img src=x onerror=alert(1)> \u2028 \ud800 \u202e `` ``` | "
    "<!-- ]]> &amp; [a](b) *c* @d #1 \r\n- e"
)


class Odd:
    def __repr__(self) -> str:
        return HOSTILE


def told(report: Report, name: str = "mine", rerun: Callable[[str], str] = "run {}".format) -> Outcome:
    return outcome(report, name, rerun)


def passing() -> Outcome:
    return told(check_events(TOOLS), "sound")


def broken() -> Outcome:
    return told(check_events([*PLAIN, answer(), answer()]), "broken")


def broken_often(times: int = 150) -> Outcome:
    """One kind of finding, more often than the kit keeps it."""
    return told(check_events([*PLAIN, *[answer()] * times]), "broken often")


def deviating() -> Outcome:
    return told(check_events([*PLAIN, answer()], known_deviations={"TOOL-3": "shown on purpose"}), "deviating")


def hostile() -> Outcome:
    """What an agent may try: texts that are markup, values that nothing writes, and very much of both."""
    events = [
        StepBoundary(0, HOSTILE),
        TextDelta(HOSTILE),
        TextDelta("x" * 1_000_000),
        ToolCall.from_arguments(HOSTILE.replace("\ud800", ""), HOSTILE.replace("\ud800", ""), {}),
        ToolResult(HOSTILE, Odd()),
        ToolResult(HOSTILE, error=HOSTILE),
        TextDelta(Odd()),  # type: ignore[arg-type]
        Odd(),
        {"role": HOSTILE},
    ]
    return told(check_events(events), HOSTILE, lambda rule: f"run {rule} {HOSTILE}")


def everything() -> Outcomes:
    return gathered([broken(), passing(), hostile(), refused("lost", HOSTILE)])
