"""All tables of event cases, as parameters for tests."""

from __future__ import annotations

import pytest
from cases._evidence import EVENT_TABLES

EVENT_CASES = [
    pytest.param(case, id=f"{case.rule} {case.name}".strip().replace(" ", "-"))
    for table in EVENT_TABLES
    for case in table.CASES
]
