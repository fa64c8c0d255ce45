from __future__ import annotations

import pytest
from cases.plugged import has, run

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.usefixtures("agents_beside")


FIXTURES = """
from latent.conformance.harness import Fail, Script, Turn, asks, planned, says

TALK = Script("talk", (asks(planned("t1")), says("Done with §")))

def test_a_script(latent_run, latent_assert):
    played = latent_run(TALK)
    latent_assert(played.events)
    assert played.result.text.startswith("Done with cv")
    assert [request.turn for request in played.requests] == [0, 1]
    assert played.raised is None

def test_a_failure(latent_run):
    played = latent_run(Script("fails", (Turn((Fail("no model"),)),)))
    assert played.result.error == str(played.raised) == "no model"

def test_the_harness(latent_harness):
    assert latent_harness.play(TALK).messages[-1].role == "user"
"""


def test_the_fixtures_serve_the_agent_of_the_settings(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nlatent_conformance_agents = agents:sound")
    pytester.makepyfile(test_mine=FIXTURES)

    run(pytester).assert_outcomes(passed=3)


def test_generated_scripts_are_played_to_fresh_agents_by_one_fixture(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nlatent_conformance_agents = agents:sound")
    pytester.makepyfile(
        test_mine="""
        from hypothesis import HealthCheck, given, settings
        from latent.conformance.strategies import scripts

        bearing = [HealthCheck.function_scoped_fixture]

        @settings(suppress_health_check=bearing, deadline=None, database=None, derandomize=True, max_examples=20)
        @given(script=scripts(capabilities={"tools"}))
        def test_what_no_script_may_break(latent_run, latent_assert, script):
            latent_assert(latent_run(script).events)
        """
    )

    run(pytester).assert_outcomes(passed=1)


def test_the_factory_of_the_fixtures_can_be_overridden(pytester: pytest.Pytester) -> None:
    override = """
import pytest
from agents import sound

@pytest.fixture
def latent_agent_factory():
    return sound
"""
    pytester.makepyfile(test_mine=override + FIXTURES)

    run(pytester).assert_outcomes(passed=3)


def test_without_a_factory_the_fixtures_say_what_to_do(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_mine=FIXTURES)
    result = run(pytester)

    assert result.parseoutcomes() == {"errors": 2, "passed": 1}
    has(result, "*override the fixture latent_agent_factory, or set latent_conformance_agents*")
