"""All tables of event cases, as parameters for tests."""

from __future__ import annotations

import pytest
from cases import events_calls, events_markers, events_shape, events_steps, events_text, events_tools

_TABLES = (events_shape, events_steps, events_text, events_tools, events_calls, events_markers)

EVENT_CASES = [
    pytest.param(case, id=f"{case.rule} {case.name}".strip().replace(" ", "-"))
    for table in _TABLES
    for case in table.CASES
]
