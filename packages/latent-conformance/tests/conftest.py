"""What the tests of the plugin stand on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from cases.plugged import AGENTS


@pytest.fixture
def agents_beside(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """Agents in the tested directory, and no setting of ours around it."""
    pytester.makepyfile(agents=AGENTS)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=os.pathsep)
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
