"""The pytest plugin of latent-conformance.

It stands outside the package so that pytest, which loads it at every start, imports nothing but this and
the standard library until `--latent-conformance` is given or a test class asks for the kit.
"""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from latent.conformance import Harness
    from latent.conformance._driving._played import Played


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
    group.addoption(
        "--latent-rule", action="append", default=[], metavar="ID", help="judge this rule only, for example STEP-4"
    )
    group.addoption(
        "--latent-report",
        action="append",
        default=[],
        metavar="KIND:PATH",
        help="write the judgement to a file as json, md, html or badge (an SVG); may be given several times",
    )
    group.addoption("--latent-timeout", type=_seconds, metavar="SECONDS", help="how long one run of an agent may take")
    group.addoption(
        "--latent-examples",
        type=_count,
        metavar="N",
        help="how many generated conversations to play; 0 for the fixed ones alone",
    )
    group.addoption("--latent-script", metavar="FILE", help="play this script alone, for example one that was kept")
    parser.addini("latent_conformance_agents", "agents to judge with --latent-conformance", type="linelist", default=[])
    for name in _SETTINGS:
        parser.addini(name, f"`--{name.replace('_', '-')}` for agents that set none of their own")


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise ArgumentTypeError(f"Expected a number of seconds above 0, got {text!r}")
    return seconds


def pytest_sessionstart(session: pytest.Session) -> None:
    config = session.config
    for name, read in _SETTINGS.items():
        try:
            read(config.getini(name) or "1")
        except ArgumentTypeError as wrong:
            raise pytest.UsageError(f"{name} of the settings: {wrong}") from wrong
    if config.getoption("latent_conformance"):
        from latent.conformance._pytest._session import JudgingSession  # imported with the flag only

        config.pluginmanager.register(JudgingSession(config), "latent-conformance-session")
    elif any(config.getoption(f"latent_{name}") for name in ("agent", "rule", "report", "script")):
        names = "--latent-agent, --latent-rule, --latent-report and --latent-script"
        raise pytest.UsageError(f"{names} need --latent-conformance")


def _count(given: str) -> int:
    if not given.isdecimal():
        raise ArgumentTypeError(f"Expected a number from 0 on, got {given!r}")
    return int(given)


_SETTINGS: dict[str, Callable[[str], float]] = {"latent_timeout": _seconds, "latent_examples": _count}


@pytest.fixture
def latent_harness() -> Iterator[Harness]:
    """The model and the tools of the conformance kit, for one test."""
    from latent.conformance import Harness  # imported by those alone who use the fixture

    with Harness() as harness:
        yield harness


@pytest.fixture
def latent_agent_factory(pytestconfig: pytest.Config) -> Callable[..., Any]:
    """The factory of the agent under test: override it, or set the first of latent_conformance_agents."""
    from latent.conformance._pytest._items import load_factory  # imported by those alone who use the fixture

    specs = pytestconfig.getini("latent_conformance_agents")
    if not specs:
        pytest.fail("override the fixture latent_agent_factory, or set latent_conformance_agents", pytrace=False)
    return load_factory(specs[0], pytestconfig, of_settings=True)


@pytest.fixture
def latent_run(latent_harness: Harness, latent_agent_factory: Callable[..., Any]) -> Callable[..., Played]:
    """Plays a script to a fresh agent: `latent_run(script).events`, `.result`, `.raised`, `.requests`."""
    from latent.conformance._driving._played import play  # imported by those alone who use the fixture

    return partial(play, latent_agent_factory, latent_harness)


@pytest.fixture
def latent_assert() -> Callable[..., None]:
    """`latent_assert(events)` fails with the findings where events break a MUST rule."""
    from latent.conformance import assert_conforms  # imported by those alone who use the fixture

    return assert_conforms
