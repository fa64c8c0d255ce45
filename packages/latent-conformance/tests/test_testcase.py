from __future__ import annotations

import pytest
from cases.plugged import CLASS, has, judge, run

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.usefixtures("agents_beside")


def test_a_class_is_judged_without_the_flag(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_mine=CLASS.format(factory="sound", declaration="pass"))
    result = run(pytester)

    assert result.ret == pytest.ExitCode.OK
    assert "failed" not in result.parseoutcomes()
    result.stdout.no_fnmatch_line("*latent conformance*")


def test_a_class_has_a_test_for_each_rule_and_one_for_the_verdict(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_mine=CLASS.format(factory="broken", declaration="pass"))
    result = run(pytester)

    assert result.parseoutcomes()["failed"] == 2
    has(
        result,
        "  again:  pytest 'test_mine.py::TestMine::test_rule[[]TEXT-6]'",
        "FAILED test_mine.py::TestMine::test_rule[[]TEXT-6]*",
        "FAILED test_mine.py::TestMine::test_verdict*",
    )


def test_the_command_that_a_class_names_can_be_pasted(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_mine=CLASS.format(factory="broken", declaration="pass"))
    result = run(pytester, "test_mine.py::TestMine::test_rule[TEXT-6]")

    result.assert_outcomes(failed=1)


def test_a_class_alone_satisfies_the_flag_and_gets_the_summary(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_mine=CLASS.format(factory="sound", declaration="pass"))
    result = judge(pytester)

    assert result.ret == pytest.ExitCode.OK
    has(result, "*= latent conformance =*", "TestMine: PASS")


def test_a_class_carries_its_declarations(pytester: pytest.Pytester) -> None:
    declaration = 'known_deviations = {"TEXT-6": "shown on purpose"}'
    pytester.makepyfile(test_mine=CLASS.format(factory="broken", declaration=declaration))
    result = judge(pytester)

    assert result.ret == pytest.ExitCode.OK
    has(result, "TestMine: PASS", "  known:  shown on purpose")


@pytest.mark.parametrize(
    ("declaration", "told"),
    [
        ('capabilites = {"tools"}', "got 'capabilites': did you mean capabilities?"),
        ('known_deviation = {"TEXT-6": "shown on purpose"}', "got 'known_deviation': did you mean known_deviations?"),
        ("Examples = 3", "got 'Examples': did you mean examples?"),
    ],
)
def test_a_misspelt_declaration_of_a_class_is_named(pytester: pytest.Pytester, declaration: str, told: str) -> None:
    pytester.makepyfile(test_mine=CLASS.format(factory="sound", declaration=declaration))
    result = judge(pytester)

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    has(result, f"problem: Expected declarations out of *, {told}")


def test_a_class_may_have_methods_and_attributes_of_its_own(pytester: pytest.Pytester) -> None:
    own = "capability = tool = _capabilites = 1\n    def example(self): pass\n    prompt_file = phases = 'x'"
    pytester.makepyfile(test_mine=CLASS.format(factory="sound", declaration=own))

    assert judge(pytester).ret == pytest.ExitCode.OK


def test_a_class_made_from_unittest_is_told_so(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_mine="""
        import unittest
        from latent.conformance import AgentConformance

        class TestMine(AgentConformance, unittest.TestCase):
            pass
        """
    )

    has(run(pytester), "E*TypeError: Expected TestMine as a plain class, got one made from unittest.TestCase too*")


def test_a_class_without_a_factory_is_told_so(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_mine="""
        from latent.conformance import AgentConformance

        class TestMine(AgentConformance):
            pass
        """
    )
    result = run(pytester)

    assert result.parseoutcomes()["failed"] == 1
    has(result, "*needs `def make_agent(self, harness)`*")


def test_the_base_class_is_no_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("from latent.conformance import AgentConformance")
    result = run(pytester, "-o", "python_classes=*")

    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_the_agent_is_driven_once_for_the_class_and_its_fixtures_are_there(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_mine="""
        import pytest
        from latent.conformance import AgentConformance
        from agents import sound

        RUNS = []

        class TestMine(AgentConformance):
            @pytest.fixture(autouse=True)
            def weights(self, tmp_path):
                self.folder = tmp_path

            def make_agent(self, harness):
                RUNS.append((harness, self.folder))
                return sound(harness)

        def test_one_harness():
            assert len({id(harness) for harness, _ in RUNS}) == 1
        """
    )
    result = run(pytester)

    assert result.ret == pytest.ExitCode.OK


def test_what_python_cannot_raise_is_told_by_the_verdict_and_by_no_rule(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(CLASS.format(factory="careless", declaration=""))

    result = run(pytester)

    result.assert_outcomes(failed=1, passed=result.parseoutcomes()["passed"], skipped=result.parseoutcomes()["skipped"])
    result.stdout.fnmatch_lines(["*Beside the rules, while the agent was judged: OSError: the file was left open*"])
    result.stdout.fnmatch_lines(["FAILED *::TestMine::test_verdict*"])
