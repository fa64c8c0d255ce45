"""Scripts as servers send them that take calls for a part of an answer: in one chunk with it, under its finish."""

from __future__ import annotations

from dataclasses import replace

from latent.conformance._scripts._parts import DONE, values
from latent.conformance.harness import Script, asks, planned, says

__all__ = ["CALLS_THAT_STOP", "WHOLE_ANSWER", "WHOLE_CALLS", "WHOLE_THOUGHT"]

_END = replace(says("Case § is fine."), at_once=True)
WHOLE_ANSWER = Script("an answer in one chunk", (_END,))
WHOLE_THOUGHT = Script(
    "reasoning and text in one chunk",
    (replace(says("Case § is fine.", reasoning=("Weighing §*. ",)), at_once=True),),
)
WHOLE_CALLS = Script(
    "text and calls in one chunk",
    (replace(asks(planned("t1"), planned("t2"), texts=("Let me look at §. ",)), at_once=True), _END),
    values("§-o1", "§-o2"),
)
CALLS_THAT_STOP = Script(
    "calls that end like an answer",
    (asks(planned("t1"), texts=("Let me look at §. ",), finish="stop"), DONE),
    values("§-o1"),
)
