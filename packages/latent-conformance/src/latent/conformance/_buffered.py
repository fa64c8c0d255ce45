"""One `invoke`: the events that its wrapper handed on, against the result."""

from __future__ import annotations

from collections.abc import Sequence

from latent.conformance._declarations import Declarations
from latent.conformance._ledger import Ledger

__all__ = ["check_invoked"]


def check_invoked(
    ledger: Ledger,
    declared: Declarations,
    events: Sequence[object],
    result: object,
    history: Sequence[object],
    *,
    received: Sequence[object] | None = None,
) -> None:
    """Hold `result` against `events`, what the stream wrapper handed on, and `history`, what the run was given.

    `result` is what `invoke` returned, or the `result` of the `AgentError` it raised; anything but an
    `InvokeResult` is left to PROTO-3. `received` is what the wrapper was given, where it handed on
    something else (WRAP-3). The events themselves are the checker's business, not judged here.
    """
