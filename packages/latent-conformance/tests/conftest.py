"""What the tests of the plugin stand on, and how much the others generate."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from cases.plugged import AGENTS

from latent.conformance._judging import _exploration


@pytest.fixture
def agents_beside(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """Agents in the tested directory, and no setting of ours around it."""
    pytester.makepyfile(agents=AGENTS)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=os.pathsep)
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)


@pytest.fixture(autouse=True)
def few_conversations(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Generate a few conversations only, but where a test is about the search itself."""
    if request.node.get_closest_marker("searching") is None:
        monkeypatch.setattr(_exploration, "_IN_PROCESS", 10)
        monkeypatch.setattr(_exploration, "_OVER_HTTP", 5)
