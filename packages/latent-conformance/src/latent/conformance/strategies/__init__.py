"""Hypothesis strategies for messages, histories, events, whole traces and scripts.

Importing this module imports hypothesis, and registers the strategies with it, so that `from_type` and
type-driven `builds` make valid objects: what hypothesis works out for a Struct by itself has fields of
any kind.
"""

from __future__ import annotations

from hypothesis.strategies import register_type_strategy

from latent.conformance._generator._scripts import scripts
from latent.conformance.strategies._breaking import traces_breaking
from latent.conformance.strategies._events import EVENTS, events
from latent.conformance.strategies._messages import histories, messages
from latent.conformance.strategies._traces import traces
from latent.protocol import AgentEvent, Message

__all__ = ["events", "histories", "messages", "scripts", "traces", "traces_breaking"]

for _kind, _strategy in EVENTS.items():
    register_type_strategy(_kind, _strategy)
register_type_strategy(AgentEvent, events())
register_type_strategy(Message, messages())
