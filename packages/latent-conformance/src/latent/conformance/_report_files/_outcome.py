"""A judgement as plain data: what every file is made from, and what the JSON file is."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from msgspec import Struct
from msgspec.json import schema

from latent.conformance._verdict._excerpt import spot
from latent.conformance._verdict._report import Status, Verdict

__all__ = ["Finding", "Outcome", "Outcomes", "RuleOutcome", "Stream", "StreamEvent", "outcomes_schema"]

LevelName: TypeAlias = Literal["MUST", "SHOULD"]
DoorName: TypeAlias = Literal["recording", "black box", "harness"]


class StreamEvent(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One item of a stream: an envelope of the protocol, or for what has none how it looks to Python."""

    event: str | None = None
    """The tag."""
    data: dict[str, Any] | None = None
    exact: bool = True
    """Whether `data` is what the protocol writes; else it holds values of other types, or how they look."""
    kind: str | None = None
    """The name of the item's class, where it has no envelope."""
    shown: str | None = None
    """The item as text, cut, where it has no envelope."""


class Stream(Struct, frozen=True, kw_only=True):
    """The events of one run, as far as they had come."""

    scenario: str | None
    script: str | None
    """What the kit played, for people."""
    events: tuple[StreamEvent, ...]


class Finding(Struct, frozen=True, kw_only=True):
    """One breach of a rule."""

    rule: str
    level: LevelName
    """The rule's level, or SHOULD for a mere sign of a breach."""
    sentence: str
    """What the rule says."""
    message: str
    """What was expected and what came."""
    hint: str
    """How to mend it."""
    again: str
    """The command that runs it again."""
    replay: str | None
    """The command that plays the kept script that broke the rule; null where none was kept."""
    index: int | None
    """The event's position in the stream, from 0."""
    step: int | None
    """The number of the step, as the agent counts."""
    scenario: str | None
    """The scenario in which it came up."""
    excerpt: tuple[str, ...]
    """The event and its neighbours, one line each, the event itself marked with `>`."""
    stream: int | None
    """The position in `streams` of the run's events; null where they were not kept."""

    @property
    def place(self) -> str:
        """Where it is, in words; empty for the run as a whole."""
        return spot(self.index, self.step, self.scenario)


class RuleOutcome(Struct, frozen=True, kw_only=True):
    """What became of one rule."""

    rule: str
    level: LevelName
    sentence: str
    clause: str
    """Where the specification says it."""
    status: Status
    reason: str | None
    """Why it could not be tried, why it is broken knowingly, or which finding names its cause."""
    required: bool
    """Whether there is no pass without it."""
    exercised: int
    """How often its trigger was met."""
    omitted: int
    """How many findings there were beyond those that are told."""


class Outcome(Struct, frozen=True, kw_only=True):
    """The judgement of one agent, or of one recording."""

    name: str
    verdict: Verdict
    door: DoorName | None
    """How it was put before the kit; null where nothing could be judged."""
    counts: dict[str, int]
    """Status -> how many rules have it."""
    problems: tuple[str, ...]
    """What is wrong with the declarations, or why nothing could be judged."""
    advice: tuple[str, ...]
    """What to declare or to provide so that the judgement becomes complete."""
    internal_errors: tuple[str, ...]
    """Where the kit itself failed."""
    warnings: tuple[str, ...]
    """What the author's code raised meanwhile where nobody could catch it."""
    replayed: str | None
    """Which script was played alone, and how many rules it put to the test; null for a whole judgement."""
    findings: tuple[Finding, ...]
    rules: tuple[RuleOutcome, ...]
    streams: tuple[Stream, ...]


class Outcomes(Struct, frozen=True, kw_only=True):
    """Everything that one run of the kit has judged. Readers ignore fields that they do not know."""

    format: Literal["latent-conformance-report"]
    version: Literal[1]
    """Of this format; rises when a field changes its meaning or goes."""
    protocol: str
    """The version of the protocol that was judged by."""
    kit: str | None
    """The version of the kit; null where it was not installed as a distribution."""
    verdict: Verdict
    """`fail` where one agent fails, else `incomplete` where one is, else `pass`."""
    agents: tuple[Outcome, ...]


def outcomes_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of the file."""
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:latent:conformance:report:1",
        "title": "Report",
        "description": "What the conformance kit judged, version 1 of the format.",
    }
    return {**head, **schema(Outcomes)}
