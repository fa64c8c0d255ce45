"""The pytest plugin of latent-conformance.

It stands outside the package so that pytest, which loads it at every start, imports nothing but this and
the standard library until `--latent-conformance` is given or a test class asks for the kit.
"""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("latent-conformance", "conformance of agents")
    group.addoption("--latent-conformance", action="store_true", help="judge agents, and end with a verdict for each")
    group.addoption(
        "--latent-agent",
        action="append",
        default=[],
        metavar="MODULE:FACTORY",
        help="an agent to judge: the factory that builds it; may be given several times",
    )
    group.addoption("--latent-rule", metavar="ID", help="judge this rule only, for example STEP-4")
    group.addoption("--latent-timeout", type=float, metavar="SECONDS", help="how long one run of an agent may take")
    parser.addini("latent_conformance_agents", "agents to judge with --latent-conformance", type="linelist", default=[])


def pytest_sessionstart(session: pytest.Session) -> None:
    config = session.config
    if config.getoption("latent_conformance"):
        from latent.conformance._session import JudgingSession  # imported with the flag only

        config.pluginmanager.register(JudgingSession(config), "latent-conformance-session")
    elif config.getoption("latent_agent") or config.getoption("latent_rule"):
        raise pytest.UsageError("--latent-agent and --latent-rule need --latent-conformance")
