"""Every event as it is written, from the golden file of the protocol's tests."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from latent.protocol import AgentEvent, decode_event

__all__ = ["wire_lines"]

_GOLDEN = Path(__file__).parents[2] / "packages" / "latent-protocol" / "tests" / "golden" / "events.jsonl"


def wire_lines() -> str:
    """For each event its lines, one for each layout that the tests hold."""
    lines = _GOLDEN.read_text(encoding="utf-8").splitlines()
    parts = []
    for kind, own in groupby(lines, _kind):
        parts += [f"{{py:obj}}`~latent.protocol.{kind.__name__}`", "", "`````json", *own, "`````", ""]
    return "\n".join(parts)


def _kind(line: str) -> type[AgentEvent]:
    return type(decode_event(line))
