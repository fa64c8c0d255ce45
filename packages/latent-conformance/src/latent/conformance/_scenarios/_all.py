"""All scenarios, in the order in which they are played."""

from __future__ import annotations

import latent.conformance._scenarios._asking as asking
import latent.conformance._scenarios._at_once as at_once
import latent.conformance._scenarios._beyond_json as beyond_json
import latent.conformance._scenarios._cancelling as cancelling
import latent.conformance._scenarios._closing as closing
import latent.conformance._scenarios._edges as edges
import latent.conformance._scenarios._failing as failing
import latent.conformance._scenarios._finishing as finishing
import latent.conformance._scenarios._holding as holding
import latent.conformance._scenarios._invoking as invoking
import latent.conformance._scenarios._minding as minding
import latent.conformance._scenarios._nesting as nesting
import latent.conformance._scenarios._overlapping as overlapping
import latent.conformance._scenarios._recovering as recovering
import latent.conformance._scenarios._repeating as repeating
import latent.conformance._scenarios._shape as shape
import latent.conformance._scenarios._talking as talking
import latent.conformance._scenarios._tooling as tooling
import latent.conformance._scenarios._waiting as waiting
import latent.conformance._scenarios._wrapping as wrapping
from latent.conformance._staging._scenario import Scenario

__all__ = ["SCENARIOS"]

SCENARIOS: tuple[Scenario, ...] = (
    *shape.SCENARIOS,
    *talking.SCENARIOS,
    *at_once.SCENARIOS,
    *finishing.SCENARIOS,
    *tooling.SCENARIOS,
    *beyond_json.SCENARIOS,
    *repeating.SCENARIOS,
    *closing.SCENARIOS,
    *asking.SCENARIOS,
    *holding.SCENARIOS,
    *failing.SCENARIOS,
    *edges.SCENARIOS,
    *overlapping.SCENARIOS,
    *recovering.SCENARIOS,
    *minding.SCENARIOS,
    *nesting.SCENARIOS,
    *cancelling.SCENARIOS,
    *invoking.SCENARIOS,
    *wrapping.SCENARIOS,
    *waiting.SCENARIOS,
)
