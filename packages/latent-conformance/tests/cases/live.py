"""Broken agents, at least one for each rule that only a driven agent shows; each has one fault."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from cases import (
    broken_answers,
    broken_beside,
    broken_characters,
    broken_conversations,
    broken_data,
    broken_events,
    broken_habits,
    broken_histories,
    broken_instances,
    broken_lives,
    broken_markers,
    broken_nested,
    broken_pools,
    broken_rarely,
    broken_readings,
    broken_requests,
    broken_runs,
    broken_scopes,
    broken_steps,
    broken_streams,
    broken_wire,
    broken_wrapping,
    passing,
)
from cases.loopback import HttpModel, SkippingModel, SplittingModel

from latent.conformance.harness import Harness

ODD_WIRE = frozenset({"tools", "parallel_tools", "reasoning", "usage", "odd_wire"})


@dataclass(frozen=True)
class LiveCase:
    """A broken agent, and what the kit has to say about it."""

    rule: str
    """The rule that it breaks, which is to be named first."""
    broken: type[Any]
    also: frozenset[str] = frozenset()
    """Rules that its one fault breaks too."""
    capabilities: frozenset[str] | None = None
    client: type[HttpModel] | None = None
    """What it reads the model over HTTP with."""

    def make(self, harness: Harness) -> Any:
        """The factory."""
        model = harness.model if self.client is None else self.client(harness)
        return self.broken(model, harness.tools, harness.max_iterations)


def _cases(rows: Iterable[tuple[Any, ...]]) -> list[LiveCase]:
    return [LiveCase(rule, broken, frozenset(also)) for rule, broken, *also in rows]


CASES: tuple[LiveCase, ...] = (
    *_cases(broken_answers.ROWS),
    *_cases(broken_runs.ROWS),
    *_cases(broken_wrapping.ROWS),
    *_cases(broken_lives.ROWS),
    *_cases(broken_scopes.ROWS),
    *_cases(broken_streams.ROWS),
    *_cases(broken_steps.ROWS),
    *_cases(broken_requests.ROWS),
    *_cases(broken_characters.ROWS),
    *_cases(broken_data.ROWS),
    *_cases(broken_habits.ROWS),
    *_cases(broken_histories.ROWS),
    *_cases(broken_nested.ROWS),
    *_cases(broken_rarely.ROWS),
    *_cases(broken_beside.ROWS),
    *_cases(broken_events.ROWS),
    *_cases(broken_instances.ROWS),
    *_cases(broken_pools.ROWS),
    *_cases(broken_conversations.ROWS),
    *_cases(broken_markers.ROWS),
    *_cases(broken_readings.ROWS),
    *_cases(broken_wire.ROWS),
    *_cases(passing.ROWS),
    *(
        LiveCase(rule, broken, frozenset(also), client=client)
        for rule, broken, client, *also in (*broken_wire.OVER_HTTP, *broken_data.OVER_HTTP)
    ),
    *(LiveCase(rule, broken, frozenset(also), ODD_WIRE) for rule, broken, *also in broken_readings.ODD),
    LiveCase("USAGE-5", broken_answers.SumsUsage, capabilities=ODD_WIRE),
    LiveCase("ERR-3", broken_wire.HearsNoErrors, frozenset(), ODD_WIRE, broken_wire.DeafModel),
    LiveCase("TEXT-9", broken_characters.EndsLinesAtSeparators, frozenset({"TOOL-9"}), ODD_WIRE, SplittingModel),
    LiveCase("TEXT-9", broken_characters.SkipsBrokenLines, frozenset({"TOOL-9"}), ODD_WIRE, SkippingModel),
    LiveCase("USAGE-5", broken_habits.SumsWhatItSpends, capabilities=ODD_WIRE),
)
