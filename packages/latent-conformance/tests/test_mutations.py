from __future__ import annotations

from collections import Counter

import pytest
from cases._mutations import OPERATORS
from cases._survivors import excuse
from hypothesis import given, settings

from latent.conformance import check_events
from latent.conformance.strategies import traces
from latent.protocol import AgentEvent

EXAMPLES = settings(deadline=None, database=None, derandomize=True, max_examples=60)


@pytest.mark.parametrize("operator", OPERATORS)
def test_every_mutant_is_rejected_or_another_valid_trace(operator: str) -> None:
    fate: Counter[str] = Counter()

    @EXAMPLES
    @given(traces())
    def judge(trace: list[AgentEvent]) -> None:
        for mutant in OPERATORS[operator](trace):
            report = check_events(mutant.trace)
            assert report.internal_errors == ()
            if report.violations:
                fate["rejected"] += 1
                continue
            reason = excuse(operator, mutant)
            assert reason, (mutant.index, mutant.note, mutant.original)
            fate[reason] += 1

    judge()

    assert fate["rejected"] > 50
